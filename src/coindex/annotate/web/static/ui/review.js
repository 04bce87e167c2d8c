// @ts-check
// Stepping through differences: from gold on training documents, and between annotators
// in adjudication. One step is shown at a time, with its words highlighted in the text.

import { post, get } from "../api.js";
import { $, confirm, count, make } from "./dom.js";

/** @typedef {import("../live.js").Live} Live */
/** @typedef {import("./editor.js").Editor} Editor */

/** Highlight the words of a step. @param {Editor} editor @param {[number, number][] | null} spans */
function point(editor, spans) {
  editor.clear();
  if (!spans?.length) return;
  const there = editor.state.at(spans);
  if (there) editor.choose(there.id);
  else editor.selectRange(spans[0][0], spans[spans.length - 1][1] - 1);
  editor.view.show(spans[0][0], true);
}

/** @param {any[]} steps @param {number} at @param {(at: number) => void} go */
function bar(steps, at, go) {
  return make("div", { class: "row" }, make("h2", null, `${at + 1} of ${steps.length}`),
    make("span", { class: "push" }),
    make("button", { class: "button", type: "button", onclick: () => go(at - 1) }, make("kbd", null, ","), " Back"),
    make("button", { class: "button", type: "button", onclick: () => go(at + 1) }, "Next ", make("kbd", null, ".")));
}

// ---- training

/** @param {Live} live @param {Editor} editor */
export function checkAccuracy(live, editor) {
  const button = $("check"), box = $("review");
  let checks = live.assignment.looks;
  const label = () => {
    button.replaceChildren("Check", make("span", { class: "wide-only" }, `accuracy (${checks.allowed - checks.used} left)`));
    button.setAttribute("aria-label", `Check accuracy (${checks.allowed - checks.used} left)`);
    button.disabled = checks.used >= checks.allowed;
  };
  const check = async () => {
    if (checks.used >= checks.allowed) return editor.say("no accuracy checks left", true);
    if (!(await confirm(`This uses one of your ${count(checks.allowed - checks.used, "accuracy check")}: you will see the right answers.`, "Check"))) return undefined;
    await live.outbox.flush();
    try {
      const found = await post(`/api/sheets/${live.id}/check`);
      checks = found.looks;
      label();
      showCheck(box, editor, found);
    } catch (error) {
      editor.say(error instanceof Error ? error.message : String(error), true);
    }
    return undefined;
  };
  button.hidden = false;
  label();
  button.addEventListener("click", () => void check());
  editor.commands.check = check;
}

const SCORES = [["mentions", "Mentions"], ["muc", "MUC"], ["b3", "B³"], ["ceafe", "CEAFe"], ["conll", "CoNLL"]];

/** @param {HTMLElement} box @param {Editor} editor @param {any} found */
function showCheck(box, editor, found) {
  const percent = (/** @type {any} */ value) => (typeof value === "number" ? value.toFixed(1) : "–");
  const rows = SCORES.filter(([id]) => id in found.scores).map(([id, name]) => make("tr", null, make("th", { scope: "row" }, name),
    ["recall", "precision", "f1"].map((part) => make("td", { class: "num" }, percent(found.scores[id]?.[part] ?? null)))));
  const steps = make("div", { class: "stack" });
  const { differences } = found;
  const go = (/** @type {number} */ to) => {
    const at = (to + differences.length) % differences.length, one = differences[at];
    steps.replaceChildren(...[bar(differences, at, go),
      make("p", { dir: "auto" }, make("b", null, one.says ?? `${one.kind}: “${one.words}”`)),
      one.context && make("p", { class: "quiet", dir: "auto" }, one.context),
      one.pieces?.length ? make("ul", { class: "quiet" }, one.pieces.map((/** @type {any} */ piece) => make("li", { dir: "auto" }, `${piece.name}${piece.mentions ? `: ${Array.isArray(piece.mentions) ? piece.mentions.map(said).join(" · ") : piece.mentions}` : ""}`))) : ""].filter(Boolean));
    point(editor, one.spans);
    editor.say(one.says ?? `${one.kind}: ${one.words ?? ""}`);
    wireSteps(editor, () => go(at + 1), () => go(at - 1));
  };
  box.hidden = false;
  box.className = "steps";
  box.replaceChildren(make("div", { class: "row" }, make("h2", null, "Accuracy"), make("button", { class: "button push", type: "button", onclick: () => { box.hidden = true; editor.clear(); } }, "Close")),
    make("table", null, make("thead", null, make("tr", null, make("th", null, ""), ["Recall", "Precision", "F1"].map((head) => make("th", { class: "num", scope: "col" }, head)))), make("tbody", null, rows)),
    make("p", { class: "quiet" }, found.signature ?? ""), differences.length ? steps : make("p", { class: "good" }, "No difference from gold."));
  if (differences.length) go(0);
}

