// @ts-check
// The page of one assignment: the chain editor, training and adjudication.

import { Refused } from "../core/effects.js";
import { eventWords } from "../core/event_words.js";
import { likelyMentions } from "../core/likely_mentions.js";
import { Keymap } from "../core/keymap.js";
import { Practice } from "../core/practice.js";
import { Text } from "../core/text.js";
import { Live, statusText } from "../live.js";
import { call } from "../api.js";
import { copyBanner, keepCopy } from "../offline.js";
import { showActions } from "../ui/actions_menu.js";
import { reviewDisagreements } from "../ui/adjudication.js";
import { $, confirm, make, meta } from "../ui/dom.js";
import { Editor } from "../ui/editor.js";
import { invitation, runExample } from "../ui/example.js";
import { finder } from "../ui/finder.js";
import { offerNext, showFinished } from "../ui/finished.js";
import { guidePanel } from "../ui/guide.js";
import { showHelp, showHelpMenu } from "../ui/help.js";
import { listen } from "../ui/mouse.js";
import { position, rememberCursor } from "../ui/position.js";
import { checkAccuracy } from "../ui/review.js";
import { Timing } from "../ui/timing.js";
import { crumbs, get, start, user } from "./common.js";

const KEYS = "coindex.keys";
const RECALLED = 200; // events fetched ahead, so that they can be undone even without a connection

/** The user's own keys: from this browser at once, from the server when it says so. @returns {Keymap} */
function storedKeys() {
  try {
    return new Keymap(JSON.parse(localStorage.getItem(KEYS) ?? "{}"));
  } catch {
    return new Keymap();
  }
}

/** @param {Keymap} keymap */
function saveKeys(keymap) {
  localStorage.setItem(KEYS, JSON.stringify(keymap.changed));
  call("PATCH", "/api/me", { keys: keymap.changed }).catch(() => {});
}

/** @param {Keymap} keymap */
async function fetchKeys(keymap) {
  const { user: me } = await get("/api/me");
  const own = me?.keys && typeof me.keys === "object" ? me.keys : {};
  if (Object.keys(own).length) Object.assign(keymap, new Keymap(own));
}

/** @param {any} document @returns {import("../core/text.js").Source} */
const source = (document) => ({
  text: document.text, sentences: document.sentences, speakers: document.speakers,
  tokens: document.starts.map((/** @type {number} */ start, /** @type {number} */ at) => [start, document.ends[at]]) });

/** @param {Live} live */
function banners(live) {
  const box = $("banner"), parts = [];
  const { assignment } = live;
  if (assignment.copied) parts.push(copyBanner(assignment.copied));
  else if (!assignment.mine) parts.push(make("div", { class: "why" }, "You are reading the work of someone else; you cannot change it."));
  if (assignment.why?.text) {
    const why = make("div", { class: "why" }, make("span", null, make("b", null, "Why this document: "), assignment.why.text),
      make("button", { class: "button push", type: "button", onclick: () => why.remove() }, "Hide"));
    parts.push(why);
  }
  const invited = assignment.mine && assignment.purpose === "annotate" ? invitation(user) : null;
  if (invited) parts.push(invited);
  if (live.outbox.message) {
    parts.push(make("div", null, live.outbox.message, live.outbox.status === "login" && make("a", { class: "button", href: `/login?next=${encodeURIComponent(location.pathname)}`, target: "_blank", rel: "noopener" }, "Log in")));
  }
  box.replaceChildren(...parts);
  showFinished(live, live.session.state.about.done);
}

/** @param {Live} live @param {Editor} editor */
function lostBanner(live, editor) {
  $("banner").querySelectorAll(".lost").forEach((/** @type {Element} */ one) => one.remove());
  for (const lost of live.lost) {
    const { kind, payload } = lost.event;
    const words = editor.words(payload.mention ?? payload.mentions?.[0] ?? "") || (payload.spans ? editor.text.words_of(payload.spans) : "");
    $("banner").append(make("div", { class: "lost", role: "alert" },
      make("span", null, make("b", null, "Not merged: "), `${eventWords(kind)}${words ? ` of “${words}”` : ""}: ${lost.reason}.`),
      make("button", { class: "button push", type: "button", onclick: async () => {
        try {
          editor.refresh(await live.again(lost));
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          editor.say(error.message, true);
        }
      } }, "Retry"),
      make("button", { class: "button", type: "button", onclick: () => live.forget(lost.event.id) }, "Discard")));
  }
}

/** @param {Live} live @param {Editor} editor */
function follow(live, editor) {
  const { outbox } = live;
  let message = "";
  outbox.onstatus = () => {
    $("save").textContent = statusText(outbox);
    $("save").dataset.status = outbox.status;
    $("save").title = outbox.message;
    if (message !== outbox.message) {
      message = outbox.message;
      banners(live);
      lostBanner(live, editor);
    }
    editor.counts();
  };
  live.onchange = (touched) => editor.refresh(touched);
  live.onlost = () => lostBanner(live, editor);
  banners(live);
  lostBanner(live, editor);
}

/** @param {Live} live @param {Editor} editor */
function wireDone(live, editor) {
  const button = $("done");
  const show = () => {
    const { done } = editor.state.about;
    button.textContent = done ? "Reopen" : "Done";
    button.classList.toggle("main", !done);
    showFinished(live, done);
  };
  const finish = async () => {
    const done = !editor.state.about.done;
    const empty = !editor.state.mentions.size && live.assignment.purpose !== "adjudicate";
    if (done && empty && !(await confirm("Nothing is marked in this document. Mark it as done anyway?", "Done"))) return;
    if (!(await editor.act(() => ({ label: done ? "done" : "reopened", drafts: [{ kind: "document.done", payload: { done } }] })))) return;
    show();
    if (done) await offerNext(live);
  };
  show();
  button.addEventListener("click", () => void editor.commands.done());
  editor.commands.done = finish;
  const before = live.onchange;
  live.onchange = (touched) => {
    before(touched);
    show();
  };
}

