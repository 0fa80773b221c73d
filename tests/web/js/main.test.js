import assert from "node:assert/strict";
import { test } from "node:test";
import { LINE, line, open, serve, settle } from "./page.js";

let loaded = 0;

/** Open a page, load main.js anew on it and return the document and its `show`. */
async function load(main, phone = false) {
  const document = open(`<p id="said"></p>${LINE}${main}`);
  globalThis.matchMedia = (query) => ({ matches: phone && query.includes("max-width") });
  const { show } = await import(`../../../src/starfrost/web/static/js/main.js?${++loaded}`);
  return { document, show, main: () => document.getElementById("main") };
}

const press = (target, key, options = {}) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...options }));

test("the answer of the same table is morphed in, and what it says is announced", async () => {
  const page = await load('<main id="main" data-lesson="x" data-step="1"><b id="card">1</b></main>');
  const [main, card] = [page.main(), page.document.getElementById("card")];
  assert.ok(
    page.show('<main id="main" data-lesson="x" data-step="2" data-said="Ben rolls."><b id="card">2</b></main>'),
  );
  assert.equal(page.main(), main);
  assert.equal(page.document.getElementById("card"), card);
  assert.equal(card.textContent, "2");
  assert.equal(page.document.getElementById("said").textContent, "Ben rolls.");
});

test("on a phone a table that was scrolled is seen whole again after one's own move, and when one's turn begins", async () => {
  const table = (step, turn) =>
    `<main id="main" data-lesson="x" data-step="${step}"${turn ? " data-turn" : ""}></main>`;
  const page = await load(table(1, true), true);
  const scrolled = [];
  window.scrollTo = (...to) => scrolled.push(to);
  Object.assign(window, { innerHeight: 600, scrollY: 400 });
  for (const [step, turn, low, times] of [
    [1, true, false, 0],
    [2, false, false, 1],
    [3, false, true, 1],
    [4, true, false, 1],
    [5, false, true, 2],
    [6, true, true, 3],
  ]) {
    window.scrollY = low ? 136 : 400;
    page.show(table(step, turn));
    assert.equal(scrolled.length, times, `step ${step}`);
  }
});

test("another table takes the place of the old one", async () => {
  const page = await load('<main id="main" data-lesson="x">1</main>');
  const main = page.main();
  assert.ok(page.show('<main id="main" data-lesson="y">2</main>'));
  assert.notEqual(page.main(), main);
  assert.equal(page.main().textContent, "2");
});

test("an answer without a table is not shown", async () => {
  const page = await load('<main id="main">1</main>');
  assert.equal(page.show("<p>no</p>"), false);
  assert.equal(page.show("<main>That did not work</main>"), false);
  assert.equal(page.main().textContent, "1");
});

test("the same sentence twice is announced twice", async () => {
  const page = await load('<main id="main" data-lesson="x" data-said="a">1</main>');
  page.show('<main id="main" data-lesson="x" data-said="Skip.">1</main>');
  const said = page.document.getElementById("said");
  assert.equal(said.textContent, "Skip.");
  page.show('<main id="main" data-lesson="x" data-said="b">1</main>');
  page.show('<main id="main" data-lesson="x" data-said="b ">1</main>');
  page.show('<main id="main" data-lesson="x" data-said="b">1</main>');
  assert.equal(said.textContent, "b");
});

const LIVE =
  '<main id="main" data-lesson="x"><form data-live action="/t/abc/act"><input name="key" value="k1"></form></main>';

test("a live form is sent in the background and its answer is shown", async () => {
  const page = await load(LIVE);
  const requests = serve(() => new Response('<main id="main" data-lesson="x">played</main>'));
  page.document.querySelector("form").requestSubmit();
  await settle();
  assert.deepEqual(
    requests.map(({ address, method, body }) => [address, method, String(body)]),
    [["/t/abc/act", "POST", "key=k1"]],
  );
  assert.equal(page.main().textContent, "played");
});

test("whoever sits down adds sixteen random bytes", async () => {
  const page = await load(
    '<main id="main"><form data-contribute data-quiet action="/t/abc/join"><input name="contribution"></form></main>',
  );
  const requests = serve(() => new Response(""));
  const form = page.document.querySelector("form");
  form.requestSubmit();
  form.requestSubmit();
  await settle();
  const sent = requests.map((request) => new URLSearchParams(String(request.body)).get("contribution"));
  for (const contribution of sent) assert.match(contribution, /^[0-9a-f]{32}$/);
  assert.notEqual(sent[0], sent[1]);
});

