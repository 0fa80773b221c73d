// Python in a worker: it answers the requests of the pages that are played without a server (here.js), and keeps the
// logs of its tables in the device's store.

const news = new BroadcastChannel("starfrost-here");
const queue = [];
let answer = (data, port) => queue.push([data, port]);

// All that is kept, as well: should the browser clear its store while this page is open, everything is written again.
const memory = new Map();
let opened = null;

const open = () =>
  new Promise((done, failed) => {
    const opening = indexedDB.open("starfrost-here", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
    opening.onsuccess = () => {
      opening.result.onclose = () => {
        opened = null;
      };
      done(opening.result);
    };
    opening.onerror = () => failed(opening.error);
  });

async function write(texts) {
  opened ??= open();
  const work = (await opened).transaction("kept", "readwrite", { durability: "strict" });
  for (const [name, text] of texts) work.objectStore("kept").put(text, name);
  await new Promise((done, failed) => {
    work.oncomplete = done;
    work.onabort = () => failed(work.error);
  });
}

/** Store texts by name, all or none. */
async function keep(texts) {
  const fresh = Object.entries(texts);
  try {
    if (!opened) throw new Error("the store is closed");
    await write(fresh);
  } catch (error) {
    if (error.name === "QuotaExceededError") throw error;
    opened = null;
    await write(new Map([...memory, ...fresh]));
  }
  for (const [name, text] of fresh) memory.set(name, text);
  if (fresh.some(([name]) => name.startsWith("game:"))) postMessage({ finished: true });
}

async function kept() {
  opened ??= open();
  const store = (await opened).transaction("kept").objectStore("kept");
  const all = (asked) =>
    new Promise((done, failed) => {
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
  const [names, texts] = await Promise.all([all(store.getAllKeys()), all(store.getAll())]);
  for (const [place, name] of names.entries()) memory.set(name, texts[place]);
  return Object.fromEntries(memory);
}

async function start({ root, files, settings, name, server }) {
  const base = files[0].slice(0, files[0].lastIndexOf("/") + 1);
  const { loadPyodide } = await import(`${base}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: base });
  const packages = await (await fetch(files.at(-1))).arrayBuffer();
  python.unpackArchive(packages, "zip", { extractDir: "/starfrost" });
  python.runPython("import sys; sys.path.insert(0, '/starfrost')");
  const found = await kept();
  // Whoever finds nothing where something was kept has lost it: the browser cleared its store.
  const fresh = !Object.keys(found).length;
  if (fresh) await keep({ began: String(Date.now()) });
  const here = python.pyimport("starfrost.here.browser");
  const changed = (table, version) => news.postMessage({ table, version });
  const languages = navigator.languages.join(",");
  const pages = here.start(keep, { cookies: settings, name, ...found }, changed, root, server);
  answer = async ({ method, url, headers, body }, port) => {
    const asked = [...headers, ["accept-language", languages]];
    const told = await pages(method, url, asked, new Uint8Array(body)).catch((error) => {
      console.error(error);
      return [500, [["content-type", "text/plain"]], new Uint8Array()];
    });
    port.postMessage(told);
  };
  for (const [data, port] of queue.splice(0)) answer(data, port);
  postMessage({ ready: true, first: true, fresh });
}

// One window of a browser runs Python for all of them; when it is closed, another one does.
async function wait(facts) {
  const run = () =>
    start(facts).then(
      () => new Promise(() => {}),
      (error) => {
        console.error(error);
        postMessage({ failed: true });
      },
    );
  const first = await navigator.locks.request("starfrost-here", { ifAvailable: true }, (lock) => lock && run());
  if (first !== null) return;
  answer = () => {};
  postMessage({ ready: true });
  await navigator.locks.request("starfrost-here", run);
}

addEventListener("message", ({ data, ports }) => (data.method ? answer(data, ports[0]) : wait(data)));
