import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "./page.js";

open("");
const { refresh } = await import("../../../src/starfrost/games/dicy_cards/board/static/js/dicy_cards.js");

const PICKING = {
  best: { odds: { points: 9, why: "5 3 1", dice: "531" } },
  options: { odds: { 53: 8, 531: 9 }, straight: {} },
  score: "Score {points} with {card}",
  exactly: "Score exactly {points}",
  reroll: ["", "Freeze {card}, reroll 1", "Freeze {card}, reroll 2"],
  pick: "Pick a card",
  picked: ["", "1 die.", "2 dice."],
  freeze: ["", "Freeze what?", "Freeze what?"],
  question: "What do you score?",
};

const card = (name) =>
  `<div class="card" id="card-1-${name}"><span class="name">${name}</span><span class="pts">0</span><p class="front"><span class="why"></span></p>
   <input type="radio" name="card" value="${name}"></div>`;

/** Open the form of a turn of Dicy Cards with the dice 5 3 1 and the cards odds and straight, of which odds scores. */
function cards() {
  const document = open(`<main data-me="1"><form class="play"><p id="question"><span class="now"></span></p>
    ${[5, 3, 1].map((face) => `<label class="die"><input type="checkbox" name="die" value="${face}"></label>`).join("")}
    ${card("odds")}${card("straight")}
    <button class="with" data-card="odds"></button><button class="with-none"></button><button id="again"></button><label id="skip"><input type="radio" name="card" value="skip"></label></form></main>`);
  const form = document.querySelector("form");
  form.dataset.picking = JSON.stringify(PICKING);
  const pick = (...faces) => {
    for (const face of faces) {
      const die = form.querySelector(`[name="die"][value="${face}"]`);
      die.checked = !die.checked;
      refresh(form, die);
    }
  };
  const choose = (name) => {
    const radio = form.querySelector(`[name="card"][value="${name}"]`);
    radio.checked = true;
    refresh(form, radio);
  };
  const text = (selector) => form.querySelector(selector).textContent;
  const counted = () => [...form.querySelectorAll(".die.counts input")].map((die) => die.value).join("");
  return { form, pick, choose, text, counted };
}

test("nothing is chosen at first; a chosen card shows the best that it scores, and its dice are marked", () => {
  const { form, choose, text, counted } = cards();
  refresh(form);
  assert.equal(form.querySelector(":checked"), null);
  assert.equal(counted(), "");
  choose("odds");
  assert.equal(text(".with"), "Score 9 with odds");
  assert.equal(text("#question"), "What do you score?");
  assert.equal(counted(), "531");
  assert.ok(form.querySelector("#again").hidden);
});

test("the first picked die asks for the card to freeze, the last one put back asks for the score again", () => {
  const { form, pick, choose, text } = cards();
  choose("odds");
  pick(1);
  assert.equal(form.querySelector('[name="card"]:checked'), null);
  assert.equal(text("#question"), "1 die. Freeze what?");
  assert.equal(text("#again"), "Pick a card");
  assert.ok(form.querySelector("#again").disabled);
  assert.ok(form.querySelector("#skip").hidden);
  assert.ok(form.querySelector(".with-none").hidden);
  choose("straight");
  pick(1);
  assert.equal(form.querySelector('[name="card"]:checked'), null, "a card to freeze is not a card to score");
  assert.ok(!form.querySelector(".with-none").hidden);
});

test("picked dice show exactly what they score, and the reroll that they mean", () => {
  const { form, pick, choose, text } = cards();
  refresh(form);
  pick(3, 5);
  assert.equal(text("#card-1-odds .pts"), "8");
  assert.ok(form.querySelector("#card-1-odds").classList.contains("fits"));
  assert.ok(form.querySelector("#card-1-straight .pts").classList.contains("faint"));
  choose("odds");
  assert.equal(text(".with"), "Score exactly 8");
  assert.equal(text("#again"), "Freeze odds, reroll 2");
  choose("straight");
  assert.ok(form.querySelector(".with").hidden, "these dice score nothing with the card");
});
