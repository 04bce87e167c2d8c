// @ts-check
// What each kind of event does to a state, told before the server has answered.
//
// The same rules as the server's projection: an event gives a list of changes or is
// refused with a reason; nothing is changed here. The server's own list, which comes back
// with its answer, has the last word.

import { inverse, same, without } from "./model.js";

/** @typedef {import("./model.js").Change} Change */
/** @typedef {import("./model.js").Mention} Mention */
/** @typedef {import("./model.js").Span} Span */
/** @typedef {import("./model.js").State} State */
/** @typedef {{kind: string, payload: any}} EventDraft */
/** @typedef {(id: string) => readonly Change[] | undefined} Lookup  the changes of an event of the log */

export class Refused extends Error {}

/** @param {string} reason @returns {never} */
function refuse(reason) {
  throw new Refused(reason);
}

/** @param {State} state @param {string} id @returns {Mention} */
const mentionOf = (state, id) => state.mentions.get(id) ?? refuse("this mention is gone");

/** @param {State} state @param {string} id */
const groupOf = (state, id) => state.groups.get(id) ?? refuse("this group is gone");

/** @param {Mention} mention @param {Partial<Mention>} fields @returns {Change} */
function edit(mention, fields) {
  const before = without(mention);
  return { on: "mentions", id: mention.id, before, after: { ...before, ...fields } };
}

/** The lowest place that no group has. @param {State} state */
export function freeOrder(state) {
  const taken = new Set([...state.groups.values()].map((group) => group.order));
  let order = 0;
  while (taken.has(order)) order += 1;
  return order;
}

/** The group that an event names or makes. @param {State} state @param {any} payload @returns {Change[]} */
function made(state, payload) {
  if (!payload.new_group) {
    groupOf(state, payload.group);
    return [];
  }
  const { id, name } = payload.new_group;
  if (state.groups.has(id)) refuse("this group exists already");
  return [{ on: "groups", id, before: null, after: { name: name ?? "", order: freeOrder(state), kind: null, attrs: [] } }];
}

/** No two mentions have the same spans. @param {State} state @param {Span[]} spans @param {string} [but] */
function unused(state, spans, but) {
  const other = state.at(spans);
  if (other && other.id !== but) refuse("these words are a mention already");
}

/** @param {Span[]} spans @param {string} group */
const fresh = (spans, group) => ({ spans, groups: [group], note: "", unsure: false, kind: null, head: null, attrs: [] });

/** A suggestion nobody has decided on. @param {State} state @param {string} id */
function open(state, id) {
  const found = state.suggestions.get(id) ?? refuse("this suggestion is gone");
  return found.state === "open" ? found : refuse(`this suggestion was ${found.state} already`);
}

