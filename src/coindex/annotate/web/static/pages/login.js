// @ts-check
import { $, make, post, start } from "./common.js";
import { ApiError, setCsrf } from "../api.js";

/** The page to open after the login; only a path of this site. */
function next() {
  const target = new URLSearchParams(location.search).get("next") ?? "/";
  return /^\/(?![/\\])/.test(target) ? target : "/";
}

void start(async () => {
  const name = make("input", { type: "text", name: "name", autocomplete: "username", required: true });
  const password = make("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
  const code = make("input", { type: "text", name: "code", autocomplete: "one-time-code", inputmode: "numeric", maxlength: "10" });
  const second = make("label", { hidden: true }, "Code of your authenticator", code);
  const error = make("p", { class: "error", role: "alert", hidden: true });
  const form = make("form", { class: "stack card" }, make("h1", null, "Log in"), make("label", null, "Name", name), make("label", null, "Password", password), second, error,
    make("button", { class: "button main" }, "Log in"));
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    error.hidden = true;
    try {
      const answer = await post("/api/login", { name: name.value, password: password.value, ...(code.value ? { code: code.value } : {}) });
      setCsrf(answer.csrf);
      location.assign(next());
    } catch (problem) {
      const asked = problem instanceof ApiError && problem.code === "code" && second.hidden;
      second.hidden &&= !asked;
      error.textContent = problem instanceof Error ? problem.message : String(problem);
      error.hidden = asked;
      if (second.hidden) password.select();
      else code.select();
    }
  });
  $("main").replaceChildren(form, make("p", { class: "quiet" }, "No account? Ask your manager for a link; each link creates one account. Forgot the password? An administrator can send you a link for a new one."));
  document.title = "Log in · coindex";
  name.focus();
});
