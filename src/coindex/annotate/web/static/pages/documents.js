// @ts-check
// The documents of a project: import, search, preview, rename, archive, delete, assign.

import { $, attempt, crumbs, deadlineField, endOfDay, get, make, meta, post, start, table } from "./common.js";
import { ApiError, call } from "../api.js";
import { asWritten } from "../core/text.js";
import { ask, confirm, count, when } from "../ui/dom.js";
import { pagedList } from "./paged_list.js";
import { passage } from "./passages.js";
import { capital, nouns, stateNote, tabs } from "./tabs.js";
import { uploadSection } from "./uploading.js";

const id = meta("project");
const STATES = [["active", "in the project"], ["archived", "archived"], ["deleted", "deleted, for a week"]];

/** @param {number} document */
async function preview(document) {
  const { document: found, sheets } = await get(`/api/documents/${document}`);
  const close = make("button", { class: "button main", type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = make("dialog", { class: "wide", "aria-label": `Preview of ${found.name}` }, make("h2", { dir: "auto" }, found.name),
    make("p", { class: "guide preview", dir: "auto", tabindex: "0" }, found.target ? passage(found) : asWritten(found.text)),
    found.cut ? make("p", { class: "quiet" }, "This is the beginning.") : "",
    found.candidates ? make("p", null, `Names: ${found.candidates.join(", ")}`) : "",
    found.source ? make("p", { class: "quiet" }, `Source: ${found.source}`) : "",
    table(["Annotator", "Status", ""], sheets.map((/** @type {any} */ one) => [one.name, one.done ? "done" : "open", make("a", { href: one.purpose === "adjudicate" ? `/sheets/${one.id}/adjudicate` : `/sheets/${one.id}` }, one.purpose === "adjudicate" ? "Adjudication" : "View")]), "Nobody has it yet."),
    make("div", { class: "row end" }, close));
  dialog.addEventListener("close", () => dialog.remove());
  window.document.body.append(dialog);
  dialog.showModal();
}

/** @param {any} project @param {any[]} members */
function listSection(project, members) {
  const place = make("section"), [one, many] = nouns(project);
  const chosen = /** @type {Set<number>} */ (new Set()), said = make("span", { class: "good", role: "status" });
  const state = make("select", { "aria-label": `Which ${many}` }, STATES.map(([value, says]) => make("option", { value }, says)));
  const row = (/** @type {any} */ each) => {
    const box = make("input", { type: "checkbox", "aria-label": `Select ${each.name}`, checked: chosen.has(each.id) });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(each.id);
      else chosen.delete(each.id);
      show();
    });
    const notes = [each.training && "training", each.gold && "gold", each.why && `rank ${each.why.rank}`, each.until && `until ${when(each.until)}`].filter(Boolean).join(", ");
    const open = make("button", { class: "link", type: "button", dir: "auto", onclick: () => void attempt(place, () => preview(each.id)) }, each.name);
    const rename = make("button", { class: "button", type: "button", "aria-label": `Rename ${each.name}`, onclick: () => void attempt(place, async () => {
      const name = await ask({ title: `Rename the ${one}`, label: "Name", value: each.name, most: 500 });
      if (name && name !== each.name) {
        await call("PATCH", `/api/documents/${each.id}`, { name });
        await list.refresh();
      }
    }) }, "Rename");
    return [box, make("div", null, open, make("div", { class: "quiet excerpt", dir: "auto" }, asWritten(each.excerpt ?? ""))), ...(project.kind === "document" ? [each.tokens] : []), each.done, each.open, notes, state.value === "deleted" ? "" : rename];
  };
  const all = make("input", { type: "checkbox", "aria-label": "Select all on this page" });
  all.addEventListener("change", () => {
    for (const each of list.rows()) if (all.checked) chosen.add(each.id); else chosen.delete(each.id);
    void list.refresh();
    show();
  });
  const list = pagedList({ label: many, path: () => `/api/projects/${id}/documents?state=${state.value}`, key: "documents", row, none: state.value === "active" ? "None yet: import some." : "None.",
    heads: () => [/** @type {any} */ (make("span", null, all)), capital(one), ...(project.kind === "document" ? [/** @type {[string, string]} */ (["Tokens", "num"])] : []), ["Done", "num"], ["Open", "num"], ["Notes", "keep"], ""] });
  const set = (/** @type {string} */ to, /** @type {string} */ word) => attempt(place, async () => {
    const ids = [...chosen];
    if (to === "deleted" && !(await confirm(`Delete ${count(ids.length, one, many)}, with all work on ${ids.length === 1 ? "it" : "them"}? This can be undone for a week.`, "Delete"))) return;
    const before = state.value;
    await post(`/api/projects/${id}/documents/state`, { documents: ids, state: to });
    chosen.clear();
    await list.refresh();
    show();
    said.replaceChildren(`${capital(count(ids.length, one, many))} ${word}. `, make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
      await post(`/api/projects/${id}/documents/state`, { documents: ids, state: before });
      said.textContent = "Undone.";
      await list.refresh();
    }) }, "Undo"));
  });
  const action = (/** @type {string} */ to, /** @type {string} */ name, /** @type {string} */ word, how = "button") => make("button", { class: how, type: "button", onclick: () => void set(to, word) }, name);
  const actions = make("div", { class: "row" });
  const show = () => {
    const give = assignForm(project, members, chosen, place, async () => {
      await list.refresh();
      show();
    }, said);
    actions.replaceChildren(...(chosen.size ? [make("b", null, `${chosen.size} selected:`), ...(state.value === "active" ? [action("archived", "Archive", "archived"), action("deleted", "Delete", "deleted", "button danger"), give] : [action("active", "Restore", "restored")])] : []));
  };
  state.addEventListener("change", () => {
    chosen.clear();
    said.textContent = "";
    show();
    void list.refresh();
  });
  place.append(make("div", { class: "row apart" }, make("h2", null, capital(many)), make("div", { class: "row" }, list.search, state)), actions, said, list.element);
  return { place, refresh: list.refresh };
}

/** Assign what is selected to somebody, by name. @param {any} project @param {any[]} members @param {Set<number>} chosen @param {HTMLElement} place @param {() => Promise<void>} done @param {HTMLElement} said */
function assignForm(project, members, chosen, place, done, said) {
  if (!members.length) return "";
  const who = make("select", { "aria-label": "Assign to" }, members.map((one) => make("option", { value: String(one.user) }, one.name)));
  const deadline = deadlineField({ "aria-label": "Deadline, if any" });
  return make("span", { class: "row" }, make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
    const until = endOfDay(deadline), finished = [];
    for (const each of chosen) {
      try {
        await post(`/api/documents/${each}/assign`, { user: Number(who.value), deadline: until });
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "done") throw error;
        finished.push(each);
      }
    }
    const name = who.selectedOptions[0].textContent, given = count(chosen.size - finished.length, ...nouns(project));
    said.textContent = `${capital(given)} assigned to ${name}.${finished.length ? ` ${name} has finished ${finished.length} already.` : ""}`;
    chosen.clear();
    await done();
  }) }, "Assign to"), who, make("label", { class: "row quiet" }, "until", deadline));
}

void start(async () => {
  const [{ project }, { members }] = await Promise.all([get(`/api/projects/${id}`), get(`/api/projects/${id}/members`)]);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], [capital(nouns(project)[1]), null]]);
  const list = listSection(project, members);
  $("main").replaceChildren(tabs(project, "documents"), stateNote(project), uploadSection(project, list.refresh), list.place);
  await list.refresh();
});
