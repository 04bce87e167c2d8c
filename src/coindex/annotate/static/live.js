// @ts-check
// A sheet and its server: actions go through the outbox, answers and the work of other
// tabs come back into the session, and what cannot be merged is kept until its author decides.

import { get, isAlive, post, sendEvents, stayAlive } from "./api.js";
import { Refused } from "./core/effects.js";
import { Outbox, forgetLost, keepLost, lostOf, sendOrphans } from "./core/outbox.js";
import { learn, since, whole } from "./core/past.js";
import { Session, newId } from "./core/session.js";

/** @typedef {import("./core/effects.js").Doing} Doing */
/** @typedef {import("./core/model.js").Touched} Touched */
/** @typedef {import("./core/session.js").Lost} Lost */

const BEAT = 30_000; // ms; the server counts time while these come
const IDLE = 120_000; // ms without a key or a click: nobody is working

export class Live {
  /** @param {any} sheet the answer of GET /api/sheets/{sheet} @param {number} user */
  constructor(sheet, user) {
    this.sheet = sheet;
    this.user = user;
    this.id = sheet.sheet;
    this.client = newId();
    this.session = new Session(sheet);
    /** @type {(touched: Touched) => void} */ this.onchange = () => {};
    /** @type {() => void} */ this.onlost = () => {};
    this.used = Date.now();
    /** @type {Promise<void> | null} */ this.turn = null;
    stayAlive(this.client);
    this.outbox = new Outbox({ store: localStorage, user, sheet: this.id, client: this.client, send: sendEvents });
    this.outbox.onanswer = (answer) => this.#answered(answer);
    this.session.onlost = (lost) => this.#lost(lost);
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(`coindex.sheet.${this.id}`) : null;
    this.channel?.addEventListener("message", () => void this.catchUp());
    addEventListener("online", () => void this.outbox.flush());
    for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, () => (this.used = Date.now()), { capture: true, passive: true });
    void this.beat();
    setInterval(() => void this.beat(), BEAT);
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") void this.catchUp();
    });
    addEventListener("beforeunload", (event) => {
      if (this.outbox.waiting && this.outbox.unkept) event.preventDefault();
    });
  }

  /** Send what earlier tabs left, then open the sheet. @param {number} sheet @param {number} user @returns {Promise<Live>} */
  static async open(sheet, user) {
    try {
      await sendOrphans({ store: localStorage, user, send: sendEvents, alive: isAlive });
    } catch { /* still waiting: tried again below */ }
    const live = new Live(await get(`/api/sheets/${sheet}`), user);
    void live.#orphans();
    return live;
  }

  /** What could not be sent on opening is tried until it can. */
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

  /** Carry out an action here and send it. Throws `Refused`. @param {readonly Doing[]} doings @returns {Promise<Touched>} */
  async perform(doings) {
    if (this.turn) await this.turn; // an undo waits for the log: what came after it stays after it
    return this.#perform(doings);
  }

  /** @param {readonly Doing[]} doings @returns {Touched} */
  #perform(doings) {
    const { events, touched } = this.session.perform(doings);
    this.outbox.put(events);
    return touched;
  }

  /** One after the other, however fast the key is pressed. @param {"undo" | "redo"} kind @returns {Promise<Touched | null>} */
  async past(kind) {
    while (this.turn) await this.turn;
    const known = whole(this.session, kind) && this.session.foreseen(this.session.steps(kind));
    if (!known) {
      this.turn = this.#reach(kind).catch(() => {}).then(() => {
        this.turn = null;
      });
      await this.turn;
    }
    if (!whole(this.session, kind)) throw new Refused("what came before must be asked of the server, which does not answer");
    const steps = this.session.steps(kind);
    return steps.length ? this.#perform(steps) : null;
  }

  /** Events of this sheet. @type {import("./core/past.js").Fetch} */
  #events = (after, limit) => get(`/api/sheets/${this.id}/events?after=${after}&limit=${limit}`);

  /** Fetch what the next step back, or forward, needs to be foreseen. @param {"undo" | "redo"} kind */
  async #reach(kind) {
    for (let tries = 0; tries < 3 && !whole(this.session, kind); tries += 1) {
      await this.outbox.flush(); // the server's stacks are those after what waits here
      if (!this.session.deepen(await get(`/api/sheets/${this.id}`))) await this.catchUp();
    }
    await learn(this.session, this.#events, this.session.steps(kind));
  }

  /** Fetch the last events from before this page was opened, so that they can be undone without a connection. @param {number} after the revision */
  async recall(after) {
    const { events } = await this.#events(Math.max(0, after), 1000);
    this.session.recall(events);
  }

  /** @param {import("./core/outbox.js").Answer} answer */
  async #answered(answer) {
    const bad = answer.results.find(({ status }) => status === "conflict" || status === "invalid");
    const fine = this.session.acknowledge(answer.results);
    if (!fine || bad) await this.catchUp();
    if (bad) {
      const reason = bad.status === "conflict" ? "another tab changed the same thing first" : bad.message ?? "the server did not take it";
      this.onchange(this.session.reject(bad.id, reason));
    }
    this.channel?.postMessage(this.session.revision);
  }

  /** @param {Lost} lost */
  #lost(lost) {
    keepLost(localStorage, this.user, this.id, lost);
    this.outbox.drop(lost.event.id);
    this.onlost();
  }

  /** Take in what other tabs did. */
  async catchUp() {
    try {
      await since(this.session, this.#events, (events) => {
        const mine = new Set(this.session.pending.map(({ event }) => event.id));
        this.onchange(this.session.catchUp(events));
        for (const { id } of events) if (mine.has(id)) this.outbox.drop(id);
      });
    } catch { /* no connection: the outbox says so */ }
  }

  async beat() {
    if (document.visibilityState !== "visible" || Date.now() - this.used > IDLE || !this.sheet.mine) return;
    try {
      const { revision } = await post(`/api/sheets/${this.id}/beat`, { client: this.client });
      if (revision > this.session.revision && !this.outbox.waiting) await this.catchUp();
    } catch { /* the outbox says when there is no connection */ }
  }

  /** Actions that could not be merged. @returns {Lost[]} */
  get lost() {
    return lostOf(localStorage, this.user, this.id);
  }

  /** Do a lost action again on what is there now. @param {Lost} lost @returns {Promise<Touched>} */
  async again({ event }) {
    const touched = await this.perform([{ kind: event.kind, payload: event.payload }]);
    this.forget(event.id);
    return touched;
  }

  /** @param {string} id */
  forget(id) {
    forgetLost(localStorage, this.user, this.id, id);
    this.onlost();
  }
}

/** What is shown of the outbox. @param {Outbox} outbox @returns {string} */
export function saying(outbox) {
  const waiting = outbox.waiting;
  if (outbox.status === "saved") return "saved";
  if (outbox.status === "saving") return waiting > 1 ? `saving (${waiting})` : "saving";
  if (outbox.status === "login") return `logged out (${waiting} waiting)`;
  if (outbox.status === "stuck") return `not saved (${waiting} waiting)`;
  return `offline (${waiting} waiting)`;
}
