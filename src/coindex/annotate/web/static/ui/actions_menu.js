// @ts-check
// All that the keys do, as a menu: for those who have a pointer only.

import { COMMANDS, pretty } from "../core/keymap.js";
import { make } from "./dom.js";

/** @typedef {import("./editor.js").Editor} Editor */

/** Sections and their commands that can be used here. @param {Editor} editor */
function sections(editor) {
  const usable = COMMANDS.filter((one) => editor.commands[one.id]);
  return [...new Set(usable.map((one) => one.section))].map((section) => ({ section, commands: usable.filter((one) => one.section === section) }));
}

/** @param {Editor} editor */
export function showActions(editor) {
  const item = (/** @type {import("../core/keymap.js").Command} */ one) => make("li", null, make("button", { class: "button", type: "button", "data-command": one.id, onclick: () => {
    dialog.close();
    editor.pane.focus({ preventScroll: true });
    void editor.commands[one.id]();
  } }, make("span", null, one.says), make("span", { class: "push" }, editor.keymap.keys(one.id).slice(0, 1).map((key) => make("kbd", null, pretty(key))))));
  const groups = editor.state.numbered().length ? make("p", { class: "hint" }, "To put a selection into a group, choose the group in the list, or a button beside the selection.") : "";
  const shut = make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = make("dialog", { class: "wide", "aria-label": "All actions" }, make("div", { class: "row" }, make("h2", null, "All actions"), make("span", { class: "push" }), shut), groups,
    make("div", { class: "keys menu" }, sections(editor).map(({ section, commands }) => make("section", null, make("h3", null, section), make("ul", null, commands.map(item))))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
