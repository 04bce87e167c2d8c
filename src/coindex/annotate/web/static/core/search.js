// @ts-check
// Finding words in a text, of which the page has only a part: whatever their case, with one space
// where the text has any, and within words too.

import { firstWhere } from "./span_index.js";

/** @typedef {import("./text.js").Text} Text */

export class Search {
  /** @param {Text} text */
  constructor(text) {
    this.starts = new Int32Array(text.size + 1); // where each token begins in what is searched
    /** @type {string[]} */ const parts = [];
    let at = 0;
    for (let token = 0; token < text.size; token += 1) {
      const gap = token && text.shownGaps[token] ? " " : "", word = text.shown[token].toLowerCase();
      parts.push(gap, word);
      at += gap.length;
      this.starts[token] = at;
      at += word.length;
    }
    this.starts[text.size] = at + 1;
    this.all = parts.join("");
  }

  /** The tokens first..last of each place, in order. @param {string} wanted @returns {[number, number][]} */
  find(wanted) {
    const typed = wanted.trim().toLowerCase().replace(/\s+/g, " ");
    /** @type {[number, number][]} */ const found = [];
    if (!typed) return found;
    for (let at = this.all.indexOf(typed); at >= 0; at = this.all.indexOf(typed, at + typed.length)) {
      const end = at + typed.length;
      found.push([firstWhere(this.starts, (one) => one > at) - 1, firstWhere(this.starts, (one) => one >= end)]);
    }
    return found;
  }
}

/**
 * The token that is meant by a number of a sentence, a percentage (50 %) or the number of a word (#2500);
 * null: none of them. @param {Text} text @param {string} typed @returns {number | null}
 */
export function tokenOf(text, typed) {
  const said = /^\s*(#)?\s*([\d.,]+)\s*(%)?\s*$/.exec(typed);
  if (!said || !text.size) return null;
  const within = (/** @type {number} */ number, /** @type {number} */ most) => Math.max(0, Math.min(most, number));
  if (said[3]) return within(Math.floor((text.size * Number(said[2].replace(",", "."))) / 100), text.size - 1);
  const number = Number(said[2].replace(/[.,]/g, "")) - 1;
  if (!Number.isFinite(number)) return null;
  return said[1] ? within(number, text.size - 1) : text.sentences[within(number, text.sentences.length - 1)];
}
