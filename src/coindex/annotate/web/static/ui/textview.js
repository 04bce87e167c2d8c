// @ts-check
// The text with its marks. Of a long text only what is near the viewport is in the page, and only the
// sentences that an action touches are drawn again, so that a key is answered at once.

import { badge } from "../core/keymap.js";
import { mentionTree } from "../core/mention_tree.js";
import { firstWhere } from "../core/span_index.js";
import { confidenceWords } from "../core/suggestion_index.js";
import { linesOf, speakerAt } from "../core/text_lines.js";
import { make } from "./dom.js";
import { ScrollWindow } from "./scroll_window.js";

/** @typedef {import("../core/model.js").State} State */
/** @typedef {import("../core/model.js").Group} Group */
/** @typedef {import("../core/text.js").Text} Text */
/** @typedef {import("../core/mention_tree.js").Node} TreeNode */
/** @typedef {import("../core/text_lines.js").Line} Line */

const COLOURS = 9, PATTERNS = 4, LEVELS = 12;
const WHOLE = 2000; // tokens of a text that is in the page as a whole
const GHOST = "s/"; // before the id of a suggestion, among the marks

/** Colour and line of a group. @param {number} order */
export const look = (order) => `c${order % COLOURS} p${order % PATTERNS}`;

export class TextView {
  /** @param {HTMLElement} root @param {HTMLElement} pane what scrolls @param {Text} text @param {State} state @param {readonly number[]} zeros */
  constructor(root, pane, text, state, zeros = []) {
    this.root = root;
    this.pane = pane;
    this.text = text;
    this.state = state;
    this.ghosts = true;
    this.empty = new Set(zeros);
    /** @type {(HTMLElement | undefined)[]} the words that are in the page */ this.words = new Array(text.size);
    /** @type {Map<string, HTMLElement[]>} the parts of each mark */ this.parts = new Map();
    /** @type {Map<number, string[]>} the marks of each unit in the page */ this.inUnit = new Map();
    /** @type {Map<number, HTMLElement>} the units in the page */ this.units = new Map();
    /** @type {ReadonlyMap<string, string>} */ this.marks = new Map();
    /** @type {Map<HTMLElement, string>} */ this.lit = new Map();
    /** @type {readonly string[]} marks under a pointer */ this.hovered = [];
    /** @type {readonly [number, number] | null} */ this.range = null;
    /** @type {number | null} */ this.cursor = null;
    /** @type {{all: readonly [number, number][], at: number}} what a search found */ this.hits = { all: [], at: -1 };
    /** @type {() => void} other words are in the page */ this.onwindow = () => {};
    /** @type {Line[]} */ this.lines = linesOf(text);
    /** @type {number[]} */ this.lineOf = new Array(text.units.length);
    this.lines.forEach((line, at) => this.lineOf.fill(at, line.first, line.last));
    this.perRow = 0; // characters on a row, as far as it is known
    this.row = 0; // pixels
    this.window = new ScrollWindow(root, pane, { make: (key) => this.#line(Number(key)), gone: (key) => this.#gone(Number(key)),
      estimate: (key) => this.#height(Number(key)), resized: () => (this.perRow = 0), changed: () => this.onwindow() });
    root.style.setProperty("--digits", String(String(this.lines.at(-1)?.number ?? 0).length));
    const whole = text.size <= WHOLE;
    if (!whole) root.setAttribute("role", "list");
    this.window.set(this.lines.map((_, at) => String(at)), whole);
  }

  // ---- lines

  /** @param {number} at @returns {HTMLElement} */
  #line(at) {
    const line = this.lines[at];
    const made = make("div", { class: `line${line.new ? " new" : ""}${line.para ? " para" : ""}`, dir: "auto", role: this.window.whole ? null : "listitem" });
    if (line.new) made.dataset.number = String(line.number);
    for (let unit = line.first; unit < line.last; unit += 1) {
      const speaker = speakerAt(this.text, unit);
      if (speaker) made.append(make("span", { class: "speaker" }, `${speaker}:`));
      const element = make("span", { class: "u" });
      this.units.set(unit, element);
      this.#draw(unit);
      made.append(element);
    }
    return made;
  }

  /** @param {number} at */
  #gone(at) {
    for (let unit = this.lines[at].first; unit < this.lines[at].last; unit += 1) {
      const { start, end } = this.text.units[unit];
      this.#forget(unit);
      this.inUnit.delete(unit);
      this.units.delete(unit);
      for (let token = start; token < end; token += 1) delete this.words[token];
    }
  }

