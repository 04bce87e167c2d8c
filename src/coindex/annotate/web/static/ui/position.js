// @ts-check
// Where one is in the text: what is in view, a way to go elsewhere, and the cursor of the last visit.

import { tokenOf } from "../core/search.js";
import { firstWhere } from "../core/span_index.js";
import { $, ask } from "./dom.js";

/** @typedef {import("./editor.js").Editor} Editor */

const CURSORS = "coindex.cursors"; // of each person: the token of each assignment, the newest last
const MOST = 200; // assignments that are remembered
const WAIT = 400; // ms

/** @param {number} user @returns {[number, number][]} */
function cursors(user) {
  try {
    const stored = JSON.parse(localStorage.getItem(`${CURSORS}/${user}`) ?? "[]");
    return Array.isArray(stored) ? stored.filter((one) => Array.isArray(one) && one.every(Number.isInteger)) : [];
  } catch {
    return [];
  }
}

/** Go to where the cursor was, and remember where it is from now on. @param {Editor} editor @param {number} user @param {number} assignment */
export function rememberCursor(editor, user, assignment) {
  const before = cursors(user).find(([id]) => id === assignment)?.[1] ?? 0;
  if (before > 0 && before < editor.text.size) {
    editor.goto(before);
    editor.view.show(before, true);
  }
  let last = editor.cursor;
  const save = () => {
    if (editor.cursor === last) return;
    last = editor.cursor;
    const others = cursors(user).filter(([id]) => id !== assignment);
    try {
      localStorage.setItem(`${CURSORS}/${user}`, JSON.stringify([...others, [assignment, last]].slice(-MOST)));
    } catch { /* the storage is full: unsent work needs it more */ }
  };
  setInterval(save, WAIT);
  addEventListener("pagehide", save);
}

/** Show where the cursor is, or what is in view if the cursor is not, and let one go elsewhere. @param {Editor} editor */
export function position(editor) {
  const button = $("position"), { text, view } = editor;
  button.hidden = !text.size;
  const draw = () => {
    const box = view.words[editor.cursor]?.getBoundingClientRect(), pane = editor.pane.getBoundingClientRect();
    const token = box && box.top < pane.bottom && box.bottom > pane.top ? editor.cursor : view.top;
    const last = text.sentences.length.toLocaleString("en");
    const sentence = Math.max(1, firstWhere(text.sentences, (one) => one > token)).toLocaleString("en");
    const percent = Math.floor((100 * token) / Math.max(1, text.size - 1));
    const said = [`Sentence ${sentence} of ${last}`, `${percent} %`];
    if (button.title !== said.join(", ")) {
      button.title = said.join(", ");
      button.setAttribute("aria-label", `${said.join(", ")}. Go to…`);
      button.querySelector(".where").textContent = said[0];
      button.querySelector(".percent").textContent = said[1];
    }
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      draw();
    }, WAIT / 4);
  };
  const go = async () => {
    const typed = await ask({ title: "Go to", label: `A sentence (1 to ${text.sentences.length.toLocaleString("en")}), a percentage (50 %) or a word by its number (#${Math.ceil(text.size / 2)})`, save: "Go" });
    const token = typed === null ? null : tokenOf(text, typed);
    if (typed && token === null) editor.say(`“${typed}”: expected a number, a percentage or # and a number`, true);
    if (token !== null) {
      editor.goto(token);
      view.show(token, true);
      draw();
      editor.say(button.title);
    }
    editor.pane.focus();
  };
  editor.onpaint = soon;
  editor.pane.addEventListener("scroll", soon, { passive: true });
  button.addEventListener("click", () => void go());
  Object.assign(editor.commands, { "go-to": go, "text-start": () => editor.goto(0), "text-end": () => editor.goto(text.size - 1) });
  draw();
}
