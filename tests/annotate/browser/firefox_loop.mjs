// The editor in Firefox, driven by puppeteer-core over WebDriver BiDi: by mouse, touch or keyboard alone.
// Arguments: the folder of puppeteer-core, the path of Firefox, and what to do as JSON:
// {url, way, name, password, project, role, steps}. Prints actions and seconds as JSON.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, path, told] = process.argv.slice(2);
const { url, way, name, password, project, role, steps } = JSON.parse(told);
const puppeteer = (await import(pathToFileURL(createRequire(`${folder}/x.js`).resolve("puppeteer-core")).href)).default;

const browser = await puppeteer.launch({ browser: "firefox", executablePath: path, headless: true, defaultViewport: null, extraPrefsFirefox: { "dom.w3c_touch_events.enabled": 1 } });
const page = await browser.newPage();
const size = way === "touch" ? { width: 390, height: 844 } : { width: 1280, height: 800 };
await page.setViewport(size).catch((error) => { // this Firefox has no override of the orientation; the size is set all the same
  if (!String(error).includes("setScreenOrientationOverride")) throw error;
});
const problems = [];
page.on("pageerror", (error) => problems.push(String(error)));
let actions = 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ask the page until it says yes: its security policy refuses puppeteer's own way to wait. */
async function until(test, ...values) {
  for (let tries = 0; tries < 200; tries += 1) {
    const handle = await page.evaluateHandle(test, ...values).catch(() => null); // the page is just being left
    if (handle?.asElement()) return handle.asElement();
    if (handle && (await handle.jsonValue().catch(() => null))) return null;
    await pause(50);
  }
  throw new Error(`waited in vain: ${test} ${JSON.stringify(values)} at ${page.url()}`);
}

const ready = () => until(() => document.body.dataset.ready === "");
const saved = () => until(() => document.getElementById("save").dataset.status === "saved");

/** Where a word is. */
const word = (at) => page.evaluate((token) => {
  const box = [...document.querySelectorAll("#text .t")].find((one) => one.token === token).getBoundingClientRect();
  return { x: box.x, y: box.y, width: box.width, height: box.height };
}, at);
const middle = async (at) => {
  const box = await word(at);
  return [box.x + box.width / 2, box.y + box.height / 2];
};

/** An element by its role's selector and its text or label, in view. */
async function find(selector, text) {
  return until((css, wanted) => {
    const found = [...document.querySelectorAll(css)].filter((one) => one.checkVisibility() && (one.getAttribute("aria-label") ?? one.textContent).includes(wanted));
    return found.at(-1);
  }, selector, text);
}

async function press(key) {
  actions += 1;
  await page.keyboard.press(key);
}

async function chord(modifier, key) {
  actions += 1;
  await page.keyboard.down(modifier);
  await page.keyboard.press(key);
  await page.keyboard.up(modifier);
}

