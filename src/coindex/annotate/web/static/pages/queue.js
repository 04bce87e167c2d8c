// @ts-check
import { $, attempt, crumbs, get, make, meta, post, start, table } from "./common.js";
import { call } from "../api.js";
import { when } from "../ui/dom.js";
import { stateNote, tabs } from "./tabs.js";

const id = meta("project");

/** @param {any} one */
function label(one) {
  if (one.status === "waiting") return "Adjudicate";
  if (!one.mine) return one.free ? "Take over" : "View";
  return one.status === "done" ? "View again" : "Continue";
}

/** @param {any} one @param {HTMLElement} place @param {boolean} manager */
function open(one, place, manager) {
  const button = make("button", { class: one.status === "waiting" ? "button main" : "button", type: "button" }, label(one));
  button.addEventListener("click", () => void attempt(place, async () => {
    const assignment = one.free ? (await post(`/api/documents/${one.id}/adjudicate`)).sheet : one.sheet;
    location.assign(`/sheets/${assignment}/adjudicate`);
  }));
  if (!manager || !one.sheet || one.mine || one.free) return button;
  const release = make("button", { class: "button", type: "button", title: "Lets others take it over; nothing is lost" }, "Release");
  release.addEventListener("click", () => void attempt(place, async () => {
    await call("DELETE", `/api/documents/${one.id}/assign/${one.user}`);
    await draw();
  }));
  return make("span", { class: "row" }, button, release);
}

/** Who adjudicates it. @param {any} one */
function adjudicator(one) {
  if (!one.by) return "";
  if (one.mine) return "you";
  return one.free || one.status === "done" || !one.lease_until ? one.by : `${one.by}, until ${when(one.lease_until)}`;
}

const pills = /** @type {Record<string, string>} */ ({ waiting: "warn", open: "", done: "good" });

async function draw() {
  const [{ project }, { documents }] = await Promise.all([get(`/api/projects/${id}`), get(`/api/projects/${id}/adjudication`)]);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Adjudicate", null]]);
  const place = make("section"), manager = ["manager", "administrator"].includes(project.role);
  place.append(make("h2", null, "Documents to adjudicate"), table(["Document", ["Annotators done", "num"], ["Disagreements", "num"], "Status", "Adjudicator", ""],
    documents.map((/** @type {any} */ one) => [make("span", { dir: "auto" }, one.name), one.annotators, one.disagreements, make("span", { class: `pill ${pills[one.status] ?? ""}` }, one.status), adjudicator(one), open(one, place, manager)]),
    "None yet: a document appears when two annotators are done with it."),
  make("p", { class: "quiet" }, "A document is reserved for its adjudicator while they work on it; later somebody else may take it over in its current state."));
  $("main").replaceChildren(tabs(project, "adjudicate"), stateNote(project), place);
}

void start(draw);
