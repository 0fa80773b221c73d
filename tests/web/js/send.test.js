import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { LINE, line, open, pass, serve, settle } from "./page.js";

const BODY = `${LINE}<p id="said"></p><main id="main" data-table="abc">
  <form data-live action="/t/abc/act"><input name="key" value="k1"><button name="do" value="roll"></button></form>
  <form data-live action="/t/abc/undo"><input name="key" value="k2"></form>
  <form data-live action="/settings"><input name="theme" value="dark"></form></main>`;
let document;
let shown;
let loaded = 0;
let script;

/** Load send.js anew, as a reload of the page does; what is kept in the session stays. */
async function load() {
  script = await import(`../../../src/starfrost/web/static/js/send.js?${++loaded}`);
  shown = [];
  script.start(
    (html) => html.startsWith("<main") && shown.push(html) > 0,
    () => {},
    "abc",
  );
  await settle();
}

beforeEach(async () => {
  document = open(BODY);
  serve(() => new Error("no request is expected"));
  await load();
});

const form = (name = "act") => document.querySelector(`form[action$="${name}"]`);
const send = (name) => script.send(form(name), form(name).querySelector("button"));
const played = () => new Response("<main>played</main>");
const refused = (status, headers = {}) => new Response('{"reason":"A reason."}', { status, headers });
const bodies = (requests) => requests.map((request) => String(request.body));
const button = () => document.querySelector("#line button");

test("the form is busy at once, and a moment later the page says that it is sent", async () => {
  let release;
  const requests = serve(() => new Promise((done) => (release = () => done(played()))));
  send();
  assert.ok(form().hasAttribute("aria-busy"));
  assert.equal(line(), "");
  await pass(149);
  assert.equal(line(), "");
  await pass(1);
  assert.equal(line(), "sending");
  release();
  await settle();
  assert.equal(line(), "");
  assert.ok(!form().hasAttribute("aria-busy"));
  assert.deepEqual(shown, ["<main>played</main>"]);
  assert.deepEqual(bodies(requests), ["key=k1&do=roll"]);
});

test("at a table one command is sent at a time; other forms are free", async () => {
  const requests = serve(() => new Promise(() => {}));
  send();
  send();
  send("undo");
  send("settings");
  assert.deepEqual(
    requests.map((request) => request.address),
    ["/t/abc/act", "/settings"],
  );
});

test("without a connection the form is kept and sent again with the same key and button, later each time", async () => {
  const requests = serve((_, number) => (number < 5 ? new Error("lost") : played()));
  send();
  await settle();
  assert.equal(line(), "offline [stop]");
  for (const [number, wait] of [500, 1000, 2000, 4000].entries()) {
    await pass(0.75 * wait - 1);
    assert.equal(requests.length, number + 1);
    await pass(0.5 * wait + 1);
    assert.equal(requests.length, number + 2);
  }
  assert.deepEqual(new Set(bodies(requests)), new Set(["key=k1&do=roll"]));
  assert.deepEqual(shown, ["<main>played</main>"]);
  assert.equal(line(), "");
});

test("attempts are at most fifteen seconds apart", async () => {
  const requests = serve(() => new Error("lost"));
  send();
  for (let second = 0; second < 60; second++) await pass(1000);
  const before = requests.length;
  for (let second = 0; second < 15; second++) await pass(1000);
  assert.ok(requests.length > before);
});

test("a line that is dead is noticed after eight seconds", async () => {
  const requests = serve(({ signal }, number) =>
    number > 1
      ? played()
      : new Promise((_, fail) => signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")))),
  );
  send();
  await pass(8000);
  assert.equal(line(), "down [stop]");
  await pass(625);
  assert.equal(requests.length, 2);
  assert.equal(shown.length, 1);
});

test("a network that is back is used at once", async () => {
  serve((_, number) => (number === 1 ? new Error("lost") : played()));
  send();
  await settle();
  window.dispatchEvent(new Event("online"));
  await settle();
  assert.equal(shown.length, 1);
});

for (const status of [500, 502, 503])
  test(`${status} is an outage: the form is sent again`, async () => {
    serve((_, number) => (number === 1 ? new Response("", { status }) : played()));
    send();
    await settle();
    assert.equal(line(), "down [stop]");
    await pass(625);
    assert.equal(shown.length, 1);
    assert.equal(line(), "");
  });

for (const status of [401, 403, 404, 409, 422])
  test(`${status} is a refusal: the page says why and the table stays`, async () => {
    const requests = serve(() => refused(status));
    send();
    await settle();
    assert.equal(line(), "A reason. [close]");
    assert.equal(document.getElementById("said").textContent, "A reason.");
    assert.ok(!form().hasAttribute("aria-busy"));
    assert.deepEqual(shown, []);
    await pass(60000);
    assert.equal(requests.length, 1);
    button().click();
    assert.equal(line(), "");
  });

test("a refusal without a sentence, for example a proxy's, is told in the page's own words", async () => {
  serve(() => new Response("<main>Forbidden</main>", { status: 403 }));
  send();
  await settle();
  assert.equal(line(), "refused [close]");
  assert.deepEqual(shown, []);
});

test("after too many requests the form waits as long as the server asks, and can be stopped with certainty", async () => {
  const requests = serve((_, number) => (number === 1 ? refused(429, { "retry-after": "5" }) : played()));
  send();
  await settle();
  assert.equal(line(), "slow [cancel]");
  await pass(4999);
  assert.equal(requests.length, 1);
  await pass(1);
  assert.equal(shown.length, 1);
});

test("a page that is no table, such as a hotel's login, is an outage", async () => {
  serve((_, number) => (number === 1 ? new Response("<p>Welcome to our hotel</p>") : played()));
  send();
  await settle();
  assert.equal(line(), "down [stop]");
  await pass(625);
  assert.equal(shown.length, 1);
});

test("a form that may have arrived can be stopped, and the page says so", async () => {
  const requests = serve(() => new Error("lost"));
  send();
  await settle();
  assert.equal(line(), "offline [stop]");
  button().click();
  assert.equal(line(), "maybe [close]");
  assert.ok(!form().hasAttribute("aria-busy"));
  await pass(60000);
  assert.equal(requests.length, 1);
});

test("a form of a browser without a network has certainly not arrived", async () => {
  Object.defineProperty(navigator, "onLine", { value: false, configurable: true });
  const requests = serve(() => new Error("lost"));
  send();
  await settle();
  assert.equal(line(), "offline [cancel]");
  button().click();
  assert.equal(line(), "");
  await pass(60000);
  assert.equal(requests.length, 1);
});

test("a reload sends again what had no answer, once", async () => {
  serve(() => new Error("lost"));
  send();
  await settle();
  const requests = serve(played);
  await load();
  assert.deepEqual(bodies(requests), ["key=k1&do=roll"]);
  assert.equal(shown.length, 1);
  await load();
  assert.equal(requests.length, 1);
});

test("an answer that leads to another page is followed", async () => {
  serve(() => new Response(null, { status: 204, headers: { "X-Go-To": "/t/abc#here" } }));
  send("settings");
  await settle();
  assert.equal(location.hash, "#here");
  assert.ok(form("settings").hasAttribute("aria-busy"));
});

test("a form without a key gets one, the same for every attempt", async () => {
  const requests = serve((_, number) => (number === 1 ? new Error("lost") : played()));
  send("settings");
  await settle();
  await pass(625);
  const [first, second] = bodies(requests);
  assert.match(first, /^theme=dark&key=[0-9a-f]{32}$/);
  assert.equal(first, second);
});
