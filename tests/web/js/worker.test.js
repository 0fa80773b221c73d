import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const SOURCE = readFileSync(new URL("../../../src/starfrost/web/worker.js", import.meta.url), "utf8");
const FACTS = {
  release: "2",
  server: true,
  here: "here",
  shell: ["/static/2/main.js"],
  offline: { en: "/offline?lang=en", de: "/offline?lang=de" },
};

/** Run the worker with caches in memory; `online` decides what the network answers. */
function worker({ online, windows = [], root = "/" }) {
  const stores = new Map([
    ["starfrost-1", new Map()],
    ["neighbour-7", new Map()],
  ]);
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
    match: async (request) =>
      [...stores.values()]
        .find((store) => store.has(key(request)))
        ?.get(key(request))
        .clone(),
  };
  const handlers = {};
  const done = [];
  const self = {
    addEventListener: (kind, handler) => (handlers[kind] = handler),
    skipWaiting: async () => {},
    clients: {
      claim: async () => {},
      matchAll: async () => windows,
      get: async (id) => ({ frameType: id.startsWith("inner") ? "nested" : "top-level" }),
      openWindow: async (address) => void done.push(`open ${address}`),
    },
    location: { origin: "http://starfrost.test", href: `http://starfrost.test${root}sw.js` },
    registration: {
      showNotification: async (title, { body, tag, data }) => void done.push([title, body, tag, data].join(" ")),
      pushManager: { subscribe: async ({ applicationServerKey }) => ({ key: applicationServerKey }) },
    },
  };
  const navigator = { language: "en-GB" };
  vm.runInNewContext(SOURCE, { FACTS, self, caches, fetch: online, MessageChannel, Response, URL, navigator });
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
  const ask = (path, { clientId, ...options } = {}) =>
    fire("fetch", {
      clientId,
      resultingClientId: "inner-1",
      request: {
        url: `http://starfrost.test${path}`,
        method: "GET",
        mode: "navigate",
        headers: new Headers(),
        arrayBuffer: async () => new ArrayBuffer(0),
        ...options,
      },
    });
  return { stores, fire, ask, done };
}

const down = async () => {
  throw new TypeError("no network");
};

test("a new release keeps its files and drops those of the release before, but not those of other sites", async () => {
  const { stores, fire } = worker({ online: down });
  await fire("install");
  await fire("activate");
  assert.deepEqual([...stores.keys()], ["neighbour-7", "starfrost-2"]);
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

test("where everything was downloaded, pages lead to those of the device without a network", async () => {
  const { stores, fire, ask } = worker({ online: down });
  stores.set("starfrost-here-1", new Map([["/here", new Response("the page of the device")]]));
  await fire("activate");
  assert.ok(stores.has("starfrost-here-1"), "a new release of the pages keeps what was downloaded");
  assert.equal((await ask("/puzzles?game=a")).headers.get("location"), "http://starfrost.test/here#/puzzles?game=a");
  assert.equal(await (await ask("/here")).text(), "the page of the device");
});

test("only the pages inside the page of the device are answered by it", async () => {
  const shell = {
    url: "http://starfrost.test/here#/",
    frameType: "top-level",
    postMessage: ({ method, url }, [port]) => port.postMessage([200, [], new TextEncoder().encode(`${method} ${url}`)]),
  };
  const network = async () => new Response("network");
  const { ask } = worker({ online: network, windows: [shell] });
  const told = async (path, options) => (await (await ask(path, options))?.text()) ?? null;
  assert.equal(await told("/t/1", { destination: "iframe" }), "GET http://starfrost.test/t/1");
  const scene = { mode: "cors" };
  assert.equal(await told("/t/1/scene", { ...scene, clientId: "inner-1" }), "GET http://starfrost.test/t/1/scene");
  assert.equal(await told("/t/1/scene", { ...scene, clientId: "inner-9" }), "GET http://starfrost.test/t/1/scene");
  assert.equal(await told("/t/1/scene", { ...scene, clientId: "outer" }), "network");
  assert.equal(await told("/t/1/scene", { ...scene, clientId: "outer" }), null, "a known page asks the network itself");
});

const MESSAGE = { title: "Your turn", body: "Dicy Cards with Ben", url: "/t/abc", tag: "abc" };
const push = { data: { json: () => MESSAGE } };
const page = (path, visibilityState, done = []) => ({
  url: `http://starfrost.test${path}`,
  visibilityState,
  focus: async () => void done.push("focus"),
});

test("a push message is shown, unless the reader looks at that table", async () => {
  for (const [windows, count] of [
    [[], 1],
    [[page("/t/abc", "hidden"), page("/t/other", "visible")], 1],
    [[page("/t/abc", "visible")], 0],
  ]) {
    const { fire, done } = worker({ online: down, windows });
    await fire("push", push);
    assert.deepEqual(done, ["Your turn Dicy Cards with Ben abc /t/abc"].slice(0, count));
  }
});

test("a tap on a notification goes to the open table, or opens it", async () => {
  const focused = [];
  const notification = { data: "/t/abc", close: () => focused.push("close") };
  const first = worker({ online: down, windows: [page("/", "hidden", focused), page("/t/abc", "hidden", focused)] });
  await first.fire("notificationclick", { notification });
  assert.deepEqual([focused, first.done], [["close", "focus"], []]);
  const second = worker({ online: down, windows: [page("/", "hidden")] });
  await second.fire("notificationclick", { notification });
  assert.deepEqual(second.done, ["open /t/abc"]);
});

test("a browser whose push address changes tells the server", async () => {
  const requests = [];
  const { fire } = worker({
    online: async (address, { method = "GET", body = "" } = {}) => {
      requests.push([address, method, body]);
      return new Response("server-key");
    },
  });
  await fire("pushsubscriptionchange", { oldSubscription: { old: 1 } });
  assert.deepEqual(requests, [
    ["/push", "GET", ""],
    ["/push", "POST", '{"key":"server-key"}'],
    ["/push", "DELETE", '{"old":1}'],
  ]);
});

test("below a path of another site the worker answers, shows and asks below it", async () => {
  const asked = [];
  const online = async (request, { method } = {}) => {
    asked.push(`${method ?? "GET"} ${request.url ?? request}`);
    return new Response("network");
  };
  const { stores, fire, ask, done } = worker({ online, root: "/games/" });
  stores.set("starfrost-2", new Map([["/games/static/2/main.js", new Response("kept")]]));
  assert.equal(await (await ask("/games/static/2/main.js", { mode: "no-cors" })).text(), "kept");
  assert.equal(await ask("/games/api/tables/abc"), null);
  await fire("push", { data: { json: () => MESSAGE } });
  await fire("notificationclick", { notification: { data: "/games/t/abc", close() {} } });
  assert.deepEqual(done, ["Your turn Dicy Cards with Ben abc /games/t/abc", "open /games/t/abc"]);
  await fire("pushsubscriptionchange", { oldSubscription: null, newSubscription: null });
  assert.deepEqual(asked, ["GET /games/push", "POST /games/push"]);
});
