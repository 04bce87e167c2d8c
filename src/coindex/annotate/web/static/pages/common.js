// @ts-check
// What every page has: where one is, logging out, and the sending of work that tabs closed
// in a hurry have left behind.

import { ApiError, get, isAlive, post, sendEvents } from "../api.js";
import { queues, sendOrphans } from "../core/outbox.js";
import { forgetCopies, startOffline } from "../offline.js";
import { $, make, meta, when } from "../ui/dom.js";

export const user = Number(meta("user")) || 0;

/** @param {[string, string | null][]} path names and addresses; the last has none */
export function crumbs(path) {
  const parts = path.flatMap(([name, href], at) => {
    const last = at === path.length - 1;
    return [last ? make("h1", { dir: "auto" }, name) : make("a", { href, dir: "auto" }, name), ...(last ? [] : [make("span", { class: "quiet", "aria-hidden": "true" }, "›")])];
  });
  $("crumbs").replaceChildren(...parts);
  document.title = `${path[path.length - 1][0]} · coindex`;
}

/** Send what closed tabs left; the number still waiting is shown. @returns {Promise<void>} */
export async function sendLeft() {
  if (!user) return;
  try {
    await sendOrphans({ store: localStorage, user, send: sendEvents, alive: isAlive });
  } catch { /* tried again by the next page, and below */ }
}

/** On pages without an editor: keep trying, and say so. */
export async function keepSending() {
  const save = $("save");
  if (!save || !user) return;
  const left = async () => {
    let waiting = 0;
    for (const queue of queues(localStorage, user)) if (!(await isAlive(queue.client))) waiting += queue.keys.length;
    return waiting;
  };
  for (let wait = 1000; await left(); wait = Math.min(wait * 2, 15000)) {
    save.hidden = false;
    save.dataset.status = "saving";
    save.textContent = "sending earlier work…";
    await sendLeft();
    const waiting = await left();
    save.dataset.status = waiting ? "offline" : "saved";
    save.textContent = waiting ? `offline (${waiting} waiting)` : "saved";
    if (waiting) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Show an error where the content would be. @param {unknown} error */
export function showError(error) {
  const message = error instanceof ApiError ? error.message : error instanceof TypeError && /fetch/i.test(error.message) ? "No connection to the server." : String(error);
  if (error instanceof ApiError && error.status === 401) location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
  const place = $("main") ?? $("pane");
  place.prepend(make("p", { class: "error", role: "alert" }, message));
}

/** Start a page. @param {() => Promise<void>} work */
export async function start(work) {
  $("logout")?.addEventListener("click", async () => {
    await forgetCopies().catch(() => {});
    await post("/api/logout").catch(() => {});
    location.assign("/login");
  });
  void startOffline(user).catch(() => {});
  try {
    await work();
  } catch (error) {
    showError(error);
    if (!(error instanceof ApiError)) throw error;
  }
  void keepSending();
}

/** Something that may be wider than the page: keys scroll it, where it is. @param {HTMLElement} wide @returns {HTMLElement} */
export function scroller(wide) {
  const place = make("div", { class: "scroll" }, wide);
  new ResizeObserver(() => {
    if (place.scrollWidth > place.clientWidth) place.setAttribute("tabindex", "0");
    else place.removeAttribute("tabindex");
  }).observe(place);
  return place;
}

/** A table. @param {(string | [string, string])[]} heads a name, or a name and a class @param {any[][]} rows @param {string} [none] */
export function table(heads, rows, none = "Nothing yet.") {
  if (!rows.length) return make("p", { class: "quiet" }, none);
  const names = heads.map((head) => (Array.isArray(head) ? head[0] : head)), classes = heads.map((head) => (Array.isArray(head) ? head[1] : null));
  return scroller(make("table", null,
    make("thead", null, make("tr", null, names.map((name, at) => (name === "" ? make("td", { class: classes[at] }) : make("th", { class: classes[at], scope: "col" }, name))))),
    make("tbody", null, rows.map((row) => make("tr", null, row.map((cell, at) => make("td", { class: classes[at] }, cell === null || cell === undefined ? "–" : typeof cell === "object" ? cell : String(cell))))))));
}

/** A field for a day, not one that has passed. @param {Record<string, any>} [more] */
export function deadlineField(more = {}) {
  const now = new Date();
  return make("input", { type: "date", min: new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10), ...more });
}

/** The end of a day in this place; null where none is given, an error where the day has passed. @param {HTMLInputElement} field */
export function endOfDay(field) {
  if (!field.value) return null;
  const end = new Date(`${field.value}T23:59:59`).getTime();
  if (end < Date.now()) throw new Error("That day has passed: choose a later deadline.");
  return end;
}

/** A deadline in a list; one that has passed says so. @param {any} assignment */
export const deadlineCell = ({ deadline, status }) => (!deadline ? "" : status === "open" && deadline < Date.now() ? make("span", { class: "bad" }, `late: ${when(deadline)}`) : when(deadline));

/** @param {number | null | undefined} value @param {number} [digits] */
export const figure = (value, digits = 1) => (value === null || value === undefined ? "–" : value.toFixed(digits));

/** Run something from a form or a button and show what goes wrong beside it. @param {HTMLElement} place @param {() => Promise<unknown>} work */
export async function attempt(place, work) {
  place.querySelector(".error")?.remove();
  void startOffline(user).catch(() => {});
  try {
    await work();
  } catch (error) {
    place.append(make("p", { class: "error", role: "alert" }, error instanceof Error ? error.message : String(error)));
  }
}

export { get, make, meta, post, $ };
