// @ts-check
// The manager's form for suggestions: which resolver makes them, how far it is, and what failed.

import { call, get, post } from "../api.js";
import { count, make } from "./dom.js";

const WAIT = 1000; // ms between two looks at the progress

/** @typedef {{state: string, resolver: string | null, message: string, done: number, total: number, failed: {name: string, reason: string}[], chosen: string | null, resolvers: {id: string, name: string, about: string}[]}} Status */

/** What a manager reads about the work. @param {Status} status @param {string} items */
function words(status, items) {
  const of = status.resolvers.find((one) => one.id === status.resolver)?.name ?? status.resolver;
  if (status.state === "running") return `The ${of} is at work: ${status.done} of ${count(status.total, items)} done.`;
  if (status.state === "failed") return `The ${of} made no suggestions: ${status.message}`;
  if (status.state === "ready") return `The ${of} is done: ${status.message}.`;
  return status.chosen ? `Suggestions were made by: ${status.resolvers.find((one) => one.id === status.chosen)?.name ?? status.chosen}.` : "There are no suggestions.";
}

/** @param {{id: number, kind: string}} project @returns {Promise<HTMLElement>} */
export async function suggestionForm(project) {
  const path = `/api/projects/${project.id}/suggest`, items = project.kind === "problem" ? "problem" : "document";
  const place = make("section", { id: "suggestions" });
  const choice = make("select"), about = make("p", { class: "quiet" }), bar = make("progress", { "aria-label": "Progress", hidden: true });
  const said = make("p", { role: "status" }), failed = make("ul", { class: "quiet" }), problem = make("p", { class: "error", role: "alert", hidden: true });
  const button = make("button", { class: "button main" }, "Make suggestions");
  const none = make("button", { class: "button", type: "button" }, "Remove suggestions");
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Model", choice), button, none);
  /** @type {Status} */ let status = await get(path);

  const draw = () => {
    const running = status.state === "running";
    button.disabled = running || !status.resolvers.length;
    button.textContent = status.chosen ? "Make them again" : "Make suggestions";
    none.hidden = !status.chosen && !running;
    none.textContent = running ? "Stop" : "Remove suggestions";
    bar.hidden = !running;
    [bar.max, bar.value] = [Math.max(1, status.total), status.done];
    said.className = status.state === "failed" ? "bad" : status.state === "ready" ? "good" : "quiet";
    said.textContent = words(status, items);
    failed.replaceChildren(...(status.state === "failed" ? [] : status.failed).map(({ name, reason }) => make("li", { dir: "auto" }, `${name}: ${reason}`)));
    failed.hidden = !failed.childElementCount;
    about.textContent = status.resolvers.find((one) => one.id === choice.value)?.about ?? "No model for this kind of project is installed here.";
  };
  const watch = async () => {
    status = await get(path);
    draw();
    if (status.state === "running" && place.isConnected) setTimeout(() => void watch().catch(() => {}), WAIT);
  };
  const attempt = async (/** @type {() => Promise<unknown>} */ work) => {
    problem.hidden = true;
    try {
      await work();
      await watch();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error instanceof Error ? error.message : String(error);
    }
  };

  choice.replaceChildren(...status.resolvers.map(({ id, name }) => make("option", { value: id }, name + (status.resolvers.filter((one) => one.name === name).length > 1 ? ` (${id.split(":")[0]})` : ""))));
  if (status.resolvers.some((one) => one.id === status.chosen)) choice.value = status.chosen;
  choice.addEventListener("change", draw);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(() => post(path, { resolver: choice.value }));
  });
  none.addEventListener("click", () => void attempt(() => call("PATCH", `/api/projects/${project.id}`, { settings: { suggestions: null } })));
  place.append(make("h2", null, "Suggestions"), make("p", { class: "quiet" }, project.kind === "problem"
    ? "A model's answer is shown to annotators beside the choices. It may influence them, and is no answer until they choose it."
    : "A model marks mentions and chains, which annotators accept or dismiss; only what they accept counts. Documents that are open already do not change."),
  form, about, bar, said, failed, problem);
  draw();
  if (status.state === "running") setTimeout(() => void watch().catch(() => {}), WAIT);
  return place;
}
