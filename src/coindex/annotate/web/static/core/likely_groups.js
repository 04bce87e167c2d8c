// @ts-check
// The groups that a phrase most likely belongs to, so that a pointer finds them beside it.

/** @typedef {import("./model.js").State} State */
/** @typedef {import("./text.js").Text} Text */
/** @typedef {import("./model.js").Span} Span */

const TRIED = 200; // mentions of a group that are compared

/** @param {string} phrase */
const content = (phrase) => phrase.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3);

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
    let alike = 0, near = Infinity;
    for (const mention of state.chain(group.id).slice(0, TRIED)) {
      const other = text.words_of(mention.spans).toLowerCase(), away = start - mention.spans[0][0];
      alike = Math.max(alike, other === phrase ? 2 : content(other).some((word) => words.has(word)) ? 1 : 0);
      near = Math.min(near, away >= 0 ? away : 2 * -away); // what was said before it is more likely
    }
    ranked.push({ id: group.id, order: group.order, alike, near });
  }
  ranked.sort((a, b) => b.alike - a.alike || a.near - b.near || a.order - b.order);
  return ranked.slice(0, most).map((one) => one.id);
}
