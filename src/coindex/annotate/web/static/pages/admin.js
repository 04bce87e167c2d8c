// @ts-check
import { $, attempt, crumbs, get, make, post, start, table } from "./common.js";
import { call } from "../api.js";
import { when } from "../ui/dom.js";

/** @param {any[]} users @param {any[]} projects */
function people(users, projects) {
  const place = make("section"), list = make("div"), link = make("p", { role: "status" });
  const patch = (/** @type {any} */ one, /** @type {object} */ change) => attempt(place, async () => {
    Object.assign(one, (await call("PATCH", `/api/users/${one.id}`, change)).user);
    draw();
  });
  const draw = () => list.replaceChildren(table(["Name", "Created", "", ""], users.map((one) => [one.name, when(one.created), [one.administrator && "administrator", one.disabled && "disabled"].filter(Boolean).join(", "),
    make("div", { class: "row" }, make("button", { class: "button", type: "button", onclick: () => void patch(one, { disabled: !one.disabled }) }, one.disabled ? "Enable" : "Disable"),
      make("button", { class: "button", type: "button", onclick: () => void patch(one, { administrator: !one.administrator }) }, one.administrator ? "No longer administrator" : "Make administrator"))])));
  const role = make("select", { "aria-label": "role" }, ["annotator", "adjudicator", "manager", "administrator"].map((value) => make("option", { value }, value)));
  const project = make("select", { "aria-label": "project" }, projects.map((one) => make("option", { value: String(one.id) }, one.name)));
  const invite = make("button", { class: "button", type: "button", onclick: () => void attempt(place, async () => {
    const body = role.value === "administrator" ? { administrator: true } : project.value ? { project: Number(project.value), role: role.value } : {};
    const made = await post("/api/invitations", body);
    link.replaceChildren("Give this link to one person; it works once: ", make("input", { type: "text", readonly: true, size: "52", value: new URL(made.link, location.href).href, "aria-label": "link" }));
  }) }, "Create a link");
  draw();
  place.append(make("h2", null, "People"), list, make("div", { class: "row" }, "Invite", role, projects.length ? "to" : "", projects.length ? project : "", invite), link);
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

/** @param {any} value */
const detail = (value) => (value && typeof value === "object" ? Object.entries(value).map(([name, each]) => `${name}: ${typeof each === "object" ? JSON.stringify(each) : each}`).join(", ") : value ?? "");

async function audit() {
  const { entries } = await get("/api/audit?limit=100");
  return make("section", null, make("h2", null, "Audit log"), table(["Time", "Person", "Action", "Target", ""], entries.map((/** @type {any} */ one) => [when(one.at), one.user, one.action, one.target, detail(one.detail)])));
}

void start(async () => {
  crumbs([["Projects", "/"], ["Administration", null]]);
  const [{ users }, { projects }] = await Promise.all([get("/api/users"), get("/api/projects")]);
  $("main").replaceChildren(people(users, projects), await backups(), await audit());
});
