// @ts-check
// Copies of documents in this browser, to be read without a connection. A copy is made of what the
// server has confirmed; work that is not sent yet is in the outbox and is shown on top of it. Copies
// belong to one person, and are deleted when that person logs out.

import { ApiError, get } from "./api.js";
import { queues } from "./core/outbox.js";
import { Session } from "./core/session.js";
import { duration, make, when } from "./ui/dom.js";

/** @typedef {import("./live.js").Live} Live */

const PAGES = "coindex-pages";
const OWNER = "coindex.copies";
const MOST = 30; // documents
const EVERY = 15_000; // ms
const RETRY = 4000; // ms

const copyOf = (/** @type {number} */ id) => `/offline/copies/${id}`;
const possible = () => "serviceWorker" in navigator && "caches" in globalThis;

/** Register the service worker; forget what belongs to somebody else. @param {number} user 0: nobody is logged in */
export async function startOffline(user) {
  if (!possible()) return;
  if (!user) {
    if (location.pathname === "/login") await forgetCopies();
    return;
  }
  if (localStorage.getItem(OWNER) !== String(user)) {
    await forgetCopies();
    localStorage.setItem(OWNER, String(user));
  }
  await navigator.serviceWorker.register("/service-worker.js").catch(() => {}); // a browser may refuse it; then there is no reading without a connection
}

/** Delete all copies; what is not sent yet stays. */
export async function forgetCopies() {
  if (!possible()) return;
  await caches.delete(PAGES);
  localStorage.removeItem(OWNER);
}

/** Store a copy of an open document, now and whenever it has changed. @param {Live} live @param {number} user */
export function keepCopy(live, user) {
  if (!possible() || live.assignment.copied) return;
  let stored = -1;
  const store = async () => {
    const { session, outbox } = live;
    if (outbox.waiting || session.pending.length || session.revision === stored || localStorage.getItem(OWNER) !== String(user)) return;
    const { revision } = session;
    const copy = { user, at: Date.now(), assignment: { ...live.assignment, revision, state: session.state.json() } };
    const cache = await caches.open(PAGES);
    if (stored < 0) {
      const page = await fetch(location.pathname, { cache: "no-store" });
      if (!page.ok || page.redirected) return;
      await cache.put(location.pathname, page);
    }
    await cache.delete(copyOf(live.id)); // the newest is the last
    await cache.put(copyOf(live.id), new Response(JSON.stringify(copy), { headers: { "Content-Type": "application/json" } }));
    stored = revision;
    await drop(cache);
  };
  const attempt = () => void store().catch(() => {}); // no room, or no connection: the last copy stays
  setTimeout(attempt, 300);
  setInterval(attempt, EVERY);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && attempt());
  Object.assign(globalThis, { coindexCopy: store });
}

/** Delete the oldest copies. @param {Cache} cache */
async function drop(cache) {
  const copies = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/offline/copies/"));
  for (const { url } of copies.slice(0, Math.max(0, copies.length - MOST))) {
    const id = url.split("/").pop();
    for (const path of [`/sheets/${id}`, `/sheets/${id}/adjudicate`, copyOf(Number(id))]) await cache.delete(path);
  }
}

/** An assignment from the server; without a connection, the copy of it. @param {number} id @param {number} user @returns {Promise<any>} */
export async function fetchOrCopy(id, user) {
  try {
    return await get(`/api/sheets/${id}?tokens=0`);
  } catch (error) {
    if (error instanceof ApiError || !possible()) throw error;
    const found = await (await caches.open(PAGES)).match(copyOf(id));
    const copy = found && (await found.json());
    if (!copy || copy.user !== user) throw error;
    return readable(copy);
  }
}

/** A copy with the work that is not sent yet, to be read only. @param {{user: number, at: number, assignment: any}} copy */
function readable({ user, at, assignment }) {
  const session = new Session({ ...assignment, undo: [], redo: [] });
  let waiting = 0;
  for (const queue of queues(localStorage, user)) {
    if (queue.assignment !== assignment.sheet) continue;
    for (const key of queue.keys) {
      const event = JSON.parse(localStorage.getItem(key) ?? "null");
      if (!event) continue;
      waiting += 1;
      try {
        session.perform([{ kind: event.kind, payload: event.payload }], event.id);
      } catch { /* it needs what only the server knows: it is sent all the same */ }
    }
  }
  return { ...assignment, state: session.state.json(), mine: false, copied: { at, waiting } };
}

/** Say that this is a copy, and load the page again when there is a connection. @param {{at: number, waiting: number}} copied @returns {HTMLElement} */
export function copyBanner({ at, waiting }) {
  const again = async () => {
    const answer = await fetch("/api/health", { cache: "no-store" }).catch(() => null);
    if (answer?.ok) location.reload();
  };
  setInterval(() => void again(), RETRY);
  addEventListener("online", () => void again());
  const status = document.getElementById("save");
  if (status) {
    status.textContent = waiting ? `offline (${waiting} waiting)` : "offline";
    status.dataset.status = "offline";
  }
  const old = duration(Math.max(0, (Date.now() - at) / 1000));
  return make("div", { class: "copied", role: "status" }, make("span", null, make("b", null, "You are offline. "),
    `This is a copy of ${when(at)} (${old} ago), to read. ${waiting ? `It includes ${waiting === 1 ? "one change" : `${waiting} changes`} of yours that ${waiting === 1 ? "is" : "are"} not sent yet: safe in this browser, and sent when there is a connection. ` : ""}You can go on working then; this page reloads by itself.`));
}
