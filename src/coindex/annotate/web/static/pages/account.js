// @ts-check
import { $, attempt, crumbs, get, make, post, start, table } from "./common.js";
import { call } from "../api.js";
import { confirm, when } from "../ui/dom.js";

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
  const form = make("form", { class: "line" }, make("input", { type: "text", autocomplete: "username", value: me.name, readonly: true, hidden: true }), make("label", { class: "field" }, "Present password", old), make("label", { class: "field" }, "New password", fresh), make("button", { class: "button" }, "Change"), status);
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

const SCOPES = /** @type {Record<string, string>} */ ({ read: "read", annotate: "read and annotate", all: "all but accounts and passwords" });

/** @param {any} found the secret of a second factor that is off */
function setupSteps(found) {
  const key = make("code", null, found.secret.replace(/(.{4})(?=.)/g, "$1 "));
  return make("div", null,
    make("p", null, "Off. Scan this picture with an authenticator on your phone, or open ", make("a", { href: found.link }, "this link"), " there, or type the key ", key, ". Then enter the code that it shows."),
    make("img", { src: found.image, alt: "QR code of the key", class: "qr" }));
}

/** @param {any} me */
async function secondFactor(me) {
  const place = make("section"), found = await get("/api/me/totp");
  const password = make("input", { type: "password", autocomplete: "current-password", required: true });
  const code = make("input", { type: "text", autocomplete: "one-time-code", inputmode: "numeric", required: true, maxlength: "10" });
  const form = make("form", { class: "line" }, make("input", { type: "text", autocomplete: "username", value: me.name, readonly: true, hidden: true }), make("label", { class: "field" }, "Your password", password),
    found.on ? "" : make("label", { class: "field" }, "Code that it shows", code), make("button", { class: "button" }, found.on ? "Turn it off" : "Turn it on"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      if (found.on) await post("/api/me/totp/off", { password: password.value });
      else await post("/api/me/totp", { password: password.value, secret: found.secret, code: code.value });
      place.replaceWith(await secondFactor(me));
    });
  });
  place.append(make("h2", null, "Second factor"), found.on
    ? make("p", null, "On: logging in also takes the code of your authenticator.")
    : setupSteps(found), form);
  return place;
}

async function tokens() {
  const place = make("section"), list = make("div"), made = make("p", { role: "status" });
  const name = make("input", { type: "text", required: true, maxlength: "64", placeholder: "export script" });
  const scope = make("select", null, Object.entries(SCOPES).map(([value, says]) => make("option", { value }, says)));
  const days = make("input", { type: "number", min: "1", max: "365", value: "90", required: true });
  const draw = async () => list.replaceChildren(table(["Name", "May", "Created", "Expires", ""], (await get("/api/me/tokens")).tokens.map((/** @type {any} */ one) => [one.name, SCOPES[one.scope] ?? one.scope, when(one.created), when(one.expires), make("button", { class: "button danger", type: "button", onclick: () => void attempt(place, async () => {
    await call("DELETE", `/api/me/tokens/${one.id}`);
    await draw();
  }) }, "Revoke")]), "None."));
  const form = make("form", { class: "line" }, make("label", { class: "field" }, "What for", name), make("label", { class: "field" }, "It may", scope), make("label", { class: "field" }, "Days until it expires", days), make("button", { class: "button" }, "Create a token"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      const { token } = await post("/api/me/tokens", { name: name.value.trim(), scope: scope.value, days: Number(days.value) });
      made.replaceChildren("Copy it now; it will not be shown again: ", make("code", null, token));
      await draw();
    });
  });
  await draw();
  place.append(make("h2", null, "Tokens for programs"), make("p", { class: "quiet" }, "For the HTTP API, described at ", make("a", { href: "/api/openapi.json" }, "/api/openapi.json"), "."), list, form, made);
  return place;
}

const LOOK = "coindex.look";

/** Theme and text size of this browser. */
function appearance() {
  /** @type {Record<string, string>} */ let chosen = {};
  try {
    chosen = JSON.parse(localStorage.getItem(LOOK) ?? "{}") ?? {};
  } catch { /* as if nothing had been chosen */ }
  const field = (/** @type {string} */ name, /** @type {string} */ says, /** @type {[string, string][]} */ choices) => {
    const select = make("select", null, choices.map(([value, text]) => make("option", { value, selected: (chosen[name] ?? choices[0][0]) === value }, text)));
    select.addEventListener("change", () => {
      chosen[name] = select.value;
      localStorage.setItem(LOOK, JSON.stringify(chosen));
      dispatchEvent(new Event("coindex-look"));
    });
    return make("label", { class: "field" }, says, select);
  };
  return make("section", null, make("h2", null, "Appearance"), make("p", { class: "quiet" }, "In this browser, at once, on all pages."), make("div", { class: "row" },
    field("theme", "Theme", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]]),
    field("size", "Text size", [["100", "normal"], ["115", "large"], ["130", "larger"], ["150", "largest"]])));
}

/** Everything that is stored about this person, and its end. @param {any} me */
function personalData(me) {
  const place = make("section"), own = make("input", { type: "password", autocomplete: "current-password", required: true });
  const form = make("form", { class: "line" }, make("input", { type: "text", autocomplete: "username", hidden: true, value: me.name }), make("label", { class: "field" }, "Your password", own), make("button", { class: "button danger" }, "Erase my account"));
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    void attempt(place, async () => {
      if (!(await confirm("Erase your account and your name everywhere? You cannot log in again. What you have annotated remains, without your name. This cannot be undone.", "Erase"))) return;
      await post("/api/me/erase", { password: own.value });
      location.assign("/login");
    });
  });
  place.append(make("h2", null, "Your data"), make("p", null, make("a", { class: "button", href: "/api/me/export", download: "" }, "Export all my data")),
    make("p", { class: "quiet" }, "Erasing removes your name, password, settings and memberships. Your annotations belong to their projects and remain, without your name."), form);
  return place;
}

void start(async () => {
  const { user: me } = await get("/api/me");
  crumbs([["Projects", "/"], [me.name, null]]);
  $("main").replaceChildren(appearance(), leaderboardName(me), password(me), await secondFactor(me), await tokens(), personalData(me));
});
