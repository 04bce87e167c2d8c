// @ts-check
// The state of one assignment (one person's work on one document), and the one rule by which
// it changes: a change replaces one record by another; `before` null adds, `after` null
// removes. What an event does is a list of changes, so that its exact inverse is the same
// list read backwards with the two sides swapped. The server speaks the same language.

import { SpanIndex, firstWhere, inOrder } from "./span_index.js";
import { SuggestionIndex } from "./suggestion_index.js";

export { inOrder };

/** @typedef {[number, number]} Span  tokens, the end excluded */
/** @typedef {{spans: Span[], groups: string[], note: string, unsure: boolean, kind: string | null, head: number | null, attrs: unknown[]}} MentionRecord */
/** @typedef {MentionRecord & {id: string}} Mention */
/** @typedef {{name: string, order: number, kind: string | null, attrs: unknown[]}} GroupRecord */
/** @typedef {GroupRecord & {id: string}} Group */
/** @typedef {{spans: Span[], group: string, resolver: string, state: "open" | "accepted" | "rejected", confidence?: number}} SuggestionRecord */
/** @typedef {SuggestionRecord & {id: string}} Suggestion */
/** @typedef {{choice: string, note: string}} Decision */
/** @typedef {{note: string, unsure: boolean, done: boolean, answer: {choice: string, meant: number[] | null} | null}} About */
/** @typedef {"mentions" | "groups" | "suggestions" | "decisions" | "document"} Kind */
/** @typedef {{on: Kind, id: string, before: any, after: any}} Change */
/** @typedef {{key: string, before: any, after: any}} ServerChange */
/** @typedef {{mentions: Set<string>, groups: Set<string>, suggestions: Set<string>, decisions: Set<string>, document: boolean}} Touched */
/** @typedef {{mentions?: Record<string, MentionRecord>, groups?: Record<string, GroupRecord>, suggestions?: Record<string, SuggestionRecord>, decisions?: Record<string, Decision>, document?: About}} ServerState */

/** What is said about a document before anything is said. @type {About} */
export const NOTHING_SAID = { note: "", unsure: false, done: false, answer: null };

/** Change of the server, as one of ours. @param {ServerChange} change @returns {Change} */
export function received({ key, before, after }) {
  const slash = key.indexOf("/");
  const on = /** @type {Kind} */ (slash < 0 ? key : key.slice(0, slash));
  if (on === "document") return { on, id: "", before: before ?? NOTHING_SAID, after: after ?? NOTHING_SAID };
  return { on, id: key.slice(slash + 1), before, after };
}

/**
 * Equality of plain JSON values; the order of keys does not matter.
 * @param {any} a @param {any} b @returns {boolean}
 */
