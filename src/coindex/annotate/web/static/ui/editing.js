// @ts-check
// What the keys and buttons of the editor change.

import * as actions from "../core/actions.js";
import { changeWords } from "../core/change_words.js";
import { freeOrder, Refused } from "../core/effects.js";
import { badge } from "../core/keymap.js";
import { newId } from "../core/session.js";
import { firstWhere } from "../core/span_index.js";
import { acceptSure } from "./accept_sure.js";
import { ask, confirm, count } from "./dom.js";
import { pickGroup } from "./picker.js";
import { ghostId, suggestionOf } from "./textview.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("../core/actions.js").Action} Action */

/** @param {Editor} editor @returns {Record<string, () => unknown>} */
export function edits(editor) {
  const border = (/** @type {"start" | "end"} */ edge, /** @type {number} */ by) => () =>
    editor.act(() => actions.resize(editor.state, editor.target.mentions[0] ?? "", edge, by, editor.text.size));
  const chain = () => {
    const found = editor.state.suggestions.get(ghost(editor));
    return found ? editor.state.openChain(found) : [];
  };
  return {
    new: () => assign(editor, null, false), "also-new": () => assign(editor, null, true),
    find: () => find(editor), "also-find": () => alsoIn(editor), "remove-group": () => removeChosen(editor), merge: () => merge(editor), rename: () => rename(editor),
    remove: () => editor.act(() => actions.remove(editor.state, editor.target.mentions)),
    "grow-start": border("start", -1), "shrink-start": border("start", 1), "shrink-end": border("end", -1), "grow-end": border("end", 1),
    flag: () => editor.act(() => actions.flag(editor.state, editor.target.mentions)), note: () => note(editor),
    accept: () => then(editor, () => actions.accept(editor.state, [ghost(editor)], null, newId)),
    "accept-chain": () => then(editor, () => actions.accept(editor.state, chain(), null, newId)),
    dismiss: () => then(editor, () => actions.dismiss(editor.state, [ghost(editor)])),
    "dismiss-chain": () => then(editor, () => actions.dismiss(editor.state, chain())),
    "accept-sure": () => acceptSure(editor), ghosts: () => toggleGhosts(editor), undo: () => back(editor, "undo"), redo: () => back(editor, "redo"),
    comment: () => comment(editor),
    unsure: () => editor.act(() => ({ label: "flag of the document changed", drafts: [{ kind: "document.flag", payload: { unsure: !editor.state.about.unsure } }] })),
  };
}

/** The suggestion at hand, or the first at the cursor. @param {Editor} editor */
function ghost(editor) {
  return editor.target.ghost ?? suggestionOf(editor.ghostsAt(editor.cursor)[0] ?? "") ?? "";
}

/** Decide on a suggestion and go to the next one. @param {Editor} editor @param {() => Action} make */
async function then(editor, make) {
  if (!(await editor.act(make))) return;
  const from = editor.cursor;
  const queue = editor.state.suggested.queue(), first = firstWhere(queue, (one) => one.spans[0][0] >= from);
  const next = queue.slice(first).find((one) => editor.state.isOpen(one));
  if (next) editor.choose(ghostId(next.id));
}

/** A group key. @param {Editor} editor @param {string | null} group @param {boolean} also */
export function assign(editor, group, also) {
  const { mentions, spans, ghost: suggested } = editor.target;
  if (suggested !== null) return then(editor, () => actions.accept(editor.state, [suggested], group, newId, group === null));
  if (spans) return editor.act(() => actions.mark(editor.state, spans, group, newId));
  return editor.act(() => (also ? actions.also : actions.move)(editor.state, mentions, group, newId));
}

/** @param {Editor} editor @param {{order: number, also: boolean}} key */
export function groupKey(editor, { order, also }) {
  const group = [...editor.state.groups.values()].find((one) => one.order === order);
  if (group) return assign(editor, group.id, also);
  if (order === freeOrder(editor.state)) return assign(editor, null, also); // the next key makes the next group
  return editor.say(`no group ${badge(order)} yet: + makes a new one`, true);
}

/** @param {Editor} editor */
export async function alsoIn(editor) {
  if (!editor.target.mentions.length) return editor.say("choose a mention first", true);
  const found = await pickGroup({ title: "Also in which group?", list: editor.list });
  if (found) await assign(editor, found.group, true);
  return editor.pane.focus();
}

