// @ts-check
// The queue of a project: who works on what, deadlines, and the order of documents.

import { $, attempt, crumbs, deadlineCell, deadlineField, endOfDay, get, make, meta, post, start, table } from "./common.js";
import { call } from "../api.js";
import { duration, when } from "../ui/dom.js";
import { suggestionForm } from "../ui/suggestion_form.js";
import { pagedList } from "./paged_list.js";
import { capital, nouns, stateNote, tabs } from "./tabs.js";

const id = meta("project");
const STATUS = [["", "all"], ["open", "open"], ["late", "late"], ["done", "done"]];

/** Assign one document by name to one person by name. @param {any} project @param {any[]} members @param {() => Promise<void>} done */
function assigning(project, members, done) {
  const place = make("section"), status = make("span", { class: "good", role: "status" });
  const [one] = nouns(project), of = new Map();
  const name = make("input", { type: "search", required: true, list: "documents" }), names = make("datalist", { id: "documents" });
  const find = async () => {
    const { documents } = await get(`/api/projects/${id}/documents?limit=20&search=${encodeURIComponent(name.value.trim())}`);
    for (const each of documents) of.set(each.name, each.id);
    names.replaceChildren(...documents.map((/** @type {any} */ each) => make("option", { value: each.name })));
  };
  name.addEventListener("input", () => void find().catch(() => {}));
  const who = make("select", { "aria-label": "to whom" }, members.map((each) => make("option", { value: String(each.user) }, each.name)));
  const deadline = deadlineField();
  const form = make("form", { class: "line" }, make("label", { class: "field" }, `Assign this ${one}`, name), make("label", { class: "field" }, "to", who), make("label", { class: "field" }, "until (if you like)", deadline), make("button", { class: "button" }, "Assign"), status, names);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      if (!of.has(name.value)) await find();
      if (!of.has(name.value)) throw new Error(`There is no ${one} of that name here.`);
      await post(`/api/documents/${of.get(name.value)}/assign`, { user: Number(who.value), deadline: endOfDay(deadline) });
      status.textContent = "Assigned.";
      await done();
    });
  });
  place.append(make("h2", null, "Assign"), members.length ? form : make("p", { class: "quiet" }, "Nobody is a member yet."));
  return place;
}

/** A dialog: give it to somebody else, or another deadline. @param {any} one @param {any[]} members @param {() => Promise<void>} done */
function change(one, members, done) {
  const who = make("select", null, members.map((each) => make("option", { value: String(each.user), selected: each.user === one.user }, each.name)));
  const deadline = deadlineField(), place = make("div");
  if (one.deadline) deadline.defaultValue = new Date(one.deadline - new Date(one.deadline).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  const save = () => attempt(place, async () => {
    const kept = deadline.value === deadline.defaultValue; // a deadline that has passed may stay
    const body = { user: Number(who.value), deadline: kept ? one.deadline : endOfDay(deadline) };
    if (body.user === one.user) await post(`/api/documents/${one.document}/assign`, body);
    else await call("PATCH", `/api/documents/${one.document}/assign/${one.user}`, body);
    dialog.close();
    await done();
  });
  const free = () => attempt(place, async () => {
    await call("DELETE", `/api/documents/${one.document}/assign/${one.user}`);
    dialog.close();
    await done();
  });
  const dialog = make("dialog", { "aria-label": `Change the assignment of ${one.name}` }, make("h2", { dir: "auto" }, one.name), make("div", { class: "stack" }, make("label", { class: "field" }, "Annotator", who), make("label", { class: "field" }, "Deadline", deadline),
    make("p", { class: "hint" }, "What somebody has done remains theirs: who gets the document begins anew. Release frees the place for another annotator.")), place,
  make("div", { class: "row end" }, one.lease_until ? make("button", { class: "button", type: "button", onclick: () => void free() }, "Release") : "", make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel"), make("button", { class: "button main", type: "button", onclick: () => void save() }, "Save")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {any} project @param {any[]} members */
function assignments(project, members) {
  const place = make("section"), status = make("select", { "aria-label": "Which assignments" }, STATUS.map(([value, says]) => make("option", { value }, says)));
  const list = pagedList({ label: "assignments, by document or annotator", path: () => `/api/projects/${id}/sheets?all=1${status.value ? `&status=${status.value}` : ""}`, key: "sheets", heads: [capital(nouns(project)[0]), ["By", "keep"], ["Status", "keep"], ["Deadline", "keep"], ["Time", "num"], ""],
    row: (one) => [make("a", { href: one.purpose === "adjudicate" ? `/sheets/${one.id}/adjudicate` : `/sheets/${one.id}`, dir: "auto" }, one.name), make("span", { dir: "auto" }, one.name_of_user), [one.status, one.purpose === "adjudicate" && "adjudication", one.training && "training"].filter(Boolean).join(", "),
      deadlineCell(one), one.seconds ? duration(one.seconds) : "–",
      one.status === "open" && one.purpose === "annotate" ? make("button", { class: "button", type: "button", "aria-label": `Change the assignment of ${one.name} to ${one.name_of_user}`, onclick: () => change(one, members, list.refresh) }, "Change") : ""],
    none: "None yet: an assignment is one person's work on one document." });
  status.addEventListener("change", () => void list.refresh());
  place.append(make("div", { class: "row apart" }, make("h2", null, "Assignments"), make("div", { class: "row" }, list.search, status)), list.element);
  return { place, refresh: list.refresh };
}

const ranked = make("section");

async function ranking() {
  const found = await get(`/api/projects/${id}/ranking`);
  ranked.replaceChildren(make("div", { class: "row apart" }, make("h2", null, "Order of documents"), make("button", { class: "button", type: "button", disabled: found.state === "running", onclick: () => void attempt(ranked, async () => {
    await post(`/api/projects/${id}/rank`);
    await ranking();
  }) }, found.state === "running" ? "Ranking…" : "Rank again")),
  make("p", { class: "quiet" }, found.state === "never" ? "Documents come in the order of import until a strategy has ranked them." : `${found.strategy ?? ""} · ${found.state}${found.made ? ` · ${when(found.made)}` : ""}${found.message ? ` · ${found.message}` : ""}. The last ranking is used until the next is ready.`),
  found.picks?.length ? table([["Rank", "num"], "Document", ["Score", "num"]], found.picks.slice(0, 15).map((/** @type {any} */ one) => [one.rank, one.name, typeof one.score === "number" ? one.score.toFixed(3) : one.score])) : "");
  if (found.state === "running") setTimeout(() => void ranking().catch(() => {}), 3000);
}

void start(async () => {
  const [{ project }, { members }] = await Promise.all([get(`/api/projects/${id}`), get(`/api/projects/${id}/members`)]);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Queue", null]]);
  const list = assignments(project, members);
  $("main").replaceChildren(tabs(project, "queue"), stateNote(project), assigning(project, members, list.refresh), list.place, await suggestionForm(project), project.kind === "document" ? ranked : "");
  await Promise.all([list.refresh(), project.kind === "document" ? ranking() : null]);
});
