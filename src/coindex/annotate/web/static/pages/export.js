// @ts-check
import { $, crumbs, get, make, meta, start } from "./common.js";
import { nouns, stateNote, tabs } from "./tabs.js";

const id = meta("project");

/** @param {any} project */
function exportSection(project) {
  const usual = `${project.kind}-jsonl`, formats = [usual, ...project.choices.formats.filter((/** @type {string} */ name) => name !== usual)], [, many] = nouns(project);
  const kinds = [["gold", project.kind === "problem" ? "gold (the consensus of the raters)" : "gold"], ...(project.kind === "problem" ? [["judgements", "judgements of all raters"]] : []), ["sheets", "assignments, with their history"], ["documents", `${many}, as imported`]];
  const which = make("select", null, kinds.map(([value, says]) => make("option", { value }, says)));
  const format = make("select", null, formats.map((value) => make("option", { value }, value)));
  const link = make("a", { class: "button main", download: "" }, "Export");
  const set = () => link.setAttribute("href", `/api/projects/${id}/export?which=${which.value}&format=${format.value}`);
  which.addEventListener("change", set);
  format.addEventListener("change", set);
  set();
  return make("section", null, make("h2", null, "Export"), make("div", { class: "line row" }, make("label", { class: "field" }, "What", which), make("label", { class: "field" }, "Format", format), link),
    make("p", { class: "quiet" }, `Assignments as ${usual} include the full history; importing that file restores them. Archived and deleted ${many} are not exported.`));
}

void start(async () => {
  const { project } = await get(`/api/projects/${id}`);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Export", null]]);
  $("main").replaceChildren(tabs(project, "export"), stateNote(project), exportSection(project));
});
