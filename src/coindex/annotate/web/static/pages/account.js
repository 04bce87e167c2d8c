// @ts-check
import { $, attempt, crumbs, get, make, post, start, table } from "./common.js";
import { call } from "../api.js";
import { when } from "../ui/dom.js";

/** @param {any} me */
function leaderboardName(me) {
  const place = make("section"), name = make("input", { type: "text", maxlength: "64", placeholder: "not shown" });
  name.value = me.shown_name ?? "";
  const status = make("span", { class: "good", role: "status" });
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "Name on leaderboards (empty: you do not appear)", name), make("button", { class: "button" }, "Save"), status);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      await call("PATCH", "/api/me", { shown_name: name.value.trim() || null });
      status.textContent = "Saved.";
    });
  });
  place.append(make("h2", null, "Leaderboard"), form);
  return place;
}

/** @param {any} me */
function password(me) {
  const place = make("section"), old = make("input", { type: "password", autocomplete: "current-password", required: true }), fresh = make("input", { type: "password", autocomplete: "new-password", minlength: "10", required: true });
  const status = make("span", { class: "good", role: "status" });
  const form = make("form", { class: "line" }, make("input", { type: "text", autocomplete: "username", value: me.name, readonly: true, hidden: true }), make("label", { class: "field" }, "Password", old), make("label", { class: "field" }, "New password", fresh), make("button", { class: "button" }, "Change"), status);
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      await post("/api/me/password", { old: old.value, new: fresh.value });
      form.reset();
      status.textContent = "Changed; all your other sessions and all your tokens have ended.";
    });
  });
  place.append(make("h2", null, "Password"), form);
  return place;
}

async function tokens() {
  const place = make("section"), list = make("div"), made = make("p", { role: "status" });
  const name = make("input", { type: "text", required: true, maxlength: "64", placeholder: "export script" });
  const draw = async () => list.replaceChildren(table(["Name", "Created", "Expires", ""], (await get("/api/me/tokens")).tokens.map((/** @type {any} */ one) => [one.name, when(one.created), when(one.expires), make("button", { class: "button danger", type: "button", onclick: () => void attempt(place, async () => {
    await call("DELETE", `/api/me/tokens/${one.id}`);
    await draw();
  }) }, "Revoke")]), "None."));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "What for", name), make("button", { class: "button" }, "Create a token"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const { token } = await post("/api/me/tokens", { name: name.value.trim() });
      made.replaceChildren("Copy it now; it will not be shown again: ", make("code", null, token));
      await draw();
    });
  });
  await draw();
  place.append(make("h2", null, "Tokens for programs"), make("p", { class: "quiet" }, "For the HTTP API, described at ", make("a", { href: "/api/openapi.json" }, "/api/openapi.json"), "."), list, form, made);
  return place;
}

void start(async () => {
  const { user: me } = await get("/api/me");
  crumbs([["Projects", "/"], [me.name, null]]);
  $("main").replaceChildren(leaderboardName(me), password(me), await tokens());
});
