// @ts-check
// Find a group by its key, its number, its name or any of its mentions.

import { badge } from "../core/keymap.js";
import { count, make } from "./dom.js";
import { look } from "./textview.js";

/** @typedef {import("./grouplist.js").GroupList} GroupList */
/** @typedef {import("../core/model.js").Group} Group */

const MOST = 60;

/** How well a group answers what was typed; 0 not at all. @param {GroupList} list @param {Group} group @param {string} typed */
function fit(list, group, typed) {
  if (!typed) return 1;
  if (badge(group.order).toLowerCase() === typed || String(group.order + 1) === typed) return 5;
  const name = list.name(group).toLowerCase();
  if (name.startsWith(typed)) return 4;
  if (name.includes(typed)) return 3;
  return list.wordsOf(group).includes(typed) ? 2 : 0;
}

/**
 * @param {{title: string, list: GroupList, but?: string, shift?: boolean}} options `shift`: Shift+Enter means something too
 * @returns {Promise<{group: string, shift: boolean} | null>}
 */
export function pickGroup({ title, list, but, shift = false }) {
  return new Promise((resolve) => {
    /** @type {{group: string, shift: boolean} | null} */ let answer = null;
    /** @type {Group[]} */ let found = [];
    let at = 0;
    const field = make("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "picks", "aria-label": title, autocomplete: "off", placeholder: "a name, a mention, a key or a number" });
    const options = make("ul", { class: "picks", id: "picks", role: "listbox", "aria-label": "groups" });
    const dialog = make("dialog", { "aria-label": title }, make("h2", null, title), field, options,
      shift && make("p", { class: "hint" }, make("kbd", null, "Enter"), " moves there, ", make("kbd", null, "Shift Enter"), " adds it as a further group"));
    field.classList.add("unbounded");
    field.setAttribute("size", "40");

    const choose = (/** @type {number} */ index, /** @type {boolean} */ withShift) => {
      if (!found[index]) return;
      answer = { group: found[index].id, shift: withShift };
      resolve(answer); // at once: the event of closing comes later
      dialog.close();
    };
    const mark = () => {
      [...options.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
      options.children[at]?.scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", found[at] ? `pick-${at}` : "");
    };
    const search = () => {
      const typed = field.value.trim().toLowerCase();
      const fits = new Map(list.state.numbered().filter((group) => group.id !== but).map((group) => [group, fit(list, group, typed)]));
      found = [...fits.keys()].filter((group) => fits.get(group)).sort((a, b) => (fits.get(b) ?? 0) - (fits.get(a) ?? 0) || a.order - b.order).slice(0, MOST);
      at = 0;
      options.replaceChildren(...found.map((group, index) => make("li", { id: `pick-${index}`, role: "option", class: look(group.order), onclick: (/** @type {MouseEvent} */ event) => choose(index, event.shiftKey) },
        make("span", { class: "swatch" }, make("span", { class: "n" }, badge(group.order))), make("span", { class: "name", dir: "auto" }, list.name(group)),
        make("span", { class: "quiet" }, count(list.state.members.get(group.id)?.size ?? 0, "mention")))));
      if (!found.length) options.append(make("li", { class: "quiet" }, "No group matches."));
      mark();
    };
    field.addEventListener("input", search);
    field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && found.length) {
        at = (at + step + found.length) % found.length;
        mark();
      } else if (event.key === "Enter") choose(at, event.shiftKey && shift);
      else return;
      event.preventDefault();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    search();
    field.focus();
  });
}
