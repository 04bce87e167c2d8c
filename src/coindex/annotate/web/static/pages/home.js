// @ts-check
import { $, attempt, crumbs, get, make, post, start, table } from "./common.js";
import { when } from "../ui/dom.js";

const WEEK = 7 * 86_400_000;

const KINDS = /** @type {Record<string, string>} */ ({ document: "mentions in texts", problem: "pronouns" });

/** @param {HTMLElement} place */
function newProject(place) {
  const name = make("input", { type: "text", required: true, maxlength: "200", placeholder: "Quiz bowl" });
  const kind = make("select", null, make("option", { value: "document" }, "mentions in texts and their groups"), make("option", { value: "problem" }, "pronouns (GAP, KnowRef)"));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Name", name), make("label", { class: "field" }, "What is annotated", kind), make("button", { class: "button main" }, "New project"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const { project } = await post("/api/projects", { name: name.value.trim(), kind: kind.value });
      location.assign(`/projects/${project.id}/documents`);
    });
  });
  place.append(make("h2", null, "Start a project"), form);
}

/** Archived and deleted projects, to be restored. @param {any[]} archived @param {any[]} deleted */
function putAside(archived, deleted) {
  const place = make("section"), rows = [...archived.map((one) => ({ ...one, state: "archived" })), ...deleted.map((one) => ({ ...one, state: "deleted" }))];
  const restore = (/** @type {any} */ one) => attempt(place, async () => {
    await post(`/api/projects/${one.id}/state`, { state: "active" });
    location.reload();
  });
  const manages = (/** @type {any} */ one) => ["manager", "administrator"].includes(one.role);
  place.append(make("details", null, make("summary", null, `Archived and deleted projects (${rows.length})`), table(["Project", "Status", ""], rows.map((one) => [
    one.state === "deleted" ? make("span", { dir: "auto" }, one.name) : make("a", { href: `/projects/${one.id}`, dir: "auto" }, one.name),
    one.state === "deleted" ? `deleted; it can be restored until ${when(one.since + WEEK)}` : `archived ${when(one.since)}`,
    manages(one) ? make("button", { class: "button", type: "button", "aria-label": `Restore ${one.name}`, onclick: () => void restore(one) }, "Restore") : ""]))));
  return place;
}

void start(async () => {
  crumbs([["Projects", null]]);
  const [{ projects }, { user }, { projects: archived }, { projects: deleted }] = await Promise.all([get("/api/projects"), get("/api/me"), get("/api/projects?state=archived"), get("/api/projects?state=deleted")]);
  const cards = projects.map((/** @type {any} */ one) => make("a", { class: "card", href: `/projects/${one.id}` },
    make("b", { dir: "auto" }, one.name), make("span", { class: "quiet" }, `${KINDS[one.kind] ?? one.kind} · ${one.role ?? "administrator"}`)));
  const main = [make("section", null, make("h2", null, "Your projects"), cards.length ? make("div", { class: "cards" }, cards) : make("p", { class: "quiet" }, user.administrator ? "None yet: start one below." : "None yet. A manager can send you a link to one."))];
  if (archived.length + deleted.length) main.push(putAside(archived, deleted));
  if (user.administrator) {
    const place = make("section");
    newProject(place);
    main.push(place, make("section", null, make("h2", null, "Administration"), make("p", null, make("a", { href: "/admin" }, "People, links, backups and the audit log"))));
  }
  $("main").replaceChildren(...main);
});
