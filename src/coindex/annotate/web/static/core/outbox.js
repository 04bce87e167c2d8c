// @ts-check
// Events to be sent to the server: stored in the browser until the server has confirmed them,
// sent in order, and sent again after a reload, a crash or a lost response.
//
// Each event is stored under its own key before anything is shown, so that the cost of an action
// does not grow with the queue. A queue belongs to one tab; the queue of a closed tab is an
// orphan, which the next page that is opened sends first. Ids make sending twice harmless.

/** @typedef {import("./session.js").Event} Event */
/** @typedef {import("./session.js").Result} Result */
/** @typedef {"saved" | "saving" | "offline" | "login" | "stuck"} Status */
/** @typedef {{revision: number, results: Result[]}} Answer */
/** @typedef {(assignment: number, body: {client: string, events: Event[]}) => Promise<Answer>} Send */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">} Store */

const PREFIX = "coindex.outbox";
const LOST = "coindex.lost";
const MAX_EVENTS = 200; // of one request
const WAITS = [400, 1000, 2500, 5000, 10000, 15000]; // ms between attempts

/** A response without results; `wait` says when to try again, in ms; `large`: send fewer at once. */
export class SendError extends Error {
  /** @param {"offline" | "login" | "stuck" | "large" | "full"} kind @param {string} message @param {number} [wait] */
  constructor(kind, message, wait) {
    super(message);
    this.kind = kind;
    this.wait = wait;
  }
}

/**
 * Send the first events: as many as `most`, or half of them, repeatedly, where that is too large
 * for the server or a proxy. A single event that is too large is reported as invalid, so that
 * its author sees it and it does not block others.
 * @param {Send} send @param {number} assignment @param {string} client @param {readonly Event[]} events @param {number} most
 * @returns {Promise<{answer: Answer, most: number}>} the answer, and how many to try next
 */
export async function sendSome(send, assignment, client, events, most = MAX_EVENTS) {
  const first = Math.max(1, Math.min(most, events.length));
  for (let count = first; ; count = Math.ceil(count / 2)) {
    try {
      const answer = await send(assignment, { client, events: events.slice(0, count) });
      return { answer, most: count < first ? count : Math.min(MAX_EVENTS, most * 2) }; // grows back while it fits
    } catch (error) {
      if (!(error instanceof SendError) || error.kind !== "large") throw error;
      if (count === 1) return { answer: { revision: 0, results: [{ id: events[0].id, status: "invalid", message: "it is too large for the server" }] }, most: 1 };
    }
  }
}

/** The stored queues of a user: where each is, and its events in order. @param {Store} store @param {number} user */
export function queues(store, user) {
  /** @type {Map<string, {assignment: number, client: string, keys: string[]}>} */ const found = new Map();
  for (let at = 0; at < store.length; at += 1) {
    const key = store.key(at) ?? "";
    const [prefix, owner, assignment, client] = key.split("/");
    if (prefix !== PREFIX || Number(owner) !== user) continue;
    const name = `${assignment}/${client}`;
    const queue = found.get(name) ?? { assignment: Number(assignment), client, keys: [] };
    queue.keys.push(key);
    found.set(name, queue);
  }
  for (const queue of found.values()) queue.keys.sort();
  return [...found.values()];
}

export class Outbox {
  /** @param {{store: Store, user: number, assignment: number, client: string, send: Send}} options */
  constructor({ store, user, assignment, client, send }) {
    this.store = store;
    this.user = user;
    this.assignment = assignment;
    this.client = client;
    this.send = send;
    /** @type {{key: string, event: Event}[]} */ this.queue = [];
    /** @type {Status} */ this.status = "saved";
    this.message = "";
    /** Whether an event could not be stored in the browser. */
    this.unstored = false;
    this.attempt = 0;
    this.count = 0;
    this.most = MAX_EVENTS;
    this.sending = false;
    this.flight = Promise.resolve();
    /** @type {ReturnType<typeof setTimeout> | undefined} */ this.timer = undefined;
    /** @type {(answer: Answer) => Promise<void>} handles what the server refused */ this.onanswer = async () => {};
    /** @type {() => void} */ this.onstatus = () => {};
  }

  /** Events that the server has not confirmed. */
  get waiting() {
    return this.queue.length;
  }

  /** Store events and send them as soon as possible. @param {readonly Event[]} events */
  put(events) {
    for (const event of events) {
      const number = String(this.count).padStart(9, "0");
      this.count += 1;
      const key = [PREFIX, this.user, this.assignment, this.client, number].join("/");
      try {
        this.store.setItem(key, JSON.stringify(event));
      } catch {
        this.unstored = true;
        this.message = "This browser's storage is full: keep this page open until everything is saved.";
      }
      this.queue.push({ key, event });
    }
    this.#set(this.status === "offline" || this.status === "login" || this.status === "stuck" ? this.status : "saving");
    if (this.status === "saving") void this.flush();
  }

