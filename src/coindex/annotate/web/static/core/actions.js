// @ts-check
// What an annotator does, as the events that say so; nothing is changed here.
//
// Each gives the events of one action, the mentions to have chosen afterwards and the
// group that was meant. What makes no sense is refused with a reason for the status line.

import { Refused } from "./effects.js";
import { reach, same } from "./model.js";

/** @typedef {import("./effects.js").EventDraft} EventDraft */
/** @typedef {import("./model.js").Mention} Mention */
/** @typedef {import("./model.js").Span} Span */
/** @typedef {import("./model.js").State} State */
/** @typedef {{drafts: EventDraft[], label: string, mentions?: string[], group?: string}} Action */
/** @typedef {() => string} NewId */

/** @param {string} reason @returns {never} */
function refuse(reason) {
  throw new Refused(reason);
}

/** The part of a payload that names a group, or makes a new one. @param {string | null} group @param {NewId} newId */
function target(group, newId) {
  if (group !== null) return { group };
  const id = newId();
  return { group: id, new_group: { id, name: "" } };
}

/** @param {State} state @param {readonly string[]} ids @returns {Mention[]} */
function known(state, ids) {
  const found = ids.flatMap((id) => state.mentions.get(id) ?? []);
  return found.length ? found : refuse("no mention is chosen");
}

/**
 * Mark words as a mention of a group, of a new one if `group` is null. Words that are
 * exactly a mention already are moved instead.
 * @param {State} state @param {Span[]} spans @param {string | null} group @param {NewId} newId @returns {Action}
 */
export function mark(state, spans, group, newId) {
  const there = state.at(spans);
  if (there) return move(state, [there.id], group, newId);
  const mention = newId(), where = target(group, newId);
  return { label: "marked", mentions: [mention], group: where.group,
    drafts: [{ kind: "mention.add", payload: { mention, spans, ...where } }] };
}

/**
 * Move mentions to a group, or together to a new one, out of all groups they were in.
 * @param {State} state @param {readonly string[]} ids @param {string | null} group @param {NewId} newId @returns {Action}
 */
export function move(state, ids, group, newId) {
  const mentions = known(state, ids);
  if (group === null && whole(state, mentions)) refuse("already a group of its own");
  const moving = mentions.filter((mention) => group === null || !same(mention.groups, [group]));
  if (!moving.length) refuse("already in this group");
  const where = target(group, newId);
  return { label: "moved", mentions: mentions.map((one) => one.id), group: where.group,
    drafts: [{ kind: "mention.move", payload: { mentions: moving.map((one) => one.id), ...where } }] };
}

/** Whether these mentions are already exactly one group. @param {State} state @param {Mention[]} mentions */
function whole(state, mentions) {
  const [group] = mentions[0].groups;
  return state.members.get(group)?.size === mentions.length && mentions.every((one) => same(one.groups, [group]));
}

/**
 * Put mentions in a further group (plural antecedents); if all are in it, take them out again.
 * @param {State} state @param {readonly string[]} ids @param {string | null} group @param {NewId} newId @returns {Action}
 */
export function also(state, ids, group, newId) {
  const mentions = known(state, ids), all = mentions.map((one) => one.id);
  if (group !== null && mentions.every((one) => one.groups.includes(group))) {
    if (mentions.some((one) => one.groups.length === 1)) refuse("this is its only group");
    return { label: "taken out", mentions: all, group, drafts: [{ kind: "mention.leave", payload: { mentions: all, group } }] };
  }
  const where = target(group, newId);
  return { label: "added", mentions: all, group: where.group,
    drafts: [{ kind: "mention.also", payload: { mentions: all, ...where } }] };
}

/** @param {State} state @param {readonly string[]} ids @returns {Action} */
export function remove(state, ids) {
  const mentions = known(state, ids);
  return { label: "removed", drafts: [{ kind: "mention.remove", payload: { mentions: mentions.map((one) => one.id) } }] };
}

/** Remove a group; mentions that are in no other go with it. @param {State} state @param {string} group @returns {Action} */
export function removeGroup(state, group) {
  const chain = state.chain(group);
  const plural = chain.filter((one) => one.groups.length > 1).map((one) => one.id);
  const single = chain.filter((one) => one.groups.length === 1).map((one) => one.id);
  /** @type {EventDraft[]} */ const drafts = [];
  if (plural.length) drafts.push({ kind: "mention.leave", payload: { mentions: plural, group } });
  if (single.length) drafts.push({ kind: "mention.remove", payload: { mentions: single } });
  return { label: "removed the group", drafts: [...drafts, { kind: "group.remove", payload: { group } }] };
}

/**
 * Move a border of a mention; it keeps its group, its note and its identity.
 * @param {State} state @param {string} id @param {"start" | "end"} edge @param {number} by @param {number} tokens of the document
 * @returns {Action}
 */
export function resize(state, id, edge, by, tokens) {
  const [mention] = known(state, [id]);
  const spans = mention.spans.map(([start, end]) => /** @type {Span} */ ([start, end]));
  const at = edge === "start" ? 0 : spans.length - 1;
  spans[at][edge === "start" ? 0 : 1] += by;
  if (spans[at][0] < 0 || spans[at][1] > tokens) refuse("the text ends here");
  if (spans[at][0] >= spans[at][1]) refuse("a mention needs a word");
  return respan(state, id, spans);
}

