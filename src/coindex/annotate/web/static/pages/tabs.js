// @ts-check
// The tabs of a project: one page each, those that a person's role allows.

import { make } from "../ui/dom.js";

const LEVELS = ["annotator", "adjudicator", "manager", "administrator"];
const TABS = /** @type {[string, string, number][]} */ ([
  ["", "Overview", 0], ["documents", "Documents", 2], ["people", "People", 2], ["queue", "Queue", 2], ["adjudicate", "Adjudicate", 1],
  ["quality", "Quality", 2], ["dashboard", "Dashboard", 2], ["export", "Export", 2], ["settings", "Settings", 2]]);

/** What a project's texts are called. @param {any} project @returns {[string, string]} one, several */
export const nouns = (project) => (project.kind === "problem" ? ["item", "items"] : ["document", "documents"]);

/** @param {string} text */
export const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** @param {any} project @param {string} current the last part of the page's path */
export function tabs(project, current) {
  const level = LEVELS.indexOf(project.role ?? "administrator");
  const shown = TABS.filter(([path, , least]) => level >= least && !(path === "adjudicate" && project.kind === "problem"));
  if (shown.length < 2) return make("nav", { hidden: true });
  return make("nav", { class: "tabs", "aria-label": "Pages of this project" }, shown.map(([path, name]) => make("a", {
    href: `/projects/${project.id}${path && `/${path}`}`, "aria-current": path === current ? "page" : null }, path === "documents" ? capital(nouns(project)[1]) : name)));
}

/** What a project that is not active says. @param {any} project */
export const stateNote = (project) => (project.state === "archived" ? make("p", { class: "warn" }, "This project is archived: nobody gets documents of it. Its managers can restore it under Settings.") : "");
