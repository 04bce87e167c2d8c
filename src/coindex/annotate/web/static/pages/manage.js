// @ts-check
import { $, attempt, crumbs, get, make, meta, post, start, table } from "./common.js";
import { call } from "../api.js";
import { count, duration, when } from "../ui/dom.js";
import { suggestionForm } from "../ui/suggestion_form.js";

const id = meta("project");
const PURPOSES = [["work", "documents to annotate"], ["training", "training documents with gold"], ["suggestions", "a resolver's output, as suggestions"], ["gold", "gold"]];

/** @param {string} format what the user typed or chose */
const optional = (format) => (format ? `&format=${encodeURIComponent(format)}` : "");

/** @param {any} project */
function importSection(project) {
  const place = make("section"), result = make("div", { role: "status" });
  const file = make("input", { type: "file", required: true, "aria-label": "File" });
  const purpose = make("select", null, PURPOSES.map(([value, says]) => make("option", { value }, says)));
  const format = make("input", { type: "text", placeholder: "by its content", size: "16", list: "formats" });
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "File", file), make("label", { class: "field" }, "These are", purpose), make("label", { class: "field" }, "Format", format), make("button", { class: "button main" }, "Import"), make("datalist", { id: "formats" }, project.choices.formats.map((/** @type {string} */ value) => make("option", { value }))));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const [chosen] = file.files;
    void attempt(place, async () => {
      result.replaceChildren(make("p", { class: "quiet" }, "Importing…"));
      try {
        const found = await post(`/api/projects/${id}/import?purpose=${purpose.value}&name=${encodeURIComponent(chosen.name)}${optional(format.value.trim())}`, chosen);
        const done = Object.entries(found.imported).filter(([, value]) => value).map(([name, value]) => count(/** @type {number} */ (value), ...(IMPORTED[name] ?? /** @type {[string]} */ ([name])))).join(", ");
        result.replaceChildren(make("p", { class: "good" }, `Imported ${done || "nothing"}.`), found.skipped?.length ? table(["Skipped", "Why"], found.skipped.map((/** @type {any} */ one) => [one.name, one.reason])) : "");
        await documents();
      } catch (error) {
        result.replaceChildren();
        throw error;
      }
    });
  });
  place.append(make("h2", null, "Import"), form, result);
  return place;
}

/** @param {any} project */
function exportSection(project) {
  const usual = `${project.kind}-jsonl`, formats = [usual, ...project.choices.formats.filter((/** @type {string} */ name) => name !== usual)];
  const which = make("select", null, (project.kind === "problem" ? ["gold", "judgements", "sheets", "documents"] : ["gold", "sheets", "documents"]).map((value) => make("option", { value }, EXPORTS[value])));
  const format = make("select", null, formats.map((value) => make("option", { value }, value)));
  const link = make("a", { class: "button main", download: "" }, "Export");
  const set = () => link.setAttribute("href", `/api/projects/${id}/export?which=${which.value}&format=${format.value}`);
  which.addEventListener("change", set);
  format.addEventListener("change", set);
  set();
  return make("section", null, make("h2", null, "Export"), make("div", { class: "line row" }, make("label", { class: "field" }, "What", which), make("label", { class: "field" }, "Format", format), link),
    make("p", { class: "quiet" }, `Assignments as ${usual} include the full history; importing that file restores them.`));
}

const EXPORTS = /** @type {Record<string, string>} */ ({ gold: "gold", judgements: "judgements", sheets: "assignments", documents: "documents" });

const IMPORTED = /** @type {Record<string, [string, string?]>} */ ({ documents: ["document"], sheets: ["assignment"], events: ["event"], suggestions: ["suggestion"], gold: ["document with gold", "documents with gold"] });

const SETTINGS = [
  ["annotators", "Annotators per document", "number"], ["lease_minutes", "Minutes a document is reserved for an annotator", "number"], ["looks", "Accuracy checks per training document", "number"],
  ["strategy", "Order of documents (given: the order of import; or a strategy of coindex.active)", "text"], ["seed", "Seed", "number"], ["protocol", "Rules for pronouns (gap accepts “neither” as gold; knowref accepts only a name)", "gap|knowref"], ["raters", "Raters per pronoun", "number"], ["agree", "How many must agree", "number"], ["guide", "Guidelines for annotators", "area"]];

/** The settings that do not apply to a kind of project. */
const OTHERS = /** @type {Record<string, string[]>} */ ({ document: ["protocol", "raters", "agree"], problem: ["annotators", "looks", "strategy", "seed"] });

