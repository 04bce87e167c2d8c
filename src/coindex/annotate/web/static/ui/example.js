// @ts-check
// The guided example in the real editor: one step at a time, noticed when it is done.

import { STEPS } from "../core/practice.js";
import { $, make } from "./dom.js";
import { assign } from "./editing.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("../core/practice.js").Practice} Practice */

const KEY = "coindex.example";

/** Whether somebody has seen the example here, or declined it. @param {number} user */
export const hasSeen = (user) => localStorage.getItem(`${KEY}/${user}`) !== null;
/** @param {number} user */
export const setSeen = (user) => localStorage.setItem(`${KEY}/${user}`, "seen");

/** An invitation to the example, for those who have not seen it. @param {number} user @returns {HTMLElement | null} */
export function invitation(user) {
  if (!user || hasSeen(user)) return null;
  const box = make("div", { class: "why invitation" }, make("span", null, make("b", null, "New here? "), "A guided example shows in two minutes what to mark, and how."),
    make("a", { class: "button push", href: `/example?next=${encodeURIComponent(location.pathname)}` }, "Show me"),
    make("button", { class: "button", type: "button", onclick: () => {
      setSeen(user);
      box.remove();
    } }, "Not now"));
  return box;
}

/** Where to go on: a page of this app. @returns {string} */
function after() {
  const next = new URLSearchParams(location.search).get("next") ?? "/";
  return /^\/(?!\/)[\w/-]*$/.test(next) ? next : "/";
}

/** @param {Practice} practice @param {Editor} editor @param {number} user */
export function runExample(practice, editor, user) {
  let at = 0;
  const box = make("section", { class: "lesson", "aria-label": "Guided example" });
  const leave = () => {
    setSeen(user);
    location.assign(after());
  };
  const point = () => {
    const [from, to] = STEPS[at]?.span ?? [0, 0];
    for (const word of document.querySelectorAll("#text .t")) {
      const { token } = /** @type {any} */ (word);
      word.classList.toggle("here", from <= token && token < to);
    }
  };
  const draw = (/** @type {string} */ hint) => {
    const step = STEPS[at];
    const list = make("ol", { class: "dots", "aria-hidden": "true" }, STEPS.map((_, index) => make("li", { class: index < at ? "past" : index === at ? "now" : null })));
    if (!step) {
      box.replaceChildren(list, make("div", { class: "said" }, make("h2", null, "That is all"), make("p", null, "You know how to mark, group, nest and undo. “Help” shows this example again, the guidelines and all keys.")),
        make("div", { class: "row" }, make("button", { class: "button", type: "button", onclick: () => location.reload() }, "Once more"), make("button", { class: "button main", type: "button", onclick: leave }, "Start")));
      point();
      return;
    }
    box.replaceChildren(list, make("div", { class: "said" }, make("h2", null, `${at + 1} of ${STEPS.length}: ${step.title}`), make("p", null, step.says),
      make("p", { class: "quiet" }, make("b", null, "Mouse or finger: "), step.touch, " ", make("b", null, "Keys: "), step.keys), hint && make("p", { class: "hint-now" }, hint)),
    make("div", { class: "row" }, make("button", { class: "button", type: "button", onclick: async () => {
      await step.solve(editor, assign);
      follow();
    } }, "Do it for me"), make("button", { class: "button", type: "button", onclick: leave }, "Skip the example")));
    point();
  };
  const follow = () => {
    const { state, session } = editor;
    const before = at;
    while (at < STEPS.length && STEPS[at].done(state, session)) at += 1;
    if (at !== before) editor.say(at < STEPS.length ? `Well done. Next: ${STEPS[at].title}` : "Well done. That is all.");
    draw(STEPS[at]?.hint(state) ?? "");
    if (at !== before && at === STEPS.length) box.querySelector(".main")?.focus();
  };
  $("banner").replaceChildren(box);
  $("save").hidden = true;
  $("done").textContent = "Leave";
  editor.commands.done = leave;
  const refresh = editor.refresh.bind(editor);
  editor.refresh = (touched) => {
    refresh(touched);
    follow();
  };
  draw("");
}
