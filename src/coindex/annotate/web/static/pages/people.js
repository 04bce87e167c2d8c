// @ts-check
// The people of a project: members, invitations, and how they did in the training.

import { $, attempt, crumbs, figure, get, make, meta, post, start, table } from "./common.js";
import { call } from "../api.js";
import { confirm, count } from "../ui/dom.js";
import { copyable, invitationTable } from "./links.js";
import { stateNote, tabs } from "./tabs.js";

const id = meta("project");
const ROLES = ["annotator", "adjudicator", "manager"];

/** @param {string} [value] @param {string | null} [label] */
const roles = (value = "annotator", label = null) => make("select", { "aria-label": label }, ROLES.map((each) => make("option", { value: each, selected: each === value }, each)));

/** @param {any} project @param {string[]} names of accounts, for administrators */
async function members(project, names) {
  const place = make("section"), list = make("div");
  const draw = (/** @type {any[]} */ found) => list.replaceChildren(table(["Name", "Role", ""], found.map((one) => {
    const role = roles(one.role, `Role of ${one.name}`);
    role.addEventListener("change", () => void change({ user: one.user, role: role.value }));
    const remove = async () => {
      if (await confirm(`Remove ${one.name} from ${project.name}? Their work remains.`, "Remove")) await change({ user: one.user, role: null });
    };
    return [make("span", { dir: "auto" }, one.name), role, make("button", { class: "button danger", type: "button", "aria-label": `Remove ${one.name}`, onclick: () => void remove() }, "Remove")];
  }), "Nobody yet: add somebody, or invite them by a link."));
  const change = (/** @type {any} */ body) => attempt(place, async () => draw((await post(`/api/projects/${id}/members`, body)).members));
  const name = make("input", { type: "text", required: true, maxlength: "100", list: "accounts" }), role = roles();
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Name of an account", name), make("label", { class: "field" }, "Role", role), make("button", { class: "button" }, "Add"), make("datalist", { id: "accounts" }, names.map((each) => make("option", { value: each }))));
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    await change({ name: name.value, role: role.value });
    if (!place.querySelector(".error")) form.reset();
  });
  draw((await get(`/api/projects/${id}/members`)).members);
  place.append(make("h2", null, "Members"), list, form);
  return place;
}

async function invitations() {
  const place = make("section"), list = make("div"), made = make("div", { role: "status" });
  const role = roles(), days = make("input", { type: "number", min: "1", max: "365", value: "7", required: true });
  const draw = async () => {
    const { invitations: found } = await get(`/api/projects/${id}/invitations`);
    list.replaceChildren(invitationTable(found, (one) => attempt(place, async () => {
      await call("DELETE", `/api/projects/${id}/invitations/${one}`);
      made.replaceChildren();
      await draw();
    })));
  };
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Invite as", role), make("label", { class: "field" }, "Valid for days", days), make("button", { class: "button main" }, "Create a link"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const found = await post(`/api/projects/${id}/invitations`, { role: role.value, days: Number(days.value) });
      made.replaceChildren(make("p", null, "Give this link to one person: it works once, for a new account or an existing one, and is shown only now."), copyable(found.link));
      await draw();
    });
  });
  await draw();
  place.append(make("h2", null, "Invitation links"), form, made, list);
  return place;
}

/** @param {any} one */
const mistakes = (one) => make("details", null, make("summary", null, count(one.documents.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.mistakes.length + each.more, 0), "mistake")),
  one.documents.map((/** @type {any} */ each) => make("div", null, make("p", null, make("a", { href: `/sheets/${each.sheet}`, dir: "auto" }, each.name), `: ${figure(each.score)}`),
    make("ul", null, each.mistakes.map((/** @type {string} */ words) => make("li", { dir: "auto" }, words)), each.more ? make("li", { class: "quiet" }, `and ${each.more} more`) : ""))));

async function training() {
  const place = make("section");
  const draw = async () => {
    const found = await get(`/api/projects/${id}/training`);
    const rows = found.people.filter((/** @type {any} */ one) => one.of);
    place.replaceChildren(make("h2", null, "Training"), make("p", { class: "quiet" }, found.wanted ? `Annotators get documents when their training reaches a mean CoNLL F1 of ${found.wanted}.` : "There is no minimum score: set one under Settings."),
      table([["Name", "keep"], ["Done", "num"], ["Score", "num"], "", ["Mistakes", "keep"], ""], rows.map((/** @type {any} */ one) => [make("span", { dir: "auto" }, one.name), `${one.done} of ${one.of}`, figure(one.score),
        make("span", { class: `pill ${one.passed ? "good" : "warn"}` }, one.let_pass ? "let pass" : one.passed ? "passed" : "not passed"), one.documents.length ? mistakes(one) : "",
        found.wanted && (one.let_pass || !one.passed) ? make("button", { class: "button", type: "button", "aria-label": one.let_pass ? `Take back that ${one.name} may pass` : `Let ${one.name} pass`, onclick: () => void attempt(place, async () => {
          await post(`/api/projects/${id}/training/${one.user}`, { passed: !one.let_pass });
          await draw();
        }) }, one.let_pass ? "Take back" : "Let pass") : ""]), found.people.length ? "There are no training documents: import some with gold." : "Nobody is a member yet."));
  };
  await draw();
  return place;
}

void start(async () => {
  const [{ project }, names] = await Promise.all([get(`/api/projects/${id}`), meta("role") === "administrator" ? get("/api/users").then(({ users }) => users.filter((/** @type {any} */ one) => !one.disabled).map((/** @type {any} */ one) => one.name)) : []]);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["People", null]]);
  $("main").replaceChildren(tabs(project, "people"), stateNote(project), await members(project, names), await invitations(), project.kind === "document" ? await training() : "");
});
