// @ts-check
import { $, crumbs, make, start } from "./common.js";
import { COMMANDS, pretty } from "../core/keymap.js";
import { whatToMark } from "../ui/guide.js";

void start(async () => {
  crumbs([["Projects", "/"], ["Help", null]]);
  const sections = [...new Set(COMMANDS.map((one) => one.section))];
  $("main").replaceChildren(make("section", { class: "card" }, make("h2", null, "First steps"),
    make("p", null, "A guided example, in which you do each step yourself. It takes two minutes, and nothing of it is stored."),
    make("p", null, make("a", { class: "button main", href: "/example?next=/help" }, "Guided example"))),
  make("section", { class: "prose" }, make("h2", null, "Marking in a text"), whatToMark("document"),
    make("p", null, "Select a phrase with the mouse or a finger, and press a button beside it; or go to it with the arrow keys and Shift, and press the key of its group. A key on a mention that is marked moves it, with Shift it adds a further group, for words that mean several (“they” = Romeo and Juliet). Everything is saved at once and can be undone, also after a reload.")),
  make("section", { class: "prose" }, make("h2", null, "Pronouns"), whatToMark("problem")),
  make("section", null, make("h2", null, "Keys"), make("p", { class: "quiet" }, "In the editor, ? lists them and lets you change each."), make("div", { class: "keys" }, sections.map((section) => make("section", null, make("h3", null, section),
    make("ul", null, COMMANDS.filter((one) => one.section === section).map((one) => make("li", null, one.says, make("span", { class: "set" }, one.keys.map((key) => make("kbd", null, pretty(key))))))))))));
});
