// The page that plays without a server. It downloads what that takes, starts Python in a worker, and shows the pages that
// the worker draws in a frame: they are those of a server, and so are their scripts. The service worker brings their
// requests here.

import { CACHE, download, latest } from "./download.js";

const box = document.getElementById("here");
const facts = JSON.parse(box.dataset.facts);
const { release, files, shell, worker, server } = facts;
// Without a server the pages lie wherever the site does.
const root = new URL(facts.root, location.href).pathname;
const address = new URL(facts.here, location.href).pathname;
const own = CACHE + release;
const total = files.reduce((sum, { size }) => sum + size, 0);

function say(state, text = "") {
  box.dataset.state = state;
  const line = document.getElementById("here-says");
  line.textContent = text || (box.dataset[state] ?? "");
}

/** Download a newer release while the present one is played; otherwise the page alone, which holds the settings. */
async function renew() {
  const { page, facts } = await latest(address);
  if (facts?.release === release) await (await caches.open(own)).put(address, page);
  else if (facts) await download(facts, page, () => {});
}

// Signals of tables, in place of the server's stream: live.js asks for one.
const news = new BroadcastChannel("starfrost-here");
window.Stream = class extends EventTarget {
  constructor(url) {
    super();
    this.url = url;
    const table = url.match(/tables\/([^/]+)/)[1];
    this.hear = ({ data }) => {
      if (data.table === table) this.dispatchEvent(new MessageEvent("version", { lastEventId: String(data.version) }));
    };
    news.addEventListener("message", this.hear);
    setTimeout(() => this.dispatchEvent(new Event("open")));
  }
  close() {
    news.removeEventListener("message", this.hear);
  }
};

function play() {
  // A window that takes Python over from another one shows its pages already.
  if (document.getElementById("pages")) return;
  const frame = document.createElement("iframe");
  frame.id = "pages";
  frame.title = document.title;
  frame.addEventListener("load", () => {
    const { location, document: inside } = frame.contentWindow;
    document.title = inside.title;
    document.documentElement.lang = inside.documentElement.lang;
    frame.title = inside.title;
    const place = location.pathname.slice(root.length - 1) + location.search;
    history.replaceState(null, "", `${address}#${place}`);
  });
  const wanted = decodeURI(location.hash.slice(1));
  const place = wanted.startsWith("/") && !wanted.startsWith("//") ? wanted : "/";
  // A frame must not have the address of the page around it.
  frame.src = root.slice(0, -1) + (place === "/" ? "/?" : place);
  document.body.classList.add("playing");
  document.body.append(frame);
  frame.focus();
}

/** Delete the files of earlier releases, whose pages nobody plays any more. */
async function tidy() {
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHE));
  for (const name of names.slice(0, names.indexOf(own))) await caches.delete(name);
}

/** Return whether nothing is kept although games were played here before, and say so. */
function lost(fresh) {
  const before = localStorage.getItem(CACHE);
  localStorage.setItem(CACHE, "1");
  if (!fresh || !before) return false;
  say("lost");
  return true;
}

async function start() {
  say("starts");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller)
    await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
  const python = new Worker(worker, { type: "module" });
  navigator.serviceWorker.addEventListener("message", ({ data, ports }) => {
    if (data.method) python.postMessage(data, ports);
  });
  python.addEventListener("error", () => say("broken"));
  python.addEventListener("message", ({ data }) => {
    if (data.first) tidy();
    if (data.ready && !lost(data.fresh)) play();
    else if (data.failed) say("broken");
    else if (data.finished) navigator.serviceWorker.controller?.postMessage("report");
  });
  python.postMessage({
    root,
    files: files.map(({ url }) => new URL(url, location.href).href),
    settings: box.dataset.settings,
    name: box.dataset.name,
    server,
  });
  addEventListener("online", () => navigator.serviceWorker.controller?.postMessage("report"));
  // The service worker stays awake as long as pages may ask it.
  setInterval(() => navigator.serviceWorker.controller?.postMessage("report"), 20000);
  if (navigator.onLine) renew().catch(() => {});
}

async function get() {
  const bar = document.getElementById("here-bar");
  say("loads");
  try {
    await navigator.serviceWorker.register(`${root}sw.js`);
    // Some browsers ask people first, who need not answer now.
    navigator.storage?.persist?.();
    await download({ release, files, shell }, await fetch(address), (got) => {
      bar.value = got / total;
    });
  } catch (error) {
    say(error.name === "QuotaExceededError" ? "full" : "failed");
    return;
  }
  await start();
}

document.getElementById("here-get").addEventListener("click", get);
document.getElementById("here-on").addEventListener("click", play);
if (!navigator.serviceWorker || !window.caches || !window.DecompressionStream) say("never");
else if (await (await caches.open(own)).match(address, { ignoreVary: true })) start();
else say("offers");
