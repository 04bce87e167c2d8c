// The outbox and the session against a server that is slow, forgets to answer, and has other clients.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { Outbox, SendError, removeUnmerged, storeUnmerged, unmergedEvents, queues, sendOrphans } = await load("outbox");
const { Session } = await load("session");
const { Refused } = await load("effects");

class Store {
  constructor() { this.map = new Map(); }
  get length() { return this.map.size; }
  key(at) { return [...this.map.keys()][at] ?? null; }
  getItem(key) { return this.map.get(key) ?? null; }
  setItem(key, value) { this.map.set(key, value); }
  removeItem(key) { this.map.delete(key); }
}

// in order, each once, though every third answer is lost
const store = new Store(), got = [];
let asked = 0;
const send = async (assignment, { events }) => {
  asked += 1;
  const results = events.map((event) => {
    const known = got.includes(event.id);
    if (!known) got.push(event.id);
    return { id: event.id, status: known ? "known" : "stored" };
  });
  if (asked % 3 === 0) throw new SendError("offline", "lost", 1);
  return { revision: got.length, results };
};
const outbox = new Outbox({ store, user: 1, assignment: 7, client: "tab", send });
const told = [];
outbox.onstatus = () => told.push(outbox.status);
const wait = () => new Promise((resolve) => setTimeout(resolve, 2));
for (let n = 0; n < 50; n += 1) {
  outbox.put([{ id: `e${n}`, base: 0, kind: "x", payload: {}, at: n }]);
  if (n % 4 === 0) await wait();
}
for (let n = 0; n < 200 && outbox.status !== "saved"; n += 1) await wait();
assert.equal(outbox.status, "saved");
assert.deepEqual(got, Array.from({ length: 50 }, (_, n) => `e${n}`));
assert.equal(store.length, 0);
assert.ok(told.includes("offline") && told.includes("saving"));

// a tab that is gone has left a queue; another sends it, of its own user only
for (const [key, id] of [["coindex.outbox/1/7/gone/000000000", "a"], ["coindex.outbox/1/7/gone/000000001", "b"], ["coindex.outbox/1/8/alive/000000000", "c"], ["coindex.outbox/2/7/other/000000000", "d"]]) {
  store.setItem(key, JSON.stringify({ id, base: 0, kind: "x", payload: {}, at: 0 }));
}
assert.equal(queues(store, 1).length, 2);
const seen = [];
const sent = await sendOrphans({ store, user: 1, alive: async (client) => client === "alive", send: async (assignment, { client, events }) => {
  seen.push([assignment, client, events.map((event) => event.id).join()]);
  return { revision: 1, results: events.map(({ id }, at) => ({ id, status: at ? "skipped" : seen.length > 1 ? "conflict" : "stored" })) };
} });
assert.equal(sent, 1);
assert.deepEqual(seen, [[7, "gone", "a,b"], [7, "gone", "b"]]);
assert.deepEqual(unmergedEvents(store, 1, 7).map((one) => one.event.id), ["b"], "kept for its author, not dropped");
assert.equal(store.length, 3);
removeUnmerged(store, 1, 7, "b");
assert.deepEqual(unmergedEvents(store, 1, 7), []);
storeUnmerged(store, 1, 7, { event: { id: "z", at: 1 }, reason: "r" });
assert.equal(unmergedEvents(store, 1, 7)[0].reason, "r");

