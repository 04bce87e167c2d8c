// @ts-check
import { $, get, make, meta, post, start } from "./common.js";
import { ApiError } from "../api.js";

/** @param {any} invited */
function purpose(invited) {
  if (invited.project) return `This link makes you ${/^[aeiou]/.test(invited.role ?? "") ? "an" : "a"} ${invited.role} of ${invited.project.name ?? invited.project}.`;
  return invited.role === "administrator" ? "This link creates the administrator's account. It works once." : "This link creates one account. It works once.";
}

void start(async () => {
  const token = meta("token");
  /** @type {any} */ let invited;
  try {
    invited = await get(`/api/welcome/${encodeURIComponent(token)}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    $("main").replaceChildren(make("section", { class: "card" }, make("h1", null, "This link has been used or has expired"), make("p", null, "Ask for a new one, or ", make("a", { href: "/login" }, "log in"), ".")));
    return;
  }
  const name = make("input", { type: "text", autocomplete: "username", required: true, maxlength: "64" });
  name.value = invited.name ?? "";
  const password = make("input", { type: "password", autocomplete: "new-password", required: true, minlength: "10", maxlength: "200" });
  const again = make("input", { type: "password", autocomplete: "new-password", required: true });
  const error = make("p", { class: "error", role: "alert", hidden: true });
  const form = make("form", { class: "stack card" }, make("h1", null, "Welcome"), make("p", null, purpose(invited)),
    make("label", null, "Your name", name), make("label", null, "Password", password, make("span", { class: "hint" }, "10 characters or more; a few words in a row are easy to remember.")),
    make("label", null, "Repeat the password", again), error, make("button", { class: "button main" }, "Create the account"));
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    error.hidden = false;
    if (password.value !== again.value) return void (error.textContent = "The two passwords differ.");
    try {
      await post(`/api/welcome/${encodeURIComponent(token)}`, { name: name.value.trim(), password: password.value });
      location.assign("/");
    } catch (problem) {
      error.textContent = problem instanceof Error ? problem.message : String(problem);
    }
    return undefined;
  });
  $("main").replaceChildren(form);
  document.title = "Welcome · coindex";
  name.focus();
});
