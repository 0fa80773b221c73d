import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../../src/starfrost/web/worker.js", import.meta.url), "utf8");
const FACTS = {
  release: "2",
  shell: ["/static/2/main.js"],
  offline: { en: "/offline?lang=en", de: "/offline?lang=de" },
};

/** Run the worker with caches in memory; `online` decides what the network answers. */
function worker({ online }) {
  const stores = new Map([["starfrost-1", new Map()]]);
  const key = (request) => (typeof request === "string" ? request : new URL(request.url).pathname);
  const opened = (name) => {
    if (!stores.has(name)) stores.set(name, new Map());
    const store = stores.get(name);
    return {
      addAll: async (addresses) =>
        addresses.forEach((address) => void store.set(address, new Response(`kept ${address}`))),
      put: async (address, response) => void store.set(address, response),
      match: async (address) => store.get(address)?.clone(),
    };
  };
  const caches = {
    open: async (name) => opened(name),
    keys: async () => [...stores.keys()],
    delete: async (name) => stores.delete(name),
    match: async (request, { cacheName }) => stores.get(cacheName)?.get(key(request))?.clone(),
  };
  const handlers = {};
  const self = {
    addEventListener: (kind, handler) => (handlers[kind] = handler),
    skipWaiting: async () => {},
    clients: { claim: async () => {} },
    location: { origin: "http://starfrost.test" },
  };
  vm.runInNewContext(SOURCE, { FACTS, self, caches, fetch: online, Response, URL, navigator: { language: "en-GB" } });
  const fire = async (kind, event = {}) => {
    const waits = [];
    let answer = null;
    handlers[kind]({
      ...event,
      waitUntil: (promise) => waits.push(promise),
      respondWith: (promise) => (answer = promise),
    });
    const response = await answer;
    await Promise.all(waits);
    return response;
  };
  const ask = (path, options = {}) =>
    fire("fetch", { request: { url: `http://starfrost.test${path}`, method: "GET", mode: "navigate", ...options } });
  return { stores, fire, ask };
}

const down = async () => {
  throw new TypeError("no network");
};

test("a new release keeps its files and drops those of the release before", async () => {
  const { stores, fire } = worker({ online: down });
  await fire("install");
  await fire("activate");
  assert.deepEqual([...stores.keys()], ["starfrost-2"]);
  assert.deepEqual(
    [...stores.get("starfrost-2").keys()],
    ["/static/2/main.js", "/offline?lang=en", "/offline?lang=de"],
  );
});

test("without a network a page is answered by the offline page, in the language that was last seen", async () => {
  let connected = true;
  const { fire, ask } = worker({
    online: async () => (connected ? new Response("page", { headers: { "content-language": "de" } }) : down()),
  });
  await fire("install");
  assert.equal(await (await ask("/")).text(), "page");
  connected = false;
  assert.equal(await (await ask("/t/abc")).text(), "kept /offline?lang=de");
});

test("files of the release come from the cache", async () => {
  const { fire, ask } = worker({ online: down });
  await fire("install");
  assert.equal(await (await ask("/static/2/main.js", { mode: "no-cors" })).text(), "kept /static/2/main.js");
});

test("moves, other sites and the JSON interface are left to the network", async () => {
  const { fire, ask } = worker({ online: down });
  await fire("install");
  assert.equal(await ask("/t/abc/act", { method: "POST" }), null);
  assert.equal(await ask("/api/tables/abc"), null);
  assert.equal(await fire("fetch", { request: { url: "http://other.test/", method: "GET", mode: "navigate" } }), null);
  assert.equal(await ask("/t/abc/scene", { mode: "cors" }), null);
});