// a session whose foresight is overtaken by another tab
const fresh = () => new Session({ state: {}, revision: 0 });
const add = (mention, at, group, made) => ({ kind: "mention.add", payload: { mention, spans: [[at, at + 1]], group, ...(made ? { new_group: { id: group, name: "" } } : {}) } });
const mine = fresh(), theirs = fresh();
const lost = [];
mine.onlost = (one) => lost.push(one);
theirs.perform([add("t1", 0, "tg", true)], "t-1");
const logged = theirs.pending.map(({ event, changes }, at) => ({ ...event, revision: at + 1, changes: changes.map(({ on, id, before, after }) => ({ key: `${on}/${id}`, before, after })) }));
mine.perform([add("m1", 3, "mg", true)], "m-1");
mine.perform([add("m2", 0, "mg", false)], "m-2"); // the same word as theirs
mine.perform([add("m3", 5, "mg", false)], "m-3");
assert.equal(mine.state.groups.get("mg").order, 0);
const touched = mine.catchUp(logged);
assert.deepEqual(lost.map((one) => one.event.id), ["m-2"], "shown, not overwritten");
assert.deepEqual([...mine.state.mentions.keys()].sort(), ["m1", "m3", "t1"]);
assert.equal(mine.state.groups.get("mg").order, 1, "the next key that is free");
assert.ok(touched.mentions.has("t1") && touched.mentions.has("m2"));
assert.deepEqual(mine.done, ["t-1", "m-1", "m-3"]);
// the answer is as foreseen: nothing to do; another revision: catch up
const answer = (one, revision) => [{ id: one.event.id, status: "stored", revision, changes: one.changes.map(({ on, id, before, after }) => ({ key: `${on}/${id}`, before, after })) }];
assert.equal(mine.acknowledge(answer(mine.pending[0], 2)), true);
assert.equal(mine.acknowledge(answer(mine.pending[0], 4)), false);
assert.equal(mine.revision, 2);
// an action is done whole or not at all
const before = JSON.stringify(mine.state.json());
assert.throws(() => mine.perform([add("m9", 9, "mg", false), add("m9", 9, "mg", false)]), Refused);
assert.equal(JSON.stringify(mine.state.json()), before);
// undo of several events that were one action
mine.perform([add("p1", 11, "pg", true), add("p2", 12, "pg", false)], "both");
assert.deepEqual(mine.steps("undo").map((step) => step.payload.event), ["both:1", "both:0"]);
mine.perform(mine.steps("undo"));
assert.equal(JSON.stringify(mine.state.json()), before);
assert.deepEqual(mine.steps("redo").map((step) => step.payload.event), ["both:0", "both:1"]);
// a record that came with an id of its own keeps it
const own = new Session({ state: { groups: { g: { name: "", order: 0, kind: null, attrs: [] } }, mentions: { k: { id: "T1", spans: [[0, 1]], groups: ["g"], note: "", unsure: false, kind: null, head: 0, attrs: [], others: 1 } } }, revision: 0 });
own.perform([{ kind: "mention.resize", payload: { mention: "k", spans: [[0, 2]] } }]);
assert.deepEqual(own.state.json().mentions.k, { id: "T1", spans: [[0, 2]], groups: ["g"], note: "", unsure: false, kind: null, head: 0, attrs: [], others: 1 });
// whoever waits for a flush waits for what is on its way already
let answerNow = () => {};
const slow = new Outbox({
  store: new Store(), user: 1, assignment: 8, client: "slow",
  send: (assignment, { events }) => new Promise((resolve) => {
    answerNow = () => resolve({ revision: 1, results: events.map(({ id }) => ({ id, status: "stored" })) });
  }),
});
slow.put([{ id: "last", base: 0, kind: "x", payload: {}, at: 0 }]);
let over = false;
const flushed = slow.flush().then(() => (over = true));
await wait();
assert.equal(over, false, "not answered yet");
answerNow();
await flushed;
assert.equal(slow.waiting, 0);
await slow.flush(); // nothing waits: over at once
slow.put([{ id: "later", base: 0, kind: "x", payload: {}, at: 1 }]);
await wait();
answerNow();
await slow.flush();
assert.equal(slow.waiting, 0);
// a browser whose storage is full remembers it until everything is saved
const full = new Outbox({
  store: Object.assign(new Store(), { setItem() { throw new Error("full"); } }), user: 1, assignment: 9, client: "full",
  send: async () => { throw new SendError("offline", "no connection", 1e6); },
});
full.put([{ id: "only here", base: 0, kind: "x", payload: {}, at: 0 }]);
await full.flush();
assert.equal(full.message, "no connection");
assert.equal(full.unstored, true, "the page must still ask before it is closed");
clearTimeout(full.timer);
// a batch that is too large for the server is split, in order, until it fits; one that never fits is shown
const box = new Store(), taken = [], asks = [], refused = [];
const narrow = async (assignment, { events }) => {
  asks.push(events.length);
  if (asks.length > 100) throw new Error("the same again for ever");
  if (JSON.stringify(events).length > 400) throw new SendError("large", "too large");
  taken.push(...events.map(({ id }) => id));
  return { revision: taken.length, results: events.map(({ id }) => ({ id, status: "stored" })) };
};
const wide = new Outbox({ store: box, user: 1, assignment: 10, client: "wide", send: narrow });
wide.onanswer = async ({ results }) => {
  for (const one of results) if (one.status === "invalid") { refused.push([one.id, one.message]); wide.drop(one.id); }
};
wide.put(Array.from({ length: 40 }, (_, n) => ({ id: `w${n}`, base: 0, kind: "x", payload: { text: n === 20 ? "y".repeat(500) : "" }, at: n })));
await wide.flush();
assert.equal(wide.status, "saved");
assert.deepEqual(refused, [["w20", "it is too large for the server"]]);
assert.deepEqual(taken, Array.from({ length: 40 }, (_, n) => `w${n}`).filter((id) => id !== "w20"));
assert.equal(box.length, 0);
// the same for a queue that a gone tab has left
taken.length = asks.length = 0;
for (let n = 0; n < 12; n += 1) box.setItem(`coindex.outbox/1/10/gone/${String(n).padStart(9, "0")}`, JSON.stringify({ id: `g${n}`, base: 0, kind: "x", payload: { text: n === 5 ? "y".repeat(500) : "" }, at: n }));
assert.equal(await sendOrphans({ store: box, user: 1, alive: async () => false, send: narrow }), 11);
assert.equal(taken.length, 11);
assert.deepEqual(unmergedEvents(box, 1, 10).map(({ event, reason }) => [event.id, reason]), [["g5", "it is too large for the server"]]);
console.log("ok");
