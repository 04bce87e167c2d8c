// @ts-check
// One pronoun: whom does it mean? Keys A, B, N, T, ?; z takes the answer back.

import { Live, statusText } from "../live.js";
import { copyBanner, keepCopy } from "../offline.js";
import { wayOn } from "../ui/finished.js";
import { guidePanel } from "../ui/guide.js";
import { $, crumbs, make, meta, post, start, user } from "./common.js";

const CHOICES = [["A", "a"], ["B", "b"], ["N", "Neither"], ["T", "Both"], ["?", "Not sure"]];

/** The passage with its pronoun and its names marked. @param {any} document */
function passage(document) {
  const points = Array.from(document.text);
  const marks = [{ at: document.target, how: "pronoun", label: "" }, ...document.candidates.filter((/** @type {any} */ one) => one.chars).map((/** @type {any} */ one, /** @type {number} */ at) => ({ at: one.chars, how: `c${at} p${at}`, label: one.label }))]
    .sort((a, b) => a.at[0] - b.at[0]);
  /** @type {any[]} */ const parts = [];
  let done = 0;
  for (const { at: [from, to], how, label } of marks) {
    if (from < done) continue; // a name inside another
    parts.push(points.slice(done, from).join(""), make("mark", { class: how }, points.slice(from, to).join(""), label && make("span", { class: "unseen" }, ", candidate "), label && make("kbd", { class: "which" }, label)));
    done = to;
  }
  return make("p", { class: "passage", dir: "auto" }, parts, points.slice(done).join(""));
}

/** What a model would answer; only what the annotator chooses counts. @param {{choice: string} | null} suggestion @param {(at: number) => string} name @returns {any} */
function suggested(suggestion, name) {
  if (!suggestion) return "";
  const { choice } = suggestion, answer = "AB".includes(choice) ? name("AB".indexOf(choice)) : CHOICES.find(([key]) => key === choice)?.[1];
  if (!answer) return "";
  return make("p", { class: "quiet", id: "suggested" }, "A model would answer ", make("kbd", null, choice), " ", make("span", { dir: "auto" }, `${answer}.`), " It may be wrong: decide yourself.");
}

/** @param {Live} live */
async function next(live) {
  await live.outbox.flush();
  const found = await post(`/api/projects/${live.assignment.project.id}/next`).catch(() => null);
  if (found) location.assign(wayOn(live.assignment.project.id, found));
}

void start(async () => {
  const live = await Live.open(Number(meta("sheet")), user);
  const { document: item, project, mine: editable } = live.assignment, { state } = live.session;
  crumbs([[project.name, `/projects/${project.id}`], [item.name, null]]);
  const pronoun = Array.from(item.text).slice(item.target[0], item.target[1]).join("");
  const name = (/** @type {number} */ at) => item.candidates[at]?.text ?? "";
  const buttons = CHOICES.filter(([key]) => !("AB".includes(key) && !item.candidates["AB".indexOf(key)])).map(([key, says], at) => make("button", { class: `choice c${at} p${at % 4}`, type: "button", disabled: !editable, onclick: () => void answer(key) },
    make("kbd", null, key), make("span", { dir: "auto" }, "AB".includes(key) ? name("AB".indexOf(key)) : says)));
  const forth = make("button", { class: "button main", type: "button", onclick: () => void next(live) }, "Next ", make("kbd", null, "Enter"));
  const show = () => {
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.querySelector("kbd").textContent === state.about.answer?.choice)));
    forth.disabled = !state.about.answer;
    $("save").hidden = false;
    $("save").textContent = statusText(live.outbox);
    $("save").dataset.status = live.outbox.status;
  };
  const answer = async (/** @type {string | null} */ choice) => {
    if (!editable) return;
    await live.perform([{ kind: "answer", payload: { choice } }]);
    show();
  };
  live.outbox.onstatus = show;
  live.onchange = show;
  $("main").classList.add("question");
  $("main").replaceChildren(passage(item), make("h2", null, "Whom does ", make("mark", { class: "pronoun" }, pronoun), " mean?"), make("div", { class: "choices", role: "group", "aria-label": "Answers" }, buttons), suggested(live.assignment.suggestion, name),
    make("div", { class: "row" }, forth, editable && make("button", { class: "button", type: "button", onclick: () => void answer(null) }, "Clear the answer ", make("kbd", null, "z")),
      make("button", { class: "button push", type: "button", id: "guide-open", "aria-expanded": "false" }, "Guidelines")));
  show();
  guidePanel({ project, kind: "problem", user });
  if (live.assignment.copied) $("main").prepend(make("section", { class: "banner card" }, copyBanner(live.assignment.copied)));
  keepCopy(live, user);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /** @type {HTMLElement} */ (event.target).closest("input, textarea, select, dialog")) return;
    const key = event.key.toUpperCase();
    if (CHOICES.some(([one]) => one === key) && !("AB".includes(key) && !item.candidates["AB".indexOf(key)])) void answer(key);
    else if (key === "Z") void answer(null);
    else if (event.key === "Enter" && !/** @type {HTMLElement} */ (event.target).closest("button, a") && state.about.answer) void next(live);
    else return;
    event.preventDefault();
  });
  Object.assign(globalThis, { coindex: { live } });
  document.body.dataset.ready = "";
});
