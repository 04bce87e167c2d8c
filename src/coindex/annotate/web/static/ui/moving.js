// @ts-check
// Moving about: words, likely mentions, mentions, chains and nests, and choosing several.

import * as actions from "../core/actions.js";
import { firstWhere } from "../core/span_index.js";
import { $, count } from "./dom.js";
import { ghostId, suggestionOf } from "./textview.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** @param {Editor} editor @returns {Record<string, () => unknown>} */
export function moves(editor) {
  const step = (/** @type {1 | -1} */ by) => {
    const range = editor.range ?? marked(editor);
    editor.goto(range ? (by > 0 ? range[1] : range[0] - 1) : editor.cursor + by);
  };
  return {
    left: () => step(-1), right: () => step(1),
    up: () => editor.text.size && editor.goto(editor.view.vertical(editor.cursor, -1)), down: () => editor.text.size && editor.goto(editor.view.vertical(editor.cursor, 1)),
    "extend-left": () => editor.extendTo(edge(editor) - 1), "extend-right": () => editor.extendTo(edge(editor) + 1),
    "extend-up": () => editor.extendTo(editor.view.vertical(editor.cursor, -1)), "extend-down": () => editor.extendTo(editor.view.vertical(editor.cursor, 1)),
    likely: () => likely(editor, 1), unlikely: () => likely(editor, -1),
    next: () => nextMark(editor, 1), previous: () => nextMark(editor, -1),
    "chain-next": () => inChain(editor, 1), "chain-previous": () => inChain(editor, -1),
    outer: () => nest(editor, 1), inner: () => nest(editor, -1),
    clear: () => editor.clear(), filter: () => $("filter").focus(),
    pick: () => pick(editor), "pick-chain": () => pickChain(editor),
  };
}

/** @param {Editor} editor @returns {[number, number] | null} */
function marked(editor) {
  const found = editor.mark === null ? null : editor.state.mentions.get(editor.mark) ?? editor.state.suggestions.get(suggestionOf(editor.mark) ?? "");
  return found ? [found.spans[0][0], found.spans[found.spans.length - 1][1]] : null;
}

/** The end of the selection that moves; of a mention its last word. @param {Editor} editor */
function edge(editor) {
  if (editor.anchor !== null) return editor.cursor;
  const range = marked(editor);
  return range ? range[1] - 1 : editor.cursor;
}

/** @param {Editor} editor @param {1 | -1} by */
function likely(editor, by) {
  const here = editor.range ?? marked(editor) ?? (editor.cursor || editor.mark || editor.anchor !== null ? [editor.cursor, editor.cursor + 1] : [-1, 0]);
  const after = (/** @type {[number, number]} */ [start, end]) => start - here[0] || here[1] - end;
  let at = firstWhere(editor.hints, (one) => after(one) > 0 || (by < 0 && after(one) === 0)) - Number(by < 0);
  while (editor.hints[at] && editor.state.at([editor.hints[at]])) at += by;
  const next = editor.hints[at];
  if (!next) return editor.say("no more likely mentions");
  editor.selectRange(next[0], next[1] - 1);
  editor.view.show(next[0]);
  return undefined;
}

/** @param {Editor} editor @param {1 | -1} by */
function nextMark(editor, by) {
  const { state } = editor;
  if (!state.sorted.length && !(editor.view.ghosts && state.suggested.queue().some((one) => state.isOpen(one)))) return editor.say("no mention yet");
  const from = marked(editor) ?? [editor.cursor, Infinity];
  const here = { start: from[0], end: from[1], id: editor.mark ?? "" };
  const next = nearest(editor, here, by) ?? nearest(editor, by > 0 ? { start: -1, end: 0, id: "" } : { start: Infinity, end: 0, id: "" }, by);
  if (next) editor.choose(next);
  return undefined;
}

/** @typedef {{start: number, end: number, id: string}} Place */

/** Order of reading. @param {Place} a @param {Place} b */
const compare = (a, b) => a.start - b.start || b.end - a.end || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** @param {string} id @param {readonly [number, number][]} spans @returns {Place} */
const placed = (id, spans) => ({ id, start: spans[0][0], end: spans[spans.length - 1][1] });

/** The mention or suggestion after a place, or before it. @param {Editor} editor @param {Place} here @param {1 | -1} by @returns {string | null} */
function nearest(editor, here, by) {
  const { state } = editor;
  const past = (/** @type {Place} */ one) => (by > 0 ? compare(one, here) > 0 : compare(one, here) >= 0);
  const mentions = state.sorted, queue = editor.view.ghosts ? state.suggested.queue() : [];
  const at = firstWhere(mentions, (one) => past(placed(one.id, one.spans))) - Number(by < 0);
  let other = firstWhere(queue, (one) => past(placed(ghostId(one.id), one.spans))) - Number(by < 0);
  while (queue[other] && !state.isOpen(queue[other])) other += by;
  const found = [];
  if (mentions[at]) found.push(placed(mentions[at].id, mentions[at].spans));
  if (queue[other]) found.push(placed(ghostId(queue[other].id), queue[other].spans));
  found.sort((a, b) => by * compare(a, b));
  return found[0]?.id ?? null;
}

/** @param {Editor} editor @param {1 | -1} by */
function inChain(editor, by) {
  const group = editor.group ?? editor.state.mentions.get(editor.target.mentions[0])?.groups[0];
  const chain = group === undefined ? [] : editor.state.chain(group);
  if (!chain.length) return editor.say("choose a mention of a group first");
  const at = chain.findIndex((one) => one.id === (editor.mark ?? editor.target.mentions[0]));
  editor.choose(chain[at < 0 ? 0 : (at + by + chain.length) % chain.length].id, { group });
  return undefined;
}

/** @param {Editor} editor @param {1 | -1} by */
function nest(editor, by) {
  const here = editor.mark ?? editor.target.mentions[0] ?? null;
  if (here === null || suggestionOf(here) !== null) {
    const ring = editor.state.around(editor.cursor);
    return ring.length ? editor.choose(ring[by > 0 ? 0 : ring.length - 1].id) : editor.say("no mention here");
  }
  const next = actions.nested(editor.state, here, by);
  return next ? editor.choose(next.id) : editor.say("nothing around it or inside it");
}

/** @param {Editor} editor */
function pick(editor) {
  const [id] = editor.mark && !suggestionOf(editor.mark) ? [editor.mark] : editor.target.mentions;
  if (id === undefined) return editor.say("no mention here");
  editor.anchor = null;
  editor.mark = id;
  if (!editor.picked.delete(id)) editor.picked.add(id);
  editor.paint();
  return editor.say(`${count(editor.picked.size, "mention")} chosen`);
}

/** @param {Editor} editor */
function pickChain(editor) {
  const group = editor.group ?? editor.state.mentions.get(editor.target.mentions[0])?.groups[0];
  if (!group) return editor.say("choose a mention of a group first");
  editor.anchor = null;
  for (const one of editor.state.chain(group)) editor.picked.add(one.id);
  editor.paint();
  return editor.say(`${count(editor.picked.size, "mention")} chosen`);
}

