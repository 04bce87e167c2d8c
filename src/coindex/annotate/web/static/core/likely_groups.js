// @ts-check
// The groups that a phrase most likely belongs to, so that a pointer finds them beside it.

import { firstWhere } from "./span_index.js";

/** @typedef {import("./model.js").State} State */
/** @typedef {import("./text.js").Text} Text */
/** @typedef {import("./model.js").Span} Span */

const TRIED = 200; // mentions of a group that are compared

/** @param {string} phrase */
const content = (phrase) => phrase.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3);

/** @typedef {{phrases: Set<string>, words: Set<string>}} Said */
/** What the mentions of a chain say; a chain that changes is another list. @type {WeakMap<readonly object[], Said>} */ const SAID = new WeakMap();

/** @param {State} state @param {Text} text @param {string} group @returns {Said} */
function saidOf(state, text, group) {
  const chain = state.chain(group), known = SAID.get(chain);
  if (known) return known;
  const phrases = new Set(chain.slice(0, TRIED).map((mention) => text.words_of(mention.spans).toLowerCase()));
  const said = { phrases, words: new Set([...phrases].flatMap(content)) };
  SAID.set(chain, said);
  return said;
}

/** How far a chain is from a token: what was said before it is more likely. @param {readonly {spans: Span[]}[]} chain @param {number} start */
function distance(chain, start) {
  const after = firstWhere(chain, (one) => one.spans[0][0] > start);
  const before = after ? start - chain[after - 1].spans[0][0] : Infinity;
  return Math.min(before, after < chain.length ? 2 * (chain[after].spans[0][0] - start) : Infinity);
}

/**
 * At most `most` groups: those with the same phrase first, then those that share a word, then
 * those mentioned nearest to it. @param {State} state @param {Text} text @param {readonly Span[]} spans
 * @param {readonly string[]} but groups that it is in already @param {number} [most] @returns {string[]}
 */
export function likelyGroups(state, text, spans, but, most = 4) {
  const [[start]] = spans, phrase = text.words_of(spans).toLowerCase(), words = new Set(content(phrase));
  const ranked = [];
  for (const group of state.groups.values()) {
    if (but.includes(group.id)) continue;
    const said = saidOf(state, text, group.id);
    const alike = said.phrases.has(phrase) ? 2 : Number([...words].some((word) => said.words.has(word)));
    ranked.push({ id: group.id, order: group.order, alike, near: distance(state.chain(group.id), start) });
  }
  ranked.sort((a, b) => b.alike - a.alike || a.near - b.near || a.order - b.order);
  return ranked.slice(0, most).map((one) => one.id);
}
