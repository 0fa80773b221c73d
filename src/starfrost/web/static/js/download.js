// Downloads what plays without a server: because somebody asks for it (here.js), or by itself where that costs nothing.

export const CACHE = "starfrost-here-";

/** Return what comes through a stream and is counted on its way. */
function counted(stream, count) {
  const counter = new TransformStream({
    transform(part, control) {
      count(part.byteLength);
      control.enqueue(part);
    },
  });
  return stream.pipeThrough(counter);
}

/** Put everything into the cache, the page itself last: where it is, all is there. */
export async function download(facts, page, progress) {
  const address = new URL(facts.here, location.href).pathname;
  const cache = await caches.open(CACHE + facts.release);
  let got = 0;
  for (const { url, packed, type, size } of facts.files) {
    const before = got;
    if (!(await caches.match(url))) {
      const answer = await fetch(packed);
      if (!answer.ok) throw new Error(String(answer.status));
      const plain = counted(answer.body, (bytes) => {
        got += bytes;
        progress(got);
      });
      const whole = packed === url ? plain : plain.pipeThrough(new DecompressionStream("gzip"));
      await cache.put(url, new Response(whole, { headers: { "Content-Type": type } }));
    } else await cache.put(url, await caches.match(url));
    got = before + size;
    progress(got);
  }
  await cache.addAll(facts.shell);
  await cache.put(address, page);
  // The next start takes this release. The files of another one stay as long as its pages are played.
  for (const name of await caches.keys())
    if (name.startsWith(CACHE) && name !== CACHE + facts.release)
      await (await caches.open(name)).delete(address, { ignoreVary: true });
}

/** Return the page that plays without a server as the server has it now, and what it takes; nothing if there is none. */
export async function latest(address) {
  const page = await fetch(address, { cache: "no-store" });
  const html = page.ok ? await page.clone().text() : "";
  const facts = new DOMParser().parseFromString(html, "text/html").getElementById("here")?.dataset.facts;
  return { page, facts: facts ? JSON.parse(facts) : null };
}

/** Download everything, unless it is there. */
export async function prepare(address) {
  if (await caches.match(address, { ignoreVary: true })) return;
  const { page, facts } = await latest(address);
  if (facts) await download(facts, page, () => {});
}
