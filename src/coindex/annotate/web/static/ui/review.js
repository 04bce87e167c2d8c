// @ts-check
// Stepping through differences from gold on training documents. One step is shown at a time, with
// its words highlighted in the text.

import { post } from "../api.js";
import { $, confirm, count, make } from "./dom.js";

/** @typedef {import("../live.js").Live} Live */
/** @typedef {import("./editor.js").Editor} Editor */

/** Highlight the words of a step. @param {Editor} editor @param {[number, number][] | null} spans */
export function point(editor, spans) {
  editor.clear();
  if (!spans?.length) return;
  const there = editor.state.at(spans);
  if (there) editor.choose(there.id);
  else editor.selectRange(spans[0][0], spans[spans.length - 1][1] - 1);
  editor.view.show(spans[0][0], true);
}

/** @param {any[]} steps @param {number} at @param {(at: number) => void} go */
export function bar(steps, at, go) {
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

/** What a difference means for the one who annotated. */
const DIFFERENCES = /** @type {Record<string, string>} */ ({
  "missing mention": "You missed a mention", "extra mention": "This is not a mention", "missing entity": "You missed this group", "extra entity": "This is not a group",
  divided: "These are one group, you have several", conflated: "These are several groups, you have one" });

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
      make("p", { dir: "auto" }, make("b", null, one.says ?? `${DIFFERENCES[one.kind] ?? one.kind}: “${one.words}”`)),
      one.context && make("p", { class: "quiet", dir: "auto" }, one.context),
      one.pieces?.length ? make("ul", { class: "quiet" }, one.pieces.map((/** @type {any} */ piece) => make("li", { dir: "auto" }, `${piece.name}${piece.mentions ? `: ${Array.isArray(piece.mentions) ? piece.mentions.map(said).join(" · ") : piece.mentions}` : ""}`))) : ""].filter(Boolean));
    point(editor, one.spans);
    editor.say(one.says ?? `${DIFFERENCES[one.kind] ?? one.kind}: ${one.words ?? ""}`);
    wireSteps(editor, () => go(at + 1), () => go(at - 1));
  };
  box.hidden = false;
  box.className = "steps";
  box.replaceChildren(make("div", { class: "row" }, make("h2", null, "Accuracy"), make("button", { class: "button push", type: "button", onclick: () => { box.hidden = true; editor.clear(); } }, "Close")),
    make("p", null, summary(found.scores)), make("details", null, make("summary", null, "All scores"), make("table", null, make("thead", null, make("tr", null, make("th", null, ""), ["Recall", "Precision", "F1"].map((head) => make("th", { class: "num", scope: "col" }, head)))), make("tbody", null, rows))), differences.length ? steps : make("p", { class: "good" }, "No difference from gold."));
  if (differences.length) go(0);
}

/** The scores in words. @param {any} scores */
function summary(scores) {
  const whole = (/** @type {any} */ value) => (typeof value === "number" ? `${Math.round(value)} %` : "none");
  const { mentions, conll } = scores;
  if (typeof mentions?.recall !== "number") return "";
  return `You found ${whole(mentions.recall)} of the mentions, and ${whole(mentions.precision)} of yours are right.${typeof conll?.f1 === "number" ? ` Your groups agree with the right answer by ${whole(conll.f1)}.` : ""}`;
}

/** @param {any} mention */
const said = (mention) => (typeof mention === "string" ? mention : mention?.words ?? mention?.text ?? JSON.stringify(mention));

/** @param {Editor} editor @param {() => void} next @param {() => void} back */
export function wireSteps(editor, next, back) {
  editor.commands["step-next"] = next;
  editor.commands["step-back"] = back;
}
