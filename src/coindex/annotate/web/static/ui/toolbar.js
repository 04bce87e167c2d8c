// @ts-check
// Buttons beside what a pointer has selected: everything that the keys do there. Who works by
// keyboard does not see them.

import { badge } from "../core/keymap.js";
import { likelyGroups } from "../core/likely_groups.js";
import { make } from "./dom.js";
import { assign } from "./editing.js";
import { look } from "./textview.js";

/** @typedef {import("./editor.js").Editor} Editor */

const ROOM = 8; // pixels between the words and the buttons

/** @param {Editor} editor @param {string} label @param {() => unknown} work @param {Record<string, any>} [more] */
function button(editor, label, work, more = {}) {
  return make("button", { class: "button", type: "button", ...more, onclick: async () => {
    await work();
    editor.pane.focus({ preventScroll: true });
  } }, label);
}

/** The groups beside the selection. @param {Editor} editor @param {readonly import("../core/model.js").Span[]} spans @param {readonly string[]} but */
function groups(editor, spans, but) {
  return likelyGroups(editor.state, editor.text, spans, but).flatMap((id) => {
    const group = editor.state.groups.get(id);
    if (!group) return [];
    const name = editor.list.name(group), key = badge(group.order);
    const made = button(editor, "", () => assign(editor, id, false), { class: `button group ${look(group.order)}`, "data-command": "group", "aria-label": `put into group ${key}, ${name}` });
    made.append(make("span", { class: "n" }, key), make("span", { class: "name", dir: "auto" }, name));
    return [made];
  });
}

/** @param {Editor} editor @returns {HTMLElement[]} */
function buttons(editor) {
  const { commands, state } = editor, { mentions, spans, ghost } = editor.target;
  const run = (/** @type {string} */ label, /** @type {string} */ name, /** @type {Record<string, any>} */ more = {}) => button(editor, label, () => commands[name](), { "data-command": name, ...more });
  const other = state.groups.size > 4 ? [run("Other group…", "find")] : [];
  if (ghost !== null) {
    const found = state.suggestions.get(ghost);
    return [run("Accept", "accept", { class: "button main" }), run("Accept the chain", "accept-chain"), run("Dismiss", "dismiss"),
      run("Dismiss the chain", "dismiss-chain"), run("New group", "new"), ...groups(editor, found?.spans ?? [[0, 1]], []), ...other];
  }
  if (spans) return [run("New group", "new", { class: "button main" }), ...groups(editor, spans, []), ...other];
  const first = state.mentions.get(mentions[0]);
  if (!first) return [];
  const unsure = mentions.every((id) => state.mentions.get(id)?.unsure);
  const several = button(editor, "Choose several", () => {
    editor.several = !editor.several;
    if (!editor.several) editor.picked.clear();
    editor.paint();
  }, { "aria-pressed": String(editor.several), "data-command": "pick" });
  return [...groups(editor, first.spans, mentions.length > 1 ? [] : first.groups), ...other, run("New group", "new"),
    ...(state.groups.size > 1 ? [run("Also in…", "also-find")] : []), run("Also in a new group", "also-new"),
    run("Unsure", "flag", { "aria-pressed": String(unsure) }), run("Comment", "note"), several,
    run("Remove", "remove", { class: "button danger" })];
}

/** Where the selection is, on the page. @param {Editor} editor @returns {DOMRect | undefined} */
function place(editor) {
  const { spans, mentions, ghost } = editor.target;
  const found = spans ?? editor.state.mentions.get(mentions[mentions.length - 1])?.spans ?? editor.state.suggestions.get(ghost ?? "")?.spans;
  const last = found?.[found.length - 1];
  return last && [...(editor.view.words[last[1] - 1]?.getClientRects() ?? [])].at(-1);
}

/** The buttons; call what it returns when something else is selected. @param {Editor} editor @returns {() => void} */
export function toolbar(editor) {
  const bar = make("div", { class: "toolbar", role: "toolbar", "aria-label": "What to do with the selection", hidden: true });
  bar.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => event.preventDefault()); // the text keeps the focus
  editor.pane.append(bar);
  return () => {
    bar.hidden = !editor.pointed || !editor.editable || editor.dragging || !editor.text.size;
    if (bar.hidden) return;
    bar.replaceChildren(...buttons(editor));
    const box = place(editor), pane = editor.pane.getBoundingClientRect();
    bar.hidden = !box || !bar.childElementCount;
    if (!box || bar.hidden || getComputedStyle(bar).position !== "absolute") return;
    const below = box.bottom + ROOM + bar.offsetHeight <= pane.bottom;
    const top = below ? box.bottom + ROOM : box.top - ROOM - bar.offsetHeight;
    const left = Math.min(box.left, pane.right - bar.offsetWidth - 2 * ROOM);
    bar.style.top = `${top - pane.top + editor.pane.scrollTop}px`;
    bar.style.left = `${Math.max(ROOM, left - pane.left)}px`;
  };
}
