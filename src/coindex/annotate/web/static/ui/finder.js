// @ts-check
// Find in the text: a bar above it, with the number of places, the next and the previous one. The
// browser's own search finds only what is in the page, which a long text is not.

import { Search } from "../core/search.js";
import { firstWhere } from "../core/span_index.js";
import { $, make } from "./dom.js";

/** @typedef {import("./editor.js").Editor} Editor */

const WAIT = 120; // ms after the last letter

/** Adds the commands of the search. @param {Editor} editor */
export function finder(editor) {
  const box = $("finder"), count = make("span", { class: "quiet", role: "status" });
  const field = make("input", { type: "search", "aria-label": "Find in the text", placeholder: "Find in the text", autocomplete: "off", spellcheck: "false" });
  /** @type {Search | null} */ let search = null;
  /** @type {[number, number][]} */ let found = [];
  let at = -1, typed = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;

  const show = () => {
    const one = found[at];
    count.textContent = !typed ? "" : !found.length ? "not found" : `${(at + 1).toLocaleString("en")} of ${found.length.toLocaleString("en")}`;
    editor.view.found(found, at);
    if (!one) return;
    editor.selectRange(one[0], one[1] - 1);
    editor.view.show(one[0], true);
  };
  const look = () => {
    clearTimeout(timer);
    if (field.value.trim() === typed) return;
    typed = field.value.trim();
    search ??= new Search(editor.text);
    found = search.find(typed);
    const from = editor.range?.[0] ?? editor.cursor;
    at = found.length ? firstWhere(found, (one) => one[0] >= from) % found.length : -1;
    show();
  };
  const step = (/** @type {1 | -1} */ by) => {
    if (box.hidden) return open();
    look();
    if (!found.length) return undefined;
    at = (at + by + found.length) % found.length;
    return show();
  };
  const open = () => {
    box.hidden = false;
    field.focus();
    field.select();
  };
  const close = () => {
    clearTimeout(timer);
    box.hidden = true;
    [found, at, typed] = [[], -1, ""];
    editor.view.found(found, at);
    editor.pane.focus({ preventScroll: true });
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
  });
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && event.target === field) {
      if (field.value.trim() === typed) step(event.shiftKey ? -1 : 1);
      else look();
    } else if (event.key === "F3") step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => unknown} */ work) => make("button", { class: "button", type: "button", "aria-label": label, title: label, onclick: work }, sign);
  box.replaceChildren(field, count, button("Previous place", "↑", () => step(-1)), button("Next place", "↓", () => step(1)), button("Close the search", "×", close));
  Object.assign(editor.commands, { "find-text": open, "find-next": () => step(1), "find-previous": () => step(-1) });
}
