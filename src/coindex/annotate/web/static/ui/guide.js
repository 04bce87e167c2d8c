// @ts-check
// The guidelines beside the work: what to mark in general, and what the project says about it.
// Open at the first visit of a project that has guidelines, and whenever they have changed;
// otherwise as it was left.

import { $, make } from "./dom.js";

/** @typedef {string | [string, Record<string, string>, any[]]} GuideNode */

const TAGS = new Set("p h3 h4 h5 h6 ul ol li blockquote strong em s hr br table thead tbody tr th td pre code a".split(" "));
const KEY = "coindex.guide";

/** Elements of the tree that the server has made of Markdown. @param {readonly GuideNode[]} nodes @returns {(Node | string)[]} */
export function guideline(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return node;
    const [tag, attributes, inside] = node;
    if (!TAGS.has(tag)) return make("span", null, ...guideline(inside));
    const own = tag === "a" ? { href: attributes.href, target: "_blank", rel: "noopener noreferrer" } : tag === "ol" ? { start: attributes.start } : null;
    const made = make(tag, own, ...guideline(inside));
    return tag === "table" ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "table" }, made) : made;
  });
}

const item = (/** @type {string} */ head, /** @type {any[]} */ ...rest) => make("li", null, make("b", null, `${head} `), ...rest);
const example = (/** @type {string} */ words) => make("q", null, words);

/** What to mark, in general. @param {string} kind "document" or "problem" */
export function whatToMark(kind) {
  const box = make("section", { class: "what" }, make("h3", null, kind === "problem" ? "What to answer" : "What to mark"));
  if (kind === "problem") {
    box.append(make("ul", null,
      item("The pronoun", "is highlighted. Choose the name of the person it stands for here."),
      item("Neither", "if it stands for somebody else, or for nobody."),
      item("Both", "if it stands for the two of them together."),
      item("Not sure", "if the text does not say. A guess is worse than an honest “not sure”.")));
    return box;
  }
  box.append(make("ul", null,
    item("A mention", "is a phrase that stands for somebody or something: a name (", example("Ada Brandt"), "), a description (", example("the old house"), "), a pronoun (", example("she"), ", ", example("it"), ", ", example("who"), ")."),
    item("A group", "contains all mentions of the same person or thing."),
    item("The whole phrase", "with all that belongs to it: ", example("the woman who lives upstairs"), ", not only ", example("woman"), "."),
    item("Mentions inside mentions", "count too: ", example("her"), " in ", example("her brother"), "."),
    item("Several at once:", example("they"), " goes into the group of each of them."),
    item("Leave out", "words that stand for nothing: ", example("it"), " in ", example("it rains"), "."),
    item("Not sure?", "Mark it and flag it as unsure, or write a comment.")));
  return box;
}

/** @param {string} text */
function fingerprint(text) {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 2147483647;
  return String(sum);
}

/** @param {string} key @returns {{seen?: string, open?: boolean}} */
function remembered(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

const COVERS = matchMedia("(max-width: 68rem)");

/**
 * The panel; returns what opens and closes it.
 * @param {{project: {id: number, guide?: string, guidelines?: GuideNode[]}, kind: string, user: number, focus?: () => void}} options
 * @returns {() => void}
 */
export function guidePanel({ project, kind, user, focus = () => {} }) {
  const key = `${KEY}/${user}/${project.id}`;
  const text = project.guide ?? "", print = fingerprint(text);
  const own = text.trim() ? make("section", { class: "prose" }, make("h3", null, "In this project"), ...guideline(project.guidelines ?? [])) : null;
  const shut = make("button", { class: "button push", type: "button", onclick: () => show(false, true) }, "Close");
  const panel = make("aside", { id: "guide", "aria-label": "Guidelines", tabindex: "-1", hidden: true },
    make("div", { class: "row" }, make("h2", null, "Guidelines"), shut), own, whatToMark(kind),
    own && make("p", { class: "quiet" }, "Where the project says something else, the project counts."));
  const rest = () => [...document.body.children].filter((one) => one !== panel && !/^(SCRIPT|NOSCRIPT|DIALOG)$/.test(one.tagName));
  const cover = () => {
    for (const one of rest()) /** @type {HTMLElement} */ (one).inert = !panel.hidden && COVERS.matches; // nothing behind it can be reached
  };
  const show = (/** @type {boolean} */ open, /** @type {boolean} */ move) => {
    panel.hidden = !open;
    document.body.classList.toggle("guided", open);
    localStorage.setItem(key, JSON.stringify({ seen: print, open }));
    $("guide-open")?.setAttribute("aria-expanded", String(open));
    cover();
    if (move && open) shut.focus();
    else if (move) focus();
  };
  panel.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation(); // the keys of the editor mean nothing here
    if (event.key === "Escape") show(false, true);
  });
  COVERS.addEventListener("change", cover);
  document.body.append(panel);
  const before = remembered(key);
  if (own && before.seen !== print) show(true, COVERS.matches);
  else if (before.open) show(true, false);
  const toggle = () => show(panel.hidden, true);
  $("guide-open")?.addEventListener("click", toggle);
  return toggle;
}
