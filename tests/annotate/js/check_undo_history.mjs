// Undo of an assignment with more events than are sent at once: to the first of them, and back.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { Session } = await load("session");
const { fetchChanges, fetchNewer, isComplete } = await load("undo_history");

// a server with the log of a session, which tells no more than a page
const KEPT = 50, COUNT = 260, log = [];
const author = new Session({ state: {}, revision: 0 });
const key = ({ on, id }) => (id ? `${on}/${id}` : on);
const store = (events, from) => {
  const results = [];
  for (const event of events) {
    const { changes } = from.pending.find((one) => one.event.id === event.id);
    const told = changes.map((change) => ({ key: key(change), before: change.before, after: change.after }));
    log.push({ id: event.id, revision: log.length + 1, kind: event.kind, payload: event.payload, changes: told });
    results.push({ id: event.id, status: "stored", revision: log.length, changes: told });
  }
  assert.equal(from.acknowledge(results), true);
};
const act = (number) => ({ kind: "document.note", payload: { text: `note ${number}` } });
for (let n = 0; n < COUNT; n += 1) {
  const drafts = n === 205 ? [act("two of one"), act("action")] : [act(n)]; // one that is cut by the page below
  store(author.perform(drafts).events, author);
}
let asked = 0;
const fetch = async (after, limit) => {
  asked += 1;
  return { revision: log.length, events: log.slice(after, after + limit) };
};
const stacks = () => {
  const again = new Session({ state: {}, revision: 0 });
  again.catchUp(log);
  return { undo: again.done, redo: again.undone };
};
const assignment = () => {
  const { undo, redo } = stacks();
  return { state: author.state.json(), revision: log.length, undo: undo.slice(-KEPT), redo: redo.slice(-KEPT), undo_left: Math.max(0, undo.length - KEPT), redo_left: Math.max(0, redo.length - KEPT) };
};

const page = new Session(assignment());
assert.equal(page.left.undo, COUNT + 1 - KEPT);
const go = async (kind) => {
  if (!isComplete(page, kind)) assert.equal(page.replaceStacks(assignment()), true);
  const steps = page.steps(kind);
  if (!steps.length) return false;
  assert.equal(await fetchChanges(page, fetch, steps, 20), true, "what is undone is always foreseen");
  const { events } = page.perform(steps);
  store(events, page);
  return true;
};
// the newest first: what was done last costs one page
const fresh = new Session(assignment());
asked = 0;
await fetchChanges(fresh, fetch, fresh.steps("undo"), 20);
assert.equal(asked, 1);
let back = 0;
while (await go("undo")) back += 1;
assert.equal(back, COUNT, "all of it, the two events of one action together");
assert.equal(page.state.about.note, "");
let forth = 0;
while (await go("redo")) forth += 1;
assert.equal(forth, COUNT);
assert.equal(page.state.about.note, `note ${COUNT - 1}`);
// of another moment: not taken
const late = new Session({ ...assignment(), revision: log.length - 1 });
assert.equal(late.replaceStacks(assignment()), false);
// catching up goes on to the end
const behind = new Session({ state: {}, revision: 0 });
let pages = 0;
await fetchNewer(behind, fetch, (events) => {
  pages += 1;
  behind.catchUp(events);
}, 100);
assert.equal(behind.revision, log.length);
assert.equal(pages, Math.ceil(log.length / 100));
assert.equal(behind.state.about.note, page.state.about.note);
console.log("ok");
