// @ts-check
// A long list of which only the items near the viewport are in the page. The room of the others is
// kept by their heights: measured when they were shown, estimated before. What is at the top of the
// viewport stays there while items come and go around it.

import { firstWhere } from "../core/span_index.js";

const LEAST = 600; // pixels that are kept ready above and below the viewport

/** @typedef {{key: string, top: number}} Anchor  an item, and its distance from the top of the pane */
/**
 * @typedef {{make: (key: string) => HTMLElement, gone?: (key: string) => void, estimate: (key: string) => number,
 *   resized?: () => void, changed?: () => void}} Items  `gone`: an item left the page; `resized`: the width is another; `changed`: other items are in the page
 */

export class ScrollWindow {
  /** @param {HTMLElement} root what holds the items @param {HTMLElement} pane what scrolls @param {Items} items */
  constructor(root, pane, items) {
    this.root = root;
    this.pane = pane;
    this.items = items;
    /** @type {readonly string[]} */ this.keys = [];
    /** @type {Map<string, number>} */ this.places = new Map();
    /** @type {Map<string, number>} measured */ this.heights = new Map();
    /** @type {Map<string, HTMLElement>} */ this.shown = new Map();
    this.tops = new Float64Array(1);
    this.whole = false; // whether all items are kept in the page
    this.width = 0;
    pane.addEventListener("scroll", () => this.update(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(root);
    new ResizeObserver(() => this.update(true)).observe(pane);
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  /** The items to show, in order. @param {readonly string[]} keys @param {boolean} whole */
  set(keys, whole) {
    this.keys = keys;
    this.whole = whole;
    this.places = new Map(keys.map((key, at) => [key, at]));
    this.update(true);
  }

  /** Bring an item into the page, its top at a distance from the pane's. @param {string} key @param {number} top */
  reveal(key, top) {
    if (this.places.has(key)) this.#show({ key, top }, true);
  }

  /** The item at the top of the viewport. @returns {Anchor | null} */
  get anchor() {
    const pane = this.pane.getBoundingClientRect();
    for (const [key, element] of this.#inOrder()) {
      const box = element.getBoundingClientRect();
      if (box.bottom > pane.top && box.top < pane.bottom) return { key, top: box.top - pane.top };
    }
    if (!this.keys.length) return null;
    this.#measure();
    const hidden = pane.top - this.root.getBoundingClientRect().top - this.#before();
    const at = Math.max(0, Math.min(this.keys.length - 1, this.#at(hidden)));
    return { key: this.keys[at], top: this.tops[at] - hidden };
  }

  /** Show what is near the viewport. @param {boolean} [always] even if what is shown would do */
  update(always = false) {
    const { anchor } = this;
    if (anchor && this.places.has(anchor.key)) this.#show(anchor, always);
    else this.#show(this.keys.length ? { key: this.keys[0], top: 0 } : null, always);
  }

  /** @param {Anchor | null} anchor @param {boolean} always */
  #show(anchor, always) {
    const size = this.pane.clientHeight, margin = Math.max(size, LEAST);
    for (let tries = 0; tries < 3; tries += 1) {
      this.#measure();
      const top = anchor ? this.tops[/** @type {number} */ (this.places.get(anchor.key))] - anchor.top : 0;
      const range = (/** @type {number} */ around) => /** @type {[number, number]} */ (this.whole ? [0, this.keys.length] : [this.#at(top - around), this.#at(top + size + around) + 1]);
      const [first, last] = range(margin / 2);
      if (!always && this.#has(first, last)) return;
      this.#fill(...range(margin));
      always = false;
      const element = anchor && this.shown.get(anchor.key);
      if (element) {
        const moved = element.getBoundingClientRect().top - this.pane.getBoundingClientRect().top - anchor.top;
        if (Math.abs(moved) >= 1) this.pane.scrollTop += moved;
      }
    }
  }

  /** @param {number} first @param {number} last */
  #has(first, last) {
    return this.keys.slice(first, last).every((key) => this.shown.has(key)) && this.shown.size > 0;
  }

  /** Put exactly these items into the page. @param {number} first @param {number} last */
  #fill(first, last) {
    const wanted = new Set(this.keys.slice(first, last));
    for (const [key, element] of this.shown) {
      if (wanted.has(key)) continue;
      element.remove();
      this.shown.delete(key);
      this.items.gone?.(key);
    }
    let next = this.root.firstElementChild;
    for (const key of wanted) {
      const element = this.shown.get(key) ?? this.#make(key);
      this.#number(key, element);
      if (next === element) next = element.nextElementSibling;
      else this.root.insertBefore(element, next);
    }
    const end = Math.min(last, this.keys.length), total = this.tops[this.keys.length];
    this.root.style.setProperty("--above", `${this.tops[Math.min(first, end)]}px`);
    this.root.style.setProperty("--below", `${total - this.tops[end]}px`);
    this.items.changed?.();
  }

  /** @param {string} key */
  #make(key) {
    const element = this.items.make(key);
    this.#number(key, element);
    this.shown.set(key, element);
    return element;
  }

  /** Say which of how many an item is, where not all are in the page. @param {string} key @param {HTMLElement} element */
  #number(key, element) {
    if (this.whole) return;
    element.setAttribute("aria-setsize", String(this.keys.length));
    element.setAttribute("aria-posinset", String(Number(this.places.get(key)) + 1));
  }

  #inOrder() {
    return [...this.shown].sort(([a], [b]) => (this.places.get(a) ?? -1) - (this.places.get(b) ?? -1));
  }

  /** The heights of what is in the page, and where every item begins. */
  #measure() {
    for (const [key, element] of this.shown) {
      const { height } = element.getBoundingClientRect();
      if (height) this.heights.set(key, height);
    }
    if (this.tops.length !== this.keys.length + 1) this.tops = new Float64Array(this.keys.length + 1);
    this.keys.forEach((key, at) => {
      this.tops[at + 1] = this.tops[at] + (this.heights.get(key) ?? this.items.estimate(key));
    });
  }

  /** The item at a distance from the first. @param {number} top */
  #at(top) {
    return Math.max(0, firstWhere(this.tops, (one) => one > top) - 1);
  }

  /** What the list itself has above its first item. */
  #before() {
    const above = Number.parseFloat(this.root.style.getPropertyValue("--above")) || 0;
    return Number.parseFloat(getComputedStyle(this.root).paddingTop) - above;
  }

  #resized() {
    const { clientWidth: width } = this.root;
    if (width === this.width) return;
    const first = this.width === 0;
    this.width = width;
    if (first) return;
    const { anchor } = this;
    this.heights.clear();
    this.items.resized?.();
    this.#show(anchor && this.places.has(anchor.key) ? anchor : null, true);
  }

  /** All of it goes to paper. @param {boolean} on */
  #print(on) {
    const { whole } = this;
    this.whole = on || whole;
    this.update(true);
    this.whole = whole;
  }
}
