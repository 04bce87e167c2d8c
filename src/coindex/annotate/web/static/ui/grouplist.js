// @ts-check
// The groups at the right, each with every mention; the one at hand is opened as a
// concordance. Only the rows of groups that an action touches are written again, and of many groups
// only those near the viewport are in the page.

import { badge } from "../core/keymap.js";
import { count, make } from "./dom.js";
import { ScrollWindow } from "./scroll_window.js";
import { look } from "./textview.js";

/** @typedef {import("../core/model.js").State} State */
/** @typedef {import("../core/model.js").Group} Group */
/** @typedef {import("../core/model.js").Mention} Mention */
/** @typedef {import("../core/text.js").Text} Text */
/** @typedef {"key" | "size" | "first"} Sort */
/** @typedef {{go: (mention: string, group: string) => void, open: (group: string) => void, remove: (mention: string, group: string) => void,
 *   rename: (group: string) => void, merge: (group: string) => void, removeGroup: (group: string) => void}} Acts */

const WHOLE = 120; // groups of a list that is in the page as a whole
const CHIPS = 40; // shown of a group that is not at hand
const LINES = 40; // of the concordance, around the mention at hand
const TRIED = 30; // mentions looked at for a name
const AROUND = 6; // words of context
const NAME = /^\p{Lu}[\p{L}\p{N}.'’-]+(?: (?:\p{Lu}[\p{L}\p{N}.'’-]*|of|the|de|van|von))*$/u; // all its words have capitals

export class GroupList {
  /** @param {HTMLElement} list @param {Text} text @param {State} state @param {Acts} acts @param {boolean} editable */
  constructor(list, text, state, acts, editable) {
    this.list = list;
    this.text = text;
    this.state = state;
    this.acts = acts;
    this.editable = editable;
    this.starts = new Set(text.sentences);
    this.small = new Set(text.words.filter((word) => /^\p{Ll}/u.test(word)));
    /** @type {Map<string, string>} all that a group can be found by, made when a filter asks */ this.found = new Map();
    /** @type {Map<string, number>} the places by which rows are sorted now */ this.orders = new Map();
    /** @type {string | null} */ this.open = null;
    /** @type {string | null} */ this.current = null;
    this.wanted = "";
    /** @type {Sort} */ this.sort = "key";
    this.all = false;
    this.window = new ScrollWindow(list, /** @type {HTMLElement} */ (list.parentElement), { make: (id) => this.#row(id), estimate: (id) => this.#height(id) });
    this.arrange();
  }

  /** The rows that are in the page. */
  get rows() {
    return this.window.shown;
  }

  /** The groups that are listed, in order. */
  get listed() {
    return this.window.keys;
  }

  /** Write again the rows of these groups. @param {Iterable<string>} groups */
  update(groups) {
    let moved = false;
    for (const id of groups) {
      const group = this.state.groups.get(id), row = this.rows.get(id);
      this.found.delete(id);
      if (!group && this.open === id) this.open = null;
      if (!group || this.orders.get(id) !== group.order || this.sort !== "key" || this.wanted) moved = true;
      if (group && row) this.#write(row, group);
    }
    if (moved) this.arrange();
  }

  /** The name of a group: its own, else the first name among its mentions, else the first of them. @param {Group} group @returns {string} */
  name(group) {
    if (group.name) return group.name;
    const chain = this.state.chain(group.id);
    for (const { spans } of chain.slice(0, TRIED)) {
      const words = this.text.words_of(spans);
      if (NAME.test(words) && this.#capital(spans[0][0])) return words;
    }
    return chain.length ? this.text.words_of(chain[0].spans).split(/ ?, /)[0] : "empty group";
  }

  /** Whether a word has its capital for itself, not only for beginning a sentence. @param {number} token */
  #capital(token) {
    return !this.starts.has(token) || !this.small.has(this.text.words[token].toLowerCase());
  }

  /** @param {string} id @returns {HTMLElement} */
  #row(id) {
    const row = make("li", { class: "row-g" });
    this.#write(row, /** @type {Group} */ (this.state.groups.get(id)));
    return row;
  }

  /** About how high a row is that was never shown. @param {string} id */
  #height(id) {
    return 40 + 28 * Math.ceil(Math.min(this.state.members.get(id)?.size ?? 0, CHIPS) / 3.5);
  }