/** @param {Editor} editor */
async function find(editor) {
  const found = await pickGroup({ title: "Put into which group?", list: editor.list, shift: true });
  if (found) await assign(editor, found.group, found.shift);
  editor.pane.focus();
}

/** @param {Editor} editor @param {string} [from] */
export async function merge(editor, from = editor.group ?? editor.state.mentions.get(editor.target.mentions[0])?.groups[0]) {
  const group = from === undefined ? undefined : editor.state.groups.get(from);
  if (!group) return editor.say("choose a group first", true);
  const found = await pickGroup({ title: `Merge ${badge(group.order)} ${editor.list.name(group)} into which group?`, list: editor.list, but: group.id });
  if (found) await editor.act(() => actions.merge(editor.state, group.id, found.group));
  return editor.pane.focus();
}

/** @param {Editor} editor @param {string} [of] */
export async function rename(editor, of = editor.group ?? editor.state.mentions.get(editor.target.mentions[0])?.groups[0]) {
  const group = of === undefined ? undefined : editor.state.groups.get(of);
  if (!group) return editor.say("choose a group first", true);
  const name = await ask({ title: `Name of group ${badge(group.order)}`, label: "Name; empty: named by its mentions", value: group.name || editor.list.name(group), most: 200 });
  if (name !== null) await editor.act(() => ({ ...actions.rename(editor.state, group.id, name), mentions: editor.mark ? [editor.mark] : [] }));
  return editor.pane.focus();
}

/** @param {Editor} editor @param {string} group */
export async function removeGroup(editor, group) {
  const size = editor.state.members.get(group)?.size ?? 0;
  if (size > 1 && !(await confirm(`Remove this group and its ${count(size, "mention")}? Undo brings it back.`, "Remove"))) return;
  await editor.act(() => actions.removeGroup(editor.state, group));
}

/** The group at hand. @param {Editor} editor */
function removeChosen(editor) {
  const group = editor.group ?? editor.state.mentions.get(editor.target.mentions[0])?.groups[0];
  return group === undefined ? editor.say("choose a group first", true) : removeGroup(editor, group);
}

/** @param {Editor} editor @param {string} mention @param {string} group */
export function removeFrom(editor, mention, group) {
  const plural = (editor.state.mentions.get(mention)?.groups.length ?? 0) > 1;
  return editor.act(() => (plural ? actions.also(editor.state, [mention], group, newId) : actions.remove(editor.state, [mention])));
}

/** @param {Editor} editor */
async function note(editor) {
  const [id] = editor.target.mentions;
  const found = id === undefined ? undefined : editor.state.mentions.get(id);
  if (!found) return editor.say("choose a mention first", true);
  const text = await ask({ title: `Comment on “${editor.words(found.id)}”`, label: "Comment (Ctrl Enter saves)", value: found.note, rows: 4 });
  if (text !== null) await editor.act(() => actions.note(editor.state, found.id, text));
  return editor.pane.focus();
}

/** @param {Editor} editor */
async function comment(editor) {
  const text = await ask({ title: "Comment on the document", label: "Comment (Ctrl Enter saves)", value: editor.state.about.note, rows: 6 });
  if (text !== null && text !== editor.state.about.note) await editor.act(() => ({ label: "comment saved", drafts: [{ kind: "document.note", payload: { text } }] }));
  editor.pane.focus();
}

/** @param {Editor} editor */
function toggleGhosts(editor) {
  editor.view.ghosts = !editor.view.ghosts;
  editor.view.drawAll();
  editor.paint();
  editor.say(editor.view.ghosts ? "suggestions shown" : "suggestions hidden");
}

/** @param {Editor} editor @param {"undo" | "redo"} kind */
async function back(editor, kind) {
  if (!editor.editable) return;
  try {
    const touched = await editor.undoRedo(kind);
    const steps = editor.session.lastSteps;
    if (!touched) return void editor.say(`nothing to ${kind}`);
    editor.picked.clear();
    editor.anchor = null;
    const changed = [...touched.mentions].flatMap((id) => editor.state.mentions.get(id) ?? []);
    editor.mark = changed[0]?.id ?? null;
    editor.refresh(touched);
    if (changed[0]) editor.choose(changed[0].id);
    const what = changeWords(editor.session.changesOf(steps), (spans) => editor.text.words_of(spans));
    editor.say(`${kind === "undo" ? "undone" : "done again"}${what ? `: ${what}` : ""}`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    editor.say(error.message, true);
  }
}
