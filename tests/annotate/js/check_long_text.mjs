// What long documents need: spans by place, search, places by number, lines, chains of suggestions.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { SpanIndex, firstWhere, inOrder } = await load("span_index");
const { Search, tokenOf } = await load("search");
const { Text } = await load("text");
const { linesOf, speakerAt } = await load("text_lines");
const { State } = await load("model");
const { confidenceWords } = await load("suggestion_index");
const { acceptAll } = await load("actions");
const { likelyGroups } = await load("likely_groups");

// the index answers as a scan of everything does, whatever comes and goes
let seed = 7;
const chance = (most) => (seed = (seed * 16807) % 2147483647) % most;
const index = new SpanIndex();
const all = new Set();
for (let step = 0; step < 3000; step += 1) {
  if (all.size && chance(3) === 0) {
    const gone = [...all][chance(all.size)];
    all.delete(gone);
    index.delete(gone);
  } else {
    const start = chance(2000), end = start + 1 + chance(chance(20) ? 9 : 400);
    const item = { id: `m${step}`, spans: chance(5) ? [[start, end]] : [[start, end], [end + 2, end + 90]] };
    all.add(item);
    index.add(item);
  }
  const from = chance(2100), to = from + 1 + chance(200);
  const scan = [...all].filter((one) => one.spans.some(([a, b]) => a < to && b > from)).sort(inOrder);
  assert.deepEqual(index.within(from, to).sort(inOrder).map((one) => one.id), scan.map((one) => one.id));
  const [some] = all;
  if (some) assert.deepEqual(index.at(some.spans)?.spans, some.spans);
}
assert.equal(index.at([]), null);
assert.equal(index.at([[5000, 5001]]), null);
assert.deepEqual([0, 3, 9].map((from) => firstWhere([1, 4, 8], (one) => one >= from)), [0, 1, 3]);

/** A text of words between single blanks, a line for each given one. */
function of(...lines) {
  const text = lines.join("\n"), tokens = [], sentences = [];
  for (const found of text.matchAll(/\S+/g)) tokens.push([found.index, found.index + found[0].length]);
  let at = 0;
  for (const line of lines) {
    sentences.push(at);
    at += line.split(/\s+/).filter(Boolean).length;
  }
  return new Text({ text, tokens, sentences });
}

// search: any case, any space, within words, never twice the same letters
const text = of("The İstanbul cat saw the", "cat and the CATALOGUE .", "aaa a");
const search = new Search(text);
assert.deepEqual(search.find("cat"), [[2, 3], [5, 6], [8, 9]]);
assert.deepEqual(search.find("  the   Cat "), [[4, 6], [7, 9]], "over the end of a line");
assert.deepEqual(search.find("istanbul"), [], "a letter whose small form is longer");
assert.deepEqual(search.find("cat saw"), [[2, 4]], "and what follows it is where it is");
assert.deepEqual(search.find("aa"), [[10, 11]]);
assert.deepEqual([search.find("").length, search.find("dog").length], [0, 0]);

// places by number
assert.deepEqual(["2", " 3 ", "99", "0", "#4", "# 999", "50 %", "100%", "0%", "1,5 %"].map((typed) => tokenOf(text, typed)), [5, 10, 10, 0, 3, 11, 6, 11, 0, 0]);
assert.deepEqual(["", "x", "12 a", "%", "#", "1%2"].map((typed) => tokenOf(text, typed)), [null, null, null, null, null, null]);

// lines and speakers
const talk = new Text({ text: "a b\nc d\n\ne", tokens: [[0, 1], [2, 3], [4, 5], [6, 7], [9, 10]], sentences: [0, 2, 4], speakers: ["X", "X", "X", "X", "Y"] });
assert.deepEqual(linesOf(talk).map(({ first, last, number, para }) => [first, last, number, para]), [[0, 1, 1, false], [1, 2, 2, false], [2, 3, 3, true]]);
assert.deepEqual([0, 1, 2].map((unit) => speakerAt(talk, unit)), ["X", "", "Y"]);
const flat = of(Array.from({ length: 1200 }, (_, n) => `w${n}`).join(" "));
assert.ok(linesOf(flat).length > 2, "one line of 1,200 words is drawn in blocks");
assert.deepEqual(linesOf(flat).map((line) => line.new), linesOf(flat).map((_, at) => at === 0));

// chains of suggestions: numbered where they begin, accepted together, by confidence
const suggestion = (start, group, confidence) => ({ spans: [[start, start + 1]], group, resolver: "neural", state: "open", confidence });
const state = State.of({ suggestions: { a: suggestion(9, "s1", 0.99), b: suggestion(2, "s2", 0.9), c: suggestion(5, "s1", 0.4), d: suggestion(7, "s2", 0.8) } });
const number = (id) => state.suggested.chain(state.suggestions.get(id)).number;
assert.deepEqual(["a", "b", "c", "d"].map(number), [2, 1, 2, 1]);
assert.deepEqual(state.openChain(state.suggestions.get("a")), ["c", "a"]);
assert.deepEqual(state.openWithin(5, 8).map((one) => one.id), ["c", "d"]);
let made = 0;
const { drafts } = acceptAll(state, ["a", "b", "d"], () => `n${(made += 1)}`);
assert.deepEqual(drafts.map(({ payload }) => [payload.suggestion, payload.group === drafts[1].payload.group]), [["a", false], ["b", true], ["d", true]]);
assert.deepEqual(drafts.map(({ payload }) => Boolean(payload.new_group)), [true, true, false]);
const before = state.suggested.queue();
state.apply([{ on: "suggestions", id: "c", before: null, after: { ...suggestion(5, "s1", 0.4), state: "rejected" } }]);
assert.equal(state.suggested.queue(), before, "a decision does not sort everything again");
assert.deepEqual(state.suggested.queue().map((one) => one.state), ["open", "rejected", "open", "open"]);
assert.deepEqual(state.openChain(state.suggestions.get("a")), ["a"]);
state.apply([{ on: "suggestions", id: "b", before: null, after: null }]);
assert.deepEqual(["a", "d"].map(number), [1, 2], "c begins before d");
assert.deepEqual([0.99, 0.9, 0.6773, 0.2].map(confidenceWords), ["almost certain (99 %)", "very likely (90 %)", "more likely than not (67 %)", "doubtful (20 %)"]);
assert.equal(confidenceWords(undefined), "");

// likely groups: the same phrase first, then a word in common, then the nearest before it
const names = of("Ann Lee met Bo . Later Lee Ann saw Ann Lee and Cy .");
const mention = (start, end, group) => ({ spans: [[start, end]], groups: [group], note: "", unsure: false, kind: null, head: null, attrs: [] });
const group = (order) => ({ name: "", order, kind: null, attrs: [] });
const marked = State.of({ groups: { ann: group(0), bo: group(1), cy: group(2) }, mentions: { m1: mention(0, 2, "ann"), m2: mention(3, 4, "bo"), m3: mention(12, 13, "cy") } });
assert.deepEqual(likelyGroups(marked, names, [[9, 11]], []), ["ann", "bo", "cy"], "the same phrase");
assert.deepEqual(likelyGroups(marked, names, [[11, 12]], []), ["cy", "bo", "ann"], "the nearest; what comes after is twice as far");
assert.deepEqual(likelyGroups(marked, names, [[11, 12]], ["cy"], 1), ["bo"]);
console.log("ok");
