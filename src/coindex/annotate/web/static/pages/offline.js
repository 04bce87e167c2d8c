// @ts-check
// What can be read without a connection.

import { $, make, start } from "./common.js";

async function list() {
  const cache = "caches" in globalThis ? await caches.open("coindex-pages") : null;
  /** @type {any[]} */ const copies = [];
  for (const request of (await cache?.keys()) ?? []) {
    if (new URL(request.url).pathname.startsWith("/offline/copies/")) copies.push(await (await cache?.match(request))?.json());
  }
  copies.sort((a, b) => b.at - a.at);
  $("main").replaceChildren(make("section", { class: "card" }, make("h1", null, "You are offline"),
    make("p", null, "There is no connection to the server. What you have done is safe in this browser, and is sent when the connection is back."),
    copies.length ? make("p", null, "These documents can be read meanwhile:") : "",
    make("ul", null, copies.map(({ assignment }) => make("li", null, make("a", { href: `/sheets/${assignment.sheet}${assignment.purpose === "adjudicate" ? "/adjudicate" : ""}`, dir: "auto" }, `${assignment.project.name}: ${assignment.document.name}`)))),
    make("p", null, make("button", { class: "button main", type: "button", onclick: () => location.reload() }, "Try again"))));
}

void start(list);
