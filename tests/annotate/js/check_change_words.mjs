// What an undo says, and texts shown as people write them: golden values.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { changeWords } = await load("change_words");
const { Text } = await load("text");

const mention = { spans: [[0, 2]], groups: ["g"], note: "", unsure: false };
const about = { note: "", unsure: false, done: false, answer: null };
const said = (on, before, after, ...more) => changeWords([{ on, id: "x", before, after }, ...more], () => "her brother");

assert.equal(said("mentions", null, mention), "“her brother” marked");
assert.equal(said("mentions", mention, null), "“her brother” removed");
assert.equal(said("mentions", mention, { ...mention, spans: [[0, 3]] }), "“her brother” given other borders");
assert.equal(said("mentions", mention, { ...mention, groups: ["h"] }), "“her brother” moved to another group");
assert.equal(said("mentions", mention, { ...mention, groups: ["g", "h"] }), "“her brother” added to a group");
assert.equal(said("mentions", { ...mention, groups: ["g", "h"] }, mention), "“her brother” taken out of a group");
assert.equal(said("mentions", mention, { ...mention, unsure: true }), "“her brother” flagged");
assert.equal(said("mentions", { ...mention, unsure: true }, mention), "“her brother” no longer flagged");
assert.equal(said("mentions", mention, { ...mention, note: "?" }), "“her brother” commented");
const second = { on: "mentions", id: "y", before: null, after: mention };
assert.equal(said("mentions", null, mention, second), "2 mentions marked");
assert.equal(said("groups", null, {}, second), "“her brother” marked", "a new group comes with its mention");
assert.equal(said("groups", { name: "a" }, { name: "b" }), "a group renamed");
assert.equal(said("groups", { name: "a" }, null), "a group removed");
assert.equal(said("suggestions", { state: "open" }, { state: "rejected" }), "a suggestion dismissed");
assert.equal(said("decisions", null, {}), "a decision");
assert.equal(said("document", about, { ...about, done: true }), "marked as done");
assert.equal(said("document", { ...about, done: true }, about), "reopened");
assert.equal(said("document", about, { ...about, note: "x" }), "a comment on the document");
assert.equal(said("document", about, { ...about, answer: { choice: "A" } }), "an answer");
assert.equal(changeWords([], () => ""), "");

/** A text whose tokens are separated as given. */
function of(text, tokens) {
  let at = 0;
  const found = tokens.map((word) => {
    const start = text.indexOf(word, at);
    at = start + word.length;
    return [start, at];
  });
  return new Text({ text, tokens: found, sentences: [0] });
}

const spaced = (text) => of(text, text.split(" "));
const shown = (text) => text.phrase(0, text.size);
assert.equal(shown(spaced("Ann -LRB- 30 -RRB- , who did n't go , left .")), "Ann (30), who didn't go, left.");
assert.equal(shown(spaced("`` Go , '' she said to Bea 's aunt .")), "“Go,” she said to Bea's aunt.");
assert.equal(shown(spaced("It costs $ 5 /.")), "It costs $5.");
assert.equal(shown(spaced("It costs $ 5")), "It costs $ 5", "too little is known: as it stands");
const written = of("Well ,she left.", ["Well", ",", "she", "left", "."]);
assert.equal(shown(written), "Well ,she left.", "a text that knows its layout keeps it");
const bracket = spaced("Ann -LRB- 30 -RRB- .");
assert.deepEqual(bracket.words, ["Ann", "-LRB-", "30", "-RRB-", "."], "tokens themselves stay");
assert.deepEqual(bracket.trimmed(0, 4), [0, 4]);
console.log("ok");