/** @param {State} state @param {string} id @param {Span[]} spans @returns {Action} */
export function respan(state, id, spans) {
  const [mention] = known(state, [id]);
  if (same(spans, mention.spans)) refuse("these are its borders");
  if (state.at(spans)) refuse("these words are a mention already");
  return { label: "borders changed", mentions: [id], drafts: [{ kind: "mention.resize", payload: { mention: id, spans } }] };
}

/** Put all mentions of a group into another, which stays. @param {State} state @param {string} from @param {string} into @returns {Action} */
export function merge(state, from, into) {
  if (from === into) refuse("choose another group to merge with");
  const gone = state.groups.get(from), kept = state.groups.get(into);
  /** @type {EventDraft[]} */ const drafts = [{ kind: "group.merge", payload: { from: [from], into } }];
  if (gone?.name && !kept?.name) drafts.push({ kind: "group.rename", payload: { group: into, name: gone.name } });
  return { label: "merged", group: into, drafts };
}

/** @param {State} state @param {string} group @param {string} name @returns {Action} */
export function rename(state, group, name) {
  if (state.groups.get(group)?.name === name) refuse("it has this name already");
  return { label: "renamed", group, drafts: [{ kind: "group.rename", payload: { group, name } }] };
}

/** @param {State} state @param {string} id @param {string} text @returns {Action} */
export function note(state, id, text) {
  if (known(state, [id])[0].note === text) refuse("nothing to change");
  return { label: "noted", mentions: [id], drafts: [{ kind: "mention.note", payload: { mention: id, text } }] };
}

/** Flag mentions as unsure, or take the flag off if all have it. @param {State} state @param {readonly string[]} ids @returns {Action} */
export function flag(state, ids) {
  const mentions = known(state, ids);
  const unsure = !mentions.every((one) => one.unsure);
  const drafts = mentions.filter((one) => one.unsure !== unsure)
    .map((one) => ({ kind: "mention.flag", payload: { mention: one.id, unsure } }));
  return { label: unsure ? "flagged as unsure" : "no longer unsure", mentions: mentions.map((one) => one.id), drafts };
}

/**
 * The group that a suggestion belongs to here: that of a mention which another suggestion
 * of the same chain became, or whose words it has; null if there is none yet.
 * @param {State} state @param {import("./model.js").Suggestion} one @returns {string | null}
 */
export function groupFor(state, one) {
  for (const id of state.suggested.chain(one).ids) {
    const other = state.suggestions.get(id);
    const found = other && other.state !== "rejected" ? state.at(other.spans) : null;
    if (found) return found.groups[0];
  }
  return null;
}

/**
 * Accept suggestions of one chain; they share a group.
 * @param {State} state @param {readonly string[]} ids @param {string | null} group null: where the chain is, or a new one
 * @param {NewId} newId @param {boolean} [apart] a new group in any case @returns {Action}
 */
export function accept(state, ids, group, newId, apart = false) {
  const open = ids.flatMap((id) => state.suggestions.get(id) ?? []).filter((one) => one.state === "open");
  if (!open.length) refuse("there is no suggestion here");
  const into = group ?? (apart ? null : groupFor(state, open[0]));
  const where = target(into, newId);
  const made = open.map(() => newId());
  const drafts = open.map((one, at) => ({ kind: "suggestion.accept",
    payload: { suggestion: one.id, mention: made[at], ...(at ? { group: where.group } : where) } }));
  return { label: "accepted", mentions: made, group: where.group, drafts };
}

/**
 * Accept suggestions of any chains; those of one chain share a group.
 * @param {State} state @param {readonly string[]} ids @param {NewId} newId @returns {Action}
 */
export function acceptAll(state, ids, newId) {
  /** @type {Map<number, string[]>} */ const chains = new Map();
  for (const id of ids) {
    const one = state.suggestions.get(id);
    if (one) chains.set(state.suggested.chain(one).number, [...(chains.get(state.suggested.chain(one).number) ?? []), id]);
  }
  if (!chains.size) refuse("there is no suggestion here");
  const all = [...chains.values()].map((some) => accept(state, some, null, newId));
  return { label: "accepted", mentions: all.flatMap((one) => one.mentions ?? []), drafts: all.flatMap((one) => one.drafts) };
}

/** @param {State} state @param {readonly string[]} ids @returns {Action} */
export function dismiss(state, ids) {
  const open = ids.filter((id) => state.suggestions.get(id)?.state === "open");
  if (!open.length) refuse("there is no suggestion here");
  return { label: "dismissed", drafts: open.map((id) => ({ kind: "suggestion.reject", payload: { suggestion: id } })) };
}

/** The next mention around or inside, in the order of nesting at a token. @param {State} state @param {string} id @param {1 | -1} step */
export function nested(state, id, step) {
  const mention = state.mentions.get(id);
  if (!mention) return null;
  const [start, end] = reach(mention);
  const ring = state.within(start, end).filter((one) => {
    const [from, to] = reach(one);
    return one.id === id || (from <= start && to >= end) || (from >= start && to <= end);
  });
  ring.sort((a, b) => (reach(a)[1] - reach(a)[0]) - (reach(b)[1] - reach(b)[0]) || reach(a)[0] - reach(b)[0]);
  const at = ring.findIndex((one) => one.id === id);
  return ring.length > 1 ? ring[(at + step + ring.length) % ring.length] : null;
}
