// Random actions of an annotator against a plain model of undo: the list of all states.
// Usage: node random_actions.mjs STATIC_FOLDER SEED STEPS
// Prints every event with the changes it was foreseen to make, for the server's own rules
// to be asked the same (test_core.py); exits 1 on the first difference from the model.
import { pathToFileURL } from "node:url";

const [folder, seed, steps] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const actions = await load("actions");
const { Refused } = await load("effects");
const { Session } = await load("session");
const { State, inOrder } = await load("model");

const TOKENS = 40;
let random = Number(seed) >>> 0; // mulberry32
const chance = () => {
  random = (random + 0x6d2b79f5) >>> 0;
  let t = random;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const below = (n) => Math.floor(chance() * n);
const pick = (list) => list[below(list.length)];
let count = 0;
const newId = () => `x${(count += 1)}`;

const suggestions = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [
  `s${n}`, { spans: [[n, n + 1 + (n % 3)]], group: `g${n % 5}`, resolver: "r", state: "open" }]));
const session = new Session({ state: { suggestions }, revision: 0 });
const state = session.state;

const some = (map) => (map.size ? pick([...map.keys()]) : null);
const spans = () => {
  const start = below(TOKENS), end = Math.min(TOKENS, start + 1 + below(5));
  if (chance() < 0.05 && end + 3 < TOKENS) return [[start, end], [end + 1, end + 3]];
  return [[start, end]];
};
const mentions = () => Array.from({ length: 1 + below(3) }, () => some(state.mentions)).filter((id, at, all) => id && all.indexOf(id) === at);
const group = () => (chance() < 0.25 ? null : some(state.groups));
const MOVES = [
  () => actions.mark(state, spans(), group(), newId),
  () => actions.mark(state, spans(), group(), newId),
  () => actions.move(state, mentions(), group(), newId),
  () => actions.also(state, mentions(), group(), newId),
  () => actions.remove(state, mentions()),
  () => actions.resize(state, some(state.mentions) ?? "", pick(["start", "end"]), pick([-1, 1]), TOKENS),
  () => actions.merge(state, some(state.groups) ?? "", some(state.groups) ?? ""),
  () => actions.rename(state, some(state.groups) ?? "", `name ${below(9)}`),
  () => actions.note(state, some(state.mentions) ?? "", `note ${below(9)}`),
  () => actions.flag(state, mentions()),
  () => actions.accept(state, [some(state.suggestions), some(state.suggestions)], null, newId),
  () => actions.dismiss(state, [some(state.suggestions)]),
  () => (chance() < 0.2 ? actions.removeGroup(state, some(state.groups) ?? "") : actions.flag(state, mentions())),
  () => ({ drafts: [{ kind: "document.note", payload: { text: `n${below(5)}` } }] }),
  () => ({ drafts: [{ kind: "document.done", payload: { done: chance() < 0.5 } }] }),
  () => ({ drafts: [{ kind: "group.split", payload: splitting() }] }),
];
const splitting = () => {
  const from = some(state.groups) ?? "";
  const own = state.chain(from).slice(0, 2).map((one) => one.id);
  return { mentions: own.length ? own : ["?"], from, new_group: { id: newId(), name: "" } };
};

const canonical = (value) => JSON.stringify(value, (_, v) =>
  v && typeof v === "object" && !Array.isArray(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v);
const snapshot = () => canonical(state.json());
const fail = (message) => {
  console.error(`seed ${seed}: ${message}`);
  process.exit(1);
};

function consistent() { // the indexes say what the records say
  const again = State.of(JSON.parse(JSON.stringify(state.json())));
  if (state.sorted.map((m) => m.id).join() !== [...state.mentions.values()].sort(inOrder).map((m) => m.id).join()) fail("order of mentions");
  for (const [id] of again.groups) {
    if ([...(state.members.get(id) ?? [])].sort().join() !== [...(again.members.get(id) ?? [])].sort().join()) fail(`members of ${id}`);
  }
  for (const mention of state.mentions.values()) {
    if (!mention.groups.length) fail("a mention without group");
    for (const one of mention.groups) if (!state.groups.has(one)) fail("a mention in a group that is gone");
  }
}

let past = [snapshot()], future = []; // the model
const seen = { done: 0, refused: 0, undo: 0, redo: 0 };
const out = [];
for (let step = 0; step < Number(steps); step += 1) {
  const kind = chance() < 0.25 ? (chance() < 0.6 ? "undo" : "redo") : "do";
  const before = snapshot();
  let drafts = null;
  if (kind !== "do") {
    drafts = session.steps(kind);
    if (!drafts.length !== (kind === "undo" ? past.length === 1 : !future.length)) fail(`${kind}: stack and model differ`);
    if (!drafts.length) continue;
  }
  try {
    drafts ??= pick(MOVES)().drafts;
    const { events } = session.perform(drafts, newId());
    const made = session.pending.splice(0);
    made.forEach((one) => session.log.set(one.event.id, one.changes));
    out.push(...made.map(({ event, changes }) => JSON.stringify({ id: event.id, kind: event.kind, payload: event.payload, changes })));
    if (events.length !== drafts.length) fail("an event for each doing");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (kind !== "do") fail(`${kind} was refused: ${error.message}`);
    seen.refused += 1;
    if (snapshot() !== before) fail(`a refused action changed something: ${error.message}`);
    continue;
  }
  const now = snapshot();
  if (kind === "undo") {
    future.push(past.pop());
    if (now !== past.at(-1)) fail("undo is not exact");
    seen.undo += 1;
  } else if (kind === "redo") {
    past.push(future.pop());
    if (now !== past.at(-1)) fail("redo is not exact");
    seen.redo += 1;
  } else {
    past.push(now);
    future = [];
    seen.done += 1;
  }
  if (step % 20 === 0) consistent();
}
consistent();
for (const line of out) console.log(line);
console.log(JSON.stringify({ end: state.json(), seen, suggestions }));
