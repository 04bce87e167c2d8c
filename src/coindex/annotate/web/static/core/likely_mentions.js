// @ts-check
// Phrases that are likely to be mentions, so that the keyboard can go from one to the next:
// pronouns, names (runs of capitals) and what a determiner begins, up to a verb or another word that
// ends a phrase. A help for the hands, not an answer: nothing of it is stored.

/** @typedef {{pronouns: string[], possessives: string[], determiners: string[], inside: string[], ends: string[], verbs: string[]}} Words */
/** @typedef {import("./text.js").Text} Text */

/** @param {Text} text @param {Words} lists @returns {[number, number][]} in order, the longer of equal starts first */
export function likelyMentions(text, lists) {
  const [pronouns, possessives, determiners, inside, ends, verbs] = [lists.pronouns, lists.possessives, lists.determiners, lists.inside, lists.ends, lists.verbs].map((words) => new Set(words));
  const low = text.words.map((word) => word.toLowerCase());
  const first = new Set(text.sentences);
  const capital = (/** @type {number} */ at) => /^\p{Lu}/u.test(text.words[at] ?? "");
  const word = (/** @type {number} */ at) => /[\p{L}\p{N}]/u.test(text.words[at] ?? "");
  const closed = (/** @type {number} */ at) => !word(at) || ends.has(low[at]) || pronouns.has(low[at]) || determiners.has(low[at]) || possessives.has(low[at]);
  // a word on -s before a determiner or a pronoun has it for an object: "the company makes a car"
  const acts = (/** @type {number} */ at) => /^\p{Ll}{2,}s$/u.test(text.words[at]) && !/(?:ss|us|is)$/.test(low[at])
    && !first.has(at + 1) && (determiners.has(low[at + 1]) || possessives.has(low[at + 1]) || pronouns.has(low[at + 1]));
  const verb = (/** @type {number} */ at) => (verbs.has(low[at]) && !capital(at)) || acts(at);
  const phrase = (/** @type {number} */ at) => {
    let end = at + 1;
    while (end < text.size && !first.has(end) && !closed(end) && !/^\p{L}+(?:ed|ly)$/u.test(low[end]) && !(end > at + 1 && verb(end))) end += 1;
    return end;
  };
  const name = (/** @type {number} */ at) => {
    let end = at + 1;
    while (end < text.size && !first.has(end) && (capital(end) || (inside.has(low[end]) && capital(end + 1)))) end += 1;
    return end;
  };
  /** @type {[number, number][]} */ const found = [];
  for (let at = 0; at < text.size; at += 1) {
    if (determiners.has(low[at])) {
      const end = phrase(at);
      if (end > at + 1 || pronouns.has(low[at])) found.push([at, end]);
    } else if (pronouns.has(low[at])) found.push([at, at + 1]);
    else if (possessives.has(low[at])) {
      const end = phrase(at);
      if (end > at + 1) found.push([at, end]);
      found.push([at, at + 1]);
    } else if (capital(at) && !(first.has(at) && closed(at)) && !ends.has(low[at]) && !(at && capital(at - 1) && !first.has(at))) {
      if (!first.has(at) || capital(at + 1) || !/^\p{L}+(?:ed|ing|ly)$/u.test(low[at])) found.push([at, name(at)]);
    }
  }
  return found;
}
