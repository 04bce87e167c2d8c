// @ts-check
import { $, attempt, get, make, meta, post, start } from "./common.js";
import { ApiError } from "../api.js";

/** @param {any} invited */
function purpose(invited) {
  if (invited.project) return `This link makes you ${/^[aeiou]/.test(invited.role ?? "") ? "an" : "a"} ${invited.role} of ${invited.project.name ?? invited.project}.`;
  return invited.role === "administrator" ? "This link creates the administrator's account. It works once." : "This link creates one account. It works once.";
}

/** Join with the account that is logged in. @param {string} token @param {any} invited */
async function joinCard(token, invited) {
  const { user } = await get("/api/me"), place = make("section", { class: "card stack" });
  const join = () => attempt(place, async () => {
    const { project } = await post(`/api/welcome/${encodeURIComponent(token)}/join`);
    location.assign(`/projects/${project}`);
  });
  place.append(make("h1", null, `Join ${invited.project}`), make("p", null, purpose(invited)), make("div", { class: "row" }, make("button", { class: "button main", type: "button", onclick: () => void join() }, `Join as ${user.name}`)));
  return place;
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
  const joining = meta("user") && invited.project ? await joinCard(token, invited) : "";
  const name = make("input", { type: "text", autocomplete: "username", required: true, maxlength: "64" });
  name.value = invited.name ?? "";
  const password = make("input", { type: "password", autocomplete: "new-password", required: true, minlength: "10", maxlength: "200" });
  const again = make("input", { type: "password", autocomplete: "new-password", required: true });
  const error = make("p", { class: "error", role: "alert", hidden: true });
  const form = make("form", { class: "stack card" }, make(joining ? "h2" : "h1", null, joining ? "Or create another account" : "Welcome"), joining ? "" : make("p", null, purpose(invited)),
    make("label", null, "Your name", name), make("label", null, "Password", password, make("span", { class: "hint" }, "10 characters or more; a few words in a row are easy to remember.")),
    make("label", null, "Repeat the password", again), error, make("button", { class: joining ? "button" : "button main" }, "Create the account"),
    invited.project && !joining ? make("p", { class: "quiet" }, "You have an account already? ", make("a", { href: `/login?next=${encodeURIComponent(location.pathname)}` }, "Log in to join with it"), ".") : "");
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    error.hidden = false;
    if (password.value !== again.value) return void (error.textContent = "The two passwords differ.");
    try {
      await post(`/api/welcome/${encodeURIComponent(token)}`, { name: name.value.trim(), password: password.value });
      const { projects } = await get("/api/projects");
      location.assign(projects.length === 1 ? `/projects/${projects[0].id}` : "/");
    } catch (problem) {
      error.textContent = problem instanceof Error ? problem.message : String(problem);
    }
    return undefined;
  });
  $("main").replaceChildren(joining, form);
  document.title = "Welcome · coindex";
  if (!joining) name.focus();
});
