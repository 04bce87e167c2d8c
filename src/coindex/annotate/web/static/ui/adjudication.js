// @ts-check
// Stepping through the disagreements of annotators: one at a time, its answers with the badges of
// their groups, and the mentions of each answer lit up in the text. By keys and by buttons.

import { get } from "../api.js";
import { badge } from "../core/keymap.js";
import { $, confirm, count, make } from "./dom.js";
import { bar, point, wireSteps } from "./review.js";
import { look } from "./textview.js";

/** @typedef {import("../live.js").Live} Live */
/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {{group: string | null, size: number, mentions: {spans: [number, number][], words: string}[]}} Chain */
/** @typedef {{choice: string, by: string[], text: string, events: any[], chains: Chain[] | null}} Option */

const WORDS = 6; // different wordings of a chain that are shown
const KEYS = 9;

/** @param {Live} live @param {Editor} editor */
export async function reviewDisagreements(live, editor) {
  const box = $("review");
  let names = 0, at = 0;
  /** @type {any} */ let found = null;
  const decisionOn = (/** @type {any} */ one) => live.session.state.decisions.get(one.id) ?? one.decided;
  const open = (/** @type {any} */ one) => !decisionOn(one);
  const who = (/** @type {string} */ alias) => {
    const one = found.annotators.find((/** @type {any} */ each) => each.alias === alias);
    return one?.name ?? `annotator ${alias.toUpperCase()}`;
  };

  const fetchAll = async () => {
    found = await get(`/api/sheets/${live.id}/disagreements?names=${names}`);
    for (const one of found.disagreements) one.options = joined(one.options);
    // where no option changes anything, there is nothing to decide
    found.disagreements = found.disagreements.filter((/** @type {any} */ one) => one.decided || one.options.length > 1 || one.options[0]?.events.length);
  };

  const decide = async (/** @type {any} */ one, /** @type {Option | null} */ option) => {
    unlight(editor);
    const drafts = (option?.events ?? []).map((/** @type {any} */ { kind, payload }) => ({ kind, payload }));
    drafts.push({ kind: "decide", payload: { disagreement: one.id, choice: option?.choice ?? "own", note: "" } });
    if (!(await editor.act(() => ({ label: "decided", drafts })))) return;
    await live.outbox.flush();
    await fetchAll().catch(() => {}); // the effect of an option depends on earlier decisions
    const all = found.disagreements, left = all.findIndex((/** @type {any} */ other, /** @type {number} */ index) => index > at && open(other));
    go(left >= 0 ? left : Math.max(0, all.findIndex(open)));
  };

  /** Take over all of one annotator's version; one undo takes it back. */
  const startFrom = async (/** @type {string} */ alias) => {
    const name = who(alias);
    if (!(await confirm(`Replace the text's marks by the whole version of ${name}? What you have decided so far is replaced too. Undo brings it back.`, "Replace"))) return;
    await live.outbox.flush();
    const { events } = await get(`/api/sheets/${live.id}/start?annotator=${alias}`);
    if (!events.length) return void editor.say(`the text is as ${name} has it already`);
    if (!(await editor.act(() => ({ label: `now as ${name} has it`, drafts: events })))) return;
    await live.outbox.flush();
    await fetchAll();
    go(at);
  };

  const chooseStart = () => {
    const dialog = make("dialog", { "aria-label": "Start from one version" }, make("h2", null, "Start from the version of …"), make("div", { class: "stack" },
      found.annotators.map((/** @type {any} */ { alias }) => make("button", { class: "button", type: "button", onclick: () => {
        dialog.close();
        void startFrom(alias);
      } }, who(alias))), make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  };

  const answer = (/** @type {any} */ one, /** @type {Option} */ option, /** @type {number} */ index) => {
    const now = !option.events.length;
    const button = make("button", { class: "button answer", type: "button", "aria-pressed": String(decisionOn(one)?.choice === option.choice), onclick: () => void decide(one, option) },
      make("span", { class: "answer-head" }, ...heads(editor, option), make("span", { class: "push" }), index < KEYS && make("kbd", null, `Alt ${index + 1}`)),
      ...(option.chains ?? []).filter((chain) => chain.size).map((chain) => make("span", { class: "with", dir: "auto" }, "with ", wording(chain))),
      make("span", { class: "quiet" }, option.by.map(who).join(", "), now && " · as in the text now"));
    const lit = () => light(editor, option);
    for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, lit);
    for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => unlight(editor));
    return button;
  };

  const foot = () => make("div", { class: "row" },
    found.annotators.length ? make("button", { class: "button", type: "button", onclick: chooseStart }, "Start from one version… ", make("kbd", null, "Alt v")) : "",
    !names && make("button", { class: "button", type: "button", onclick: () => void reveal() }, "Show who they are"));

  const finished = () => make("div", { class: "stack" }, make("p", { class: "good" }, "All decided."),
    make("p", null, "Your version becomes the gold of the document."),
    make("button", { class: "button main", type: "button", onclick: () => void editor.commands.done() }, "Finish ", make("kbd", null, "Ctrl Enter")));

  const go = (/** @type {number} */ to) => {
    const all = found.disagreements;
    box.hidden = false;
    box.className = "steps";
    if (!all.length) return box.replaceChildren(make("h2", null, "No disagreement"), make("p", { class: "quiet" }, "All annotators agree: everything is merged already."), foot());
    at = (to + all.length) % all.length;
    const one = all[at], left = all.filter(open).length;
    box.replaceChildren(...[bar(all, at, go),
      left ? make("p", { class: "quiet" }, `${count(left, "disagreement")} open`) : finished(),
      make("h3", { class: "question" }, one.kind === "mention" ? "Is this a mention?" : "Which group?"), make("p", { class: "about", dir: "auto" }, `“${one.words}”`),
      make("div", { class: "stack answers", role: "group", "aria-label": "Answers" }, one.options.map((/** @type {Option} */ option, /** @type {number} */ index) => answer(one, option, index)),
        make("button", { class: "button answer", type: "button", "aria-pressed": String(decisionOn(one)?.choice === "own"), onclick: () => void decide(one, null) }, make("span", { class: "answer-head" }, "As I have it in the text now", make("span", { class: "push" }), make("kbd", null, "Alt 0")))),
      foot()].filter(Boolean));
    point(editor, one.spans);
    editor.say(`disagreement ${at + 1} of ${all.length}: ${one.words}`);
    wireSteps(editor, () => go(at + 1), () => go(at - 1));
    for (let key = 1; key <= KEYS; key += 1) {
      const option = one.options[key - 1];
      editor.commands[`option-${key}`] = () => (option ? decide(one, option) : editor.say(`there is no answer ${key}`, true));
    }
    editor.commands["option-0"] = () => decide(one, null);
    editor.commands["start-from"] = chooseStart;
    return undefined;
  };

  const reveal = async () => {
    if (!(await confirm("Show the annotators' names? This is recorded in the audit log.", "Show names"))) return;
    names = 1;
    await fetchAll();
    go(at);
  };
  await fetchAll();
  go(Math.max(0, found.disagreements.findIndex(open)));
}

