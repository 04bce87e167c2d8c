// @ts-check
// What an action did, in a few words, told from the records before and after it.

import { same } from "./model.js";

/** @typedef {import("./model.js").Change} Change */

/** @param {any} one @param {any} other */
const differs = (one, other) => !same(one, other);

const DECIDED = /** @type {Record<string, string>} */ ({ open: "opened again", accepted: "accepted", rejected: "dismissed" });

/** What happened to a mention. @param {any} before @param {any} after @returns {string} */
function mentionWords(before, after) {
  if (!before) return "marked";
  if (!after) return "removed";
  if (differs(before.spans, after.spans)) return "given other borders";
  if (before.groups.length < after.groups.length) return "added to a group";
  if (before.groups.length > after.groups.length) return "taken out of a group";
  if (differs(before.groups, after.groups)) return "moved to another group";
  if (before.unsure !== after.unsure) return after.unsure ? "flagged" : "no longer flagged";
  return "commented";
}

/** @param {string} folder @param {any} before @param {any} after @returns {string} */
function otherWords(folder, before, after) {
  if (folder === "groups") return !before ? "a group made" : !after ? "a group removed" : "a group renamed";
  if (folder === "suggestions") return `a suggestion ${DECIDED[after?.state] ?? "removed"}`;
  if (folder === "decisions") return "a decision";
  if (before?.done !== after?.done) return after?.done ? "marked as done" : "reopened";
  if (differs(before?.answer, after?.answer)) return "an answer";
  return differs(before?.note, after?.note) ? "a comment on the document" : "a flag of the document";
}

/**
 * What changes say: of mentions if there are any, else of groups, suggestions, or the document.
 * @param {readonly Change[]} changes @param {(spans: any) => string} words @returns {string}
 */
export function changeWords(changes, words) {
  const mentions = changes.filter(({ on }) => on === "mentions");
  if (!mentions.length) {
    const [first] = changes;
    return first ? otherWords(first.on, first.before, first.after) : "";
  }
  const said = mentionWords(mentions[0].before, mentions[0].after);
  if (mentions.length > 1) return `${mentions.length} mentions ${said}`;
  const record = /** @type {any} */ (mentions[0].after ?? mentions[0].before);
  return `“${words(record.spans)}” ${said}`;
}
