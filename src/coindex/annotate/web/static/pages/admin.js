// @ts-check
import { $, attempt, crumbs, get, make, post, start, table, user } from "./common.js";
import { call } from "../api.js";
import { confirm, count, when } from "../ui/dom.js";
import { copyable, invitationTable } from "./links.js";

const SHOWN = 50; // accounts in the list; the search finds the others

/** @param {any[]} users @param {any[]} projects */
async function people(users, projects) {
  const place = make("section"), list = make("div"), link = make("div", { class: "stack", role: "status" });
  const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search accounts" });
  const patch = (/** @type {any} */ one, /** @type {object} */ change, question = "", yes = "") => attempt(place, async () => {
    if (question && !(await confirm(question, yes))) return;
    Object.assign(one, (await call("PATCH", `/api/users/${one.id}`, change)).user);
    draw();
  });
  const reset = (/** @type {any} */ one) => attempt(place, async () => {
    const made = await post(`/api/users/${one.id}/reset`);
    link.replaceChildren(make("p", null, `Give this link to ${one.name}: it sets a new password, once, within a day.`), copyable(made.link));
  });
  const erase = (/** @type {any} */ one) => attempt(place, async () => {
    if (!(await confirm(`Erase the account of ${one.name}, and their name everywhere? Their annotations remain without a name. This cannot be undone.`, "Erase"))) return;
    one.name = (await post(`/api/users/${one.id}/erase`)).name;
    one.disabled = true;
    one.administrator = false;
    draw();
  });
  const act = (/** @type {string} */ name, /** @type {string} */ about, /** @type {() => void} */ onclick, how = "button") => make("button", { class: how, type: "button", "aria-label": about, onclick }, name);
  const own = (/** @type {any} */ one) => (one.id === user ? [] : [ // another administrator has to do these
    one.second_factor ? act("Remove second factor", `Remove second factor of ${one.name}`, () => void patch(one, { second_factor: false }, `Remove the second factor of ${one.name}? The password alone is enough then.`, "Remove")) : "",
    one.disabled ? act("Enable", `Enable ${one.name}`, () => void patch(one, { disabled: false }))
      : act("Disable", `Disable ${one.name}`, () => void patch(one, { disabled: true }, `Disable the account of ${one.name}? They are logged out and cannot log in; their work remains.`, "Disable")),
    one.administrator ? act("No longer administrator", `No longer administrator: ${one.name}`, () => void patch(one, { administrator: false }, `Take the rights of an administrator from ${one.name}?`, "Take them"))
      : act("Make administrator", `Make administrator: ${one.name}`, () => void patch(one, { administrator: true }, `Make ${one.name} an administrator? They may then do everything in all projects.`, "Make administrator")),
    act("Erase", `Erase ${one.name}`, () => void erase(one), "button danger")]);
  const draw = () => {
    const wanted = search.value.trim().toLowerCase(), found = users.filter((one) => one.name.toLowerCase().includes(wanted));
    list.replaceChildren(table([["Name", "keep"], ["Created", "keep"], ["Notes", "keep"], ""], found.slice(0, SHOWN).map((one) => [make("span", { dir: "auto" }, one.name), when(one.created), [one.id === user && "you", one.administrator && "administrator", one.disabled && "disabled", one.second_factor && "second factor"].filter(Boolean).join(", "),
      make("div", { class: "row" }, act("New password", `New password for ${one.name}`, () => void reset(one)),
        make("a", { class: "button", href: `/api/users/${one.id}/export`, download: "", "aria-label": `Export the data of ${one.name}` }, "Export data"), ...own(one))]), "No account has that in its name."),
    found.length > SHOWN ? make("p", { class: "quiet" }, `${count(found.length - SHOWN, "more account")}: search for a name.`) : "");
  };
  search.addEventListener("input", draw);
  const role = make("select", { "aria-label": "role" }, ["annotator", "adjudicator", "manager", "administrator"].map((value) => make("option", { value }, value)));
  const project = make("select", { "aria-label": "project" }, projects.map((one) => make("option", { value: String(one.id) }, one.name)));
  const invite = make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
    const body = role.value === "administrator" ? { administrator: true } : project.value ? { project: Number(project.value), role: role.value } : {};
    const made = await post("/api/invitations", body);
    link.replaceChildren(make("p", null, "Give this link to one person; it works once, and is shown only now."), copyable(made.link));
    await drawLinks();
  }) }, "Create a link");
  const links = make("div");
  const drawLinks = async () => {
    const { invitations } = await get("/api/invitations");
    links.replaceChildren(...(invitations.length ? [make("h3", null, "Links to no project"), invitationTable(invitations, (one) => attempt(place, async () => {
      await call("DELETE", `/api/invitations/${one}`);
      link.replaceChildren();
      await drawLinks();
    })), make("p", { class: "quiet" }, "Links to a project are on its page “People”.")] : []));
  };
  draw();
  await drawLinks();
  place.append(make("div", { class: "row apart" }, make("h2", null, "People"), search), list, make("div", { class: "row" }, "Invite", role, projects.length ? "to" : "", projects.length ? project : "", invite), link, links);
  return place;
}

