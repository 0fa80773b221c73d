// Caches the shell of the pages (style, scripts, typefaces) and the offline page. Tables, moves and the JSON interface are
// never cached: every other request goes to the server, but those of pages inside the page that plays without one
// (here.js), which answers them itself. Shows push messages, which say that a table waits for its reader.
const NAME = `starfrost-${FACTS.release}`;
// What was downloaded to play without a server; here.js fills it, and a release at a time.
const HERE = "starfrost-here-";
const ROOT = new URL("./", self.location.href).pathname;
const SHELL = ROOT + FACTS.here;
const LANGUAGE = `${ROOT}offline-language`;

self.addEventListener("install", (event) => {
  const keep = async () => {
    const kept = await caches.open(NAME);
    await kept.addAll([...FACTS.shell, ...Object.values(FACTS.offline)]);
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    // Other sites below the same name have caches of their own.
    const old = (name) => name.startsWith("starfrost-") && name !== NAME && !name.startsWith(HERE);
    for (const name of await caches.keys()) if (old(name)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

// Scripts cannot read the cookie that holds the language, but every page has its language in a header.
let known = "";
async function remember(answer) {
  const language = answer.headers.get("content-language");
  if (!language || language === known || !(language in FACTS.offline)) return;
  known = language;
  const kept = await caches.open(NAME);
  await kept.put(LANGUAGE, new Response(language));
}

async function offlinePage() {
  const kept = await caches.open(NAME);
  const language = known || (await (await kept.match(LANGUAGE))?.text()) || navigator.language.slice(0, 2);
  return (await kept.match(FACTS.offline[language] ?? FACTS.offline.en, { ignoreVary: true })) ?? Response.error();
}

async function visit(event) {
  const { pathname, search } = new URL(event.request.url);
  const kept = await caches.match(SHELL, { ignoreVary: true });
  // What plays without a network starts without asking for it; here.js looks for a newer one.
  if (kept && pathname === SHELL) return kept;
  try {
    const answer = await fetch(event.request);
    event.waitUntil(remember(answer));
    event.waitUntil(report());
    return answer;
  } catch {
    return kept
      ? Response.redirect(new URL(`${SHELL}#/${pathname.slice(ROOT.length)}${search}`, self.location.href))
      : offlinePage();
  }
}

async function shell(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

// Pages inside the page that plays without a server: known by how they were opened.
const inner = new Map();

async function isInner(client) {
  if (!inner.has(client)) inner.set(client, (await self.clients.get(client))?.frameType === "nested");
  return inner.get(client);
}

/** Let the page that plays without a server answer a request of a page inside it; of several windows one does. */
async function here(request) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const body = await request.arrayBuffer();
  const { method, url } = request;
  const asked = { method, url, headers: [...request.headers], body };
  const [status, headers, content] = await new Promise((done) => {
    for (const one of windows) {
      if (new URL(one.url).pathname !== SHELL || one.frameType === "nested") continue;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => {
        port1.close();
        done(data);
      };
      one.postMessage(asked, [port2]);
    }
  });
  const { location } = Object.fromEntries(headers);
  if (location) return Response.redirect(new URL(location, url), status);
  return new Response(content.byteLength ? content : null, { status, headers });
}

self.addEventListener("fetch", (event) => {
  const { request, clientId } = event;
  const address = new URL(request.url);
  if (address.origin !== self.location.origin) return;
  const path = `/${address.pathname.slice(ROOT.length)}`;
  if (path.startsWith("/static/") || path.startsWith("/here/")) {
    if (request.method === "GET") event.respondWith(shell(request));
  } else if (request.mode === "navigate") {
    if (request.destination === "iframe") {
      inner.set(event.resultingClientId, true);
      event.respondWith(here(request));
    } else if (request.method === "GET" && !path.startsWith("/api/")) event.respondWith(visit(event));
  } else if (clientId && inner.get(clientId) !== false && !request.headers.get("accept")?.includes("event-stream"))
    event.respondWith(isInner(clientId).then((yes) => (yes ? here(request) : fetch(request))));
});

const opened = async (path) =>
  (await self.clients.matchAll({ type: "window", includeUncontrolled: true })).filter(
    (client) => new URL(client.url).pathname === path,
  );

async function tell({ title = "Starfrost", body = "", url = "/", tag = "" }) {
  // Whoever looks at the table sees that it is their turn.
  const data = ROOT + url.slice(1);
  if ((await opened(data)).some((client) => client.visibilityState === "visible")) return;
  await self.registration.showNotification(title, { body, tag, data, icon: FACTS.icon, badge: FACTS.icon });
}

self.addEventListener("push", (event) => event.waitUntil(tell(event.data?.json() ?? {})));

async function visitTable(path) {
  const [client] = await opened(path);
  await (client ? client.focus() : self.clients.openWindow(path));
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(visitTable(event.notification.data ?? ROOT));
});

// The push service has given the browser another address.
async function renew({ oldSubscription, newSubscription }) {
  const fresh =
    newSubscription ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: await (await fetch(`${ROOT}push`)).text(),
    }));
  await fetch(`${ROOT}push`, { method: "POST", body: JSON.stringify(fresh) });
  if (oldSubscription) await fetch(`${ROOT}push`, { method: "DELETE", body: JSON.stringify(oldSubscription) });
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

// Finished games that were played without the server wait in the device's store until it has them.
const waiting = (mode, work) =>
  new Promise((done, failed) => {
    const opening = indexedDB.open("starfrost-here", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const asked = work(opening.result.transaction("kept", mode).objectStore("kept"));
      asked.onerror = () => failed(asked.error);
      asked.onsuccess = () => done(asked.result);
      opening.result.close();
    };
  });

let reporting = null;
/** Tell the server of finished games, one after the other; each stays here until the server has it. */
function report() {
  // Without a connection they wait for the next time.
  reporting ??= sendGames()
    .catch(() => {})
    .finally(() => {
      reporting = null;
    });
  return reporting;
}

async function sendGames() {
  if (!FACTS.server || !(await caches.keys()).some((name) => name.startsWith(HERE))) return;
  const games = IDBKeyRange.bound("game:", "game;");
  for (const name of await waiting("readonly", (kept) => kept.getAllKeys(games))) {
    const body = await waiting("readonly", (kept) => kept.get(name));
    const answer = await fetch(`${ROOT}here/games`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
    });
    // What the server has, or will never take, need not be sent again.
    if (answer.ok || answer.status === 422) await waiting("readwrite", (kept) => kept.delete(name));
    else return;
  }
}

self.addEventListener("message", (event) => event.data === "report" && event.waitUntil(report()));
