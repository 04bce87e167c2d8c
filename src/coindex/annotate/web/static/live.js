// @ts-check
// An open assignment and its server: actions go through the outbox, responses and the work of
// other tabs come back into the session, and events that cannot be merged are stored until
// their author decides.

import { get, isAlive, post, sendEvents, stayAlive } from "./api.js";
import { Refused } from "./core/effects.js";
import { Outbox, removeUnmerged, storeUnmerged, unmergedEvents, sendOrphans } from "./core/outbox.js";
import { fetchChanges, fetchNewer, isComplete } from "./core/undo_history.js";
import { Session, newId } from "./core/session.js";
import { fetchOrCopy } from "./offline.js";

/** @typedef {import("./core/effects.js").EventDraft} EventDraft */
/** @typedef {import("./core/model.js").Touched} Touched */
/** @typedef {import("./core/session.js").Lost} Lost */

const HEARTBEAT = 30_000; // ms; the server counts working time while it receives these
const IDLE = 120_000; // ms without a key or a click: nobody is working

export class Live {
  /** @param {any} assignment the answer of GET /api/sheets/{sheet} @param {number} user */
  constructor(assignment, user) {
    this.assignment = assignment;
    this.user = user;
    this.id = assignment.sheet;
    this.client = newId();
    this.session = new Session(assignment);
    /** @type {(touched: Touched) => void} */ this.onchange = () => {};
    /** @type {() => void} */ this.onlost = () => {};
    this.used = Date.now();
    /** @type {Promise<void> | null} */ this.undoing = null;
    stayAlive(this.client);
    this.outbox = new Outbox({ store: localStorage, user, assignment: this.id, client: this.client, send: sendEvents });
    this.outbox.onanswer = (answer) => this.#onResponse(answer);
    this.session.onlost = (lost) => this.#lost(lost);
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(`coindex.sheet.${this.id}`) : null;
    this.channel?.addEventListener("message", () => void this.catchUp());
    addEventListener("online", () => void this.outbox.flush());
    for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => (this.used = Date.now()), { capture: true, passive: true });
    void this.heartbeat();
    setInterval(() => void this.heartbeat(), HEARTBEAT);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") void this.catchUp();
    });
    addEventListener("beforeunload", (event) => {
      if (this.outbox.waiting && this.outbox.unstored) event.preventDefault();
    });
  }

  /** Send what earlier tabs left, then open the assignment. @param {number} assignment @param {number} user @returns {Promise<Live>} */
  static async open(assignment, user) {
    try {
      await sendOrphans({ store: localStorage, user, send: sendEvents, alive: isAlive });
    } catch { /* still waiting: tried again below */ }
    const live = new Live(await fetchOrCopy(assignment, user), user);
    void live.#orphans();
    return live;
  }

  /** Retry to send what could not be sent on opening. */
  async #orphans() {
    for (let wait = 1000; ; wait = Math.min(wait * 2, 15_000)) {
      try {
        const sent = await sendOrphans({ store: localStorage, user: this.user, send: sendEvents, alive: isAlive });
        if (sent) await this.catchUp();
        if (this.lost.length) this.onlost();
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  /** Carry out an action here and send it. Throws `Refused`. @param {readonly EventDraft[]} drafts @returns {Promise<Touched>} */
  async perform(drafts) {
    if (this.undoing) await this.undoing; // an undo may wait for the log: later actions stay after it
    return this.#perform(drafts);
  }

  /** @param {readonly EventDraft[]} drafts @returns {Touched} */
  #perform(drafts) {
    const { events, touched } = this.session.perform(drafts);
    this.outbox.put(events);
    return touched;
  }

  /** Undo or redo one step, one after the other, however fast the key is pressed. @param {"undo" | "redo"} kind @returns {Promise<Touched | null>} */
  async undoRedo(kind) {
    while (this.undoing) await this.undoing;
    const known = isComplete(this.session, kind) && this.session.isKnown(this.session.steps(kind));
    if (!known) {
      this.undoing = this.#fetchSteps(kind).catch(() => {}).then(() => {
        this.undoing = null;
      });
      await this.undoing;
    }
    if (!isComplete(this.session, kind)) throw new Refused("earlier steps are on the server, which does not respond");
    const steps = this.session.steps(kind);
    this.session.lastSteps = steps;
    return steps.length ? this.#perform(steps) : null;
  }

  /** Events of this assignment. @type {import("./core/undo_history.js").Fetch} */
  #events = (after, limit) => get(`/api/sheets/${this.id}/events?after=${after}&limit=${limit}`);

  /** Fetch the changes of the next step of undo or redo. @param {"undo" | "redo"} kind */
  async #fetchSteps(kind) {
    for (let tries = 0; tries < 3 && !isComplete(this.session, kind); tries += 1) {
      await this.outbox.flush(); // the server's stacks include what waits here
      if (!this.session.replaceStacks(await get(`/api/sheets/${this.id}?tokens=0`))) await this.catchUp();
    }
    await fetchChanges(this.session, this.#events, this.session.steps(kind));
  }

  /** Fetch the last events from before this page was opened, so that they can be undone without a connection. @param {number} after the revision */
  async recall(after) {
    const { events } = await this.#events(Math.max(0, after), 1000);
    this.session.recall(events);
  }

  /** @param {import("./core/outbox.js").Answer} answer */
  async #onResponse(answer) {
    const bad = answer.results.find(({ status }) => status === "conflict" || status === "invalid");
    const fine = this.session.acknowledge(answer.results);
    if (!fine || bad) await this.catchUp();
    if (bad) {
      const reason = bad.status === "conflict" ? "another tab changed the same thing first" : bad.message ?? "the server refused it";
      this.onchange(this.session.reject(bad.id, reason));
    }
    this.channel?.postMessage(this.session.revision);
  }

  /** @param {Lost} lost */
  #lost(lost) {
    storeUnmerged(localStorage, this.user, this.id, lost);
    this.outbox.drop(lost.event.id);
    this.onlost();
  }

  /** Apply what other tabs have done. */
  async catchUp() {
    try {
      await fetchNewer(this.session, this.#events, (events) => {
        const own = new Set(this.session.pending.map(({ event }) => event.id));
        this.onchange(this.session.catchUp(events));
        for (const { id } of events) if (own.has(id)) this.outbox.drop(id);
      });
    } catch { /* no connection: the outbox says so */ }
  }

  async heartbeat() {
    if (document.visibilityState !== "visible" || Date.now() - this.used > IDLE || !this.assignment.mine) return;
    try {
      const { revision } = await post(`/api/sheets/${this.id}/beat`, { client: this.client });
      if (revision > this.session.revision && !this.outbox.waiting) await this.catchUp();
    } catch { /* the outbox says when there is no connection */ }
  }

  /** Actions that could not be merged. @returns {Lost[]} */
  get lost() {
    return unmergedEvents(localStorage, this.user, this.id);
  }

  /** Do a lost action again on what is there now. @param {Lost} lost @returns {Promise<Touched>} */
  async again({ event }) {
    const touched = await this.perform([{ kind: event.kind, payload: event.payload }]);
    this.forget(event.id);
    return touched;
  }

  /** @param {string} id */
  forget(id) {
    removeUnmerged(localStorage, this.user, this.id, id);
    this.onlost();
  }
}

/** The text for the status of the outbox. @param {Outbox} outbox @returns {string} */
export function statusText(outbox) {
  const waiting = outbox.waiting;
  if (outbox.status === "saved") return "saved";
  if (outbox.status === "saving") return waiting > 1 ? `saving (${waiting})` : "saving";
  if (outbox.status === "login") return `logged out (${waiting} waiting)`;
  if (outbox.status === "stuck") return `not saved (${waiting} waiting)`;
  return `offline (${waiting} waiting)`;
}
