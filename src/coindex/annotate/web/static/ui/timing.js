// @ts-check
// How fast this page is, measured in the page: from the navigation to the frame in which the
// document can be worked on, and from a key to the frame that shows what it did.

/** What must hold, in ms: for 10,000 words with 3,000 mentions, and for 100,000 with 20,000. @param {number} words */
export const limitsOf = (words) => ({ opened: words <= 10_000 ? 800 : 1500, key: 100 });
const MOST = 1000; // keys that are remembered

/** @param {readonly number[]} values @param {number} share */
const high = (values, share) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? null;

/** After the next frame has been drawn. @param {() => void} then */
const drawn = (then) => requestAnimationFrame(() => setTimeout(then));

export class Timing {
  constructor() {
    this.words = 0; // of the document
    /** @type {number | null} */ this.opened = null;
    /** @type {number[]} */ this.keys = [];
  }

  /** The page can be used from the next frame on. @param {number} words of the document */
  ready(words) {
    this.words = words;
    drawn(() => (this.opened = performance.now()));
  }

  /** A key was pressed that means something here. @param {Event} event */
  key(event) {
    drawn(() => {
      if (this.keys.push(performance.now() - event.timeStamp) > MOST) this.keys.shift();
    });
  }

  /** In ms: what was measured, beside its limits. */
  summary() {
    const { keys, opened } = this;
    return { opened, keys: keys.length, median: high(keys, 0.5), p95: high(keys, 0.95), longest: high(keys, 1), limits: limitsOf(this.words) };
  }
}
