// @ts-check
// The suggestions of an assignment: in order of reading, by place, and by the chain that a resolver
// put them in. Chains are numbered in the order in which they begin.

import { SpanIndex, firstWhere, inOrder } from "./span_index.js";

/** @typedef {import("./model.js").Suggestion} Suggestion */

/** What tells chains apart. @param {Suggestion} one */
const chainOf = (one) => `${one.resolver}/${one.group}`;

export class SuggestionIndex {
  /** @type {SpanIndex<Suggestion>} */ #places = new SpanIndex();
  /** @type {Suggestion[] | null} in order, until one comes or goes */ #queue = null;
  /** @type {Map<string, {number: number, ids: string[]}> | null} */ #chains = null;

  constructor() {
    /** @type {Map<string, Suggestion>} */ this.all = new Map();
  }

  /** @param {string} id @param {Suggestion | null} after */
  set(id, after) {
    const before = this.all.get(id);
    const decided = before && after && inOrder(before, after) === 0 && chainOf(before) === chainOf(after);
    if (before) this.#places.delete(before);
    if (after) {
      this.#places.add(after);
      this.all.set(id, after);
    } else this.all.delete(id);
    if (decided && this.#queue) this.#queue[firstWhere(this.#queue, (one) => inOrder(one, after) >= 0)] = after;
    if (decided) return;
    this.#queue = null;
    this.#chains = null;
  }

  /** Those that touch tokens start..end, in order. @param {number} start @param {number} end @returns {Suggestion[]} */
  within(start, end) {
    return this.#places.within(start, end).sort(inOrder);
  }

  /** All in order of reading, decided ones too; not to be changed. @returns {readonly Suggestion[]} */
  queue() {
    this.#queue ??= [...this.all.values()].sort(inOrder);
    return this.#queue;
  }

  /** The chain of a suggestion: its number, and all that are in it, decided ones too. @param {Suggestion} one @returns {{number: number, ids: readonly string[]}} */
  chain(one) {
    if (!this.#chains) {
      this.#chains = new Map();
      for (const each of this.queue()) {
        const known = this.#chains.get(chainOf(each));
        if (known) known.ids.push(each.id);
        else this.#chains.set(chainOf(each), { number: this.#chains.size + 1, ids: [each.id] });
      }
    }
    return this.#chains.get(chainOf(one)) ?? { number: 0, ids: [] };
  }
}

const WORDS = /** @type {[number, string][]} */ ([[0.95, "almost certain"], [0.85, "very likely"], [0.7, "likely"], [0.5, "more likely than not"], [0, "doubtful"]]);

/** The least confidences that one may ask for, in words. */
export const LEVELS = WORDS.slice(0, -1);

/** A confidence for people to read; "" where a resolver does not say. @param {number | undefined} confidence */
export function confidenceWords(confidence) {
  if (confidence === undefined) return "";
  const words = WORDS.find(([least]) => confidence >= least)?.[1] ?? "";
  return `${words} (${Math.floor(100 * confidence)} %)`;
}
