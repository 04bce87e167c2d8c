// @ts-check
import { $, crumbs, make, start } from "./common.js";
import { COMMANDS, pretty } from "../core/keymap.js";

void start(async () => {
  crumbs([["Projects", "/"], ["Help", null]]);
  const sections = [...new Set(COMMANDS.map((one) => one.section))];
  $("main").replaceChildren(make("section", null, make("h2", null, "How to mark chains"),
    make("p", null, "Select a phrase with the mouse, or go to it with the arrow keys and Shift; then press the key of its group. A key on a mention that is marked moves it, with Shift it adds a further group, for words that mean several (“they” = Romeo and Juliet). Everything is saved at once and can be undone, also after a reload.")),
  make("section", null, make("h2", null, "Keys"), make("p", { class: "quiet" }, "In the editor, ? lists them and lets you change each."), make("div", { class: "keys" }, sections.map((section) => make("section", null, make("h3", null, section),
    make("ul", null, COMMANDS.filter((one) => one.section === section).map((one) => make("li", null, one.says, make("span", { class: "set" }, one.keys.map((key) => make("kbd", null, pretty(key))))))))))));
});
