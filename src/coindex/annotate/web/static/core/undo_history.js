// @ts-check
// Undo and redo of events from before this page was opened, however long ago.
//
// The server sends the last thousand steps with an assignment, and events in pages. The changes
// of a step are fetched when they are needed, the newest events first; more steps are fetched
// when all known ones are used up.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").LoggedEvent} LoggedEvent */
/** @typedef {(after: number, limit: number) => Promise<{revision: number, events: LoggedEvent[]}>} Fetch */

export const PAGE = 1000; // events

/**
 * Fetch the changes of these steps. @param {Session} session @param {Fetch} fetch @param {readonly import("./effects.js").EventDraft[]} steps
 * @returns {Promise<boolean>} whether all are known now
 */
export async function fetchChanges(session, fetch, steps, page = PAGE) {
  for (let end = session.revision; end > 0 && !session.isKnown(steps); end -= page) {
    const after = Math.max(0, end - page);
    session.recall((await fetch(after, end - after)).events);
  }
  return session.isKnown(steps);
}

/**
 * Whether all events of the last action are known; if not, more must be fetched.
 * @param {Session} session @param {"undo" | "redo"} kind
 */
export function isComplete(session, kind) {
  const stack = kind === "undo" ? session.done : session.undone;
  return !session.left[kind] || session.steps(kind).length < stack.length;
}

/** Fetch what other tabs have stored since, page by page. @param {Session} session @param {Fetch} fetch @param {(events: LoggedEvent[]) => void} take */
export async function fetchNewer(session, fetch, take, page = PAGE) {
  for (;;) {
    const before = session.revision;
    const { revision, events } = await fetch(before, page);
    if (events.length) take(events);
    if (session.revision >= revision || session.revision === before) return;
  }
}
