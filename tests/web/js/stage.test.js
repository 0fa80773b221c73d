import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { open, pass } from "./page.js";

let loaded = 0;
let clicks;
let page;

beforeEach(async () => {
  page = open(`<main><form class="play"><input type="radio" name="card"><div class="bar">
    <button class="go" id="go">Roll</button><button type="button" class="go" id="none" aria-disabled="true">Choose</button>
    </div></form></main>`);
  const stage = await import(`../../../src/starfrost/web/static/js/stage.js?${++loaded}`);
  Object.assign(page, stage);
  clicks = [];
  page.addEventListener("click", (event) => clicks.push(event.target.id));
  page.addEventListener("submit", (event) => event.preventDefault());
});

const get = (id) => page.getElementById(id);

test("an inactive button ignores clicks", () => {
  get("none").click();
  assert.deepEqual(clicks, []);
  get("go").click();
  assert.deepEqual(clicks, ["go"]);
});

test("after a move the buttons rest for as long as a double tap takes", async () => {
  get("go").click();
  page.rest(page.querySelector("main"));
  get("go").click();
  assert.deepEqual(clicks, ["go"]);
  await pass(450);
  get("go").click();
  assert.deepEqual(clicks, ["go", "go"]);
  assert.equal(get("none").getAttribute("aria-disabled"), "true", "what was inactive stays so");
});

test("whoever touches something else can press the button at once", () => {
  get("go").click();
  page.rest(page.querySelector("main"));
  page.querySelector("input").dispatchEvent(new Event("pointerdown", { bubbles: true }));
  get("go").click();
  assert.deepEqual(clicks, ["go", "go"]);
});

test("while dice roll nothing can be chosen or played", () => {
  page.setPhase("tumbling");
  page.querySelector("input").click();
  get("go").click();
  assert.deepEqual(clicks, []);
  assert.ok(!page.querySelector("input").checked);
  page.setPhase("");
  page.querySelector("input").click();
  assert.ok(page.querySelector("input").checked);
});
