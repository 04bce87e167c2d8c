// The guided example: each step is recognised when it is done, and not before.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { Practice, STEPS, TEXT, place, tokens } = await load("practice");
const actions = await load("actions");
const { newId } = await load("session");

const practice = new Practice();
const { session } = practice, { state } = session;

/** As the editor does it: words or a mention, put into a group. */
const editor = {
  state, target: null, commands: { undo: () => practice.undoRedo("undo") },
  selectRange: (from, to) => (editor.target = { spans: [[from, to + 1]] }),
  choose: (id) => (editor.target = { mention: id }),
};
const assign = async (_, group, also) => {
  const { spans, mention } = editor.target;
  const action = spans ? actions.mark(state, spans, group, newId) : (also ? actions.also : actions.move)(state, [mention], group, newId);
  await practice.perform(action.drafts);
};

assert.equal(STEPS.length, 6);
for (const step of STEPS) {
  assert.equal(step.done(state, session), false, `${step.id} is not done before it is done`);
  await step.solve(editor, assign);
  assert.equal(step.done(state, session), true, step.id);
  assert.equal(step.hint(state), "", `nothing is wrong after ${step.id}`);
  if (step.span) assert.ok(step.says.includes(tokens(TEXT).slice(...step.span).map(([start, end]) => TEXT.slice(start, end)).join(" ")), step.says);
}

// a step that is done wrongly is answered with a hint
const again = new Practice();
const put = (span, group) => again.perform(actions.mark(again.session.state, [span], group, newId).drafts);
await put([0, 1], null);
assert.match(STEPS[0].hint(again.session.state), /whole name/);
await again.undoRedo("undo");
await put(place("Ada Brandt"), null);
await put(STEPS[1].span, null);
assert.equal(STEPS[1].done(again.session.state), false);
assert.match(STEPS[1].hint(again.session.state), /group of its own/);
const [ada] = again.session.state.at([place("Ada Brandt")]).groups;
await put(place("Her brother"), ada);
assert.match(STEPS[2].hint(again.session.state), /not Ada/);
assert.match(STEPS[3].hint(again.session.state), /Undo that/);
console.log("ok");
