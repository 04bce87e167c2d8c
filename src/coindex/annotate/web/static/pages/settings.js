// @ts-check
// The settings of a project: its name, how it is annotated, webhooks; archiving and deleting it.

import { $, attempt, crumbs, get, make, meta, post, start } from "./common.js";
import { call } from "../api.js";
import { confirm } from "../ui/dom.js";
import { stateNote, tabs } from "./tabs.js";
import { webhookSection } from "./webhooks.js";

const id = meta("project");
const SETTINGS = [
  ["annotators", "Annotators per document", "number"], ["lease_minutes", "Minutes a document is reserved for an annotator", "number"], ["looks", "Accuracy checks per training document", "number"],
  ["training_score", "Score that the training must reach (CoNLL F1; 0: none)", "number"],
  ["strategy", "Order of documents", "choice"], ["seed", "Seed for random choices in that order", "number"], ["protocol", "Rules for pronouns (gap accepts “neither” as gold; knowref accepts only a name)", "gap|knowref"], ["raters", "Raters per pronoun", "number"], ["agree", "How many must agree", "number"], ["guide", "Guidelines for annotators, in Markdown (# heading, **bold**, - list, | table |)", "area"]];

const ORDERS = /** @type {Record<string, string>} */ ({
  given: "as they were imported", random: "at random", longest: "the longest first", voting: "where models differ most (voting)",
  "diverse-voting": "where models differ most, and unlike the others (diverse-voting)", "mention-entropy": "where a model is least sure of mentions (mention-entropy)",
  "joint-entropy": "where a model is least sure of mentions and links (joint-entropy)" });

/** The settings that do not apply to a kind of project. */
const OTHERS = /** @type {Record<string, string[]>} */ ({ document: ["protocol", "raters", "agree"], problem: ["annotators", "looks", "training_score", "strategy", "seed"] });

/** @param {any} project */
function settings(project) {
  const place = make("section"), fields = /** @type {Record<string, any>} */ ({});
  const form = make("form", { class: "stack grid" }, SETTINGS.filter(([key]) => key in project.settings && !OTHERS[project.kind].includes(key)).map(([key, says, kind]) => {
    fields[key] = kind === "area" ? make("textarea", { rows: "6" }) : kind === "choice" ? make("select", null, (project.choices?.[key] ?? []).map((/** @type {string} */ value) => make("option", { value }, ORDERS[value] ?? value))) : kind.includes("|") ? make("select", null, kind.split("|").map((value) => make("option", { value }, value)))
      : make("input", { type: kind, min: kind === "number" ? "0" : null });
    fields[key].value = project.settings[key] ?? "";
    return make("label", { class: kind === "area" ? "full" : null }, says, fields[key]);
  }), make("div", { class: "row full" }, make("button", { class: "button main" }, "Save settings"), make("span", { class: "good", role: "status" })));
  fields.protocol?.addEventListener("change", () => {
    const [raters, agree] = fields.protocol.value === "knowref" ? [6, 5] : [3, 2];
    Object.assign(fields.raters, { value: raters });
    Object.assign(fields.agree, { value: agree });
  });
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const changed = Object.fromEntries(SETTINGS.filter(([key]) => fields[key]).map(([key, , kind]) => [key, kind === "number" ? Number(fields[key].value) : fields[key].value]));
      const answer = await call("PATCH", `/api/projects/${id}`, { settings: changed });
      project.settings = answer.project.settings;
      form.querySelector("[role=status]").textContent = "Saved.";
    });
  });
  place.append(make("h2", null, "Settings"), form);
  return place;
}

/** @param {any} project */
function naming(project) {
  const place = make("section"), name = make("input", { type: "text", required: true, maxlength: "100" }), said = make("span", { class: "good", role: "status" });
  name.value = project.name;
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Name of the project", name), make("button", { class: "button" }, "Rename"), said);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const answer = await call("PATCH", `/api/projects/${id}`, { name: name.value.trim() });
      project.name = answer.project.name;
      said.textContent = "Renamed.";
      head(project);
    });
  });
  place.append(form);
  return place;
}

/** @param {any} project */
function ending(project) {
  const place = make("section"), archived = project.state === "archived";
  const set = (/** @type {string} */ state) => attempt(place, async () => {
    if (state === "deleted" && !(await confirm(`Delete ${project.name}, with all its documents and all work on them? This can be undone for a week, on the page of projects.`, "Delete"))) return;
    await post(`/api/projects/${id}/state`, { state });
    if (state === "deleted") location.assign("/");
    else location.reload();
  });
  place.append(make("h2", null, "Archive or delete"), make("p", { class: "quiet" }, "Nobody gets documents of an archived project, and it is not in the list of projects; everything in it remains. A deleted project can be restored for a week."),
    make("div", { class: "row" }, make("button", { class: "button", type: "button", onclick: () => void set(archived ? "active" : "archived") }, archived ? "Restore the project" : "Archive the project"),
      make("button", { class: "button danger", type: "button", onclick: () => void set("deleted") }, "Delete the project")));
  return place;
}

/** @param {any} project */
const head = (project) => crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Settings", null]]);

void start(async () => {
  const { project } = await get(`/api/projects/${id}`);
  head(project);
  $("main").replaceChildren(tabs(project, "settings"), stateNote(project), naming(project), settings(project), await webhookSection(id), ending(project));
});
