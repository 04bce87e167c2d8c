// @ts-check
// A way on when a document is done: the next one, or back to the project.

import { post } from "../api.js";
import { $, confirm, make } from "./dom.js";

/** @typedef {import("../live.js").Live} Live */

/** Go to the next document; where none is left, to the project, which says so. @param {Live} live */
export async function goOn(live) {
  await live.outbox.flush();
  const project = live.assignment.project.id;
  if (live.assignment.purpose === "adjudicate") return location.assign(`/projects/${project}/adjudicate`);
  const found = await post(`/api/projects/${project}/next`);
  return location.assign(found.sheet ? `/sheets/${found.sheet}` : `/projects/${project}?finished`);
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
  $("banner").append(make("div", { class: "why finished" }, make("span", null, make("b", null, "This document is done. "), "“Reopen” lets you work on it again."),
    make("button", { class: "button push", type: "button", onclick: () => void goOn(live) }, adjudicated ? "All documents to adjudicate" : "Continue with the next"),
    make("a", { class: "button", href: `/projects/${project.id}` }, "Back to the project")));
}
