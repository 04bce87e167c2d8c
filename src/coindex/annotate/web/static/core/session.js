// @ts-check
// One assignment open in one tab: what the server has confirmed, and what is still pending.
//
// An action is applied here at once and waits in `pending` until the server responds. If the
// response is as predicted, nothing more happens. If another tab has stored events, all pending
// events are reverted, the server's events are applied, and the pending ones are applied again;
// one that is no longer possible is passed to `onlost`, to be shown, never dropped silently.
//
// The log is append-only: an undo is an event that names the event it reverts.
// Events of one action share the part of their ids before the colon and are undone together.

import { Refused, effects } from "./effects.js";
import { State, inverse, received, same, untouched } from "./model.js";

/** @typedef {import("./model.js").Change} Change */
/** @typedef {import("./model.js").Touched} Touched */
/** @typedef {import("./effects.js").EventDraft} EventDraft */
/** @typedef {{id: string, base: number, kind: string, payload: any, at: number}} Event */
/** @typedef {{id: string, status: string, revision?: number, changes?: any[], merged?: boolean, message?: string, keys?: string[]}} Result */
/** @typedef {{id: string, revision: number, kind: string, payload: any, changes: any[]}} LoggedEvent */
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
export function updateStacks(done, undone, event) {
  const move = (/** @type {string[]} */ from, /** @type {string[]} */ to) => {
    const at = from.lastIndexOf(event.payload.event);
    if (at >= 0) to.push(...from.splice(at, 1));
  };
  if (event.kind === "seed") return; // by the server: suggestions, the start of an adjudication
  if (event.kind === "undo") move(done, undone);
  else if (event.kind === "redo") move(undone, done);
  else {
    done.push(event.id);
    undone.length = 0;
  }
}

export class Session {
  /** @param {{state: any, revision: number, undo?: string[], redo?: string[], undo_left?: number, redo_left?: number}} assignment */
  constructor(assignment) {
    /** How many more steps the server has. */
    this.left = { undo: assignment.undo_left ?? 0, redo: assignment.redo_left ?? 0 };
    this.state = State.of(assignment.state);
    this.revision = assignment.revision;
    /** @type {Pending[]} */ this.pending = [];
    /** @type {Map<string, Change[]>} the changes of each event of the log */ this.log = new Map();
    /** @type {string[]} confirmed by the server */ this.confirmedDone = [...(assignment.undo ?? [])];
    /** @type {string[]} */ this.confirmedUndone = [...(assignment.redo ?? [])];
    this.done = [...this.confirmedDone];
    this.undone = [...this.confirmedUndone];
    /** @type {readonly EventDraft[]} the steps of the last undo or redo */ this.lastSteps = [];
    /** @type {(lost: Lost) => void} */ this.onlost = () => {};
  }

  /** @param {string} id */
  #changesOf = (id) => this.log.get(id) ?? this.pending.find(({ event }) => event.id === id)?.changes;