async function backups() {
  const place = make("section"), list = make("div");
  const draw = async () => list.replaceChildren(table(["Backup", ["Size", "num"], "Created"], (await get("/api/backups")).backups.map((/** @type {any} */ one) => [one.name, `${(one.size / 1024).toFixed(0)} kB`, when(one.at)])));
  place.append(make("div", { class: "row apart" }, make("h2", null, "Backups"), make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
    await post("/api/backups");
    await draw();
  }) }, "Back up now")), list);
  await draw();
  return place;
}

/** A day in this place, as the server counts time. @param {string} day @param {number} [more] days */
function dayTime(day, more = 0) {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + more);
  return String(date.getTime());
}

async function audit() {
  const place = make("section"), list = make("div");
  const person = make("input", { type: "text", maxlength: "100" }), target = make("input", { type: "text", maxlength: "200" });
  const action = make("select", null, make("option", { value: "" }, "all"));
  const since = make("input", { type: "date" }), until = make("input", { type: "date" });
  const rows = /** @type {any[]} */ ([]);
  const csv = make("a", { class: "button", download: "" }, "Export as CSV"), lines = make("a", { class: "button", download: "" }, "Export as JSON lines");
  const query = () => new URLSearchParams(Object.entries({
    person: person.value.trim(), action: action.value, target: target.value.trim(),
    since: since.value && dayTime(since.value), until: until.value && dayTime(until.value, 1) }).filter(([, value]) => value));
  const older = make("button", { class: "button", type: "button", onclick: () => void attempt(place, () => read(rows[rows.length - 1].id)) }, "Older entries");
  const read = async (before = 0) => {
    const wanted = query();
    csv.setAttribute("href", `/api/audit/export?format=csv&${wanted}`);
    lines.setAttribute("href", `/api/audit/export?format=jsonl&${wanted}`);
    if (before) wanted.set("before", String(before));
    const { entries, actions } = await get(`/api/audit?limit=100&${wanted}`);
    if (!before) rows.length = 0;
    rows.push(...entries);
    if (action.options.length === 1) action.append(...actions.map((/** @type {string} */ value) => make("option", { value }, value)));
    list.replaceChildren(table([["Time", "keep"], "What happened"], rows.map((one) => [when(one.at), make("span", { dir: "auto" }, one.words)]), "Nothing."));
    older.hidden = entries.length < 100;
  };
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Person", person), make("label", { class: "field" }, "Action", action), make("label", { class: "field" }, "About", target),
    make("label", { class: "field" }, "From", since), make("label", { class: "field" }, "To", until), make("button", { class: "button" }, "Filter"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, () => read());
  });
  await read();
  place.append(make("h2", null, "Audit log"), form, list, make("div", { class: "row" }, older, csv, lines));
  return place;
}

void start(async () => {
  crumbs([["Projects", "/"], ["Administration", null]]);
  const [{ users }, { projects }] = await Promise.all([get("/api/users"), get("/api/projects")]);
  $("main").replaceChildren(make("p", null, make("a", { href: "/admin/health" }, "Health of the server")), await people(users, projects), await backups(), await audit());
});