/** What concerns the whole document, also where there is no room for buttons. @param {Editor} editor */
function showMore(editor) {
  const choose = (/** @type {string} */ label, /** @type {string} */ command) => make("button", { class: "button", type: "button", onclick: () => {
    dialog.close();
    void editor.commands[command]();
  } }, label);
  const dialog = make("dialog", { "aria-label": "More" }, make("h2", null, "More"), make("div", { class: "stack" },
    choose("Next likely mention", "likely"), choose("Find in the text", "find-text"), choose("Go to…", "go-to"), choose("Comment on the document", "comment"), choose(editor.state.about.unsure ? "Unflag the document" : "Flag the document as unsure", "unsure"),
    editor.state.suggestions.size ? choose(editor.view.ghosts ? "Hide suggestions" : "Show suggestions", "ghosts") : "",
    editor.state.suggestions.size && editor.editable ? choose("Accept suggestions…", "accept-sure") : "", make("button", { class: "button", type: "button", onclick: () => {
      dialog.close();
      showActions(editor);
    } }, "All actions…"), choose("Guidelines", "guide"), choose("Keys", "help"),
    make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Editor} editor @param {Keymap} keymap */
function wire(editor, keymap) {
  $("undo").addEventListener("click", () => void editor.commands.undo());
  $("redo").addEventListener("click", () => void editor.commands.redo());
  $("comment").addEventListener("click", () => void editor.commands.comment());
  editor.commands.help = () => showHelp(keymap, () => saveKeys(keymap));
  $("help").addEventListener("click", () => showHelpMenu(editor.commands));
  $("more").addEventListener("click", () => showMore(editor));
  const ghosts = $("ghosts");
  ghosts.hidden = !editor.state.suggestions.size;
  const { ghosts: toggle } = editor.commands;
  editor.commands.ghosts = () => {
    toggle();
    ghosts.setAttribute("aria-pressed", String(editor.view.ghosts));
  };
  ghosts.addEventListener("click", () => editor.commands.ghosts());
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      editor.list.sortBy(/** @type {any} */ (button).dataset.sort);
      document.querySelectorAll("[data-sort]").forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    });
  }
  const filter = $("filter");
  filter.addEventListener("input", () => editor.counts());
  filter.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") {
      filter.value = "";
      editor.counts();
      editor.pane.focus();
    } else if (event.key === "Enter") {
      const [group] = editor.list.listed;
      const [first] = group ? editor.state.chain(group) : [];
      if (first) editor.choose(first.id, { group });
      editor.pane.focus();
    }
  });
  $("groups").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const chip = /** @type {any} */ (event.target).closest?.(".chip");
    if (chip?.mark) editor.choose(chip.mark, { group: chip.group, several: event.ctrlKey || event.metaKey });
  });
  document.addEventListener("keydown", (event) => keydown(editor, event));
  document.addEventListener("copy", (event) => {
    const range = editor.range ?? editor.here;
    if (document.getSelection()?.isCollapsed === false || !editor.text.size) return;
    event.clipboardData?.setData("text/plain", editor.text.phrase(range[0], range[1]));
    event.preventDefault();
  });
}

const timing = new Timing();

/** Keys mean nothing while something is typed, or a dialog is open. @param {Editor} editor @param {KeyboardEvent} event */
function keydown(editor, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (target.closest("input, textarea, select")) return;
  const pressing = target.closest("button, a") && (event.key === "Enter" || event.key === " ");
  if (pressing || event.key === "Tab") return;
  if (!editor.key(event)) return;
  event.preventDefault();
  timing.key(event);
}

void start(async () => {
  const words = fetch("/static/data/phrase_words.json").then((answer) => answer.json());
  const live = /** @type {Live} */ (meta("sheet") ? await Live.open(Number(meta("sheet")), user) : new Practice());
  const { assignment } = live;
  const keymap = storedKeys();
  const text = new Text(source(assignment.document));
  const editor = new Editor({
    session: live.session, text, keymap, zeros: assignment.document.zeros, editable: assignment.mine,
    perform: (drafts) => live.perform(drafts), undoRedo: (kind) => live.undoRedo(kind) });
  crumbs([[assignment.project.name, assignment.project.id ? `/projects/${assignment.project.id}` : "/help"], [assignment.document.name, null]]);
  follow(live, editor);
  wire(editor, keymap);
  listen(editor, $("text"));
  finder(editor);
  position(editor);
  rememberCursor(editor, user, live.id);
  wireDone(live, editor);
  editor.commands.guide = guidePanel({ project: assignment.project, kind: "document", user, focus: () => editor.pane.focus({ preventScroll: true }) });
  if (assignment.purpose === "practice") runExample(/** @type {any} */ (live), editor, user);
  if (assignment.document.training && assignment.mine) checkAccuracy(live, editor);
  if (assignment.purpose === "adjudicate" && !assignment.copied) await reviewDisagreements(live, editor);
  Object.assign(globalThis, { coindex: { live, editor, timing } });
  editor.pane.focus();
  document.body.dataset.ready = "";
  timing.ready(text.size);
  if (assignment.sheet) keepCopy(live, user);
  editor.hints = likelyMentions(text, await words);
  setTimeout(() => void live.recall(assignment.revision - RECALLED).catch(() => {}), 100);
  void fetchKeys(keymap).catch(() => {});
});