const pointer = {
  async point(x, y) {
    actions += 1;
    if (way === "touch") await page.touchscreen.tap(x, y);
    else await page.mouse.click(x, y);
  },
  async drag([fromX, fromY], [toX, toY]) {
    actions += 1;
    const at = (part) => [fromX + (toX - fromX) * part, fromY + (toY - fromY) * part];
    if (way === "touch") {
      const finger = await page.touchscreen.touchStart(fromX, fromY);
      for (let step = 1; step <= 8; step += 1) await finger.move(...at(step / 8));
      await finger.end();
      return;
    }
    await page.mouse.move(fromX, fromY);
    await page.mouse.down();
    for (let step = 1; step <= 5; step += 1) await page.mouse.move(...at(step / 5));
    await page.mouse.up();
  },
  async activate(selector, text) {
    const element = await find(selector, text);
    await element.evaluate((one) => one.scrollIntoView({ block: "nearest", inline: "nearest" }));
    const box = await element.evaluate((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await pointer.point(box.x, box.y);
  },
  async mark(first, last, group) {
    const inside = await page.evaluate((at) => coindex.editor.state.around(at).length > 0, first);
    if (first !== last) await pointer.drag(await middle(first), await middle(last));
    else if (inside) {
      const box = await word(first), y = box.y + box.height / 2;
      await pointer.drag([box.x + 0.3 * box.width, y], [box.x + 0.95 * box.width, y]);
    } else await pointer.point(...await middle(first));
    const before = await page.evaluate(() => coindex.editor.session.done.length);
    await pointer.activate(".toolbar button", group === null ? "New group" : `put into group ${group}`);
    await until((count) => coindex.editor.session.done.length > count, before);
  },
  async also(other) {
    await pointer.activate(".toolbar button", "Also in…");
    await pointer.activate('[role="option"]', other);
    await until(() => coindex.editor.state.mentions.get(coindex.editor.mark)?.groups.length === 2);
  },
  async done() {
    await pointer.activate("header button", "Done");
    await pointer.activate("dialog button", "Next document");
  },
  answer: (text) => pointer.activate(".answers button", text),
  finish: () => pointer.activate("#review button", "Finish"),
};

const keyboard = {
  async activate(selector, text) {
    const element = await find(selector, text);
    for (let tries = 0; tries < 60; tries += 1) {
      if (await element.evaluate((one) => one === document.activeElement)) return press("Enter");
      await press("Tab");
    }
    throw new Error(`Tab does not reach ${text}`);
  },
  async mark(first, last, group) {
    await press("Escape");
    for (let here = await page.evaluate(() => coindex.editor.cursor); here !== first; here = await page.evaluate(() => coindex.editor.cursor)) await press(here < first ? "ArrowRight" : "ArrowLeft");
    for (let at = first; at < last; at += 1) await chord("Shift", "ArrowRight");
    const before = await page.evaluate(() => coindex.editor.session.done.length);
    await press(group === null ? "+" : group[0]);
    await until((count) => coindex.editor.session.done.length > count, before);
  },
  async also(other) {
    const at = await page.evaluate((wanted) => coindex.editor.state.numbered().findIndex((one) => coindex.editor.list.name(one) === wanted), other);
    await chord("Shift", `Digit${at + 1}`);
    await until(() => coindex.editor.state.mentions.get(coindex.editor.mark)?.groups.length === 2);
  },
  async done() {
    await chord("Control", "Enter");
    await find("dialog", "Done. Continue");
    await press("Enter");
  },
  async answer(text) {
    const number = await page.evaluate((wanted) => [...document.querySelectorAll(".answers button")].findIndex((one) => one.textContent.includes(wanted)) + 1, text);
    await chord("Alt", `Digit${number}`);
  },
  finish: () => chord("Control", "Enter"),
};

const hand = way === "keyboard" ? keyboard : pointer;

async function logIn() {
  await page.goto(`${url}/login`);
  await until((width) => innerWidth === width, size.width);
  await (await until(() => document.querySelector('input[autocomplete="username"]'))).type(name);
  await (await until(() => document.querySelector('input[type="password"]'))).type(password);
  await page.keyboard.press("Enter");
  await until(() => location.pathname === "/");
}

async function annotate() {
  await hand.activate("main a", "Loop");
  await hand.activate("main button", "Next document");
  await ready();
  const before = actions, started = performance.now();
  for (const [first, last, group] of steps) await hand.mark(first, last, group);
  await hand.also("Bea");
  const result = { actions: actions - before, seconds: (performance.now() - started) / 1000 };
  await saved();
  await hand.done();
  await until(() => document.body.textContent.includes("All your documents are done"));
  return result;
}

async function adjudicate() {
  const wanted = new Map([["“she”", "Ann"], ["“Bea”", "Bea"], ["“her brother”", "A group of its own"]]);
  await hand.activate("main a", "Loop");
  await hand.activate("main a", "Adjudicate");
  await hand.activate("main button", "Adjudicate");
  await ready();
  for (let tries = 0; tries < 8; tries += 1) {
    const { about, done } = await page.evaluate(() => ({ about: document.querySelector("#review .about")?.textContent, done: document.querySelector("#review .good") !== null }));
    if (done) break;
    const choices = await page.evaluate(() => [...document.querySelectorAll(".answers .answer-head")].map((one) => one.textContent));
    const choice = choices.find((text) => text.includes(wanted.get(about) ?? "")) ?? choices[0];
    await hand.answer(choice);
    await until((old) => document.querySelector("#review .about").textContent !== old || document.querySelector("#review .good"), about);
    await pause(100);
  }
  await saved();
  await hand.finish();
  await until((id) => location.pathname === `/projects/${id}/adjudicate`, project);
  return { actions, seconds: 0 };
}

try {
  await logIn();
  const result = await (role === "annotator" ? annotate() : adjudicate());
  if (problems.length) throw new Error(problems.join("\n"));
  console.log(JSON.stringify(result));
} finally {
  await browser.close();
}
