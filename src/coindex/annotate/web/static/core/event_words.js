// @ts-check
// What an event does, in words.

const WORDS = /** @type {Record<string, string>} */ ({
  "mention.add": "marking", "mention.remove": "removing", "mention.move": "moving to another group", "mention.also": "adding to a further group", "mention.leave": "taking out of a group",
  "mention.resize": "changing the borders", "mention.note": "a comment", "mention.flag": "flagging as unsure", "group.add": "a new group", "group.rename": "naming a group", "group.remove": "removing a group",
  "group.merge": "merging two groups", "group.split": "dividing a group", "suggestion.accept": "accepting a suggestion", "suggestion.reject": "dismissing a suggestion",
  "document.note": "a comment on the document", "document.flag": "flagging the document", "document.done": "marking the document as done", answer: "an answer", decide: "a decision", undo: "undoing", redo: "doing again" });

/** @param {string} kind */
export const eventWords = (kind) => WORDS[kind] ?? "a change";
export const EVENT_KINDS = Object.keys(WORDS);
