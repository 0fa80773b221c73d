// Dicy Cards: follows picked dice. Every number here was computed by the rules on the server and came with the page.
import { lightUp, register } from "./boards.js";
import { appear, burst, offerSound, roll, watchScores } from "./dice.js";
import { play } from "./sound.js";

const sorted = (values) => [...values].sort().reverse().join("");
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

export function refresh(form, changed = null) {
  if (!form.dataset.picking) return;
  const data = JSON.parse(form.dataset.picking);
  const dice = [...form.querySelectorAll('[name="die"]')];
  const cards = [...form.querySelectorAll('[name="card"]')];
  const picked = sorted(dice.filter((die) => die.checked).map((die) => die.value));
  const question = form.querySelector("#question .now");
  const again = form.querySelector("#again");
  // The first picked die changes the question from "what do you score" to "what do you freeze", the last one put back
  // changes it again.
  if (changed?.name === "die" && picked.length === Number(changed.checked))
    for (const card of cards) card.checked = false;
  const chosen = cards.find((card) => card.checked)?.value ?? "";
  for (const card of cards) {
    const best = data.best[card.value];
    const exact = data.options[card.value]?.[picked];
    const points = picked && exact !== undefined ? exact : best?.points;
    const box = card.closest(".card");
    // To skip is a choice beside the cards.
    if (!box) continue;
    const number = box.querySelector(".pts");
    if (points !== undefined) {
      number.textContent = points;
      box.querySelector(".front .why").textContent = picked && exact !== undefined ? [...picked].join(" ") : best.why;
    }
    number.classList.toggle("faint", Boolean(picked) && exact === undefined);
    box.classList.toggle("fits", Boolean(picked) && exact !== undefined);
  }
  const name = chosen && form.querySelector(`#card-${form.closest("main").dataset.me}-${chosen} .name`)?.textContent;
  const exact = chosen ? data.options[chosen]?.[picked] : undefined;
  for (const button of form.querySelectorAll(".with")) {
    button.hidden = Boolean(picked) && (exact === undefined || button.dataset.card !== chosen);
    if (button.dataset.card === chosen && data.best[chosen]) {
      const best = data.best[chosen];
      button.textContent =
        picked && exact !== undefined
          ? fill(data.exactly, { points: exact })
          : fill(data.score, { points: best.points, card: name });
      button.classList.toggle("go", !picked || !again);
    }
  }
  const none = form.querySelector(".with-none");
  if (none) none.hidden = Boolean(picked);
  if (again) {
    again.hidden = !picked;
    again.disabled = !chosen;
    again.textContent = chosen ? fill(data.reroll[picked.length], { card: name }) : data.pick;
  }
  const skip = form.querySelector("#skip");
  if (skip) skip.hidden = Boolean(picked);
  const price = again ? data.freeze[picked.length] : "";
  question.textContent = picked ? `${data.picked[picked.length]} ${price}` : data.question;
  // Without picks, mark the dice that the chosen card would count.
  const counted = !picked && chosen && data.best[chosen] ? [...data.best[chosen].dice] : [];
  for (const die of dice) {
    const at = counted.indexOf(die.value);
    die.closest(".die").classList.toggle("counts", at >= 0);
    if (at >= 0) counted.splice(at, 1);
  }
}

const pips = (face) => `<svg><use href="#i-d${face}"/></svg>`;

// The moment of cards that freeze.
function chill(cards, calm) {
  if (!cards.length) return;
  play("freeze");
  if (!calm) for (const card of cards) burst(card.getBoundingClientRect(), "flake");
}

// The cards that are frozen in one position, and not in another with the same cards.
function newlyFrozen(before, after) {
  const was = (card) => before.querySelector(`#${card.id}`);
  return [...after.querySelectorAll(".card.frozen")].filter((card) => was(card) && !was(card).matches(".frozen"));
}

function stage(old, fresh, speed) {
  const frozen = newlyFrozen(old, fresh).map((card) => old.querySelector(`#${card.id}`));
  const settled = roll(old, fresh, pips, speed);
  if (!settled) return null;
  // The card that is the price of rolling again freezes while the dice roll.
  for (const card of frozen) card.classList.add("frozen");
  chill(frozen);
  offerSound();
  return settled;
}

function watch(main) {
  const before = main.cloneNode(true);
  const card = main.querySelector('[name="card"]:checked')?.closest(".card");
  const points = watchScores(main, card?.querySelector(".pts") ?? main.querySelector(".dice"));
  return (now, calm, rolled) => {
    chill(newlyFrozen(before, now), calm);
    if (!calm) points(now);
    if (rolled) appear([...now.querySelectorAll(".card:not(.frozen) .pts")]);
  };
}

// Set-up form: counts the chosen cards; when there are enough, no other card can be ticked.
export function setup(form) {
  const boxes = [...form.querySelectorAll('[name="cards"]')];
  const many = form.querySelector(".many");
  const chosen = boxes.filter((box) => box.checked).length;
  const text = fill(many.dataset.text, { n: chosen });
  if (many.textContent !== text) many.textContent = text;
  for (const box of boxes) box.disabled = !box.checked && chosen >= Number(many.dataset.most);
}

// The dice and the card of an action; the card of another player is a small one beside the name. A reason may also name
// somebody's `points` or the whole `hand`.
function light(main, deed, ask, gone = false) {
  const [seat, verb, ...rest] = deed.split(" ");
  const values = gone ? [] : [...(rest.find((word) => /^[1-6]+$/.test(word)) ?? "")];
  const dice = [...main.querySelectorAll("[data-tray] .die:has(use)")].filter((die) => {
    const at = values.indexOf(die.querySelector("use").getAttribute("href").slice(-1));
    if (at >= 0) values.splice(at, 1);
    return at >= 0;
  });
  const cards = rest.map(
    (word) =>
      main.querySelector(`#card-${seat}-${CSS.escape(word)}`) ??
      main.querySelector(
        `#lane-${seat} :is(.c-${CSS.escape(word)}, ${{ points: ".score", hand: ".hand" }[word] ?? "none"})`,
      ),
  );
  return lightUp(main, [...dice, ...cards, verb === "skip" && main.querySelector("#skip")], ask);
}

register("dicy-cards", { refresh, setup, stage, watch, light });