  /** Remove an event, sent or given up. @param {string} id */
  drop(id) {
    for (const { key, event } of this.queue) if (event.id === id) this.store.removeItem(key);
    this.queue = this.queue.filter(({ event }) => event.id !== id);
  }

  /** Send all events now; resolves when the server has responded. @returns {Promise<void>} */
  flush() {
    if (!this.sending) this.flight = this.#send();
    return this.flight;
  }

  async #send() {
    clearTimeout(this.timer);
    this.sending = true;
    try {
      while (this.queue.length) {
        if (this.status !== "offline") this.#set("saving");
        const events = this.queue.slice(0, MAX_EVENTS).map(({ event }) => event);
        const { answer, most } = await sendSome(this.send, this.assignment, this.client, events, this.most);
        this.most = most;
        this.attempt = 0;
        for (const { id, status } of answer.results) if (status === "stored" || status === "known") this.drop(id);
        await this.onanswer(answer);
      }
      this.message = "";
      this.unstored = false;
      this.#set("saved");
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      this.message = error.message;
      this.#set(error.kind === "large" || error.kind === "full" ? "stuck" : error.kind);
      const wait = error.wait ?? WAITS[Math.min(this.attempt, WAITS.length - 1)];
      this.attempt += 1;
      this.timer = setTimeout(() => void this.flush(), wait);
    } finally {
      this.sending = false;
    }
  }

  /** @param {Status} status */
  #set(status) {
    this.status = status;
    this.onstatus();
  }
}

/** @typedef {{event: Event, reason: string}} UnmergedEvent */

/** Store an event that could not be merged until its author has decided. @param {Store} store @param {number} user @param {number} assignment @param {UnmergedEvent} unmerged */
export function storeUnmerged(store, user, assignment, unmerged) {
  store.setItem([LOST, user, assignment, unmerged.event.id].join("/"), JSON.stringify(unmerged));
}

/** @param {Store} store @param {number} user @param {number} assignment @returns {UnmergedEvent[]} */
export function unmergedEvents(store, user, assignment) {
  const start = [LOST, user, assignment, ""].join("/");
  /** @type {UnmergedEvent[]} */ const found = [];
  for (let at = 0; at < store.length; at += 1) {
    const key = store.key(at) ?? "";
    if (key.startsWith(start)) found.push(JSON.parse(store.getItem(key) ?? "null"));
  }
  return found.sort((a, b) => a.event.at - b.event.at);
}

/** @param {Store} store @param {number} user @param {number} assignment @param {string} id */
export function removeUnmerged(store, user, assignment, id) {
  store.removeItem([LOST, user, assignment, id].join("/"));
}

/**
 * Send the queues of closed tabs, for all assignments. What the server refuses is stored as
 * unmerged, for its author to decide.
 * @param {{store: Store, user: number, send: Send, alive: (client: string) => Promise<boolean>}} options
 * @returns {Promise<number>} how many events were sent
 */
export async function sendOrphans({ store, user, send, alive }) {
  let sent = 0;
  /** @type {SendError | null} */ let failed = null;
  for (const queue of queues(store, user)) {
    if (await alive(queue.client)) continue;
    try {
      sent += await sendQueue(store, user, queue, send);
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      if (error.kind !== "stuck") failed = error; // one assignment without access must not block the others
    }
  }
  if (failed) throw failed;
  return sent;
}

/** @param {Store} store @param {number} user @param {{assignment: number, client: string, keys: string[]}} queue @param {Send} send @returns {Promise<number>} */
async function sendQueue(store, user, { assignment, client, keys }, send) {
  let sent = 0;
  let left = keys.map((key) => ({ key, event: /** @type {Event} */ (JSON.parse(store.getItem(key) ?? "null")) })).filter(({ event }) => event);
  let most = MAX_EVENTS;
  while (left.length) {
    const done = await sendSome(send, assignment, client, left.slice(0, MAX_EVENTS).map(({ event }) => event), most);
    const { results } = done.answer;
    most = done.most;
    const of = new Map(results.map((result) => [result.id, result]));
    const before = left.length;
    left = left.filter(({ key, event }) => {
      const result = of.get(event.id);
      if (!result || result.status === "skipped") return true;
      if (result.status === "stored" || result.status === "known") sent += 1;
      else storeUnmerged(store, user, assignment, { event, reason: result.message ?? "another tab changed it first" });
      store.removeItem(key);
      return false;
    });
    if (left.length === before) break;
  }
  return sent;
}
