// @ts-check
// Which of many spans touch a stretch of tokens, without looking at all of them: each is filed
// under the blocks of tokens that it touches. A long text has tens of thousands, a block a few.

/** @typedef {[number, number]} Span */

const BITS = 6; // of the size of a block: 64 tokens

/** @template {{spans: Span[]}} Item */
export class SpanIndex {
  constructor() {
    /** @type {(Item[] | undefined)[]} */ this.blocks = [];
  }

  /** @param {Item} item */
  add(item) {
    for (const at of blocksOf(item.spans)) (this.blocks[at] ??= []).push(item);
  }

  /** @param {Item} item */
  delete(item) {
    for (const at of blocksOf(item.spans)) {
      const block = this.blocks[at], place = block ? block.indexOf(item) : -1;
      if (block && place >= 0) block.splice(place, 1);
    }
  }

  /** The one of exactly these spans, if there is one. @param {readonly Span[]} spans @returns {Item | null} */
  at(spans) {
    const same = (/** @type {Item} */ item) => item.spans.length === spans.length && spans.every(([start, end], at) => item.spans[at][0] === start && item.spans[at][1] === end);
    return this.blocks[spans[0]?.[0] >> BITS]?.find(same) ?? null;
  }

  /** What touches tokens start..end, each once, in no order. @param {number} start @param {number} end @returns {Item[]} */
  within(start, end) {
    /** @type {Set<Item>} */ const found = new Set();
    for (let at = start >> BITS; at <= (end - 1) >> BITS; at += 1) {
      for (const item of this.blocks[at] ?? []) {
        if (item.spans.some(([from, to]) => from < end && to > start)) found.add(item);
      }
    }
    return [...found];
  }
}

/** Order of reading: by start, the longer first, then by id. @param {{id: string, spans: readonly Span[]}} a @param {{id: string, spans: readonly Span[]}} b */
export function inOrder(a, b) {
  return a.spans[0][0] - b.spans[0][0] || b.spans[b.spans.length - 1][1] - a.spans[a.spans.length - 1][1] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** The blocks that spans touch, each once. @param {readonly Span[]} spans @returns {Iterable<number>} */
function blocksOf(spans) {
  const [[start, end]] = spans;
  if (spans.length === 1 && start >> BITS === (end - 1) >> BITS) return [start >> BITS];
  /** @type {Set<number>} */ const found = new Set();
  for (const [from, to] of spans) for (let at = from >> BITS; at <= (to - 1) >> BITS; at += 1) found.add(at);
  return found;
}

/** The first place of a sorted list where something holds, as it does everywhere after it. @template T @param {ArrayLike<T>} list @param {(one: T) => boolean} holds */
export function firstWhere(list, holds) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
