"use strict";
// The playground: sends the text to the API of this server and shows the answer. The viewer's page
// is shown in a sandboxed frame, and everything else goes through `textContent`, so that nothing in a
// text can run here.
(() => {
  const $ = (id) => document.getElementById(id);
  const EXAMPLE = "Clara told her brother Tom that he could borrow her car if he filled its tank. " +
    "\u201cI will,\u201d he promised, and she gave him the keys.";
  const DEFAULTS = { markup: "auto", speakers: "auto", singletons: false, events: false };
  const PROSE = ["replaced", "brackets"];

  let limit = Infinity; // characters of a text
  let models = [];
  let shown = null; // the request and the answer that are shown
  let running = null; // the request that is being answered

  // ---- options

  function chosenOptions() {
    const options = {};
    if ($("model").selectedIndex > 0) options.model = $("model").value;
    if ($("scheme").selectedIndex > 0) options.scheme = $("scheme").value;
    for (const name of ["markup", "speakers"]) if ($(name).value !== DEFAULTS[name]) options[name] = $(name).value;
    for (const name of ["singletons", "events"]) if ($(name).checked) options[name] = true;
    return options;
  }

  function showOptions() {
    const names = Object.entries(chosenOptions()).map(([name, value]) => (value === true ? name : `${name}: ${value}`));
    $("chosen").textContent = names.length ? `(${names.join(", ")})` : "";
  }

  function fillSchemes() {
    const model = models[$("model").selectedIndex];
    $("scheme").replaceChildren(...(model?.schemes ?? []).map((name) => new Option(name, name)));
    $("scheme").disabled = !model?.schemes.length;
  }

  async function readModels() {
    const answer = await fetch("v1/models");
    const about = await answer.json();
    models = about.models;
    limit = about.limits.text;
    $("model").replaceChildren(...models.map((model) => new Option(model.name, model.name)));
    $("version").textContent = `Who is who in a text · version ${about.version}`;
    $("token-row").hidden = !about.token;
    fillSchemes();
    showLength();
  }

  function showLength() {
    const length = [...$("text").value].length;
    $("length").textContent = limit === Infinity ? "" : `${length.toLocaleString("en")} of ${limit.toLocaleString("en")} characters`;
    return length;
  }

  // ---- asking

  function fail(message) {
    $("error").textContent = message;
    $("error").hidden = !message;
    if (message) $("error").scrollIntoView({ block: "nearest" });
  }

  // An error about the text that is there: the result of another text would be taken for its own.
  function failResolving(message) {
    $("status").textContent = "";
    $("result").hidden = true;
    fail(message);
  }

  async function ask(text) {
    const headers = { "Content-Type": "application/json" };
    if ($("token").value) headers.Authorization = `Bearer ${$("token").value}`;
    const options = chosenOptions();
    const body = JSON.stringify({ text, id: "text", ...options, form: ["json", "brackets", "replaced", "html"] });
    running?.abort();
    running = new AbortController();
    const response = await fetch("v1/resolve", { method: "POST", headers, body, signal: running.signal });
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.error?.message ?? `the service answered with the status ${response.status}`);
    return { text, options, answer };
  }

  async function resolve(event) {
    event?.preventDefault();
    const text = $("text").value;
    if (!text.trim()) {
      running?.abort();
      $("go").removeAttribute("aria-busy");
      $("text").focus();
      failResolving("There is no text yet: type, paste or open one.");
      return;
    }
    fail("");
    $("go").setAttribute("aria-busy", "true");
    $("status").textContent = "Resolving…";
    const start = performance.now();
    try {
      shown = await ask(text);
      const [document_] = shown.answer.documents;
      const mentions = document_.entities.reduce((sum, entity) => sum + entity.mentions.length, 0);
      const taken = Math.round(performance.now() - start);
      const entities = document_.entities.length;
      $("status").textContent = `${mentions} mention${mentions === 1 ? "" : "s"} of ` +
        `${entities} ${entities === 1 ? "entity" : "entities"}, in ${taken} ms`;
      $("viewer").srcdoc = document_.html;
      $("result").hidden = false;
      select(tabs.find((tab) => tab.ariaSelected === "true") ?? tabs[0]);
      $("go").removeAttribute("aria-busy");
    } catch (error) {
      if (error.name === "AbortError") return; // another request has taken its place
      $("go").removeAttribute("aria-busy");
      failResolving(error instanceof TypeError ? "The service cannot be reached." : error.message);
    }
  }

  // ---- showing

  const tabs = [...document.querySelectorAll('[role="tab"]')];

  function command() {
    const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
    const token = $("token-row").hidden ? "" : " -H 'Authorization: Bearer TOKEN'";
    const body = JSON.stringify({ text: shown.text, ...shown.options });
    return `curl${token} --json ${quoted(body)} ${new URL("v1/resolve", document.baseURI)}`;
  }

  function program() {
    const value = (each) => (each === true ? "True" : JSON.stringify(each));
    const options = Object.entries(shown.options).map(([name, each]) => `${name}=${value(each)}`).join(", ");
    const token = $("token-row").hidden ? "" : ', token="TOKEN"';
    const names = options ? "Client, ClientOptions" : "Client";
    return `from coindex.client import ${names}\n\n` +
      `with Client("${new URL(".", document.baseURI)}"${token}) as client:\n` +
      `    document = client.resolve(${JSON.stringify(shown.text)}${options ? `, ClientOptions(${options})` : ""})\n` +
      "for entity in document.entities:\n    print([document.text_of(mention) for mention in entity.mentions])\n";
  }

  function output(name) {
    const { html, brackets, replaced, ...rest } = shown.answer.documents[0];
    if (name === "json") return JSON.stringify({ ...shown.answer, documents: [rest] }, null, 2);
    return { brackets, replaced, curl: command, python: program }[name];
  }

  function select(tab) {
    for (const each of tabs) {
      each.setAttribute("aria-selected", String(each === tab));
      each.tabIndex = each === tab ? 0 : -1;
    }
    const name = tab.id.replace("tab-", "");
    $("panel-entities").hidden = name !== "entities";
    $("panel-text").hidden = name === "entities";
    $("copied").textContent = "";
    if (name === "entities" || !shown) return;
    const text = output(name);
    $("panel-text").setAttribute("aria-labelledby", tab.id);
    $("output").classList.toggle("prose", PROSE.includes(name));
    $("output").textContent = typeof text === "function" ? text() : text;
  }

  async function copy() {
    const text = $("output").textContent;
    try {
      await navigator.clipboard.writeText(text);
      $("copied").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren($("output"));
      $("copied").textContent = "Selected: copy it with Ctrl+C";
    }
  }

  // ---- files

  async function take(file) {
    if (!file) return;
    if (file.size > 8 * limit) {
      fail(`${file.name}: too large, expected no more than ${limit} characters`);
      return;
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      $("text").value = text;
      showLength();
      fail("");
      resolve();
    } catch {
      fail(`${file.name}: expected a text file in UTF-8`);
    }
  }

  $("form").addEventListener("submit", resolve);
  $("form").addEventListener("change", showOptions);
  $("model").addEventListener("change", fillSchemes);
  $("text").addEventListener("input", showLength);
  $("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) resolve(event);
  });
  $("example").addEventListener("click", () => {
    $("text").value = EXAMPLE;
    showLength();
    resolve();
  });
  $("open").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", (event) => {
    take(event.target.files[0]);
    event.target.value = "";
  });
  $("copy").addEventListener("click", copy);
  for (const name of ["dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      $("text").classList.toggle("drop", name === "dragover");
      if (name === "drop") take(event.dataTransfer.files[0]);
    });
  }
  for (const tab of tabs) tab.addEventListener("click", () => select(tab));
  document.querySelector('[role="tablist"]').addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.indexOf(document.activeElement);
    const next = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : (at + step + tabs.length) % tabs.length;
    if (step === undefined && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    tabs[next].focus();
    select(tabs[next]);
  });

  readModels().catch(() => fail("The service cannot be reached."));
})();
