import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { register } from "../../../src/starfrost/web/static/js/boards.js";
import { follow } from "../../../src/starfrost/web/static/js/live.js";
import { send } from "../../../src/starfrost/web/static/js/send.js";
import { LINE, line, open, pass, serve, settle } from "./page.js";

class FakeStream extends EventTarget {
  static CLOSED = 2;
  static all = [];
  readyState = 0;
  constructor(address) {
    super();
    this.url = address;
    FakeStream.all.push(this);
  }
  send(kind, data = {}) {
    this.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }));
  }
  close() {
    this.closed = true;
  }
}

const NOTHING = () => new Response(null, { status: 204 });
let document;
let main;
let shown;

/** Follow a table at version 7, step 3. Whatever is shown brings the table to `version` 8 unless a test says otherwise. */
function start({ onShow = () => Object.assign(main.dataset, { version: "8", step: "4" }), deed } = {}) {
  FakeStream.all = [];
  globalThis.EventSource = FakeStream;
  shown = [];
  const said = [];
  follow({
    main: () => main,
    read: (html) => {
      const fresh = document.createElement("main");
      fresh.innerHTML = html;
      fresh.dataset.step = String(Number(main.dataset.step) + 1);
      if (deed) fresh.dataset.deed = deed;
      return fresh;
    },
    show: (fresh) => {
      const taken = onShow(fresh) !== false;
      if (taken) shown.push(fresh.innerHTML);
      return taken;
    },
    announce: (text) => said.push(text),
  });
  return { stream: FakeStream.all[0], said };
}

beforeEach(() => {
  document = open(
    `<main id="main" data-table="abc" data-version="7" data-step="3"></main>${LINE}<div id="cheers"></div>`,
  );
  document.documentElement.dataset.pace = "900";
  main = document.getElementById("main");
  Object.defineProperty(document, "hidden", { value: false, configurable: true });
});

