// @ts-check
// A way on when a document is done: the next one, or back to the project.

import { post } from "../api.js";
import { $, confirm, make } from "./dom.js";

/** @typedef {import("../live.js").Live} Live */

const WHY = "coindex:why-nothing";

/** Where to go on: the next document; where there is none, the project, which says why. @param {number} project @param {any} found what the queue answered */
export function wayOn(project, found) {
  if (found.sheet) return `/sheets/${found.sheet}`;
  sessionStorage.setItem(WHY, found.message ?? (found.reason === "nothing left" ? "" : found.reason));
  return `/projects/${project}?finished`;
}

/** Why there was no next document, once; empty if all are done. @returns {string} */
export function whyNothing() {
  const why = sessionStorage.getItem(WHY) ?? "";
  sessionStorage.removeItem(WHY);
  return why;
}

/** Go to the next document, or to the project. @param {Live} live */
export async function goOn(live) {
  await live.outbox.flush();
  const project = live.assignment.project.id;
  if (live.assignment.purpose === "adjudicate") return location.assign(`/projects/${project}/adjudicate`);
  return location.assign(wayOn(project, await post(`/api/projects/${project}/next`)));
}

/** Offer the next document; every page continues to send the outbox. @param {Live} live */
export async function offerNext(live) {
  if (live.assignment.purpose !== "adjudicate" && !(await confirm("Done. Continue with the next document?", "Next document"))) return;
  await goOn(live);
}

/** Say that a document is done, with the way on. @param {Live} live @param {boolean} done */
export function showFinished(live, done) {
  $("banner").querySelector(".finished")?.remove();
  if (!done || !live.assignment.mine || live.assignment.purpose === "practice") return;
  const { project, purpose } = live.assignment;
  const adjudicated = purpose === "adjudicate";
  $("banner").append(make("div", { class: "why finished" }, make("span", null, make("b", null, "This document is done. "), "You can still correct it; “Reopen” takes back that it is finished."),
    make("button", { class: "button push", type: "button", onclick: () => void goOn(live) }, adjudicated ? "All documents to adjudicate" : "Continue with the next"),
    make("a", { class: "button", href: `/projects/${project.id}` }, "Back to the project")));
}
