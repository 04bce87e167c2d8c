// Tokens, selections, nesting, keys and likely mentions: golden values.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/core/${name}.js`).href);
const { Text, asWritten } = await load("text");
const { mentionTree, levels } = await load("mention_tree");
const { Keymap, badge, groupKey, keyName, pretty } = await load("keymap");
const { likelyMentions } = await load("likely_mentions");

/** A text of tokens between single blanks, offsets in code points. */
function of(text, sentences = [0]) {
  const tokens = [];
  let at = 0;
  for (const word of text.split(/(\s+)/)) {
    const size = Array.from(word).length;
    if (word.trim()) tokens.push([at, at + size]);
    at += size;
  }
  return new Text({ text, tokens, sentences });
}

// offsets count code points, whatever JavaScript counts
const astral = of("👩‍🚀 saw Zoé 𝒜 .\n\nנכון end");
assert.deepEqual(astral.words, ["👩‍🚀", "saw", "Zoé", "𝒜", ".", "נכון", "end"]);
assert.equal(astral.phrase(1, 4), "saw Zoé 𝒜");
assert.deepEqual(astral.units.map((unit) => unit.line), [0, 1]);
assert.equal(of("").size, 0);
const long = of(Array.from({ length: 200 }, (_, n) => `w${n}`).join(" "));
assert.ok(long.units.every((unit) => unit.end - unit.start <= 60), "a text without sentences is drawn in parts");

// selections are trimmed on both sides, in both directions, but never to nothing
const comma = of("Ann , the cook , left .");
assert.deepEqual(comma.trimmed(0, 1), [0, 1]);
assert.deepEqual(comma.trimmed(4, 1), [2, 4]);
assert.deepEqual(comma.trimmed(1, 1), [1, 2]);
assert.deepEqual(comma.trimmed(5, 6), [5, 6]);

// a text of tokens as people write it: straight quotation marks in pairs, each paragraph anew
assert.equal(asWritten('" You kept -LRB- all -RRB- , " she said . " Yes .\n\n" No , " he said .'), '"You kept (all)," she said. "Yes.\n\n"No," he said.');
assert.equal(asWritten('Ann said "no", 👩‍🚀 left.'), 'Ann said "no", 👩‍🚀 left.', "what is written by people stays as it is");
assert.equal(asWritten("👩‍🚀 , 𝒜 left ."), "👩‍🚀, 𝒜 left.");
assert.equal(asWritten(""), "");

// nesting, crossing, gaps
const show = (nodes) => nodes.map((node) => (typeof node === "number" ? node : `${node.first ? "[" : "("}${node.mark}:${show(node.inside).join(" ")}${node.last ? "]" : ")"}`));
const marks = (...spans) => spans.map((one, at) => ({ id: `m${at}`, spans: Array.isArray(one[0]) ? one : [one] }));
assert.deepEqual(show(mentionTree(marks([0, 2], [0, 1]), 0, 3).nodes), ["[0:[1:0] 1]", 2]);
const crossed = mentionTree(marks([0, 2], [1, 3]), 0, 3).nodes;
const tokens = (nodes) => nodes.flatMap((node) => (typeof node === "number" ? [node] : tokens(node.inside)));
assert.deepEqual(tokens(crossed), [0, 1, 2]);
assert.deepEqual(show(crossed), ["[0:0 [1:1)]", "(1:2]"], "closed where the other ends, and opened again");
const ends = (nodes, mark) => nodes.reduce((sum, node) => sum + (typeof node === "number" ? 0 : Number(node.mark === mark && node.last) + ends(node.inside, mark)), 0);
for (const mark of [0, 1]) assert.equal(ends(crossed, mark), 1, "one badge for each mention");
const gap = mentionTree(marks([[0, 1], [2, 3]]), 0, 3).nodes;
assert.deepEqual(show(gap), ["[0:0)", 1, "(0:2]"]);
assert.deepEqual(show(mentionTree(marks([0, 5]), 2, 4).nodes), ["(0:2 3)"], "a part of a longer mention");
assert.deepEqual(levels(marks([0, 3], [0, 1], [2, 3]), 0, 3), [1, 0, 0]);
assert.deepEqual(levels(marks([0, 2], [1, 3]), 0, 3), [0, 1]);

// keys
const event = (key, more = {}) => ({ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });
assert.equal(keyName(event(" ")), "Space");
assert.equal(keyName(event("?", { shiftKey: true })), "?");
assert.equal(keyName(event("ArrowLeft", { shiftKey: true, altKey: true })), "Alt+Shift+ArrowLeft");
assert.equal(keyName(event("¡", { altKey: true, code: "Digit1" })), "Alt+1", "a Mac");
assert.equal(keyName(event("√", { altKey: true, code: "KeyV" })), "Alt+v", "a Mac");
assert.equal(keyName(event("ArrowUp", { altKey: true, code: "ArrowUp" })), "Alt+ArrowUp");
assert.deepEqual(groupKey(event("&", { code: "Digit1" })), { order: 0, also: false }, "a French keyboard");
assert.deepEqual(groupKey(event("!", { code: "Digit1", shiftKey: true })), { order: 0, also: true });
assert.deepEqual(groupKey(event("Q", { shiftKey: true })), { order: 9, also: true });
assert.equal(groupKey(event("o")).order, 17);
assert.equal(groupKey(event("p")), null);
assert.equal(groupKey(event("1", { code: "Digit1", ctrlKey: true })), null);
assert.deepEqual([0, 8, 9, 17, 18, 299].map((order) => badge(order)), ["1", "9", "Q", "O", "19", "300"]);
const keymap = new Keymap({ nonsense: ["y"], undo: ["u"] });
assert.equal(keymap.command("u"), "undo");
assert.equal(keymap.command("Ctrl+z"), undefined);
assert.equal(keymap.set("redo", "u"), "undo", "says whose key it was");
assert.deepEqual(keymap.keys("undo"), []);
assert.equal(pretty("Shift+ArrowLeft"), "Shift ←");
assert.equal(pretty("+"), "+");

// no command may take a group's key
for (const key of "123456789qwertyuio") assert.equal(new Keymap().command(key), undefined, key);

// likely mentions
const lists = JSON.parse(readFileSync(`${folder}/data/phrase_words.json`, "utf8"));
const text = of("The title character has an affair with Gordon Lowther and her former student , this .");
assert.deepEqual(likelyMentions(text, lists).map(([start, end]) => text.phrase(start, end)),
  ["The title character", "an affair", "Gordon Lowther", "her former student", "her", "this"]);
const stops = (words) => {
  const said = of(words);
  return likelyMentions(said, lists).map(([start, end]) => said.phrase(start, end));
};
assert.deepEqual(stops("The old man runs home and the company makes the cars ."), ["The old man", "the company", "the cars"]);
assert.deepEqual(stops("His brother wrote these plays ; the plays won ."), ["His brother", "His", "these plays", "the plays"]);
assert.deepEqual(stops("The left hand , the lost city and a found object ."), ["The left hand", "the lost city", "a found object"], "what follows a determiner is no verb");
assert.deepEqual(stops("The soldiers ca n't see the boats ."), ["The soldiers", "the boats"]);
console.log("ok");
