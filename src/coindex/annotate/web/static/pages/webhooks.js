// @ts-check
// Webhooks of a project: addresses that are told when work is finished.

import { attempt, get, make, post, table } from "./common.js";
import { call } from "../api.js";
import { confirm, when } from "../ui/dom.js";

const STATE = /** @type {Record<string, string>} */ ({ delivered: "good", waiting: "", failed: "bad" });

const KINDS = /** @type {Record<string, string>} */ ({ "assignment.done": "assignment finished", "document.done": "document finished", "adjudication.done": "adjudication finished", "project.done": "project finished", test: "test" });
const WAITS = [500, 1000, 2000, 4000]; // milliseconds: how long a test is looked after

/** @param {any} one */
const deliveries = (one) => table(["When", "What", "Status", ["Attempts", "num"], "Message"], one.deliveries.map((/** @type {any} */ each) => [when(each.created), KINDS[each.kind] ?? each.kind, make("span", { class: `pill ${STATE[each.state]}` }, each.state), each.attempts, each.message]), "Nothing was sent yet.");

/** @param {string} project */
export async function webhookSection(project) {
  const place = make("section"), list = make("div", { class: "stack" }), secret = make("div", { role: "status" });
  const address = make("input", { type: "text", required: true, maxlength: "500", size: "40", placeholder: "https://example.org/done" });
  const draw = async (opened = 0) => {
    const { webhooks } = await get(`/api/projects/${project}/webhooks`);
    list.replaceChildren(...webhooks.map((/** @type {any} */ one) => make("div", { class: "card stack" }, make("div", { class: "row apart" }, make("b", { class: "address" }, one.url), make("span", { class: "quiet" }, one.kinds.map((/** @type {string} */ kind) => KINDS[kind] ?? kind).join(", ")), make("span", { class: "push" }),
      make("button", { class: "button", type: "button", "aria-label": `Test ${one.url}`, onclick: () => void attempt(place, async () => {
        await post(`/api/projects/${project}/webhooks/${one.id}/test`);
        for (const wait of WAITS) { // what comes of it is shown
          const [last] = (await draw(one.id)).find((/** @type {any} */ each) => each.id === one.id)?.deliveries ?? [];
          if (last?.attempts) return;
          await new Promise((resolve) => setTimeout(resolve, wait));
        }
        await draw(one.id);
      }) }, "Test"),
      make("button", { class: "button danger", type: "button", "aria-label": `Remove ${one.url}`, onclick: () => void attempt(place, async () => {
        if (!(await confirm(`Remove the webhook ${one.url}? It is told nothing any more.`, "Remove"))) return;
        await call("DELETE", `/api/projects/${project}/webhooks/${one.id}`);
        await draw();
      }) }, "Remove")), make("details", { open: one.id === opened }, make("summary", null, "Last requests"), deliveries(one)))));
    return webhooks;
  };
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Address", address), make("button", { class: "button" }, "Add a webhook"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const made = await post(`/api/projects/${project}/webhooks`, { url: address.value.trim() });
      secret.replaceChildren(make("p", null, "Requests are signed with this secret, which is shown only now:"), make("input", { type: "text", readonly: true, size: "52", value: made.secret, "aria-label": "Secret" }));
      address.value = "";
      await draw();
    });
  });
  await draw();
  place.append(make("h2", null, "Webhooks"), make("p", { class: "quiet" }, "An address that gets a signed request when an assignment, a document, an adjudication or the whole project is finished."), list, form, secret);
  return place;
}