  /**
   * Apply one action, all of it or nothing. Throws `Refused`.
   * @param {readonly EventDraft[]} drafts @param {string} [batch] @returns {{events: Event[], touched: Touched}}
   */
  perform(drafts, batch = newId()) {
    const touched = untouched();
    /** @type {Pending[]} */ const made = [];
    try {
      for (const [at, { kind, payload }] of drafts.entries()) {
        const id = drafts.length > 1 ? `${batch}:${at}` : batch;
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
      updateStacks(this.done, this.undone, one.event);
    }
    return { events: made.map(({ event }) => event), touched };
  }

  /** The events that undo, or redo, the last action. @param {"undo" | "redo"} kind @returns {EventDraft[]} */
  steps(kind) {
    const stack = kind === "undo" ? this.done : this.undone;
    const last = stack.at(-1);
    if (last === undefined) return [];
    /** @type {EventDraft[]} */ const steps = [];
    for (let at = stack.length - 1; at >= 0 && batchOf(stack[at]) === batchOf(last); at -= 1) {
      steps.push({ kind, payload: { event: stack[at] } });
    }
    return steps;
  }

  /** What the events of these steps have changed, as far as it is known here. @param {readonly EventDraft[]} steps @returns {Change[]} */
  changesOf(steps) {
    return steps.flatMap(({ payload }) => this.#changesOf(payload.event) ?? []);
  }

  /** Whether the changes of these steps are known here. @param {readonly EventDraft[]} steps */
  isKnown(steps) {
    return steps.every(({ payload }) => this.#changesOf(payload.event) !== undefined);
  }

  /**
   * Process a response of the server. False: other tabs have stored events, catch up first.
   * @param {readonly Result[]} results @returns {boolean}
   */
  acknowledge(results) {
    for (const result of results) {
      const at = this.pending.findIndex(({ event }) => event.id === result.id);
      if (result.status !== "stored" && result.status !== "known") continue;
      if (at < 0) continue;
      const { event, changes } = this.pending[at];
      const stored = (result.changes ?? []).map(received);
      if (at > 0 || result.revision !== this.revision + 1 || !alike(stored, changes)) return false;
      this.pending.shift();
      this.revision += 1;
      this.#confirm(event, changes);
    }
    return true;
  }

  /** @param {{id: string, kind: string, payload: any}} event @param {Change[]} changes */
  #confirm(event, changes) {
    this.log.set(event.id, changes);
    updateStacks(this.confirmedDone, this.confirmedUndone, event);
  }

  /**
   * Replace the stacks by those of a new response, with more steps. False: its revision differs.
   * @param {{revision: number, undo: string[], redo: string[], undo_left: number, redo_left: number}} assignment @returns {boolean}
   */
  replaceStacks(assignment) {
    if (this.pending.length || assignment.revision !== this.revision) return false;
    this.left = { undo: assignment.undo_left, redo: assignment.redo_left };
    this.confirmedDone = [...assignment.undo];
    this.confirmedUndone = [...assignment.redo];
    this.done = [...assignment.undo];
    this.undone = [...assignment.redo];
    return true;
  }

  /** Remember the changes of earlier events, so that they can be undone here. @param {readonly LoggedEvent[]} events */
  recall(events) {
    for (const event of events) {
      if (!this.log.has(event.id)) this.log.set(event.id, event.changes.map(received));
    }
  }

  /**
   * Apply what the server has stored since, then the pending events again.
   * @param {readonly LoggedEvent[]} events @returns {Touched}
   */
  catchUp(events) {
    const touched = untouched();
    const waiting = this.#revertPending(touched);
    for (const event of events) {
      if (event.revision <= this.revision) continue;
      const changes = event.changes.map(received);
      join(touched, this.state.apply(changes));
      this.revision = event.revision;
      this.#confirm(event, changes);
    }
    this.#reapply(waiting.filter(({ event }) => !this.log.has(event.id)), touched);
    return touched;
  }

  /** Give up a pending event that the server refused. @param {string} id @param {string} reason @returns {Touched} */
  reject(id, reason) {
    const touched = untouched();
    const waiting = this.#revertPending(touched);
    const lost = waiting.find(({ event }) => event.id === id);
    this.#reapply(waiting.filter((one) => one !== lost), touched);
    if (lost) this.onlost({ event: lost.event, reason });
    return touched;
  }

  /** @param {Touched} touched @returns {Pending[]} */
  #revertPending(touched) {
    for (const { changes } of [...this.pending].reverse()) join(touched, this.state.apply(inverse(changes)));
    const waiting = this.pending;
    this.pending = [];
    return waiting;
  }

  /** @param {readonly Pending[]} waiting @param {Touched} touched */
  #reapply(waiting, touched) {
    this.done = [...this.confirmedDone];
    this.undone = [...this.confirmedUndone];
    for (const { event } of waiting) {
      try {
        const changes = effects(this.state, event, this.#changesOf);
        join(touched, this.state.apply(changes));
        this.pending.push({ event, changes });
        updateStacks(this.done, this.undone, event);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.onlost({ event, reason: error.message });
      }
    }
  }
}

/** Whether the changes are equal, in any order. @param {readonly Change[]} stored @param {readonly Change[]} own */
function alike(stored, own) {
  if (stored.length !== own.length) return false;
  const key = (/** @type {Change} */ change) => `${change.on}/${change.id}`;
  const found = new Map(stored.map((change) => [key(change), change]));
  return own.every((change) => same(found.get(key(change))?.after, change.after));
}

/** @param {Touched} into @param {Touched} more */
export function join(into, more) {
  for (const kind of /** @type {const} */ (["mentions", "groups", "suggestions", "decisions"])) {
    for (const id of more[kind]) into[kind].add(id);
  }
  into.document ||= more.document;
}
