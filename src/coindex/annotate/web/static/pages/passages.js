// @ts-check
// Passages of pronoun problems on pages for managers, and what raters chose, in one wording.

import { make } from "../ui/dom.js";

/** The passage with its pronoun marked. @param {any} found */
export function passage(found) {
  const points = Array.from(found.text), [from, to] = found.target;
  return [points.slice(0, from).join(""), make("mark", null, points.slice(from, to).join("")), points.slice(to).join("")];
}

const WORDS = /** @type {Record<string, string>} */ ({ "?": "not sure", "not judged": "too few answers yet" });

/** A judgement by the name it stands for: `A` and `first` are the first name. @param {string} label @param {string[]} names */
export function judged(label, names) {
  const at = { A: 0, first: 0, B: 1, second: 1 }[label];
  if (at !== undefined) return names[at] ? `${names[at]} (${"AB"[at]})` : label;
  return WORDS[label] ?? label;
}

/** `Ann (A) ×2, neither`. @param {string[]} labels @param {string[]} names */
export function judgedAll(labels, names) {
  const counts = new Map();
  for (const each of labels) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].map(([label, number]) => judged(label, names) + (number > 1 ? ` ×${number}` : "")).join(", ");
}
