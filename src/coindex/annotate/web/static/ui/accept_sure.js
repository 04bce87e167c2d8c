// @ts-check
// Accept all suggestions of which the resolver is sure enough: a dialog with how many that would be.

import { acceptAll } from "../core/actions.js";
import { newId } from "../core/session.js";
import { LEVELS } from "../core/suggestion_index.js";
import { count, make } from "./dom.js";

/** @typedef {import("./editor.js").Editor} Editor */

const MOST = 1000; // suggestions of one action: until they are sent, they are in the browser's storage

/** The open suggestions of at least a confidence. @param {Editor} editor @param {number} least @returns {string[]} */
const sure = ({ state }, least) => state.suggested.queue().filter((one) => state.isOpen(one) && (one.confidence ?? 0) >= least).map((one) => one.id);

/** @param {Editor} editor @param {readonly string[]} ids */
async function acceptThem(editor, ids) {
  if (!(await editor.act(() => acceptAll(editor.state, ids.slice(0, MOST), newId)))) return;
  if (ids.length > MOST) editor.say(`${count(MOST, "suggestion")} accepted, ${count(ids.length - MOST, "more", "more")} left: accept again`);
}

/** @param {Editor} editor @returns {Promise<void>} when the dialog is closed */
export function acceptSure(editor) {
  if (!editor.editable) return Promise.resolve(editor.say("You can read this, not change it.", true));
  if (!sure(editor, 0).length) return Promise.resolve(editor.say("no open suggestion", true));
  const choices = LEVELS.map(([least, words]) => ({ least, words, ids: sure(editor, least) }));
  if (!choices.some(({ ids }) => ids.length)) return Promise.resolve(editor.say("the resolver does not say how sure it is, or is not sure of any", true));
  return new Promise((resolve) => {
    const dialog = make("dialog", { "aria-label": "Accept suggestions" }, make("h2", null, "Accept suggestions"),
      make("div", { class: "stack" }, make("p", { class: "quiet" }, "How sure must the model be? One undo takes all of them back."), choices.map(({ least, words, ids }) => make("button", { class: "button", type: "button", disabled: !ids.length, onclick: () => {
        dialog.close();
        void acceptThem(editor, ids);
      } }, `${words[0].toUpperCase()}${words.slice(1)} (${Math.round(100 * least)} % or more): ${count(ids.length, "suggestion")}`))),
      make("div", { class: "row end" }, make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => {
      dialog.remove();
      editor.pane.focus();
      resolve();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
