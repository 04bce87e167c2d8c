// @ts-check
// The groups at the right, each with every mention; the one at hand is opened as a
// concordance. Only the rows of groups that an action touches are written again.

import { badge } from "../core/keymap.js";
import { count, make } from "./dom.js";
import { look } from "./textview.js";

/** @typedef {import("../core/model.js").State} State */
/** @typedef {import("../core/model.js").Group} Group */
/** @typedef {import("../core/model.js").Mention} Mention */
/** @typedef {import("../core/text.js").Text} Text */
/** @typedef {"key" | "size" | "first"} Sort */
/** @typedef {{go: (mention: string, group: string) => void, open: (group: string) => void, remove: (mention: string, group: string) => void,
 *   rename: (group: string) => void, merge: (group: string) => void, removeGroup: (group: string) => void}} Acts */

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
    /** @type {Map<string, HTMLElement & {group: string, words: string | null}>} */ this.rows = new Map();
    /** @type {string | null} */ this.open = null;
    /** @type {string | null} */ this.current = null;
    this.wanted = "";
    /** @type {Sort} */ this.sort = "key";
    this.all = false;
    for (const group of state.numbered()) this.#row(group.id);
    this.arrange();
  }

  /** Write again the rows of these groups. @param {Iterable<string>} groups */
  update(groups) {
    let moved = false;
    for (const id of groups) {
      const group = this.state.groups.get(id), row = this.rows.get(id);
      if (!group) {
        row?.remove();
        this.rows.delete(id);
        if (this.open === id) this.open = null;
      } else if (row && /** @type {any} */ (row).order === group.order && this.sort === "key") this.#write(row, group);
      else {
        this.#row(id);
        moved = true;
      }
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

  /** @param {string} id */
  #row(id) {
    const row = this.rows.get(id) ?? /** @type {any} */ (make("li", { class: "row-g" }));
    row.group = id;
    this.rows.set(id, row);
    this.#write(row, /** @type {Group} */ (this.state.groups.get(id)));
  }

  /** @param {any} row @param {Group} group */
  #write(row, group) {
    const chain = this.state.chain(group.id), opened = this.open === group.id;
    const name = this.name(group);
    row.order = group.order;
    row.size = chain.length;
    row.first = chain[0]?.spans[0][0] ?? Infinity;
    row.words = null; // made when a filter asks
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
          make("span", { "aria-hidden": "true" }, end < this.text.size ? ` ${right}` : ""))),
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
    const row = group === null ? null : this.rows.get(group);
    const reviewing = document.getElementById("review")?.hidden === false; // its answers must not move away
    if (row && !reviewing && (before !== group || mention)) this.#show(row);
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
    const by = { key: (/** @type {any} */ a, /** @type {any} */ b) => a.order - b.order,
      size: (/** @type {any} */ a, /** @type {any} */ b) => b.size - a.size,
      first: (/** @type {any} */ a, /** @type {any} */ b) => a.first - b.first }[this.sort];
    const rows = [...this.rows.values()].sort((a, b) => by(a, b) || /** @type {any} */ (a).order - /** @type {any} */ (b).order);
    let after = /** @type {Element | null} */ (this.list.firstElementChild);
    for (const row of rows) { // move only what is not in its place
      if (after === row) after = row.nextElementSibling;
      else this.list.insertBefore(row, after);
    }
    this.filter(this.wanted);
  }

  /** All that a group can be found by. @param {Group} group @returns {string} */
  wordsOf(group) {
    const row = /** @type {any} */ (this.rows.get(group.id));
    row.words ??= [this.name(group), ...this.state.chain(group.id).map((one) => this.text.words_of(one.spans))].join("\n").toLowerCase();
    return row.words;
  }

  /** Show the groups that match; says how many. @param {string} wanted @returns {number} */
  filter(wanted) {
    this.wanted = wanted.trim().toLowerCase();
    let shown = 0;
    for (const [id, row] of this.rows) {
      const group = /** @type {Group} */ (this.state.groups.get(id));
      const fits = !this.wanted || badge(group.order).toLowerCase() === this.wanted || this.wordsOf(group).includes(this.wanted);
      if (row.hidden === fits) row.hidden = !fits;
      shown += Number(!row.hidden);
    }
    return shown;
  }
}
