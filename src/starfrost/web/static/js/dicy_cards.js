// Dicy Cards: follows picked dice. Every number here was computed by the rules on the server and came with the page.
import { register } from "./boards.js";

const sorted = (values) => [...values].sort().reverse().join("");
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

export function refresh(form, changed = null) {
  if (!form.dataset.picking) return;
  const data = JSON.parse(form.dataset.picking);
  const dice = [...form.querySelectorAll('[name="die"]')];
  const cards = [...form.querySelectorAll('[name="card"]')];
  const picked = sorted(dice.filter((die) => die.checked).map((die) => die.value));
  const question = form.querySelector("#question");
  const again = form.querySelector("#again");
  // The first picked die changes the question from "what do you score" to "what do you freeze".
  if (changed?.name === "die" && picked.length === 1 && changed.checked) for (const card of cards) card.checked = false;
  if (changed?.name === "die" && !picked.length) for (const card of cards) card.checked = card.defaultChecked;
  const chosen = cards.find((card) => card.checked)?.value ?? "";
  for (const card of cards) {
    const best = data.best[card.value];
    const exact = data.options[card.value]?.[picked];
    const points = picked && exact !== undefined ? exact : best?.points;
    const box = card.closest(".card");
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
    if (button.dataset.card === chosen) {
      const best = data.best[chosen];
      button.textContent =
        picked && exact !== undefined
          ? fill(data.exactly, { points: exact })
          : fill(data.score, { points: best.points, card: name });
      button.classList.toggle("go", !picked);
    }
  }
  if (again) {
    again.hidden = !picked;
    again.disabled = !chosen;
    again.textContent = chosen ? fill(data.reroll[picked.length], { card: name }) : data.pick;
  }
  const skip = form.querySelector("#skip");
  if (skip) skip.hidden = Boolean(picked);
  skip?.classList.toggle("go", !picked && !form.querySelector(".with"));
  question.textContent = picked ? `${data.picked[picked.length]} ${data.freeze[picked.length]}` : data.question;
  // Without picks, mark the dice that the chosen card would count.
  const counted = !picked && chosen && data.best[chosen] ? [...data.best[chosen].dice] : [];
  for (const die of dice) {
    const at = counted.indexOf(die.value);
    die.closest(".die").classList.toggle("counts", at >= 0);
    if (at >= 0) counted.splice(at, 1);
  }
}

const FROST = [
  [1760, 0, 0.35, 0.04],
  [2093, 0.05, 0.35, 0.04],
  [2637, 0.1, 0.35, 0.04],
];

// Plays a sound for every card that freezes.
function watch(main) {
  const frozen = main.querySelectorAll(".card.frozen").length;
  return (now) => (now.querySelectorAll(".card.frozen").length > frozen ? FROST : null);
}

register("dicy-cards", { refresh, watch });