test("a reaction that does not arrive is told", async () => {
  const page = await load('<main id="main"><form data-quiet action="/t/abc/react"></form></main>');
  const form = page.document.querySelector("form");
  const answers = [
    new Response(null, { status: 204 }),
    new Error("lost"),
    new Response('{"reason":"No."}', { status: 403 }),
  ];
  serve((_, number) => answers[number - 1]);
  const told = [];
  for (const _ of answers) {
    form.requestSubmit();
    await settle();
    told.push(line());
  }
  assert.deepEqual(told, ["", "unsent [close]", "No. [close]"]);
});

test("keys pick dice and choose cards, but not while a name is typed", async () => {
  const page = await load(`<main id="main"><input type="text" id="name"><form class="play">
    <input type="checkbox" name="die" data-pick value="6"><input type="checkbox" name="die" data-pick value="2">
    <input type="radio" name="card" data-choice value="odds"><input type="radio" name="card" data-choice value="straight"></form></main>`);
  const checked = () => [...page.document.querySelectorAll("form :checked")].map((input) => input.value).join(" ");
  press(page.document.body, "2");
  press(page.document.body, "w");
  assert.equal(checked(), "2 straight");
  press(page.document.body, "1", { ctrlKey: true });
  press(page.document.getElementById("name"), "1");
  assert.equal(checked(), "2 straight");
});

test("a bot that does not play at a table of the chosen size is replaced by the strongest that does", async () => {
  const bots = [1, 2]
    .map((many) => `<input type="radio" name="bots" value="${many}" ${many === 1 ? "checked" : ""}>`)
    .join("");
  const bot = (id, sizes, checked) =>
    `<label data-bots="${sizes}"><input type="radio" name="bot" value="${id}" ${checked}></label>`;
  const page = await load(
    `<main id="main"><form class="setup">${bots}${bot("greedy", "1 2 3", "")}${bot("planner", "1 2 3", "")}${bot("perfect", "1", "checked")}</form></main>`,
  );
  const form = page.document.querySelector("form");
  const chosen = () => form.querySelector('[name="bot"]:checked').value;
  const choose = (name, value) => {
    const input = form.querySelector(`[name="${name}"][value="${value}"]`);
    input.checked = true;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  choose("bots", 2);
  assert.equal(chosen(), "planner");
  choose("bot", "greedy");
  assert.equal(chosen(), "greedy");
});

test("while dice roll nothing else changes, and the next position waits", async () => {
  const { register } = await import("../../../src/starfrost/web/static/js/boards.js");
  const scene = (step, said) =>
    `<main id="main" data-lesson="x" data-turn data-step="${step}" data-said="${said}">${said}</main>`;
  const page = await load(scene(1, "one"));
  page.document.body.dataset.game = "rolling";
  Object.defineProperty(page.document, "hidden", { value: false });
  const settled = [];
  register("rolling", {
    stage: (_old, fresh) => fresh.textContent === "two" && new Promise((done) => settled.push(done)),
  });
  const shown = page.show(scene(2, "two"));
  const later = page.show(scene(3, "three"));
  await settle();
  assert.equal(page.main().textContent, "one");
  assert.equal(page.document.getElementById("said").textContent, "");
  settled[0]();
  assert.equal(await shown, true);
  await later;
  assert.equal(page.main().textContent, "three");
  assert.equal(page.document.getElementById("said").textContent, "three");
  // A move that is taken back is not rolled again.
  page.show(scene(2, "two"));
  assert.equal(page.main().textContent, "two");
});

test("the script of the page's board follows what changes and what is clicked", async () => {
  const { register } = await import("../../../src/starfrost/web/static/js/boards.js");
  const page = await load('<main id="main"><form class="play"><input name="x" type="checkbox"></form></main>');
  page.document.body.dataset.game = "mine";
  const calls = [];
  register("other", { refresh: () => calls.push("other") });
  calls.length = 0;
  register("mine", {
    refresh: (_form, changed) => calls.push(changed?.name ?? "all"),
    click: () => calls.push("click"),
  });
  page.document.querySelector("input").click();
  assert.deepEqual(calls, ["all", "click", "x"]);
});
