// @ts-check
// Without a connection: the app's own files, and the documents that were opened last, to read.
//
// The network is always asked first; what is stored here is used only when there is no answer, so
// that nothing is shown that is older than it need be. Answers of the API are never stored here:
// a page stores a copy of its own document (offline.js) and says of what time it is.

const worker = /** @type {any} */ (self);
const STATIC = `coindex-static-${worker.COINDEX.version}`;
const PAGES = "coindex-pages";
const OFFLINE = "/offline";

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(STATIC);
    await cache.addAll(worker.COINDEX.files.map((/** @type {string} */ file) => new Request(file, { cache: "reload" })));
    await cache.put(OFFLINE, await fetch(OFFLINE, { credentials: "omit" }));
    await worker.skipWaiting();
  })());
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("coindex-static-") && name !== STATIC) await caches.delete(name);
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  })());
});

/** A page: from the server, or the copy that was stored when it was open. @param {any} event */
async function page(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    const copy = await (await caches.open(PAGES)).match(event.request, { ignoreSearch: true });
    return copy ?? (await (await caches.open(STATIC)).match(OFFLINE)) ?? Response.error();
  }
}

/** @param {Request} request */
async function file(request) {
  try {
    return await fetch(request);
  } catch {
    return (await (await caches.open(STATIC)).match(request, { ignoreSearch: true })) ?? Response.error();
  }
}

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (pathname.startsWith("/static/")) event.respondWith(file(request));
});