/** Hide the page, or show it again. */
function hide(hidden) {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

test("the stream starts at the version of the page, and says that its reader looks", () => {
  serve(NOTHING);
  assert.equal(start().stream.url, "/api/tables/abc/stream?after=7&looking=true");
});

test("a hidden page keeps its stream but does not look: push messages tell its reader", async () => {
  serve(NOTHING);
  start();
  hide(true);
  await settle();
  assert.equal(FakeStream.all.length, 2);
  assert.equal(FakeStream.all.at(-1).url, "/api/tables/abc/stream?after=7");
  assert.ok(FakeStream.all[0].closed);
  assert.ok(!FakeStream.all[1].closed);
  hide(true);
  await pass(20000);
  assert.equal(FakeStream.all.length, 2);
  hide(false);
  await settle();
  assert.equal(FakeStream.all.at(-1).url, "/api/tables/abc/stream?after=7&looking=true");
  assert.deepEqual(
    FakeStream.all.map((stream) => Boolean(stream.closed)),
    [true, true, false],
  );
});

test("a page that is opened in the background does not look", () => {
  serve(NOTHING);
  hide(true);
  assert.equal(start().stream.url, "/api/tables/abc/stream?after=7");
});

test("a newer version is fetched once and shown", async () => {
  const requests = serve(() => new Response("new"));
  start().stream.send("version", { version: 8 });
  await settle();
  assert.deepEqual(
    requests.map((request) => request.address),
    ["/t/abc/scene?after=3&version=7"],
  );
  assert.deepEqual(shown, ["new"]);
});

test("a version that the page has is not fetched", async () => {
  const requests = serve(NOTHING);
  start().stream.send("version", { version: 7 });
  await settle();
  assert.equal(requests.length, 0);
});

test("scenes that wait are shown one after the other at the reader's pace", async () => {
  serve(() => new Response("scene"));
  const { stream } = start({
    onShow: () => {
      main.dataset.version = "9";
      main.dataset.step = String(Number(main.dataset.step) + 1);
      if (main.dataset.step === "5") delete main.dataset.more;
      else main.dataset.more = "";
    },
  });
  stream.send("version", { version: 9 });
  await settle();
  assert.equal(shown.length, 1);
  await pass(899);
  assert.equal(shown.length, 1);
  await pass(1);
  assert.equal(shown.length, 2);
  await pass(5000);
  assert.equal(shown.length, 2);
});

test("what a bot uses lights up for the second half of the time before it acts, and a tap ends the wait", async () => {
  const lit = [];
  register("lights", {
    light: (_, deed, ask) => (ask ? true : lit.push(deed)),
  });
  document.body.dataset.game = "lights";
  serve(() => new Response("scene"));
  const { stream } = start({
    onShow: () => Object.assign(main.dataset, { version: "9", step: String(Number(main.dataset.step) + 1), more: "" }),
    deed: "2 score odds 531",
  });
  stream.send("version", { version: 9 });
  await settle();
  await pass(450);
  // The first one came after a move of the reader's own: only its light had to be seen.
  assert.deepEqual([shown.length, lit.length], [1, 1]);
  await pass(449);
  assert.deepEqual([shown.length, lit.length], [1, 1]);
  await pass(1);
  assert.deepEqual([shown.length, lit], [1, Array(2).fill("2 score odds 531")]);
  await pass(449);
  assert.equal(shown.length, 1);
  await pass(1);
  assert.equal(shown.length, 2);
  document.dispatchEvent(new Event("pointerdown"));
  await settle();
  assert.deepEqual([shown.length, lit.length], [3, 2]);
});

test("nobody waits at a page that is hidden", async () => {
  serve(() => new Response("scene"));
  hide(true);
  const { stream } = start({
    onShow: () => Object.assign(main.dataset, { version: "9", step: String(Number(main.dataset.step) + 1) }),
  });
  stream.send("version", { version: 9 });
  await settle();
  main.dataset.version = "8";
  stream.send("version", { version: 9 });
  await settle();
  assert.equal(shown.length, 2);
});

test("an answer that comes while a form is on its way is not shown", async () => {
  const releases = {};
  serve(
    ({ address }) =>
      new Promise(
        (done) =>
          (releases[address.slice(0, 10)] = () => done(address.includes("act") ? NOTHING() : new Response("late"))),
      ),
  );
  start().stream.send("version", { version: 8 });
  await settle();
  main.innerHTML = '<form data-live action="/t/abc/act"></form>';
  send(main.querySelector("form"));
  releases["/t/abc/sce"]();
  await settle();
  assert.deepEqual(shown, []);
  releases["/t/abc/act"]();
  await settle();
});

test("a failed fetch shows that the line is lost, and it is tried again, later each time", async () => {
  const requests = serve((_, number) => (number < 4 ? new Error("no network") : new Response("scene")));
  start().stream.send("version", { version: 8 });
  await settle();
  assert.equal(line(), "lost");
  for (const [number, wait] of [1000, 2000, 4000].entries()) {
    await pass(0.75 * wait - 1);
    assert.equal(requests.length, number + 1);
    await pass(0.5 * wait + 1);
    assert.equal(requests.length, number + 2);
  }
  assert.deepEqual(shown, ["scene"]);
  assert.equal(line(), "");
});

for (const [status, said] of [
  [403, "closed"],
  [404, "closed"],
  [429, "slow"],
  [500, "silent"],
  [503, "silent"],
])
  test(`a scene that is answered with ${status} does not read as a lost connection`, async () => {
    serve((_, number) => (number === 1 ? new Response("a proxy's page", { status }) : new Response("scene")));
    start().stream.send("version", { version: 8 });
    await settle();
    assert.equal(line(), said);
    assert.deepEqual(shown, []);
    await pass(1250);
    assert.deepEqual(shown, ["scene"]);
    assert.equal(line(), "");
  });

test("the server's own sentence is shown, and its Retry-After is kept", async () => {
  const requests = serve(
    () => new Response('{"reason":"Wait a moment."}', { status: 429, headers: { "retry-after": "9" } }),
  );
  start().stream.send("version", { version: 8 });
  await settle();
  assert.equal(line(), "Wait a moment.");
  await pass(8999);
  assert.equal(requests.length, 1);
  await pass(1);
  assert.equal(requests.length, 2);
});

test("a page that is no table, such as a hotel's login, is not shown", async () => {
  serve((_, number) => (number === 1 ? new Response("<main>Welcome to our hotel</main>") : NOTHING()));
  start({ onShow: () => false }).stream.send("version", { version: 8 });
  await settle();
  assert.equal(line(), "silent");
});

test("a stream that broke off is opened again, later each time, and says so if it does not come back", async () => {
  serve(NOTHING);
  start();
  for (const [number, wait] of [1000, 2000, 4000].entries()) {
    const before = FakeStream.all.length;
    FakeStream.all.at(-1).send("error");
    await settle();
    assert.equal(line(), number ? "lost" : "");
    await pass(0.75 * wait - 1);
    assert.equal(FakeStream.all.length, before);
    await pass(0.5 * wait + 1);
    assert.equal(FakeStream.all.length, before + 1);
  }
  FakeStream.all.at(-1).send("open");
  await settle();
  assert.equal(line(), "");
});

for (const [status, said] of [
  [401, "still"],
  [403, "still"],
  [404, "still"],
  [410, "still"],
  [429, "slow"],
  [500, "silent"],
  [503, "silent"],
])
  test(`a stream that is answered with ${status} says what it is; the page looks for moves meanwhile`, async () => {
    const requests = serve(({ address }) => (address.includes("/stream") ? new Response("", { status }) : NOTHING()));
    const { stream } = start();
    stream.readyState = FakeStream.CLOSED;
    stream.send("error");
    await settle();
    assert.equal(line(), said);
    requests.length = 0;
    await pass(1250);
    assert.equal(FakeStream.all.length, 2);
    assert.deepEqual(
      requests.map((request) => request.address),
      ["/t/abc/scene?after=3&version=7"],
    );
    assert.equal(line(), said);
  });

test("a network that is back is used at once", async () => {
  serve((_, number) => (number < 3 ? new Error("no network") : NOTHING()));
  start();
  FakeStream.all[0].send("error");
  await settle();
  assert.equal(line(), "lost");
  const before = FakeStream.all.length;
  window.dispatchEvent(new Event("online"));
  await settle();
  assert.equal(FakeStream.all.length, before + 1);
});

test("presence marks the seats that are away and counts who watches", async () => {
  serve(NOTHING);
  main.innerHTML = '<i data-present="1"></i><i data-present="2"></i><p hidden><b data-watchers>0</b></p>';
  const { stream } = start();
  stream.send("presence", { seats: [2], watchers: 3 });
  assert.deepEqual(
    [...main.querySelectorAll("i")].map((dot) => dot.classList.contains("off")),
    [true, false],
  );
  // Whoever watches is not told of themselves.
  assert.equal(main.querySelector("b").textContent, "2");
  assert.equal(main.querySelector("p").hidden, false);
  stream.send("presence", { seats: [2], watchers: 1 });
  assert.equal(main.querySelector("p").hidden, true);
});

test("a reaction is shown with its emoji at its seat, said with the name, and gone after a while", async () => {
  serve(NOTHING);
  main.innerHTML =
    '<i id="lane-2" class="lane seat-3"></i><section data-names=\'["Anna","Ben"]\'><button data-reaction="clap" aria-label="Clap"> 👏 </button></section>';
  const { stream, said } = start();
  stream.send("reaction", { seat: 2, reaction: "clap" });
  assert.equal(document.querySelector(".cheer.seat-3").textContent, "👏Clap");
  assert.deepEqual(said, ["Ben: 👏 Clap"]);
  await pass(2700);
  assert.equal(document.querySelector(".cheer"), null);
});

test("the clock counts down in minutes and seconds, and says until when if there are many hours", async () => {
  serve(NOTHING);
  main.innerHTML = '<p><span class="clock"></span></p>';
  const clock = main.querySelector(".clock");
  start();
  const at = async (left) => {
    main.dataset.deadline = String((Date.now() + 500) / 1000 + left);
    await pass(500);
    return [clock.textContent, clock.classList.contains("low")];
  };
  assert.deepEqual(await at(65), ["1:05", false]);
  assert.deepEqual(await at(14), ["0:14", true]);
  assert.deepEqual(await at(-3), ["0:00", true]);
  document.documentElement.lang = "en";
  const [told, low] = await at(7200);
  // Where the reader is: this test may run anywhere.
  assert.match(told, /^\w{3},? \d\d:\d\d$/);
  assert.equal(low, false);
  delete main.dataset.deadline;
  await pass(500);
  assert.ok(clock.parentElement.hidden);
});

test("an idle page asks nothing while its stream shows that it is alive", async () => {
  const asked = serve(NOTHING);
  const { stream } = start();
  stream.send("open");
  await settle();
  const before = asked.length;
  for (let i = 0; i < 20; i++) {
    await pass(15000);
    stream.send("ping", { gone: null });
  }
  assert.equal(asked.length, before);
  stream.send("ping", { gone: 2 });
  await settle();
  assert.equal(asked.length, before + 1);
});

test("a stream that falls silent is opened anew, and the page looks itself", async () => {
  const asked = serve(NOTHING);
  const { stream } = start();
  await settle();
  const before = asked.length;
  await pass(60000);
  assert.ok(stream.closed);
  assert.equal(FakeStream.all.length, 2);
  assert.equal(asked.length, before + 1);
});
