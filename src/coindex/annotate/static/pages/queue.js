// @ts-check
import { $, attempt, crumbs, get, make, meta, post, start, table } from "./common.js";

const id = meta("project");

/** @param {any} one @param {HTMLElement} place */
function open(one, place) {
  const button = make("button", { class: one.status === "waiting" ? "button main" : "button", type: "button" }, one.status === "done" ? "Look again" : one.sheet ? "Go on" : "Adjudicate");
  button.addEventListener("click", () => void attempt(place, async () => {
    const sheet = one.sheet ?? (await post(`/api/documents/${one.id}/adjudicate`)).sheet;
    location.assign(`/sheets/${sheet}/adjudicate`);
  }));
  return button;
}

void start(async () => {
  const [{ project }, { documents }] = await Promise.all([get(`/api/projects/${id}`), get(`/api/projects/${id}/adjudication`)]);
  crumbs([["Projects", "/"], [project.name, `/projects/${id}`], ["Adjudicate", null]]);
  const place = make("section");
  const pills = /** @type {Record<string, string>} */ ({ waiting: "warn", open: "", done: "good" });
  place.append(make("h2", null, "Documents to adjudicate"), table(["Document", ["Annotators done", "num"], ["Disagreements", "num"], "Status", ""],
    documents.map((/** @type {any} */ one) => [make("span", { dir: "auto" }, one.name), one.annotators, one.disagreements, make("span", { class: `pill ${pills[one.status] ?? ""}` }, one.status), open(one, place)]),
    "None yet: a document appears when two annotators are done with it."));
  $("main").replaceChildren(place);
});