/** @type {Record<string, (state: State, payload: any) => Change[]>} */
const EFFECTS = {
  "mention.add": (state, payload) => {
    const { mention, spans, group } = payload;
    if (state.mentions.has(mention)) refuse("this mention exists already");
    const changes = made(state, payload);
    unused(state, spans);
    return [...changes, { on: "mentions", id: mention, before: null, after: fresh(spans, group) }];
  },
  "mention.remove": (state, { mentions }) => mentions.map((/** @type {string} */ id) => (
    { on: "mentions", id, before: without(mentionOf(state, id)), after: null })),
  "mention.move": (state, payload) => {
    const changes = made(state, payload);
    for (const id of payload.mentions) {
      const mention = mentionOf(state, id);
      changes.push(edit(mention, { groups: [payload.group] }));
    }
    return changes;
  },
  "mention.also": (state, payload) => {
    const changes = made(state, payload);
    for (const id of payload.mentions) {
      const mention = mentionOf(state, id);
      changes.push(edit(mention, { groups: [...new Set([...mention.groups, payload.group])] }));
    }
    return changes;
  },
  "mention.leave": (state, { mentions, group }) => mentions.map((/** @type {string} */ id) => {
    const mention = mentionOf(state, id);
    const groups = mention.groups.filter((one) => one !== group);
    if (!groups.length) refuse("this is its only group");
    if (groups.length === mention.groups.length) refuse("it is not in this group");
    return edit(mention, { groups });
  }),
  "mention.resize": (state, { mention, spans }) => {
    const found = mentionOf(state, mention);
    unused(state, spans, mention);
    const inside = found.head !== null && spans.some((/** @type {Span} */ [start, end]) => start <= Number(found.head) && Number(found.head) < end);
    return [edit(found, { spans, head: inside ? found.head : null })];
  },
  "mention.note": (state, { mention, text }) => [edit(mentionOf(state, mention), { note: text })],
  "mention.flag": (state, { mention, unsure }) => [edit(mentionOf(state, mention), { unsure })],
  "group.add": (state, { group, name }) => made(state, { group, new_group: { id: group, name } }),
  "group.rename": (state, { group, name }) => {
    const before = without(groupOf(state, group));
    return [{ on: "groups", id: group, before, after: { ...before, name } }];
  },
  "group.remove": (state, { group }) => {
    const before = without(groupOf(state, group));
    if (state.members.get(group)?.size) refuse("this group has mentions");
    return [{ on: "groups", id: group, before, after: null }];
  },
  "group.merge": (state, { from, into }) => {
    groupOf(state, into);
    if (from.includes(into)) refuse("a group cannot be merged with itself");
    /** @type {Set<string>} */ const moved = new Set(from.flatMap((/** @type {string} */ id) => [...(state.members.get(id) ?? [])]));
    const changes = [...moved].map((id) => {
      const mention = mentionOf(state, id);
      const groups = [...new Set(mention.groups.map((one) => (from.includes(one) ? into : one)))];
      return edit(mention, { groups });
    });
    for (const id of from) changes.push({ on: "groups", id, before: without(groupOf(state, id)), after: null });
    return changes;
  },
  "group.split": (state, payload) => {
    const changes = made(state, payload);
    for (const id of payload.mentions) {
      const mention = mentionOf(state, id);
      if (!mention.groups.includes(payload.from)) refuse("it is not in this group");
      const groups = mention.groups.map((one) => (one === payload.from ? payload.new_group.id : one));
      changes.push(edit(mention, { groups }));
    }
    return changes;
  },
  "suggestion.accept": (state, payload) => {
    const found = open(state, payload.suggestion), before = without(found);
    /** @type {Change[]} */
    const changes = [...made(state, payload), { on: "suggestions", id: found.id, before, after: { ...before, state: "accepted" } }];
    const there = state.at(found.spans);
    if (there) changes.push(edit(there, { groups: [...new Set([...there.groups, payload.group])] }));
    else changes.push({ on: "mentions", id: payload.mention, before: null, after: fresh(found.spans, payload.group) });
    return changes;
  },
  "suggestion.reject": (state, { suggestion }) => {
    const before = without(open(state, suggestion));
    return [{ on: "suggestions", id: suggestion, before, after: { ...before, state: "rejected" } }];
  },
  "document.note": (state, { text }) => about(state, { note: text }),
  "document.flag": (state, { unsure }) => about(state, { unsure }),
  "document.done": (state, { done }) => about(state, { done }),
  answer: (state, { choice }) => about(state, { answer: choice === null ? null : { choice, meant: null }, done: choice !== null }),
  decide: (state, { disagreement, choice, note }) => [{
    on: "decisions", id: disagreement, before: state.decisions.get(disagreement) ?? null, after: { choice, note: note ?? "" } }],
};

/** @param {State} state @param {object} fields @returns {Change[]} */
const about = (state, fields) => [{ on: "document", id: "", before: state.about, after: { ...state.about, ...fields } }];

/** The records as they are now. @param {State} state @param {Change} change */
function present(state, { on, id }) {
  if (on === "document") return state.about;
  const found = /** @type {Map<string, any>} */ (state[on]).get(id);
  return found ? without(found) : null;
}

/**
 * What an event would change. Throws `Refused` where it cannot be done.
 * @param {State} state @param {EventDraft} event @param {Lookup} changesOf @returns {Change[]}
 */
export function effects(state, event, changesOf) {
  if (event.kind === "undo" || event.kind === "redo") {
    const past = changesOf(event.payload.event) ?? refuse("this step is not known here");
    const changes = event.kind === "undo" ? inverse(past) : [...past];
    for (const change of changes) {
      if (!same(present(state, change), change.before)) refuse("something else has changed it since");
    }
    return changes;
  }
  const effect = EFFECTS[event.kind] ?? refuse(`unknown kind of event: ${event.kind}`);
  return effect(state, event.payload).filter((change) => !same(change.before, change.after));
}
