// @ts-check
// The list of keys, where each can be given another key.

import { COMMANDS, keyName, pretty } from "../core/keymap.js";
import { make } from "./dom.js";

/** @typedef {import("../core/keymap.js").Keymap} Keymap */

const BARE = new Set(["Shift", "Control", "Alt", "Meta", "CapsLock", "Tab", "Dead"]);

/** @param {Keymap} keymap @param {string} id */
const caps = (keymap, id) => keymap.keys(id).map((key) => make("kbd", null, pretty(key)));

/**
 * @param {Keymap} keymap @param {() => void} onchange
 */
export function showHelp(keymap, onchange) {
  const body = make("div", { class: "keys" });
  const status = make("p", { class: "hint", role: "status" }, "Choose a key to change it.");
  /** @type {string | null} */ let asking = null;

  const draw = () => {
    const sections = [...new Set(COMMANDS.map((one) => one.section))];
    const fixed = make("section", null, make("h3", null, "Group keys"), make("ul", null,
      line([make("kbd", null, "1"), "–", make("kbd", null, "9"), " ", make("kbd", null, "Q"), "–", make("kbd", null, "O")], "mark as, or move to, groups 1 to 18"),
      line([make("kbd", null, "Shift"), " with it"], "a further group (plural), or out of it"),
      line(["click"], "choose a mention; again: the one around it"),
      line(["drag, double click"], "select words"),
      line([make("kbd", null, "Ctrl"), " click"], "choose several mentions")));
    body.replaceChildren(fixed, ...sections.map((section) => make("section", null, make("h3", null, section),
      make("ul", null, COMMANDS.filter((one) => one.section === section).map((one) => make("li", null, one.says,
        make("button", { class: "set", type: "button", "aria-label": `change the key of: ${one.says}`, onclick: () => start(one.id, one.says) },
          keymap.keys(one.id).length ? caps(keymap, one.id) : make("span", { class: "quiet" }, "no key"))))))));
  };
  const line = (/** @type {any[]} */ keys, /** @type {string} */ says) => make("li", null, says, make("span", { class: "set" }, keys));
  const start = (/** @type {string} */ id, /** @type {string} */ says) => {
    asking = id;
    status.textContent = `Press the new key for “${says}”, or Escape to cancel.`;
  };
  const dialog = make("dialog", { class: "wide", "aria-label": "Keys" }, make("h2", null, "Keys"), body, status,
    make("div", { class: "row end" },
      make("button", { class: "button", type: "button", onclick: () => { keymap.changed = {}; Object.assign(keymap, new (/** @type {any} */ (keymap.constructor))()); onchange(); draw(); } }, "Restore all defaults"),
      make("button", { class: "button main", type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (!asking || BARE.has(event.key)) return;
    event.preventDefault();
    if (event.key !== "Escape") {
      const taken = keymap.set(asking, keyName(event));
      const what = COMMANDS.find((one) => one.id === taken)?.says;
      status.textContent = what ? `Changed. That key did “${what}” before.` : "Changed.";
      onchange();
      draw();
    } else status.textContent = "Not changed.";
    asking = null;
  });
  dialog.addEventListener("close", () => dialog.remove());
  draw();
  document.body.append(dialog);
  dialog.showModal();
}

/** The guidelines, the example and the keys. @param {Record<string, () => unknown>} commands */
export function showHelpMenu(commands) {
  const choose = (/** @type {string} */ label, /** @type {() => unknown} */ work) => make("button", { class: "button", type: "button", onclick: () => {
    dialog.close();
    void work();
  } }, label);
  const dialog = make("dialog", { "aria-label": "Help" }, make("h2", null, "Help"), make("div", { class: "stack" },
    choose("Guidelines and what to mark", () => commands.guide()),
    make("a", { class: "button", href: `/example?next=${encodeURIComponent(location.pathname)}` }, "Guided example (2 minutes)"),
    choose("Keys", () => commands.help()),
    make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
