// @ts-check
// One sheet open in one tab: what the server has confirmed, and what is still on its way.
//
// An action is carried out here at once and waits in `pending` until the server answers.
// As long as the answers are what was foreseen, nothing more happens. Where another tab
// was at work, everything pending is taken back, the server's events are carried out, and
// the pending ones are done again on top; one that cannot be done any more is handed to
// `onlost`, to be shown, never dropped silently.
//
// The log is only ever added to: an undo is an event that names the one it takes back.
// Events of one action share the part of their ids before the colon and are undone together.

import { Refused, effects } from "./effects.js";
import { State, inverse, received, same, untouched } from "./model.js";

/** @typedef {import("./model.js").Change} Change */
/** @typedef {import("./model.js").Touched} Touched */
/** @typedef {import("./effects.js").Doing} Doing */
/** @typedef {{id: string, base: number, kind: string, payload: any, at: number}} Event */
/** @typedef {{id: string, status: string, revision?: number, changes?: any[], merged?: boolean, message?: string, keys?: string[]}} Result */
/** @typedef {{id: string, revision: number, kind: string, payload: any, changes: any[]}} Logged */
/** @typedef {{event: Event, changes: Change[]}} Pending */
/** @typedef {{event: Event, reason: string}} Lost */

/** What belongs to one action. @param {string} id */
export const batchOf = (id) => id.split(":")[0];

/** @returns {string} */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The two stacks of event ids after one more event. @param {string[]} done @param {string[]} undone @param {{id: string, kind: string, payload: any}} event */
export function turn(done, undone, event) {
  const move = (/** @type {string[]} */ from, /** @type {string[]} */ to) => {
    const at = from.lastIndexOf(event.payload.event);
    if (at >= 0) to.push(...from.splice(at, 1));
  };
  if (event.kind === "seed") return; // the server's own: suggestions, what adjudication starts from
  if (event.kind === "undo") move(done, undone);
  else if (event.kind === "redo") move(undone, done);
  else {
    done.push(event.id);
    undone.length = 0;
  }
}

export class Session {
  /** @param {{state: any, revision: number, undo?: string[], redo?: string[], undo_left?: number, redo_left?: number}} sheet */
  constructor(sheet) {
    /** How many more steps there are than were told. */
    this.left = { undo: sheet.undo_left ?? 0, redo: sheet.redo_left ?? 0 };
    this.state = State.of(sheet.state);
    this.revision = sheet.revision;
    /** @type {Pending[]} */ this.pending = [];
    /** @type {Map<string, Change[]>} the changes of each event of the log */ this.log = new Map();
    /** @type {string[]} confirmed by the server */ this.sureDone = [...(sheet.undo ?? [])];
    /** @type {string[]} */ this.sureUndone = [...(sheet.redo ?? [])];
    this.done = [...this.sureDone];
    this.undone = [...this.sureUndone];
    /** @type {(lost: Lost) => void} */ this.onlost = () => {};
  }

  /** @param {string} id */
  #changesOf = (id) => this.log.get(id) ?? this.pending.find(({ event }) => event.id === id)?.changes;

