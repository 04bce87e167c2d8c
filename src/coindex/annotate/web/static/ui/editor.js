// @ts-check
// The chain editor: where the cursor is, what is chosen, and what each command does there.
// It knows nothing of the network; `perform` hands what was done to whoever opened it.

import { Refused } from "../core/effects.js";
import { badge, groupKey, keyName } from "../core/keymap.js";
import { reach } from "../core/model.js";
import { confidenceWords } from "../core/suggestion_index.js";
import { $, count, make } from "./dom.js";
import { assign, edits, groupKey as assignKey, merge, removeFrom, removeGroup, rename } from "./editing.js";
import { GroupList } from "./grouplist.js";
import { grips } from "./handles.js";
import { moves } from "./moving.js";
import { toolbar } from "./toolbar.js";
import { TextView, ghostId, suggestionOf } from "./textview.js";

/** @typedef {import("../core/actions.js").Action} Action */
/** @typedef {import("../core/keymap.js").Keymap} Keymap */
/** @typedef {import("../core/model.js").Span} Span */
/** @typedef {import("../core/model.js").Touched} Touched */
/** @typedef {import("../core/session.js").Session} Session */
/** @typedef {import("../core/text.js").Text} Text */
/** @typedef {{mentions: string[], spans: Span[] | null, ghost: string | null}} Target */

export class Editor {
  /**
   * @param {{session: Session, text: Text, keymap: Keymap, editable: boolean, zeros?: number[],
   *   perform: (drafts: import("../core/effects.js").EventDraft[]) => Promise<Touched>, undoRedo: (kind: "undo" | "redo") => Promise<Touched | null>}} options
   */
  constructor({ session, text, keymap, editable, zeros, perform, undoRedo }) {
    this.session = session;
    this.state = session.state;
    this.text = text;
    this.keymap = keymap;
    this.editable = editable;
    this.send = perform;
    this.undoRedo = undoRedo;
    this.pane = /** @type {HTMLElement} */ ($("pane"));
    this.view = new TextView($("text"), this.pane, text, this.state, zeros);
    this.list = new GroupList($("groups"), text, this.state, {
      go: (mention, group) => this.choose(mention, { group }), open: (group) => this.openGroup(group),
      remove: (mention, group) => void removeFrom(this, mention, group), rename: (group) => void rename(this, group),
      merge: (group) => void merge(this, group), removeGroup: (group) => void removeGroup(this, group) }, editable);
    this.cursor = 0;
    /** @type {number | null} */ this.anchor = null;
    /** @type {string | null} the mark at hand */ this.mark = null;
    /** @type {string | null} the group at hand */ this.group = null;
    /** @type {Set<string>} mentions chosen together */ this.picked = new Set();
    /** @type {Map<string, string>} marks that a step of a review lights up */ this.extra = new Map();
    /** @type {[number, number][]} */ this.hints = [];
    this.pointed = false; // whether a pointer was used last, not a key
    this.dragging = false;
    this.onpaint = () => {};
    this.several = false; // whether taps choose several mentions
    /** @type {Record<string, () => unknown>} */ this.commands = { ...moves(this), ...edits(this) };
    this.grips = grips(this);
    this.toolbar = toolbar(this);
    this.view.onwindow = () => {
      this.grips();
      this.toolbar();
    };
    this.counts();
    this.paint();
  }

  // ---- what a key would act on

  /** @returns {[number, number] | null} */
  get range() {
    return this.anchor === null ? null : this.text.trimmed(this.anchor, this.cursor);
  }

  /** @returns {Target} */
  get target() {
    if (this.picked.size) return { mentions: [...this.picked], spans: null, ghost: null };
    const ghost = this.mark === null ? null : suggestionOf(this.mark);
    if (this.range === null && ghost !== null) return { mentions: [], spans: null, ghost };
    if (this.range === null && this.mark !== null) return { mentions: [this.mark], spans: null, ghost: null };
    if (!this.text.size) return { mentions: [], spans: null, ghost: null };
    /** @type {Span[]} */ const spans = [this.range ?? [this.cursor, this.cursor + 1]];
    const there = this.state.at(spans);
    return there ? { mentions: [there.id], spans: null, ghost: null } : { mentions: [], spans, ghost: null };
  }

  /** @param {string} id */
  words(id) {
    const found = this.state.mentions.get(id) ?? this.state.suggestions.get(suggestionOf(id) ?? id);
    return found ? this.text.words_of(found.spans) : "";
  }

  // ---- choosing