  /** About how high a line is that was never shown. @param {number} at */
  #height(at) {
    if (!this.perRow) this.#calibrate();
    return Math.ceil(this.lines[at].chars / this.perRow) * this.row + (this.lines[at].para ? 8 : 0);
  }

  /** How many characters are on a row: by those that are shown, else by the width. */
  #calibrate() {
    const style = getComputedStyle(this.root), size = Number.parseFloat(style.fontSize);
    this.row = Number.parseFloat(style.lineHeight) || 2 * size;
    const guess = Math.max(10, (this.root.clientWidth - 46) / (0.5 * size));
    let rows = 0, chars = 0;
    for (const [key, height] of this.window?.heights ?? []) {
      chars += this.lines[Number(key)].chars;
      rows += Math.max(0.5, height / this.row - 0.5);
    }
    this.perRow = rows > 4 ? Math.max(10, chars / rows) : guess;
  }

  drawAll() {
    this.redraw(this.units.keys());
  }

  /** Draw again those of these units that are in the page. @param {Iterable<number>} units */
  redraw(units) {
    for (const unit of new Set(units)) if (this.units.has(unit)) this.#draw(unit);
  }

  /** Units that some spans touch. @param {readonly [number, number][]} spans @returns {number[]} */
  unitsOf(spans) {
    return spans.flatMap(([start, end]) => {
      const first = this.text.unitOf[start], last = this.text.unitOf[end - 1];
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
  }

  /** Units in which a mark is drawn now. @param {string} id @returns {number[]} */
  drawnIn(id) {
    return [...new Set((this.parts.get(id) ?? []).map((part) => /** @type {any} */ (part).unit))];
  }

  /** The marks of a unit go. @param {number} at */
  #forget(at) {
    for (const id of this.inUnit.get(at) ?? []) {
      const parts = (this.parts.get(id) ?? []).filter((part) => /** @type {any} */ (part).unit !== at);
      if (parts.length) this.parts.set(id, parts);
      else this.parts.delete(id);
    }
  }

  /** @param {number} at */
  #draw(at) {
    const { start, end } = this.text.units[at];
    this.#forget(at);
    /** @type {{id: string, spans: [number, number][]}[]} */ const marks = this.state.within(start, end);
    const all = this.ghosts ? [...marks, ...this.state.openWithin(start, end).map((one) => ({ id: GHOST + one.id, spans: one.spans }))] : marks;
    const { nodes, levels } = mentionTree(all, start, end);
    this.inUnit.set(at, all.map((mark) => mark.id));
    const inside = document.createDocumentFragment();
    this.#fill(inside, nodes, all, levels, at);
    this.units.get(at)?.replaceChildren(inside);
    this.#colour(at);
  }

  /** Light, selection and what was searched for, in a unit that was drawn just now. @param {number} at */
  #colour(at) {
    const { start, end } = this.text.units[at];
    for (const id of this.inUnit.get(at) ?? []) {
      const how = this.marks.get(id);
      for (const part of how ? this.parts.get(id) ?? [] : []) {
        part.classList.add(.../** @type {string} */ (how).split(" "));
        this.lit.set(part, /** @type {string} */ (how));
      }
    }
    this.#select(start, end, true);
    this.#hit(start, end, true);
  }

  /** @param {number} at @returns {HTMLElement} */
  #word(at) {
    const known = this.words[at];
    if (known) return known;
    const word = this.text.shown[at], element = document.createElement("span");
    element.className = this.empty.has(at) || !word ? "t zero" : "t";
    element.textContent = word || "∅";
    /** @type {any} */ (element).token = at;
    this.words[at] = element;
    return element;
  }

  /** @param {Node} parent @param {readonly TreeNode[]} nodes @param {readonly {id: string}[]} marks @param {readonly number[]} levels @param {number} unit */
  #fill(parent, nodes, marks, levels, unit) {
    for (const [at, node] of nodes.entries()) {
      let first = node;
      while (typeof first !== "number") first = first.inside[0];
      const opens = first === this.text.units[unit].start;
      if (at || (parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE && !(opens && /[\n\r]/.test(this.text.gaps[first])))) {
        parent.appendChild(document.createTextNode(this.text.shownGaps[first]));
      }
      if (typeof node === "number") parent.appendChild(this.#word(node));
      else {
        const element = this.#mark(marks[node.mark].id, levels[node.mark], unit, node.first);
        this.#fill(element, node.inside, marks, levels, unit);
        if (node.last) element.append(this.#badge(marks[node.mark].id));
        parent.appendChild(element);
      }
    }
  }

  /** @param {string} id @param {number} level @param {number} unit @param {boolean} first */
  #mark(id, level, unit, first) {
    const element = document.createElement("span");
    const group = this.#groups(id)[0];
    element.className = `m l${Math.min(level, LEVELS - 1)} ${group ? look(group.order) : "ghost"}${first ? " first" : ""}`;
    Object.assign(element, { mark: id, unit });
    const parts = this.parts.get(id);
    if (parts) parts.push(element);
    else this.parts.set(id, [element]);
    return element;
  }

  /** @param {string} id @returns {Group[]} */
  #groups(id) {
    return (this.state.mentions.get(id)?.groups ?? []).flatMap((group) => this.state.groups.get(group) ?? []);
  }

  /** The keys of a mark's groups, as a button after its last word. @param {string} id */
  #badge(id) {
    const button = document.createElement("span"); // a real button would stand apart and could wrap away from its word
    button.className = "b";
    button.setAttribute("role", "button");
    Object.assign(button, { mark: id });
    const mention = this.state.mentions.get(id);
    if (!mention) {
      const found = this.state.suggestions.get(id.slice(GHOST.length));
      if (!found) return button;
      const { number } = this.state.suggested.chain(found), sure = confidenceWords(found.confidence);
      button.append(make("b", null, `?${number}`));
      button.setAttribute("aria-label", `suggestion, chain ${number}: ${this.text.words_of(found.spans)}${sure ? `, ${sure}` : ""}`);
      button.title = `Suggested by ${found.resolver}, chain ${number}${sure ? `: ${sure}` : ""}`;
      return button;
    }
    const groups = this.#groups(id);
    for (const group of groups) button.append(make("b", { class: look(group.order) }, badge(group.order)));
    if (mention.unsure) button.append(make("u", null, "?"));
    if (mention.note) button.append(make("u", null, "✎"));
    const says = groups.map((group) => `${badge(group.order)} ${group.name}`.trim()).join(" and ");
    button.setAttribute("aria-label", `${this.text.words_of(mention.spans)}: group ${says}${mention.unsure ? ", unsure" : ""}${mention.note ? ", with a comment" : ""}`);
    return button;
  }

  // ---- light

  /** Light up marks: id → "on", "cur", "many", "diff". @param {ReadonlyMap<string, string>} marks */
  light(marks) {
    this.marks = marks;
    /** @type {Map<HTMLElement, string>} */ const next = new Map();
    for (const ids of this.inUnit.values()) {
      for (const id of ids) {
        const how = marks.get(id);
        for (const part of how ? this.parts.get(id) ?? [] : []) next.set(part, /** @type {string} */ (how));
      }
    }
    for (const [part, how] of this.lit) if (next.get(part) !== how) part.classList.remove(...how.split(" "));
    for (const [part, how] of next) part.classList.add(...how.split(" "));
    this.lit = next;
  }

  /** Highlight marks for as long as a pointer is over one of them. @param {readonly string[]} marks */
  hover(marks) {
    for (const id of this.hovered) for (const part of this.parts.get(id) ?? []) part.classList.remove("over");
    this.hovered = marks;
    for (const id of marks) for (const part of this.parts.get(id) ?? []) part.classList.add("over");
  }

  /** Show a selection of tokens, and where the cursor is. @param {readonly [number, number] | null} range @param {number | null} cursor */
  select(range, cursor) {
    this.#select(0, this.text.size, false);
    this.range = range;
    this.cursor = cursor;
    this.#select(0, this.text.size, true);
  }

  /** Put on, or take off, selection and cursor within some tokens. @param {number} start @param {number} end @param {boolean} on */
  #select(start, end, on) {
    const [from, to] = this.range ?? [0, 0];
    for (let at = Math.max(from, start); at < Math.min(to, end); at += 1) {
      this.words[at]?.classList.toggle("sel", on);
      if (at === to - 1) this.words[at]?.classList.toggle("last", on);
    }
    if (this.cursor !== null && this.cursor >= start && this.cursor < end) this.words[this.cursor]?.classList.toggle("at", on);
  }

  /** Show what a search found. @param {readonly [number, number][]} all in order @param {number} at the one at hand */
  found(all, at) {
    const units = [...this.units.keys()].map((unit) => this.text.units[unit]);
    for (const { start, end } of units) this.#hit(start, end, false);
    this.hits = { all, at };
    for (const { start, end } of units) this.#hit(start, end, true);
  }

  /** Put on, or take off, the light of what was found, within some tokens. @param {number} start @param {number} end @param {boolean} on */
  #hit(start, end, on) {
    const { all, at: now } = this.hits;
    for (let hit = firstWhere(all, (one) => one[1] > start); hit < all.length && all[hit][0] < end; hit += 1) {
      for (let at = Math.max(all[hit][0], start); at < Math.min(all[hit][1], end); at += 1) {
        this.words[at]?.classList.toggle("hit", on);
        if (hit === now) this.words[at]?.classList.toggle("now", on);
      }
    }
  }

  /** Bring a token into view, if it is not. @param {number} token @param {boolean} [centre] */
  show(token, centre = false) {
    if (token < 0 || token >= this.text.size) return;
    const pane = this.pane.getBoundingClientRect(), middle = pane.height / 2;
    if (!this.words[token]) this.window.reveal(String(this.lineOf[this.text.unitOf[token]]), middle);
    const box = this.words[token]?.getBoundingClientRect();
    if (!box || (!centre && box.top >= pane.top + 60 && box.bottom <= pane.bottom - 60)) return;
    const far = centre || box.bottom < pane.top || box.top > pane.bottom;
    const edge = box.top < pane.top + 60 ? box.top - pane.top - 80 : box.bottom - pane.bottom + 80;
    this.pane.scrollTop += far ? box.top - pane.top - middle : edge;
    this.window.update();
  }

  /** The first token in view. @returns {number} */
  get top() {
    const { anchor } = this.window;
    const line = this.lines[Number(anchor?.key ?? 0)], { top } = this.pane.getBoundingClientRect();
    if (!line) return 0;
    for (let unit = line.first; unit < line.last; unit += 1) {
      const box = this.units.get(unit)?.getBoundingClientRect();
      if (box && box.bottom > top) return this.text.units[unit].start;
    }
    return this.text.units[line.first].start;
  }

  /** The token above or below another on the page. @param {number} token @param {1 | -1} step @returns {number} */
  vertical(token, step) {
    this.show(token);
    const from = this.words[token]?.getBoundingClientRect();
    if (!from) return token;
    const middle = from.left + from.width / 2;
    let best = token, row = 0, near = Infinity;
    for (let at = token + step; at >= 0 && at < this.text.size; at += step) {
      const box = this.words[at]?.getBoundingClientRect();
      if (!box) break;
      const away = step > 0 ? box.top - from.top : from.top - box.top;
      if (away < from.height / 2) continue;
      if (row && Math.abs(box.top - row) > from.height / 2) break;
      row ||= box.top;
      const gap = Math.abs(box.left + box.width / 2 - middle);
      if (gap < near) [near, best] = [gap, at];
    }
    return best;
  }

  /** The token at a place of an event, or the nearest on its line. @param {PointerEvent | MouseEvent} event @returns {number | null} */
  tokenAt(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    const word = /** @type {any} */ (element?.closest?.(".t"));
    if (word) return word.token;
    const unit = element?.closest?.(".u, .m, .line");
    if (!unit || !this.root.contains(unit)) return null;
    let best = null, near = Infinity;
    for (const one of unit.querySelectorAll(".t")) {
      const box = one.getBoundingClientRect();
      if (event.clientY < box.top - 12 || event.clientY > box.bottom + 12) continue;
      const gap = Math.max(box.left - event.clientX, event.clientX - box.right, 0);
      if (gap < near) [near, best] = [gap, /** @type {any} */ (one).token];
    }
    return best;
  }
}

export const ghostId = (/** @type {string} */ id) => GHOST + id;
/** The suggestion that a mark stands for. @param {string} mark */
export const suggestionOf = (mark) => (mark.startsWith(GHOST) ? mark.slice(GHOST.length) : null);