  /** @param {any} row @param {Group} group */
  #write(row, group) {
    const chain = this.state.chain(group.id), opened = this.open === group.id;
    const name = this.name(group);
    row.group = group.id;
    row.className = `row-g ${look(group.order)}${opened ? " on" : ""}${chain.length ? "" : " none"}`;
    const key = badge(group.order);
    const head = make("button", { class: "head", type: "button", "aria-expanded": String(opened), "aria-label": `group ${key}, ${name}, ${count(chain.length, "mention")}`, onclick: () => this.acts.open(group.id) },
      make("span", { class: "swatch" }, make("span", { class: "n" }, key)), make("span", { class: "name", dir: "auto" }, name), make("span", { class: "many-n" }, `×${chain.length}`));
    row.replaceChildren(head, ...(opened ? this.#opened(group, chain) : [this.#chips(group, chain)]));
  }

  /** @param {Group} group @param {readonly Mention[]} chain */
  #chips(group, chain) {
    const box = make("div", { class: "chips" });
    for (const mention of chain.slice(0, CHIPS)) {
      const chip = document.createElement("button");
      chip.className = "chip";
      chip.type = "button";
      chip.tabIndex = -1;
      chip.dir = "auto";
      chip.textContent = this.text.words_of(mention.spans);
      Object.assign(chip, { mark: mention.id, group: group.id });
      box.append(chip);
    }
    if (chain.length > CHIPS) {
      box.append(make("button", { class: "chip more", type: "button", tabindex: "-1", onclick: () => this.acts.open(group.id) }, `${chain.length - CHIPS} more`));
    }
    return box;
  }

  /** @param {Group} group @param {readonly Mention[]} chain */
  #opened(group, chain) {
    const at = Math.max(0, chain.findIndex((one) => one.id === this.current));
    const from = this.all ? 0 : Math.max(0, Math.min(at - LINES / 2, chain.length - LINES));
    const shown = this.all ? chain : chain.slice(from, from + LINES);
    const list = make("ol", { class: "kwic", "aria-label": "its mentions" }, shown.map((one) => this.#line(one, group)));
    const rest = chain.length - shown.length;
    const acts = this.editable ? [
      make("button", { class: "button", type: "button", onclick: () => this.acts.rename(group.id) }, "Rename"),
      make("button", { class: "button", type: "button", onclick: () => this.acts.merge(group.id) }, "Merge…"),
      make("button", { class: "button danger", type: "button", onclick: () => this.acts.removeGroup(group.id) }, "Remove group")] : [];
    if (rest) acts.unshift(make("button", { class: "button", type: "button", onclick: () => this.showAll(group.id) }, `Show all ${chain.length}`));
    return [list, make("div", { class: "acts" }, acts)];
  }

  /** @param {Mention} mention @param {Group} group */
  #line(mention, group) {
    const start = mention.spans[0][0], end = mention.spans[mention.spans.length - 1][1];
    const words = this.text.words_of(mention.spans);
    const left = this.text.phrase(Math.max(0, start - AROUND), start), right = this.text.phrase(end, Math.min(this.text.size, end + AROUND));
    const item = make("li", { class: mention.id === this.current ? "cur" : null },
      make("button", { class: "go", type: "button", "aria-current": mention.id === this.current ? "true" : null, onclick: () => this.acts.go(mention.id, group.id) },
        make("span", { class: "left", "aria-hidden": "true" }, make("bdi", null, start ? left : "")),
        make("span", { class: "right" }, make("b", { class: "word", dir: "auto" }, words + (mention.unsure ? " ?" : "")),
          make("span", { "aria-hidden": "true" }, end < this.text.size ? `${this.text.shownGaps[end] && " "}${right}` : ""))),
      this.editable && make("button", { class: "gone", type: "button", title: "Remove (x)", "aria-label": `remove ${words}`, onclick: () => this.acts.remove(mention.id, group.id) }, "×"),
      mention.note && make("span", { class: "said", dir: "auto" }, mention.note));
    item.mark = mention.id;
    return item;
  }

