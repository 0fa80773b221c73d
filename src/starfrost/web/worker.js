// Caches the shell of the pages (style, scripts, typefaces) and the offline page. Tables, moves and the JSON interface are
// never cached: every other request goes to the server. Shows push messages, which say that a table waits for its reader.
const NAME = `starfrost-${FACTS.release}`;
const LANGUAGE = "/offline-language";

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
    for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
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
  try {
    const answer = await fetch(event.request);
    event.waitUntil(remember(answer));
    return answer;
  } catch {
    return offlinePage();
  }
}

async function shell(request) {
  return (await caches.match(request, { cacheName: NAME, ignoreVary: true })) ?? fetch(request);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== self.location.origin) return;
  if (request.mode === "navigate" && !address.pathname.startsWith("/api/")) event.respondWith(visit(event));
  else if (address.pathname.startsWith("/static/")) event.respondWith(shell(request));
});

const opened = async (path) =>
  (await self.clients.matchAll({ type: "window", includeUncontrolled: true })).filter(
    (client) => new URL(client.url).pathname === path,
  );

async function tell({ title = "Starfrost", body = "", url = "/", tag = "" }) {
  // Whoever looks at the table sees that it is their turn.
  if ((await opened(url)).some((client) => client.visibilityState === "visible")) return;
  await self.registration.showNotification(title, { body, tag, data: url, icon: FACTS.icon, badge: FACTS.icon });
}

self.addEventListener("push", (event) => event.waitUntil(tell(event.data?.json() ?? {})));

async function visitTable(path) {
  const [client] = await opened(path);
  await (client ? client.focus() : self.clients.openWindow(path));
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(visitTable(event.notification.data ?? "/"));
});

// The push service has given the browser another address.
async function renew({ oldSubscription, newSubscription }) {
  const fresh =
    newSubscription ??
    (await self.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: await (await fetch("/push")).text(),
    }));
  await fetch("/push", { method: "POST", body: JSON.stringify(fresh) });
  if (oldSubscription) await fetch("/push", { method: "DELETE", body: JSON.stringify(oldSubscription) });
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