/** @param {any} mention */
const said = (mention) => (typeof mention === "string" ? mention : mention?.words ?? mention?.text ?? JSON.stringify(mention));

/** @param {Editor} editor @param {() => void} next @param {() => void} back */
function wireSteps(editor, next, back) {
  editor.commands["step-next"] = next;
  editor.commands["step-back"] = back;
  editor.keymap.of?.set(".", "step-next");
  editor.keymap.of?.set(",", "step-back");
}

// ---- adjudication

/** @param {Live} live @param {Editor} editor */
export async function reviewDisagreements(live, editor) {
  const box = $("review");
  let names = 0, at = 0;
  /** @type {any} */ let found = null;
  const open = (/** @type {any} */ one) => !(live.session.state.decisions.get(one.id) ?? one.decided);
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

  const decide = async (/** @type {any} */ one, /** @type {any} */ option) => {
    const drafts = (option?.events ?? []).map((/** @type {any} */ { kind, payload }) => ({ kind, payload }));
    drafts.push({ kind: "decide", payload: { disagreement: one.id, choice: option?.choice ?? "own", note: "" } });
    if (!(await editor.act(() => ({ label: "decided", drafts })))) return;
    await live.outbox.flush();
    await fetchAll().catch(() => {}); // the effect of an option depends on earlier decisions
    const all = found.disagreements, left = all.findIndex((/** @type {any} */ other, /** @type {number} */ index) => index > at && open(other));
    go(left >= 0 ? left : Math.max(0, all.findIndex(open)));
  };

  const go = (/** @type {number} */ to) => {
    const all = found.disagreements;
    box.hidden = false;
    box.className = "steps";
    if (!all.length) return box.replaceChildren(make("h2", null, "No disagreement"), make("p", { class: "quiet" }, "All annotators agree: everything is merged already."));
    at = (to + all.length) % all.length;
    const one = all[at], decided = live.session.state.decisions.get(one.id) ?? one.decided, left = all.filter(open).length;
    box.replaceChildren(...[bar(all, at, go),
      make("p", { class: left ? "quiet" : "good" }, left ? `${count(left, "disagreement")} open` : "All decided."),
      make("p", null, make("b", null, one.kind === "mention" ? "Is it a mention? " : "Which group? "), make("span", { dir: "auto" }, `“${one.words}”`)),
      one.kind === "mention" && make("p", { class: "quiet" }, Object.entries(one.by).map(([alias, yes]) => `${who(alias)}: ${yes === true ? "yes" : yes === false ? "no" : yes}`).join(" · ")),
      make("div", { class: "stack" }, one.options.map((/** @type {any} */ option, /** @type {number} */ index) => make("button", { class: "button option", type: "button", "aria-pressed": String(decided?.choice === option.choice), onclick: () => void decide(one, option) },
        make("kbd", null, `Alt ${index + 1}`), make("span", { dir: "auto" }, `${option.text}`), make("span", { class: "quiet" }, option.by.map(who).join(", ")))),
      make("button", { class: "button option", type: "button", "aria-pressed": String(decided?.choice === "own"), onclick: () => void decide(one, null) }, make("kbd", null, "Alt 0"), make("span", null, "As I have it in the text now"), make("span"))),
      !names && make("button", { class: "button", type: "button", onclick: () => void reveal() }, "Show who they are")].filter(Boolean));
    point(editor, one.spans);
    editor.say(`disagreement ${at + 1} of ${all.length}: ${one.words}`);
    wireSteps(editor, () => go(at + 1), () => go(at - 1));
    one.options.slice(0, 9).forEach((/** @type {any} */ option, /** @type {number} */ index) => {
      editor.commands[`option-${index + 1}`] = () => decide(one, option);
      editor.keymap.of?.set(`Alt+${index + 1}`, `option-${index + 1}`);
    });
    editor.commands["option-0"] = () => decide(one, null);
    editor.keymap.of?.set("Alt+0", "option-0");
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

/** Merge options with the same text and the same events. @param {any[]} options @returns {any[]} */
function joined(options) {
  /** @type {Map<string, any>} */ const of = new Map();
  for (const option of options) {
    const key = JSON.stringify([option.text, option.events]);
    const same = of.get(key);
    of.set(key, same ? { ...same, by: [...same.by, ...option.by], choice: `${same.choice}+${option.choice}` } : option);
  }
  return [...of.values()];
}
