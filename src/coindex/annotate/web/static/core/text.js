// @ts-check
// The text of a document: its tokens, where its lines break, and what a selection means.

/** @typedef {{text: string, tokens: [number, number][], sentences: number[], speakers?: string[] | null}} Source  offsets count code points */
/** @typedef {{start: number, end: number, line: number}} Unit  tokens that are drawn together */

const LONGEST = 60; // tokens of a unit: drawing one again must stay quick in a text without sentences
const EDGE = /^[\s,;:]+$/u;
const STOP = /^[\s,;:.!?]+$/u;

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
    this.size = this.words.length;
    this.speakers = source.speakers ?? null;
    this.sentences = source.sentences.length ? source.sentences : [0];
    /** @type {Unit[]} */ this.units = units(this);
    /** @type {number[]} */ this.unitOf = new Array(this.size);
    this.units.forEach((unit, at) => this.unitOf.fill(at, unit.start, unit.end));
  }

  /** The words of tokens start..end as they stand in the text, on one line. @param {number} start @param {number} end */
  phrase(start, end) {
    let found = this.words[start] ?? "";
    for (let at = start + 1; at < end; at += 1) found += this.gaps[at] + this.words[at];
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
