// @ts-check
// Undo and redo of what happened before this page was opened, however long ago.
//
// The server tells the last thousand steps with a sheet, and events in pages. What a step
// changed is fetched when it is needed, the newest events first; more steps are fetched when
// those that were told are used up.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Logged} Logged */
/** @typedef {(after: number, limit: number) => Promise<{revision: number, events: Logged[]}>} Fetch */

export const PAGE = 1000; // events

/**
 * Learn what these steps changed. @param {Session} session @param {Fetch} fetch @param {readonly import("./effects.js").Doing[]} steps
 * @returns {Promise<boolean>} whether all are known now
 */
export async function learn(session, fetch, steps, page = PAGE) {
  for (let end = session.revision; end > 0 && !session.foreseen(steps); end -= page) {
    const after = Math.max(0, end - page);
    session.recall((await fetch(after, end - after)).events);
  }
  return session.foreseen(steps);
}

/**
 * The steps of the last action, where its events are cut off by the end of what was told: none, and more must be asked for.
 * @param {Session} session @param {"undo" | "redo"} kind
 */
export function whole(session, kind) {
  const stack = kind === "undo" ? session.done : session.undone;
  return !session.left[kind] || session.steps(kind).length < stack.length;
}

/** Everything that other tabs have stored since, page by page. @param {Session} session @param {Fetch} fetch @param {(events: Logged[]) => void} take */
export async function since(session, fetch, take, page = PAGE) {
  for (;;) {
    const before = session.revision;
    const { revision, events } = await fetch(before, page);
    if (events.length) take(events);
    if (session.revision >= revision || session.revision === before) return;
  }
}