  /** @param {string} id @param {{group?: string, several?: boolean, still?: boolean}} [how] */
  choose(id, { group, several = false, still = false } = {}) {
    const found = this.state.mentions.get(id) ?? this.state.suggestions.get(suggestionOf(id) ?? "");
    if (!found) return;
    if (several && this.state.mentions.has(id)) this.#toggle(id);
    else this.picked.clear();
    const own = this.state.mentions.get(id)?.groups ?? [];
    this.mark = id;
    this.anchor = null;
    this.group = group ?? (this.group !== null && own.includes(this.group) ? this.group : own[0] ?? null);
    if (!found.spans.some(([start, end]) => start <= this.cursor && this.cursor < end)) this.cursor = found.spans[0][0];
    if (!still) this.view.show(found.spans[0][0]);
    this.paint();
  }

  /** @param {string} id */
  #toggle(id) {
    if (!this.picked.size && this.mark && this.mark !== id && this.state.mentions.has(this.mark)) this.picked.add(this.mark);
    if (!this.picked.delete(id)) this.picked.add(id);
  }

  /** A click on a word: the innermost mention there, then the one around it. @param {number} token @param {boolean} several */
  click(token, several) {
    const ring = this.state.around(token).map((one) => one.id);
    if (!several && this.view.ghosts) ring.push(...this.ghostsAt(token));
    const at = this.mark === null || several ? -1 : ring.indexOf(this.mark);
    this.cursor = token;
    if (ring.length) this.choose(ring[(at + 1) % ring.length], { several, still: true });
    else this.goto(token);
  }

  /** @param {number} token */
  ghostsAt(token) {
    return this.state.openWithin(token, token + 1).map((one) => ghostId(one.id));
  }

  /** @param {number} token */
  goto(token) {
    if (!this.text.size) return;
    this.cursor = Math.max(0, Math.min(token, this.text.size - 1));
    this.anchor = null;
    this.mark = null;
    this.picked.clear();
    const there = this.state.at([[this.cursor, this.cursor + 1]]);
    if (there) this.group = there.groups[0];
    this.view.show(this.cursor);
    this.paint();
  }

  /** @param {number} anchor @param {number} focus */
  selectRange(anchor, focus) {
    this.anchor = anchor;
    this.cursor = focus;
    this.mark = null;
    this.picked.clear();
    this.paint();
  }

  /** @param {number} token */
  extendTo(token) {
    if (!this.text.size) return;
    const found = this.mark === null ? null : this.state.mentions.get(this.mark);
    const anchor = this.anchor ?? (found ? found.spans[0][0] : this.cursor);
    this.selectRange(anchor, Math.max(0, Math.min(token, this.text.size - 1)));
    this.view.show(this.cursor);
  }

  /** @param {string} group */
  openGroup(group) {
    if (this.pointed && this.editable && this.range !== null) return void assign(this, group, false);
    const [first] = this.state.chain(group);
    const open = this.group === group && this.list.open === group;
    if (first && !open) this.choose(first.id, { group });
    else {
      this.group = open ? null : group;
      this.mark = null;
      this.paint();
    }
  }

  clear() {
    this.several = false;
    this.anchor = null;
    this.mark = null;
    this.group = null;
    this.picked.clear();
    this.extra.clear();
    this.paint();
  }

  /** Carry out an action, or say why not. @param {() => Action} make @returns {Promise<boolean>} */
  async act(make) {
    if (!this.editable) return this.say("You can read this, not change it.", true), false;
    try {
      const action = make();
      const touched = await this.send(action.drafts);
      this.picked.clear();
      this.several = false;
      this.anchor = null;
      this.mark = action.mentions?.find((id) => this.state.mentions.has(id)) ?? null;
      const own = this.mark === null ? null : this.state.mentions.get(this.mark)?.groups ?? null;
      const meant = action.group ?? this.group;
      this.group = own && (meant === null || !own.includes(meant)) ? own[0] : meant;
      this.refresh(touched);
      this.say(this.#told(action));
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(error.message, true);
      return false;
    }
  }

  /** @param {Action} action */
  #told(action) {
    const group = action.group ? this.state.groups.get(action.group) : undefined;
    const many = action.mentions?.length ?? 0;
    const what = many === 1 && this.mark ? `“${this.words(this.mark)}” ` : many > 1 ? `${count(many, "mention")} ` : "";
    return `${what}${action.label}${group ? `: group ${badge(group.order)}` : ""}`;
  }

  // ---- showing

  /** Draw what was touched, nothing else. @param {Touched} touched */
  refresh(touched) {
    /** @type {Set<number>} */ const units = new Set();
    for (const id of touched.mentions) {
      for (const unit of this.view.drawnIn(id)) units.add(unit);
      for (const unit of this.view.unitsOf(this.state.mentions.get(id)?.spans ?? [])) units.add(unit);
    }
    for (const id of touched.suggestions) for (const unit of this.view.unitsOf(this.state.suggestions.get(id)?.spans ?? [])) units.add(unit);
    this.view.redraw(units);
    if (this.mark && !suggestionOf(this.mark) && !this.state.mentions.has(this.mark)) this.mark = null;
    if (this.group && !this.state.groups.has(this.group)) this.group = null;
    for (const id of this.picked) if (!this.state.mentions.has(id)) this.picked.delete(id);
    this.list.update(touched.groups);
    this.counts();
    this.paint();
  }

  counts() {
    const shown = this.list.filter($("filter").value), all = this.state.groups.size;
    $("count").textContent = `${shown === all ? all : `${shown} of ${all}`} · ${count(this.state.mentions.size, "mention")}`;
    $("empty").hidden = all > 0;
    $("undo").disabled = !this.editable || !(this.session.done.length || this.session.left.undo);
    $("redo").disabled = !this.editable || !(this.session.undone.length || this.session.left.redo);
  }

  paint() {
    /** @type {Map<string, string>} */ const lit = new Map();
    for (const id of this.group === null ? [] : this.state.members.get(this.group) ?? []) lit.set(id, "on");
    const ghost = this.state.suggestions.get(suggestionOf(this.mark ?? "") ?? "");
    for (const id of ghost ? this.state.openChain(ghost) : []) lit.set(ghostId(id), "mate");
    for (const [id, how] of this.extra) lit.set(id, how);
    for (const id of this.picked) lit.set(id, "many");
    const { mentions } = this.target;
    const current = this.mark ?? (this.picked.size ? null : mentions[0] ?? null);
    if (current) lit.set(current, this.picked.has(current) ? "many cur" : "cur");
    this.view.light(lit);
    this.view.select(this.range, this.mark === null && this.anchor === null ? this.cursor : null);
    this.grips();
    this.toolbar();
    this.list.focus(this.group, current);
    this.#target();
    this.onpaint();
  }

  #target() {
    if (!this.text.size) return;
    const { mentions, spans, ghost } = this.target;
    const quote = (/** @type {string} */ words) => make("b", { dir: "auto" }, `“${words.length > 60 ? `${words.slice(0, 57)}…` : words}”`);
    /** @type {any[]} */ let parts;
    if (this.picked.size) parts = [make("b", null, count(this.picked.size, "mention")), " chosen: a group key moves them, + makes them a new group"];
    else if (ghost !== null) parts = [quote(this.words(ghostId(ghost))), ` ${this.#suggestion(ghost)}: a accepts, A with its chain, d dismisses, a group key decides`];
    else if (spans) parts = [quote(this.text.words_of(spans)), this.editable ? ": a group key marks it, + as a new group" : ""];
    else {
      const mention = this.state.mentions.get(mentions[0]);
      const groups = mention?.groups.flatMap((id) => this.state.groups.get(id) ?? []) ?? [];
      parts = [quote(this.words(mentions[0])), " in ", groups.map((one) => `${badge(one.order)} ${this.list.name(one)}`).join(" and "), mention?.unsure ? " (unsure)" : "", mention?.note ? ` ✎ ${mention.note}` : ""];
    }
    $("target").replaceChildren(...parts.filter(Boolean));
  }

  /** What is known about a suggestion. @param {string} id */
  #suggestion(id) {
    const one = this.state.suggestions.get(id);
    if (!one) return "";
    const { number, ids } = this.state.suggested.chain(one), sure = confidenceWords(one.confidence);
    return `is suggested${sure ? `, ${sure}` : ""}, in chain ${number} of ${count(ids.length, "mention")}`;
  }

  /** Tell what happened, to eyes and ears. @param {string} text @param {boolean} [refused] */
  say(text, refused = false) {
    const said = $("said");
    said.textContent = text;
    said.classList.toggle("refused", refused);
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key meant something */
  key(event) {
    const name = keyName(event);
    const command = this.keymap.command(name);
    const group = command ? null : groupKey(event);
    if (command || group) this.pointed = false;
    if (command && this.commands[command]) void this.commands[command]();
    else if (group) void assignKey(this, group);
    else return false;
    return true;
  }

  /** @returns {Span} */
  get here() {
    const found = this.mark === null ? undefined : this.state.mentions.get(this.mark);
    return found ? reach(found) : [this.cursor, this.cursor + 1];
  }
}
