// @ts-check
import { $, attempt, crumbs, get, make, meta, start } from "./common.js";
import { download } from "../api.js";
import { count } from "../ui/dom.js";
import { nouns, stateNote, tabs } from "./tabs.js";

const id = meta("project");

/** @param {any} project */
function exportSection(project) {
  const usual = `${project.kind}-jsonl`, formats = [usual, ...project.choices.formats.filter((/** @type {string} */ name) => name !== usual)], [one, many] = nouns(project);
  const kinds = [["gold", project.kind === "problem" ? "gold (the consensus of the raters)" : "gold"], ...(project.kind === "problem" ? [["judgements", "judgements of all raters"]] : []), ["sheets", "assignments, with their history"], ["documents", `${many}, as imported`]];
  const which = make("select", null, kinds.map(([value, says]) => make("option", { value }, says)));
  const format = make("select", null, formats.map((value) => make("option", { value }, value)));
  const link = make("a", { class: "button main", download: "" }, "Export");
  const set = () => link.setAttribute("href", `/api/projects/${id}/export?which=${which.value}&format=${format.value}`);
  // fetched by the page, which can say what the file does not hold, or why there is none
  const place = make("section"), said = make("div", { role: "status" });
  const save = async () => {
    said.replaceChildren();
    const { name, content, headers } = await download(/** @type {string} */ (link.getAttribute("href")));
    const { items, says } = JSON.parse(headers.get("X-Coindex-Lost") ?? "{}"), address = URL.createObjectURL(content);
    if (items) make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    said.replaceChildren(make("p", { class: items ? "good" : "warn" }, items ? `Exported ${which.value === "sheets" ? "assignments" : count(items, one, many)} to ${name}.` : "There is nothing to export."),
      says.length ? make("ul", { class: "warn" }, says.map((/** @type {string} */ line) => make("li", { dir: "auto" }, line))) : "");
  };
  link.addEventListener("click", (/** @type {MouseEvent} */ event) => {
    event.preventDefault();
    void attempt(place, save);
  });
  which.addEventListener("change", set);
  format.addEventListener("change", set);
  set();
  place.append(make("h2", null, "Export"), make("div", { class: "line row" }, make("label", { class: "field" }, "What", which), make("label", { class: "field" }, "Format", format), link), said,
    make("p", { class: "quiet" }, `Assignments as ${usual} include the full history; importing that file restores them. Archived and deleted ${many} are not exported.`));
  return place;
}

void start(async () => {
  const { project } = await get(`/api/projects/${id}`);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Export", null]]);
  $("main").replaceChildren(tabs(project, "export"), stateNote(project), exportSection(project));
});
