import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.js";

open("");
const { refresh, tapReserve } = await import("../../../src/starfrost/games/dice_stars/board/static/js/dice_stars.js");

/** Open the form of a take in Dice Stars: black, 4 and stars (two boxes to tick) are offered. */
function sheet() {
  const row = (
    number,
  ) => `<tr><td>${[1, 2].map((box) => `<input type="checkbox" name="row" value="${number}" id="r${number}${box}">`).join("")}</td>
    <td data-ladder="0:none 4:once 8:twice"><span class="now">0</span></td></tr>`;
  const document = open(`<main><form class="play">
    <input type="radio" name="take" value="black"><input type="radio" name="take" value="4"><input type="radio" name="take" value="stars" data-stars="2">
    <div class="reserve"><span class="sd" data-colour="black" data-face="4"></span><span class="sd" data-colour="blue" data-face="★"></span></div>
    <table>${row(2)}${row(3)}</table><button data-need="2"></button></form></main>`);
  const form = document.querySelector("form");
  const tick = (id) => {
    const box = document.getElementById(id);
    box.checked = !box.checked;
    refresh(form, box);
  };
  return { form, tick, taken: () => form.querySelector('[name="take"]:checked')?.value };
}

test("a tap on a die takes its colour, then its number; on a star the stars", () => {
  const { form, taken } = sheet();
  const [die, star] = form.querySelectorAll(".sd");
  tapReserve(form, die);
  assert.equal(taken(), "black");
  tapReserve(form, die);
  assert.equal(taken(), "4");
  tapReserve(form, die);
  assert.equal(taken(), "black");
  tapReserve(form, star);
  assert.equal(taken(), "stars");
});

test("stars are ticked up to their number, the first tick gives way, and the row shows its score", () => {
  const { form, tick } = sheet();
  const button = form.querySelector("button");
  tapReserve(form, form.querySelectorAll(".sd")[1]);
  tick("r21");
  assert.ok(button.disabled);
  tick("r22");
  assert.ok(!button.disabled);
  assert.equal(form.querySelector(".now").textContent, "8×2");
  tick("r31");
  assert.deepEqual(
    [...form.querySelectorAll('[name="row"]:checked')].map((box) => box.id),
    ["r22", "r31"],
  );
  assert.equal(form.querySelector(".now").textContent, "4");
});

test("ticks go when something else than stars is taken", () => {
  const { form, tick } = sheet();
  tapReserve(form, form.querySelectorAll(".sd")[1]);
  tick("r21");
  tapReserve(form, form.querySelector(".sd"));
  assert.equal(form.querySelectorAll('[name="row"]:checked').length, 0);
});