/** The badge and name of each group of an answer. @param {Editor} editor @param {Option} option @returns {any[]} */
function heads(editor, option) {
  if (option.chains === null) return [make("b", null, "Not a mention")];
  return option.chains.map((chain) => {
    const group = chain.group === null ? undefined : editor.state.groups.get(chain.group);
    if (!group) return make("span", { class: "of" }, make("b", null, chain.size ? "A new group" : "A group of its own"));
    return make("span", { class: `of ${look(group.order)}` }, make("span", { class: "swatch" }, make("span", { class: "n" }, badge(group.order))), make("b", { class: "name", dir: "auto" }, editor.list.name(group)));
  });
}

/** The mentions of a chain, each wording once. @param {Chain} chain */
function wording(chain) {
  const words = [...new Set(chain.mentions.map((one) => one.words))];
  const more = words.length > WORDS || chain.size > chain.mentions.length;
  return `${words.slice(0, WORDS).map((one) => `“${one}”`).join(", ")}${more ? " …" : ""}`;
}

/** Light up the mentions of an answer. @param {Editor} editor @param {Option} option */
function light(editor, option) {
  unlight(editor);
  /** @type {[number, number][]} */ const unmarked = [];
  for (const { spans } of (option.chains ?? []).flatMap((chain) => chain.mentions)) {
    const there = editor.state.at(spans);
    if (there) editor.extra.set(there.id, "diff");
    else unmarked.push(...spans);
  }
  if (unmarked.length) {
    for (const word of document.querySelectorAll("#text .t")) {
      const { token } = /** @type {any} */ (word);
      if (unmarked.some(([from, to]) => from <= token && token < to)) word.classList.add("lit");
    }
  }
  editor.paint();
}

/** @param {Editor} editor */
function unlight(editor) {
  for (const word of document.querySelectorAll("#text .t.lit")) word.classList.remove("lit");
  editor.extra.clear();
  editor.paint();
}

/** Merge options that do the same: the same events, and the same groups where they exist. @param {any[]} options @returns {any[]} */
function joined(options) {
  /** @type {Map<string, any>} */ const of = new Map();
  for (const option of options) {
    const groups = option.chains?.map((/** @type {Chain} */ chain) => chain.group) ?? [null];
    const key = JSON.stringify([groups.every(Boolean) ? groups : option.text, option.events]);
    const same = of.get(key);
    of.set(key, same ? { ...same, by: [...same.by, ...option.by], choice: `${same.choice}+${option.choice}` } : option);
  }
  return [...of.values()];
}
