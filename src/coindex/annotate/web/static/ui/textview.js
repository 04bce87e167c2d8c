// @ts-check
// The text with its marks. Words are made once and moved; only the sentences that an
// action touches are woven again, so that a key is answered at once in a long text.

import { badge } from "../core/keymap.js";
import { mentionTree } from "../core/mention_tree.js";
import { make } from "./dom.js";

/** @typedef {import("../core/model.js").State} State */
/** @typedef {import("../core/model.js").Group} Group */
/** @typedef {import("../core/text.js").Text} Text */
/** @typedef {import("../core/mention_tree.js").Node} TreeNode */

const COLOURS = 9, PATTERNS = 4, LEVELS = 12;
const BLOCK = 8; // sentences of a block, where a text has no lines of its own
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
    const empty = new Set(zeros);
    /** @type {HTMLElement[]} */ this.words = text.shown.map((word, at) => {
      const element = document.createElement("span");
      element.className = empty.has(at) || !word ? "t zero" : "t";
      element.textContent = word || "∅";
      /** @type {any} */ (element).token = at;
      return element;
    });
    /** @type {Map<string, HTMLElement[]>} the parts of each mark */ this.parts = new Map();
    /** @type {string[][]} the marks of each unit */ this.inUnit = text.units.map(() => []);
    /** @type {HTMLElement[]} */ this.units = text.units.map((_, at) => make("span", { class: "u" }));
    /** @type {Map<HTMLElement, string>} */ this.lit = new Map();
    /** @type {HTMLElement[]} */ this.selected = [];
    /** @type {HTMLElement | null} */ this.cursor = null;
    this.#lines();
    this.drawAll();
  }

  #lines() {
    /** @type {HTMLElement[]} */ const lines = [];
    let line = -1, block = 0, speaker = "";
    this.text.units.forEach((unit, at) => {
      if (unit.line !== line || (block += 1) >= BLOCK) {
        const para = unit.line !== line && (this.text.gaps[unit.start].match(/\n/g)?.length ?? 0) > 1;
        lines.push(make("div", { class: `line${unit.line !== line ? " new" : ""}${para ? " para" : ""}`, dir: "auto" }));
        block = 0;
        line = unit.line;
      }
      const said = this.text.speakers?.[unit.start] ?? "";
      if (said && said !== "-" && said !== speaker) lines[lines.length - 1].append(make("span", { class: "speaker" }, `${said}:`));
      speaker = said || speaker;
      lines[lines.length - 1].append(this.units[at]);
    });
    this.root.replaceChildren(...lines);
  }

  drawAll() {
    this.parts.clear();
    this.text.units.forEach((_, at) => this.#draw(at));
  }

  /** Draw again the units of these tokens. @param {Iterable<number>} units */
  redraw(units) {
    for (const unit of new Set(units)) this.#draw(unit);
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

  /** @param {number} at */
  #draw(at) {
    const { start, end } = this.text.units[at];
    for (const id of this.inUnit[at]) {
      const parts = (this.parts.get(id) ?? []).filter((part) => /** @type {any} */ (part).unit !== at);
      if (parts.length) this.parts.set(id, parts);
      else this.parts.delete(id);
    }
    /** @type {{id: string, spans: [number, number][]}[]} */ const marks = this.state.within(start, end);
    const all = this.ghosts ? [...marks, ...this.#suggested(start, end)] : marks;
    const { nodes, levels } = mentionTree(all, start, end);
    this.inUnit[at] = all.map((mark) => mark.id);
    const inside = document.createDocumentFragment();
    this.#fill(inside, nodes, all, levels, at);
    this.units[at].replaceChildren(inside);
  }

  /** @param {number} start @param {number} end */
  #suggested(start, end) {
    const found = [];
    for (const one of this.state.suggestions.values()) {
      if (one.state !== "open" || !one.spans.some(([a, b]) => a < end && b > start)) continue;
      if (!this.state.at(one.spans)) found.push({ id: GHOST + one.id, spans: one.spans });
    }
    return found;
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
      if (typeof node === "number") parent.appendChild(this.words[node]);
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
      button.append(make("b", null, "?"));
      button.setAttribute("aria-label", `suggested by ${found?.resolver}: ${this.text.words_of(found?.spans ?? [])}`);
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
    /** @type {Map<HTMLElement, string>} */ const next = new Map();
    for (const [id, how] of marks) for (const part of this.parts.get(id) ?? []) next.set(part, how);
    for (const [part, how] of this.lit) if (next.get(part) !== how) part.classList.remove(...how.split(" "));
    for (const [part, how] of next) part.classList.add(...how.split(" "));
    this.lit = next;
  }

  /** Show a selection of tokens, and where the cursor is. @param {readonly [number, number] | null} range @param {number | null} cursor */
  select(range, cursor) {
    for (const word of this.selected) word.classList.remove("sel", "last");
    this.selected = range ? this.words.slice(range[0], range[1]) : [];
    for (const word of this.selected) word.classList.add("sel");
    this.selected.at(-1)?.classList.add("last");
    this.cursor?.classList.remove("at");
    this.cursor = cursor === null ? null : this.words[cursor] ?? null;
    this.cursor?.classList.add("at");
  }

  /** Bring a token into view, if it is not. @param {number} token @param {boolean} [centre] */
  show(token, centre = false) {
    const word = this.words[token];
    if (!word) return;
    const box = word.getBoundingClientRect(), pane = this.pane.getBoundingClientRect();
    if (centre || box.top < pane.top + 60 || box.bottom > pane.bottom - 60) {
      word.scrollIntoView({ block: centre || box.bottom < pane.top || box.top > pane.bottom ? "center" : "nearest" });
    }
  }

  /** The token above or below another on the page. @param {number} token @param {1 | -1} step @returns {number} */
  vertical(token, step) {
    const from = this.words[token].getBoundingClientRect();
    const middle = from.left + from.width / 2;
    let best = token, row = 0, near = Infinity;
    for (let at = token + step; at >= 0 && at < this.words.length; at += step) {
      const box = this.words[at].getBoundingClientRect();
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
