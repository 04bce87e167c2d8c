// @ts-check
// A list in pages, with a search: for projects of thousands of documents.

import { get, make, table } from "./common.js";

/** @typedef {(string | [string, string])[]} Heads */
/**
 * @typedef {object} Options
 * @property {string} label what is searched
 * @property {() => string} path the address, with `?` and what else it asks for
 * @property {string} key where the answer has the rows
 * @property {Heads | (() => Heads)} heads
 * @property {(row: any) => any[]} row
 * @property {string} none what is said of an empty list
 * @property {number} [size]
 */

/** @param {Options} options @returns {{element: HTMLElement, search: HTMLElement, refresh: () => Promise<void>, rows: () => any[]}} */
export function pagedList({ label, path, key, heads, row, none, size = 50 }) {
  let offset = 0, asked = 0;
  /** @type {any[]} */ let shown = [];
  const field = make("input", { type: "search", placeholder: "Search", "aria-label": `Search ${label}` });
  const list = make("div"), told = make("span", { class: "quiet", role: "status" });
  const back = make("button", { class: "button", type: "button", onclick: () => void go(offset - size) }, "Previous");
  const forth = make("button", { class: "button", type: "button", onclick: () => void go(offset + size) }, "Next");
  const pages = make("div", { class: "row" }, back, forth, told);
  const refresh = async () => {
    const own = ++asked;
    const found = await get(`${path()}&search=${encodeURIComponent(field.value.trim())}&offset=${offset}&limit=${size}`);
    if (own !== asked) return; // a newer question has been asked meanwhile
    if (!found[key].length && offset) return void (await go(Math.max(0, offset - size)));
    shown = found[key];
    const searched = field.value.trim() ? `Nothing matches “${field.value.trim()}”.` : none;
    list.replaceChildren(table(typeof heads === "function" ? heads() : heads, shown.map(row), searched));
    const last = offset + shown.length;
    told.textContent = found.total ? `${offset + 1}–${last} of ${found.total.toLocaleString("en")}` : "";
    back.disabled = !offset;
    forth.disabled = last >= found.total;
    back.hidden = forth.hidden = found.total <= size && !offset;
  };
  const go = async (/** @type {number} */ to) => {
    offset = Math.max(0, to);
    await refresh();
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let waiting;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void go(0), 200);
  });
  return { element: make("div", { class: "stack" }, list, pages), search: field, refresh: () => refresh(), rows: () => shown };
}