  /**
   * Carry out one action, all of it or nothing. Throws `Refused`.
   * @param {readonly Doing[]} doings @param {string} [batch] @returns {{events: Event[], touched: Touched}}
   */
  perform(doings, batch = newId()) {
    const touched = untouched();
    /** @type {Pending[]} */ const made = [];
    try {
      for (const [at, { kind, payload }] of doings.entries()) {
        const id = doings.length > 1 ? `${batch}:${at}` : batch;
        const changes = effects(this.state, { kind, payload }, this.#changesOf);
        join(touched, this.state.apply(changes));
        made.push({ event: { id, base: this.revision, kind, payload, at: Date.now() }, changes });
      }
    } catch (error) {
      for (const { changes } of made.reverse()) this.state.apply(inverse(changes));
      throw error;
    }
    for (const one of made) {
      this.pending.push(one);
      turn(this.done, this.undone, one.event);
    }
    return { events: made.map(({ event }) => event), touched };
  }

  /** The events that would take back, or do again, the last action. @param {"undo" | "redo"} kind @returns {Doing[]} */
  steps(kind) {
    const stack = kind === "undo" ? this.done : this.undone;
    const last = stack.at(-1);
    if (last === undefined) return [];
    /** @type {Doing[]} */ const found = [];
    for (let at = stack.length - 1; at >= 0 && batchOf(stack[at]) === batchOf(last); at -= 1) {
      found.push({ kind, payload: { event: stack[at] } });
    }
    return found;
  }

  /** Whether the changes of these steps are known here, so that they can be foreseen. @param {readonly Doing[]} steps */
  foreseen(steps) {
    return steps.every(({ payload }) => this.#changesOf(payload.event) !== undefined);
  }

  /**
   * Take in an answer of the server. False: other tabs were at work, catch up first.
   * @param {readonly Result[]} results @returns {boolean}
   */
  acknowledge(results) {
    for (const result of results) {
      const at = this.pending.findIndex(({ event }) => event.id === result.id);
      if (result.status !== "stored" && result.status !== "known") continue;
      if (at < 0) continue;
      const { event, changes } = this.pending[at];
      const told = (result.changes ?? []).map(received);
      if (at > 0 || result.revision !== this.revision + 1 || !alike(told, changes)) return false;
      this.pending.shift();
      this.revision += 1;
      this.#confirm(event, changes);
    }
    return true;
  }

  /** @param {{id: string, kind: string, payload: any}} event @param {Change[]} changes */
  #confirm(event, changes) {
    this.log.set(event.id, changes);
    turn(this.sureDone, this.sureUndone, event);
  }

  /**
   * Take in the stacks of a sheet that was asked for anew, with more steps. False: it is of another moment.
   * @param {{revision: number, undo: string[], redo: string[], undo_left: number, redo_left: number}} sheet @returns {boolean}
   */
  deepen(sheet) {
    if (this.pending.length || sheet.revision !== this.revision) return false;
    this.left = { undo: sheet.undo_left, redo: sheet.redo_left };
    this.sureDone = [...sheet.undo];
    this.sureUndone = [...sheet.redo];
    this.done = [...sheet.undo];
    this.undone = [...sheet.redo];
    return true;
  }

  /** Remember what past events did, so that they can be undone here. @param {readonly Logged[]} events */
  recall(events) {
    for (const event of events) {
      if (!this.log.has(event.id)) this.log.set(event.id, event.changes.map(received));
    }
  }

  /**
   * Carry out what the server has stored since, and the pending events again on top.
   * @param {readonly Logged[]} events @returns {Touched}
   */
  catchUp(events) {
    const touched = untouched();
    const waiting = this.#takeBack(touched);
    for (const event of events) {
      if (event.revision <= this.revision) continue;
      const changes = event.changes.map(received);
      join(touched, this.state.apply(changes));
      this.revision = event.revision;
      this.#confirm(event, changes);
    }
    this.#again(waiting.filter(({ event }) => !this.log.has(event.id)), touched);
    return touched;
  }

  /** Give up a pending event that the server did not take. @param {string} id @param {string} reason @returns {Touched} */
  reject(id, reason) {
    const touched = untouched();
    const waiting = this.#takeBack(touched);
    const lost = waiting.find(({ event }) => event.id === id);
    this.#again(waiting.filter((one) => one !== lost), touched);
    if (lost) this.onlost({ event: lost.event, reason });
    return touched;
  }

  /** @param {Touched} touched @returns {Pending[]} */
  #takeBack(touched) {
    for (const { changes } of [...this.pending].reverse()) join(touched, this.state.apply(inverse(changes)));
    const waiting = this.pending;
    this.pending = [];
    return waiting;
  }

  /** @param {readonly Pending[]} waiting @param {Touched} touched */
  #again(waiting, touched) {
    this.done = [...this.sureDone];
    this.undone = [...this.sureUndone];
    for (const { event } of waiting) {
      try {
        const changes = effects(this.state, event, this.#changesOf);
        join(touched, this.state.apply(changes));
        this.pending.push({ event, changes });
        turn(this.done, this.undone, event);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.onlost({ event, reason: error.message });
      }
    }
  }
}

/** The same changes in whatever order. @param {readonly Change[]} told @param {readonly Change[]} mine */
function alike(told, mine) {
  if (told.length !== mine.length) return false;
  const key = (/** @type {Change} */ change) => `${change.on}/${change.id}`;
  const found = new Map(told.map((change) => [key(change), change]));
  return mine.every((change) => same(found.get(key(change))?.after, change.after));
}

/** @param {Touched} into @param {Touched} more */
export function join(into, more) {
  for (const kind of /** @type {const} */ (["mentions", "groups", "suggestions", "decisions"])) {
    for (const id of more[kind]) into[kind].add(id);
  }
  into.document ||= more.document;
}