  /** @param {string} group */
  showAll(group) {
    this.all = true;
    this.update([group]);
    this.all = false;
  }

  /** Open the group at hand and mark the mention at hand. @param {string | null} group @param {string | null} mention */
  focus(group, mention) {
    const before = this.open;
    this.current = mention;
    if (before !== group) {
      this.open = group;
      this.update([before, group].flatMap((id) => (id !== null && this.state.groups.has(id) ? [id] : [])));
    } else if (group !== null) this.#mark(group, mention);
    if (group === null || (before === group && !mention)) return;
    if (document.getElementById("review")?.hidden === false) return; // its answers must not move away
    if (!this.rows.has(group)) this.window.reveal(group, 120);
    const row = this.rows.get(group);
    if (row) this.#show(row);
  }

  /** @param {string} group @param {string | null} mention */
  #mark(group, mention) {
    const row = this.rows.get(group);
    let found = mention === null;
    for (const item of row?.querySelectorAll(".kwic > li") ?? []) {
      const here = /** @type {any} */ (item).mark === mention;
      found ||= here;
      item.classList.toggle("cur", here);
    }
    if (!found && mention !== null && this.state.members.get(group)?.has(mention)) this.update([group]);
  }

  /** @param {HTMLElement} row */
  #show(row) {
    const item = row.querySelector(".kwic > li.cur") ?? row;
    const pane = /** @type {HTMLElement} */ (this.list.parentElement);
    const box = item.getBoundingClientRect(), view = pane.getBoundingClientRect();
    if (box.top < view.top + 110 || box.bottom > view.bottom - 8) {
      pane.scrollTop += box.top < view.top + 110 ? box.top - view.top - 120 : Math.min(box.top - view.top - 120, box.bottom - view.bottom + 24);
    }
  }

  /** @param {Sort} sort */
  sortBy(sort) {
    this.sort = sort;
    this.arrange();
  }

  arrange() {
    const size = (/** @type {Group} */ one) => this.state.members.get(one.id)?.size ?? 0;
    const first = (/** @type {Group} */ one) => this.state.chain(one.id)[0]?.spans[0][0] ?? Infinity;
    const groups = this.state.numbered();
    this.orders = new Map(groups.map((one) => [one.id, one.order]));
    if (this.sort === "size") groups.sort((a, b) => size(b) - size(a) || a.order - b.order);
    if (this.sort === "first") groups.sort((a, b) => first(a) - first(b) || a.order - b.order);
    const fits = (/** @type {Group} */ one) => !this.wanted || badge(one.order).toLowerCase() === this.wanted || this.wordsOf(one).includes(this.wanted);
    const keys = groups.filter(fits).map((one) => one.id);
    this.window.set(keys, keys.length <= WHOLE);
  }

  /** All that a group can be found by. @param {Group} group @returns {string} */
  wordsOf(group) {
    const known = this.found.get(group.id) ?? [this.name(group), ...this.state.chain(group.id).map((one) => this.text.words_of(one.spans))].join("\n").toLowerCase();
    this.found.set(group.id, known);
    return known;
  }

  /** Show the groups that match; says how many. @param {string} wanted @returns {number} */
  filter(wanted) {
    const typed = wanted.trim().toLowerCase();
    if (typed !== this.wanted) {
      this.wanted = typed;
      this.arrange();
    }
    return this.listed.length;
  }
}
