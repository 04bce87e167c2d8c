// @ts-check
// Elements without markup: text is only ever put in as text.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * @param {string} tag @param {Record<string, any> | null} [attributes] `class`, `on...` handlers, attributes; false and null leave one out
 * @param {...(Child | Child[])} children @returns {any}
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child || child === "") element.append(child);
  return element;
}

/** @param {string} id @returns {any} */
export const $ = (id) => document.getElementById(id);

/** @param {string} name */
export const meta = (name) => /** @type {HTMLMetaElement | null} */ (document.querySelector(`meta[name="${name}"]`))?.content ?? "";

/** `1 mention`, `2,000 mentions`. @param {number} number @param {string} one @param {string} [many] */
export const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** @param {number} seconds */
export function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of the server, in this place's own way. @param {number | string | null | undefined} time ms, or ISO */
export function when(time) {
  if (time === null || time === undefined || time === "") return "–";
  return new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/**
 * Ask for a line or lines of text in a dialog; null when given up.
 * @param {{title: string, label: string, value?: string, rows?: number, most?: number, save?: string}} options  `save`: what the button says
 * @returns {Promise<string | null>}
 */
export function ask({ title, label, value = "", rows = 1, most = 2000, save = "Save" }) {
  return new Promise((resolve) => {
    const field = rows > 1 ? make("textarea", { rows: String(rows), maxlength: most }) : make("input", { type: "text", maxlength: most });
    field.setAttribute("maxlength", String(most));
    field.value = value;
    /** @type {string | null} */ let answer = null;
    const ok = () => {
      answer = field.value.trim();
      resolve(answer); // at once: the event of closing comes later
      dialog.close();
    };
    const dialog = make("dialog", { "aria-label": title },
      make("h2", null, title), make("label", { class: "field" }, label, field),
      make("div", { class: "row end" },
        make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel"),
        make("button", { class: "button main", type: "button", onclick: ok }, save)));
    field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (rows === 1 || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        ok();
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    dialog.addEventListener("cancel", async (/** @type {Event} */ event) => { // Escape: nothing written is lost by it
      if (field.value.trim() === value.trim()) return;
      event.preventDefault();
      if (await confirm("What you have written is not saved. Discard it?", "Discard")) dialog.close();
      else field.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
    field.focus();
    field.select?.();
  });
}

/** @param {string} question @param {string} yes @returns {Promise<boolean>} */
export function confirm(question, yes) {
  return new Promise((resolve) => {
    let sure = false;
    const agree = make("button", { class: "button main", type: "button", onclick: () => { sure = true; dialog.close(); } }, yes);
    const dialog = make("dialog", { "aria-label": question }, make("p", null, question),
      make("div", { class: "row end" }, make("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel"), agree));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(sure);
    });
    document.body.append(dialog);
    dialog.showModal();
    agree.focus(); // Enter confirms, Escape does not
  });
}
