// @ts-check
import { $, attempt, crumbs, get, make, post, start } from "./common.js";

const KINDS = /** @type {Record<string, string>} */ ({ document: "chains in texts", problem: "pronouns" });

/** @param {HTMLElement} place */
function newProject(place) {
  const name = make("input", { type: "text", required: true, maxlength: "200", placeholder: "Quiz bowl" });
  const kind = make("select", null, make("option", { value: "document" }, "chains in texts"), make("option", { value: "problem" }, "pronouns (GAP, KnowRef)"));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Name", name), make("label", { class: "field" }, "What is annotated", kind), make("button", { class: "button main" }, "New project"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const { project } = await post("/api/projects", { name: name.value.trim(), kind: kind.value });
      location.assign(`/projects/${project.id}/manage`);
    });
  });
  place.append(make("h2", null, "Start a project"), form);
}

void start(async () => {
  crumbs([["Projects", null]]);
  const [{ projects }, { user }] = await Promise.all([get("/api/projects"), get("/api/me")]);
  const cards = projects.map((/** @type {any} */ one) => make("a", { class: "card", href: `/projects/${one.id}` },
    make("b", { dir: "auto" }, one.name), make("span", { class: "quiet" }, `${KINDS[one.kind] ?? one.kind} · ${one.role ?? "administrator"}`)));
  const main = [make("section", null, make("h2", null, "Your projects"), cards.length ? make("div", { class: "cards" }, cards) : make("p", { class: "quiet" }, user.administrator ? "None yet: start one below." : "None yet. A manager can send you a link to one."))];
  if (user.administrator) {
    const place = make("section");
    newProject(place);
    main.push(place, make("section", null, make("h2", null, "Administration"), make("p", null, make("a", { href: "/admin" }, "People, links, backups and the audit log"))));
  }
  $("main").replaceChildren(...main);
});
