// @ts-check
import { $, get, make, meta, post, start } from "./common.js";
import { ApiError } from "../api.js";

void start(async () => {
  const path = `/api/reset/${encodeURIComponent(meta("token"))}`;
  document.title = "New password · coindex";
  /** @type {string} */ let owner;
  try {
    owner = (await get(path)).name;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    $("main").replaceChildren(make("section", { class: "card" }, make("h1", null, "This link has been used or has expired"), make("p", null, "Ask an administrator for a new one, or ", make("a", { href: "/login" }, "log in"), ".")));
    return;
  }
  const name = make("input", { type: "text", autocomplete: "username", value: owner, readonly: true });
  const password = make("input", { type: "password", autocomplete: "new-password", required: true, minlength: "10", maxlength: "200" });
  const again = make("input", { type: "password", autocomplete: "new-password", required: true });
  const error = make("p", { class: "error", role: "alert", hidden: true });
  const form = make("form", { class: "stack card" }, make("h1", null, "A new password"), make("label", null, "Your name", name),
    make("label", null, "New password", password, make("span", { class: "hint" }, "10 characters or more; a few words in a row are easy to remember.")),
    make("label", null, "Repeat the password", again), error, make("button", { class: "button main" }, "Set the password"));
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    error.hidden = false;
    if (password.value !== again.value) return void (error.textContent = "The two passwords differ.");
    try {
      await post(path, { password: password.value });
      location.assign("/login");
    } catch (problem) {
      error.textContent = problem instanceof Error ? problem.message : String(problem);
    }
    return undefined;
  });
  $("main").replaceChildren(form);
  password.focus();
});
