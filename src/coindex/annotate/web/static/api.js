// @ts-check
// Talking to the server: JSON, the CSRF token, and errors that say what to do.

import { SendError } from "./core/outbox.js";
import { meta } from "./ui/dom.js";

let csrf = meta("csrf");

/** A refusal by the server, in its own words. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message @param {number} [wait] seconds */
  constructor(status, code, message, wait) {
    super(message);
    this.status = status;
    this.code = code;
    this.wait = wait;
  }
}

/** @param {string} token */
export function setCsrf(token) {
  csrf = token;
}

/**
 * @param {string} method @param {string} path @param {unknown} [body] JSON; a Blob, or text that is JSON, as it is
 * @param {RequestInit} [more] @returns {Promise<any>}
 */
export async function call(method, path, body, more = {}) {
  /** @type {Record<string, string>} */ const headers = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRF-Token"] = csrf;
  const raw = body instanceof Blob;
  if (body !== undefined) headers["Content-Type"] = raw ? "application/octet-stream" : "application/json";
  const answer = await fetch(path, {
    method, headers, credentials: "same-origin", cache: "no-store",
    body: body === undefined ? undefined : raw || typeof body === "string" ? body : JSON.stringify(body), ...more });
  const text = await answer.text();
  if (answer.ok) return text ? JSON.parse(text) : {};
  throw refusal(answer, text);
}

/** Why the server refused. @param {Response} answer @param {string} text its body */
function refusal(answer, text) {
  let error = { code: String(answer.status), message: answer.statusText || "The server answered with an error" };
  try {
    error = { ...error, ...JSON.parse(text).error };
  } catch { /* not JSON: a proxy's page */ }
  return new ApiError(answer.status, error.code, error.message, Number(answer.headers.get("Retry-After")) || undefined);
}

/** A file, under the name that the server gives it, with the headers. @param {string} path */
export async function download(path) {
  const answer = await fetch(path, { credentials: "same-origin", cache: "no-store" });
  if (!answer.ok) throw refusal(answer, await answer.text());
  const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "export";
  return { name, content: await answer.blob(), headers: answer.headers };
}

export const get = (/** @type {string} */ path) => call("GET", path);
export const post = (/** @type {string} */ path, /** @type {unknown} */ body = {}) => call("POST", path, body);

const OUTLIVE = 60_000; // bytes: a browser lets bodies of 64 KiB in all outlive the page, and refuses more
let outliving = 0;

/** Send text so that it arrives even if the page is closed meanwhile, where the browser lets it. @param {string} path @param {string} text @returns {Promise<any>} */
export async function sendOn(path, text) {
  const size = new TextEncoder().encode(text).length;
  const keepalive = outliving + size <= OUTLIVE;
  if (!keepalive) return call("POST", path, text);
  outliving += size;
  try {
    return await call("POST", path, text, { keepalive });
  } finally {
    outliving -= size;
  }
}

/** Send events of an assignment; a failure becomes a `SendError`. @type {import("./core/outbox.js").Send} */
export async function sendEvents(assignment, body) {
  try {
    return await sendOn(`/api/sheets/${assignment}/events`, JSON.stringify(body));
  } catch (error) {
    if (!(error instanceof ApiError)) throw new SendError("offline", "No connection to the server.");
    if (error.status === 401) throw new SendError("login", "You are logged out. Your work is kept here and will be sent when you log in again.");
    if (error.code === "csrf") {
      await renew();
      throw new SendError("offline", error.message, 500);
    }
    if (error.code === "storage") throw new SendError("full", "The server has no room left to save your work. It is kept in this browser and sent as soon as there is room. Please tell whoever runs the server.", error.wait ? error.wait * 1000 : undefined);
    if (error.status === 413) throw new SendError("large", error.message);
    const later = error.status >= 500 || error.status === 429 || error.status === 408;
    throw new SendError(later ? "offline" : "stuck", error.message, error.wait ? error.wait * 1000 : undefined);
  }
}

/** Another tab has logged in again: take over its token. */
async function renew() {
  try {
    setCsrf((await get("/api/me")).csrf);
  } catch { /* the next attempt will tell */ }
}

const LOCK = "coindex.tab.";

/** Hold a lock as long as this tab lives, so that others know its queue is not an orphan. @param {string} client */
export function stayAlive(client) {
  void navigator.locks?.request(LOCK + client, () => new Promise(() => {}));
}

/** Whether a tab is open. @param {string} client @returns {Promise<boolean>} */
export async function isAlive(client) {
  if (!navigator.locks) return false; // sending its queue twice is harmless
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === LOCK + client);
}
