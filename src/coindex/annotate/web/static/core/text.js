// @ts-check
// The text of a document: its tokens, where its lines break, and what a selection means.

/** @typedef {{text: string, tokens: [number, number][], sentences: number[], speakers?: string[] | null}} Source  offsets count code points */
/** @typedef {{start: number, end: number, line: number}} Unit  tokens that are drawn together */

const LONGEST = 60; // tokens of a unit: drawing one again must stay quick in a text without sentences
const EDGE = /^[\s,;:]+$/u;
const STOP = /^[\s,;:.!?]+$/u;

/** Brackets and quotation marks as treebanks write them, and as people do. */
const PLAIN = new Map([["-LRB-", "("], ["-RRB-", ")"], ["-LSB-", "["], ["-RSB-", "]"], ["-LCB-", "{"], ["-RCB-", "}"], ["``", "“"], ["''", "”"], ["/.", "."], ["/?", "?"], ["/-", "-"]]);
const NO_SPACE_BEFORE = /^([,.;:!?%)\]}”’]|\.\.\.|n['’]t|['’](s|re|ve|ll|d|m))$/iu;
const NO_SPACE_AFTER = /^[([{“‘$£€]$/u;

export class Text {
  /** @param {Source} source */
  constructor(source) {
    const points = /[\ud800-\udfff]/.test(source.text) ? Array.from(source.text) : source.text;
    const cut = (/** @type {number} */ start, /** @type {number} */ end) =>
      typeof points === "string" ? points.slice(start, end) : points.slice(start, end).join("");
    this.offsets = source.tokens;
    /** @type {string[]} */ this.words = source.tokens.map(([start, end]) => cut(start, end));
    /** @type {string[]} what stands before each token, and after the last */
    this.gaps = source.tokens.map(([start], at) => cut(at ? source.tokens[at - 1][1] : 0, start));
    this.gaps.push(cut(source.tokens.length ? source.tokens[source.tokens.length - 1][1] : 0, Infinity));
    /** @type {string[]} the words as people write them; offsets are not concerned */
    this.shown = this.words.map((word) => PLAIN.get(word) ?? word);
    /** @type {string[]} */ this.shownGaps = isTokenised(this) ? closed(this.shown, this.gaps) : this.gaps;
    this.size = this.words.length;
    this.speakers = source.speakers ?? null;
    this.sentences = source.sentences.length ? source.sentences : [0];
    /** @type {Unit[]} */ this.units = units(this);
    this.unitOf = new Int32Array(this.size);
    this.units.forEach((unit, at) => this.unitOf.fill(at, unit.start, unit.end));
  }

  /** The words of tokens start..end as they stand in the text, on one line. @param {number} start @param {number} end */
  phrase(start, end) {
    let found = this.shown[start] ?? "";
    for (let at = start + 1; at < end; at += 1) found += this.shownGaps[at] + this.shown[at];
    return found.replace(/\s+/g, " ");
  }

  /** @param {readonly [number, number][]} spans */
  words_of(spans) {
    return spans.map(([start, end]) => this.phrase(start, end)).join(" … ");
  }

  /** First token of the sentence that a token is in. @param {number} token */
  sentenceStart(token) {
    let low = 0, high = this.sentences.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sentences[middle] <= token) low = middle + 1;
      else high = middle;
    }
    return this.sentences[Math.max(0, low - 1)];
  }

  /**
   * A selection from one token to another in either direction, without the commas, stops
   * and blank tokens at its ends; of nothing else, it is kept as it is.
   * @param {number} anchor @param {number} focus @returns {[number, number]}
   */
  trimmed(anchor, focus) {
    let start = Math.min(anchor, focus), end = Math.max(anchor, focus) + 1;
    const whole = /** @type {[number, number]} */ ([start, end]);
    while (start < end && EDGE.test(this.words[start])) start += 1;
    while (end > start && STOP.test(this.words[end - 1])) end -= 1;
    return start < end ? [start, end] : whole;
  }
}

/** Whether a text is only known as tokens with a space between all of them. @param {{shown: string[], gaps: string[]}} text */
function isTokenised({ shown: words, gaps }) {
  const inner = gaps.slice(1, words.length);
  return inner.every((gap) => gap !== "") && words.some((word, at) => at > 0 && /^[,.]$/.test(word));
}

/** The gaps of a text of tokens as people write them. @param {readonly string[]} words @param {readonly string[]} gaps @returns {string[]} */
function closed(words, gaps) {
  let open = false, opened = false; // inside straight quotation marks; the last word opened them
  return gaps.map((gap, at) => {
    if (/[\n\r\u2028\u2029]/.test(gap)) open = false;
    const quote = words[at] === '"', close = opened || (quote && open);
    opened = quote && !open;
    if (quote) open = !open;
    return gap === " " && (close || isClose(words, at)) ? "" : gap;
  });
}

/** A text that may only be known as tokens, as people write it. @param {string} text */
export function asWritten(text) {
  const found = Array.from(text.matchAll(/\S+/g)); // offsets of code points
  let at = 0, last = 0;
  const tokens = found.map(({ 0: word, index }) => {
    at += Array.from(text.slice(last, index)).length;
    const start = at;
    at += Array.from(word).length;
    last = index + word.length;
    return /** @type {[number, number]} */ ([start, at]);
  });
  const made = new Text({ text, tokens, sentences: [] });
  return made.shown.map((word, index) => made.shownGaps[index] + word).join("") + (made.shownGaps[made.size] ?? "");
}

/** Whether no space is written before a word. @param {readonly string[]} words @param {number} at */
const isClose = (words, at) => at > 0 && at < words.length && (NO_SPACE_BEFORE.test(words[at]) || NO_SPACE_AFTER.test(words[at - 1]));

/** Sentences, cut where the text has a line break and where they are too long. @param {Text} text @returns {Unit[]} */
function units(text) {
  const starts = new Set(text.sentences);
  /** @type {Unit[]} */ const found = [];
  let line = 0;
  for (let at = 0; at < text.size; at += 1) {
    const last = found[found.length - 1];
    const broken = at > 0 && /[\n\r\u2028\u2029]/.test(text.gaps[at]);
    if (broken) line += 1;
    if (!last || broken || starts.has(at) || at - last.start >= LONGEST) found.push({ start: at, end: at + 1, line });
    else last.end = at + 1;
  }
  return found;
}
