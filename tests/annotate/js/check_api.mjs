// What outlives the page is decided by bytes; an answer of 413 says that fewer should be sent.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
globalThis.document = { querySelector: () => ({ content: "token" }) };
const asked = [];
let answer = async () => new Response("{}", { status: 200 });
globalThis.fetch = async (path, options) => {
  asked.push({ path, ...options });
  return answer(options);
};
const { sendEvents } = await import(pathToFileURL(`${folder}/api.js`).href);
const { SendError } = await import(pathToFileURL(`${folder}/core/outbox.js`).href);
const event = (text) => ({ id: "e", base: 0, kind: "mention.note", payload: { text }, at: 0 });
const kept = async (...texts) => {
  await sendEvents(7, { client: "tab", events: texts.map(event) });
  return asked.at(-1).keepalive === true;
};

assert.equal(await kept("short"), true);
assert.equal(await kept(...Array.from({ length: 200 }, () => "x")), true, "many, but small");
assert.equal(await kept(...Array.from({ length: 40 }, () => "x".repeat(2000))), false, "few, but 80 kB");
assert.equal(await kept("é".repeat(32_000)), false, "bytes, not characters");
assert.equal(await kept("x".repeat(59_000)), true);
assert.deepEqual(JSON.parse(asked[0].body).events[0].payload, { text: "short" });
assert.equal(asked[0].headers["X-CSRF-Token"], "token");
// in all: a second one that does not fit beside the first is sent without
let over = () => {};
answer = () => new Promise((resolve) => (over = () => resolve(new Response("{}", { status: 200 }))));
const first = kept("x".repeat(40_000));
const one = over;
const second = kept("x".repeat(40_000));
assert.deepEqual(asked.slice(-2).map(({ keepalive }) => keepalive === true), [true, false]);
one();
over();
await Promise.all([first, second]);
answer = async () => new Response("{}", { status: 200 });
assert.equal(await kept("x".repeat(40_000)), true, "the first is over");

for (const [status, kind] of [[413, "large"], [401, "login"], [503, "offline"], [403, "stuck"], [404, "stuck"]]) {
  answer = async () => new Response(JSON.stringify({ error: { code: "c", message: "m" } }), { status });
  await assert.rejects(kept("x"), (error) => error instanceof SendError && error.kind === kind);
}
console.log("ok");