/** @param {any} project */
function settings(project) {
  const place = make("section"), fields = /** @type {Record<string, any>} */ ({});
  const form = make("form", { class: "stack grid" }, SETTINGS.filter(([key]) => key in project.settings && !OTHERS[project.kind].includes(key)).map(([key, says, kind]) => {
    fields[key] = kind === "area" ? make("textarea", { rows: "6" }) : kind.includes("|") ? make("select", null, kind.split("|").map((value) => make("option", { value }, value)))
      : make("input", { type: kind, min: kind === "number" ? "0" : null, list: project.choices?.[key] ? `of-${key}` : null });
    fields[key].value = project.settings[key] ?? "";
    return make("label", { class: kind === "area" ? "full" : null }, says, fields[key]);
  }), make("div", { class: "row full" }, make("button", { class: "button main" }, "Save settings"), make("span", { class: "good", role: "status" })));
  for (const key of ["strategy"]) form.append(make("datalist", { id: `of-${key}` }, (project.choices?.[key] ?? []).map((/** @type {string} */ value) => make("option", { value }))));
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
async function people(project) {
  const place = make("section"), list = make("div"), link = make("p", { role: "status" });
  const draw = (/** @type {any[]} */ members) => list.replaceChildren(table(["Name", "Role", ""], members.map((one) => {
    const role = make("select", { "aria-label": `role of ${one.name}` }, ["annotator", "adjudicator", "manager"].map((value) => make("option", { value, selected: value === one.role }, value)));
    role.addEventListener("change", () => void change(one.user, role.value));
    return [one.name, role, make("button", { class: "button danger", type: "button", onclick: () => void change(one.user, null) }, "Remove")];
  })));
  const change = (/** @type {number} */ user, /** @type {string | null} */ role) => attempt(place, async () => draw((await post(`/api/projects/${id}/members`, { user, role })).members));
  const role = make("select", { "aria-label": "role" }, ["annotator", "adjudicator", "manager"].map((value) => make("option", { value }, value)));
  const invite = make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
    const made = await post(`/api/projects/${id}/invitations`, { role: role.value });
    const address = new URL(made.link, location.href).href;
    link.replaceChildren("Give this link to one person; it works once: ", make("input", { type: "text", readonly: true, size: "52", value: address, "aria-label": "link", onfocus: (/** @type {any} */ event) => event.target.select() }));
  }) }, "Create a link");
  draw((await get(`/api/projects/${id}/members`)).members);
  place.append(make("h2", null, `People of ${project.name}`), list, make("div", { class: "row" }, "Invite", role, invite), link);
  return place;
}

const ranked = make("section");

async function ranking() {
  const found = await get(`/api/projects/${id}/ranking`);
  ranked.replaceChildren(make("div", { class: "row apart" }, make("h2", null, "Queue"), make("button", { class: "button", type: "button", disabled: found.state === "running", onclick: () => void attempt(ranked, async () => {
    await post(`/api/projects/${id}/rank`);
    await ranking();
  }) }, found.state === "running" ? "Ranking…" : "Rank again")),
  make("p", { class: "quiet" }, found.state === "never" ? "Documents come in the order of import until a strategy has ranked them." : `${found.strategy ?? ""} · ${found.state}${found.made ? ` · ${when(found.made)}` : ""}${found.message ? ` · ${found.message}` : ""}. The last ranking is used until the next is ready.`),
  found.picks?.length ? table([["Rank", "num"], "Document", ["Score", "num"]], found.picks.slice(0, 15).map((/** @type {any} */ one) => [one.rank, one.name, typeof one.score === "number" ? one.score.toFixed(3) : one.score])) : "");
  if (found.state === "running") setTimeout(() => void ranking().catch(() => {}), 3000);
}

const listed = make("section");

async function documents() {
  const { documents: found } = await get(`/api/projects/${id}/documents`);
  listed.replaceChildren(make("h2", null, `Documents (${found.length})`), table(["Document", ["Tokens", "num"], ["Done", "num"], ["Open", "num"], "", "Why next"],
    found.slice(0, 300).map((/** @type {any} */ one) => [make("span", { dir: "auto" }, one.name), one.tokens, one.done, one.open, [one.training && "training", one.gold && "gold"].filter(Boolean).join(", "), one.why ? `rank ${one.why.rank}, ${one.why.score.toFixed(3)}` : ""]), "None yet: import some."),
  found.length > 300 ? make("p", { class: "quiet" }, `and ${count(found.length - 300, "more", "more")}`) : "", found.length ? await assigning(found) : "");
}

/** Assign a document to somebody, even if it has enough annotators. @param {any[]} found */
async function assigning(found) {
  const { members } = await get(`/api/projects/${id}/members`);
  const of = new Map(found.map((one) => [one.name, one.id])), status = make("span", { class: "good", role: "status" });
  const name = make("input", { type: "text", required: true, list: "documents" });
  const who = make("select", { "aria-label": "to whom" }, members.map((/** @type {any} */ one) => make("option", { value: String(one.user) }, one.name)));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Assign this document", name), make("label", { class: "field" }, "to", who), make("button", { class: "button" }, "Assign"), status,
    make("datalist", { id: "documents" }, found.slice(0, 1000).map((one) => make("option", { value: one.name }))));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(listed, async () => {
      if (!of.has(name.value)) throw new Error("There is no document of that name here.");
      await post(`/api/documents/${of.get(name.value)}/assign`, { user: Number(who.value) });
      status.textContent = "Assigned.";
      await assignments();
    });
  });
  return members.length ? form : "";
}

const assigned = make("section");

/** @param {any} one */
const release = (one) => make("button", { class: "button", type: "button", title: "Frees the place for another annotator; the work is not deleted", onclick: () => void attempt(assigned, async () => {
  await call("DELETE", `/api/documents/${one.document}/assign/${one.user}`);
  await assignments();
}) }, "Release");

async function assignments() {
  const { sheets: found } = await get(`/api/projects/${id}/sheets?all=1`);
  assigned.replaceChildren(make("h2", null, `Assignments (${found.length})`), table(["Document", "By", "Status", ["Time", "num"], ""], found.slice(0, 300).map((/** @type {any} */ one) => [
    make("a", { href: `/sheets/${one.id}`, dir: "auto" }, one.name), one.name_of_user ?? one.user, [one.status, one.purpose === "adjudicate" && "adjudication", one.training && "training"].filter(Boolean).join(", "), one.seconds ? duration(one.seconds) : "–", one.status === "open" && one.lease_until ? release(one) : ""]), "None yet: an assignment is one person's work on one document."));
}

void start(async () => {
  const { project } = await get(`/api/projects/${id}`);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Manage", null]]);
  $("main").replaceChildren(importSection(project), listed, assigned, ranked, await suggestionForm(project), exportSection(project), await people(project), settings(project));
  await Promise.all([documents(), assignments(), project.kind === "document" ? ranking() : ranked.remove()]);
});
