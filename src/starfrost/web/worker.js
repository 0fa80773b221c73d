// Caches the shell of the pages (style, scripts, typefaces) and the offline page. Tables, moves and the JSON interface are
// never cached: every other request goes to the server.
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