export function same(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/** @param {readonly Change[]} changes @returns {Change[]} */
export function inverse(changes) {
  return changes
    .map((change) => ({ on: change.on, id: change.id, before: change.after, after: change.before }))
    .reverse();
}

/** First token and one past the last of a mention. @param {Mention} mention @returns {Span} */
export const reach = (mention) => [mention.spans[0][0], mention.spans[mention.spans.length - 1][1]];

/**
 * A record with the key it is stored under, as its `id`. A record from an imported corpus
 * may have an id of its own, which is put aside.
 * @param {any} record @param {string} key @returns {any}
 */
export function keyed(record, key) {
  return "id" in record ? { ...record, own: record.id, id: key } : { ...record, id: key };
}

/** The record as the server has it. @param {any} record @returns {any} */
export function without(record) {
  const { id: _, own, ...bare } = record;
  return own === undefined ? bare : { ...bare, id: own };
}

/** @returns {Touched} */
export const untouched = () => ({
  mentions: new Set(), groups: new Set(), suggestions: new Set(), decisions: new Set(), document: false });

export class State {
  /** @type {SpanIndex<Mention>} */ #index = new SpanIndex();
  /** @type {Map<string, Mention[]>} sorted members, until they change */ #chains = new Map();

  constructor() {
    /** @type {Map<string, Mention>} */ this.mentions = new Map();
    /** @type {Map<string, Group>} */ this.groups = new Map();
    this.suggested = new SuggestionIndex();
    this.suggestions = this.suggested.all;
    /** @type {Map<string, Decision>} */ this.decisions = new Map();
    /** @type {Map<string, Set<string>>} mentions of each group */ this.members = new Map();
    /** @type {Mention[]} in order of reading */ this.sorted = [];
    /** @type {About} */ this.about = NOTHING_SAID;
  }

  /** The state of a response, whose records it takes over. @param {ServerState} found @returns {State} */
  static of(found) {
    const state = new State();
    for (const [id, group] of Object.entries(found.groups ?? {})) state.#setGroup(id, group);
    for (const [id, record] of Object.entries(found.mentions ?? {})) {
      const mention = /** @type {Mention} */ ("id" in record ? keyed(record, id) : Object.assign(record, { id }));
      state.mentions.set(id, mention);
      state.#index.add(mention);
      state.#join(mention);
    }
    state.sorted = [...state.mentions.values()].sort(inOrder);
    for (const [id, one] of Object.entries(found.suggestions ?? {})) state.suggested.set(id, keyed(one, id));
    for (const [id, one] of Object.entries(found.decisions ?? {})) state.decisions.set(id, one);
    if (found.document) state.about = found.document;
    return state;
  }

  /** The state as the server writes it; what tests compare. @returns {Required<ServerState>} */
  json() {
    const bare = (/** @type {Map<string, any>} */ map) => /** @type {Record<string, any>} */ (Object.fromEntries([...map].map(([id, record]) => [id, without(record)])));
    return {
      mentions: bare(this.mentions), groups: bare(this.groups), suggestions: bare(this.suggestions),
      decisions: Object.fromEntries(this.decisions), document: this.about,
    };
  }

  /** Mentions of a group in order of reading; not to be changed. @param {string} group @returns {readonly Mention[]} */
  chain(group) {
    const known = this.#chains.get(group);
    if (known) return known;
    const ids = this.members.get(group) ?? [];
    const found = [...ids].map((id) => /** @type {Mention} */ (this.mentions.get(id))).sort(inOrder);
    this.#chains.set(group, found);
    return found;
  }

  /** Groups in the order of their keys. @returns {Group[]} */
  numbered() {
    return [...this.groups.values()].sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
  }

  /** The mention of exactly these spans. @param {readonly Span[]} spans @returns {Mention | null} */
  at(spans) {
    return this.#index.at(spans);
  }

  /**
   * Mentions over a token, the innermost first; a gap inside a mention is not over it.
   * @param {number} token @returns {Mention[]}
   */
  around(token) {
    const found = this.#index.within(token, token + 1);
    const size = (/** @type {Mention} */ m) => m.spans.reduce((sum, [a, b]) => sum + b - a, 0);
    return found.sort((a, b) => size(a) - size(b) || inOrder(b, a));
  }

  /** The mentions that touch tokens start..end, in order of reading. @param {number} start @param {number} end @returns {Mention[]} */
  within(start, end) {
    return this.#index.within(start, end).sort(inOrder);
  }

  /** The open suggestions that touch tokens start..end and are no mentions yet. @param {number} start @param {number} end @returns {Suggestion[]} */
  openWithin(start, end) {
    return this.suggested.within(start, end).filter((one) => this.isOpen(one));
  }

  /** Whether nobody has decided on a suggestion, and its words are no mention. @param {Suggestion} one */
  isOpen(one) {
    return one.state === "open" && !this.at(one.spans);
  }

  /** The open suggestions of the chain of one. @param {Suggestion} one @returns {string[]} */
  openChain(one) {
    return this.suggested.chain(one).ids.filter((id) => this.suggestions.get(id)?.state === "open");
  }

  /** Carry out some changes. @param {readonly Change[]} changes @returns {Touched} */
  apply(changes) {
    const touched = untouched();
    for (const { on, id, after } of changes) {
      if (on === "mentions") this.#setMention(id, after && keyed(after, id), touched);
      else if (on === "groups") {
        this.#setGroup(id, after);
        touched.groups.add(id);
      } else if (on === "document") {
        this.about = after ?? NOTHING_SAID;
        touched.document = true;
      } else if (on === "suggestions") {
        this.suggested.set(id, after && keyed(after, id));
        touched.suggestions.add(id);
      } else {
        if (after) this.decisions.set(id, after);
        else this.decisions.delete(id);
        touched.decisions.add(id);
      }
    }
    return touched;
  }

  /** @param {string} id @param {GroupRecord | null} after */
  #setGroup(id, after) {
    if (after) this.groups.set(id, keyed(after, id));
    else this.groups.delete(id);
    const members = this.members.get(id);
    if (after && !members) this.members.set(id, new Set());
    if (!after && members && !members.size) this.members.delete(id);
  }

  /** @param {Mention} mention */
  #join(mention) {
    for (const group of mention.groups) {
      this.#chains.delete(group);
      if (!this.members.has(group)) this.members.set(group, new Set());
      this.members.get(group)?.add(mention.id);
    }
  }

  /** @param {string} id @param {Mention | null} after @param {Touched} touched */
  #setMention(id, after, touched) {
    const before = this.mentions.get(id);
    touched.mentions.add(id);
    if (before) {
      for (const group of before.groups) {
        this.#chains.delete(group);
        touched.groups.add(group);
        const members = this.members.get(group);
        members?.delete(id);
        if (!members?.size && !this.groups.has(group)) this.members.delete(group);
      }
      this.sorted.splice(this.#place(before), 1);
      this.#index.delete(before);
      this.mentions.delete(id);
    }
    if (after) {
      for (const group of after.groups) touched.groups.add(group);
      this.mentions.set(id, after);
      this.#index.add(after);
      this.sorted.splice(this.#place(after), 0, after);
      this.#join(after);
    }
  }

  /** Where a mention is, or belongs, in `sorted`. @param {Mention} mention */
  #place(mention) {
    return firstWhere(this.sorted, (one) => inOrder(one, mention) >= 0);
  }
}
