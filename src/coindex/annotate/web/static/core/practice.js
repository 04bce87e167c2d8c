// @ts-check
// The guided example: a short text, the steps of a first annotation, and how each is recognised.
// Nothing of it is stored.

import { Session } from "./session.js";

/** @typedef {import("./model.js").State} State */
/** @typedef {import("./model.js").Span} Span */
/** @typedef {(editor: any, group: string | null, also: boolean) => unknown} Assign */
/** @typedef {{id: string, span: Span | null, title: string, says: string, touch: string, keys: string, done: (state: State, session: Session) => boolean, hint: (state: State) => string, solve: (editor: any, assign: Assign) => Promise<unknown>}} Step */

export const TEXT = "Ada Brandt could not find the key. Her brother had taken it to the garden. He called Ada, and they laughed.";

/** Words and full stops with their offsets. @param {string} text */
export function tokens(text) {
  return [...text.matchAll(/\w+|[^\w\s]/g)].map((found) => /** @type {[number, number]} */ ([found.index, found.index + found[0].length]));
}

const WORDS = tokens(TEXT).map(([start, end]) => TEXT.slice(start, end));

/** The tokens of a phrase. @param {string} phrase @returns {Span} */
export function place(phrase) {
  const wanted = tokens(phrase).map(([start, end]) => phrase.slice(start, end));
  const at = WORDS.findLastIndex((_, index) => wanted.every((word, more) => WORDS[index + more] === word));
  return [at, at + wanted.length];
}

const NAME = place("Ada Brandt"), AGAIN = place("Ada,"), BROTHER = place("Her brother"), HER = place("Her"), THEY = place("they");
/** @type {Span} */ const ADA = [AGAIN[0], AGAIN[0] + 1];

/** @param {State} state @param {Span} span */
const groups = (state, span) => state.at([span])?.groups ?? [];

/** Whether a mention is in a group of another. @param {State} state @param {Span} one @param {Span} two */
const together = (state, one, two) => groups(state, one).some((group) => groups(state, two).includes(group));

/** @param {State} state @param {Span} span @param {Span} wanted @param {string} words */
function apart(state, span, wanted, words) {
  if (!state.at([span]) || together(state, span, wanted)) return "";
  return `“${words}” has a group of its own now. Move it: the key of the other group, or its button.`;
}

/** Select words and put them into the groups of others. @param {any} editor @param {Span} span @param {(Span | null)[]} into @param {Assign} assign */
async function put(editor, span, into, assign) {
  for (const [at, other] of into.entries()) {
    const there = editor.state.at([span]);
    if (there) editor.choose(there.id);
    else editor.selectRange(span[0], span[1] - 1);
    await assign(editor, other === null ? null : groups(editor.state, other)[0], at > 0);
  }
}

/** @type {Step[]} */
export const STEPS = [
  { id: "mention", span: NAME, title: "Mark a mention", says: "A mention is a phrase that stands for somebody or something. Mark “Ada Brandt”, and make her a new group.",
    touch: "Drag over both words, then press “New group”.", keys: "Shift → selects, + makes a new group.",
    done: (state) => state.at([NAME]) !== null,
    hint: (state) => (state.mentions.size && state.at([NAME]) === null ? "The mention is the whole name, both words. Undo, or drag its border." : ""),
    solve: (editor, assign) => put(editor, NAME, [null], assign) },
  { id: "group", span: ADA, title: "Same person, same group", says: "A group contains all mentions of one person or thing. “Ada” in the last sentence is the same woman: put it into her group.",
    touch: "Tap the word, then press the button “1 Ada Brandt”.", keys: "Go there with the arrow keys and press 1, the key of her group.",
    done: (state) => together(state, ADA, NAME), hint: (state) => apart(state, ADA, NAME, "Ada"), solve: (editor, assign) => put(editor, ADA, [NAME], assign) },
  { id: "another", span: BROTHER, title: "Somebody else", says: "“Her brother” is another person, so it gets a new group. Mark the whole phrase, both words.",
    touch: "Drag over both words, then press “New group”.", keys: "Shift → selects, + makes a new group.",
    done: (state) => state.at([BROTHER]) !== null && !together(state, BROTHER, NAME),
    hint: (state) => (together(state, BROTHER, NAME) ? "He is not Ada: give him a new group." : ""), solve: (editor, assign) => put(editor, BROTHER, [null], assign) },
  { id: "nested", span: HER, title: "A mention inside a mention", says: "Inside “Her brother” there is “Her”, and that is Ada. Select this one word and put it into her group.",
    touch: "Double click the word (or press long on it), then press “1 Ada Brandt”.", keys: "Go to the word with the arrow keys and press 1.",
    done: (state) => together(state, HER, NAME) && state.at([BROTHER]) !== null && !together(state, BROTHER, NAME),
    hint: (state) => (together(state, BROTHER, NAME) ? "Now all of “Her brother” is in Ada's group. Undo that, and select “Her” alone." : apart(state, HER, NAME, "Her")), solve: (editor, assign) => put(editor, HER, [NAME], assign) },
  { id: "plural", span: THEY, title: "Several at once", says: "“they” are both of them: Ada and her brother. Put it into her group, and into his as well.",
    touch: "Tap the word, press “1 Ada Brandt”, then “Also in…” and choose her brother.", keys: "Press 1, then Shift 2.",
    done: (state) => together(state, THEY, NAME) && together(state, THEY, BROTHER),
    hint: (state) => {
      const hers = together(state, THEY, NAME), his = together(state, THEY, BROTHER);
      return hers === his ? "" : `Good, one of them. Now also ${hers ? "his" : "her"} group.`;
    }, solve: (editor, assign) => put(editor, THEY, [NAME, BROTHER], assign) },
  { id: "undo", span: null, title: "Nothing can go wrong", says: "Everything can be undone, also tomorrow. Undo the last step.",
    touch: "Press the button with the arrow, at the top.", keys: "z undoes, Z does it again.",
    done: (_, session) => session.undone.length > 0, hint: () => "", solve: (editor) => editor.commands.undo() },
];

/** What the editor needs of an assignment, without a server. */
export class Practice {
  constructor() {
    const offsets = tokens(TEXT);
    const starts = offsets.map(([start]) => start), ends = offsets.map(([, end]) => end);
    const sentences = WORDS.flatMap((_, at) => (at === 0 || WORDS[at - 1] === "." ? [at] : []));
    this.assignment = /** @type {any} */ ({
      sheet: 0, purpose: "practice", mine: true, why: null, revision: 0, state: {}, looks: { used: 0, allowed: 0 }, project: { id: 0, name: "Help", guide: "", guidelines: [] },
      document: { name: "Guided example", kind: "document", training: false, text: TEXT, starts, ends, sentences, speakers: null, zeros: [] } });
    this.session = new Session(this.assignment);
    this.id = 0;
    this.outbox = { status: "saved", message: "", waiting: 0, onstatus: () => {}, flush: async () => {} };
    /** @type {(touched: import("./model.js").Touched) => void} */ this.onchange = () => {};
    this.onlost = () => {};
    /** @type {any[]} */ this.lost = [];
  }

  /** @param {readonly import("./effects.js").EventDraft[]} drafts */
  async perform(drafts) {
    return this.session.perform(drafts).touched;
  }

  /** @param {"undo" | "redo"} kind */
  async undoRedo(kind) {
    const steps = this.session.steps(kind);
    this.session.lastSteps = steps;
    return steps.length ? this.session.perform(steps).touched : null;
  }

  async recall() {}

  /** @param {any} _lost */
  async again(_lost) {
    return this.perform([]);
  }

  forget() {}
}
