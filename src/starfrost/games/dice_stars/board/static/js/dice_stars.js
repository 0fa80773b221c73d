// Dice Stars: follows ticked stars and taps on dice, and shows what happens to dice and rows. Every number was computed by the rules on the server.
import { lightUp, register } from "./boards.js";
import { appear, burst, fly, offerSound, pop, roll, watchScores } from "./dice.js";
import { play } from "./sound.js";

export function refresh(form, changed = null) {
  const take = form.querySelector('[name="take"]:checked');
  const need = Number(take?.dataset.stars ?? 0);
  const boxes = [...form.querySelectorAll('[name="row"]')];
  if (!need) for (const box of boxes) box.checked = false;
  const ticked = boxes.filter((box) => box.checked);
  // With one star too many, the one ticked first is unticked.
  if (ticked.length > need && changed) (ticked.find((box) => box !== changed) ?? changed).checked = false;
  for (const row of form.querySelectorAll("[data-ladder]")) {
    const more = row.closest("tr").querySelectorAll('[name="row"]:checked').length;
    const [score, kind] = row.dataset.ladder.split(" ")[more].split(":");
    const now = row.querySelector(".now");
    now.className = `now ${kind}${more ? " changed" : ""}`;
    now.firstChild.data = score;
    let small = now.querySelector("small");
    if (kind === "once") small?.remove();
    else {
      if (!small) {
        small = document.createElement("small");
        now.firstChild.after(small);
      }
      small.textContent = kind === "twice" ? "×2" : "×0";
    }
  }
  for (const button of form.querySelectorAll("[data-need]")) {
    button.disabled = boxes.filter((box) => box.checked).length !== Number(button.dataset.need);
  }
}

// A tap on a die of the reserve takes its colour, a second tap its number (a star: stars, then its colour).
export function tapReserve(form, die) {
  const lines = die.dataset.face === "★" ? ["stars", die.dataset.colour] : [die.dataset.colour, die.dataset.face];
  const choices = lines.map((line) => form.querySelector(`[name="take"][value="${line}"]`)).filter(Boolean);
  if (!choices.length) return;
  const next = choices[(choices.findIndex((choice) => choice.checked) + 1) % choices.length];
  next.checked = true;
  refresh(form, next);
}

function click(event) {
  const die = event.target.closest(".reserve .sd");
  if (die) tapReserve(die.closest("form"), die);
}

const drawn = (face, die) =>
  `<span class="face">${face === "★" ? '<svg><use href="#i-star"/></svg>' : face}</span>${die.querySelector(".shape").outerHTML}`;

function stage(old, fresh, speed) {
  const settled = roll(old, fresh, drawn, speed);
  if (settled) offerSound();
  return settled;
}

// The rows that count double, each with its key; a row whose stars are only ticked for a look is not among them.
const doubled = (main) =>
  new Map(
    [...main.querySelectorAll(".sheet tbody tr")]
      .filter((row) => row.querySelector(".now.twice:not(.changed)"))
      .map((row) => [`${row.closest(".sheet").className} ${row.rowIndex}`, row]),
  );

// The moment of a row that counts double from now on: its spaces rise like a wave, and stars burst from its score.
function celebrate(row) {
  for (const [i, cell] of [...row.cells].entries()) pop(cell, 45 * i);
  burst(row.cells[row.cells.length - 1].getBoundingClientRect(), "star", 12);
}

// Dice that leave the reserve fly to the bag or to the discard pile.
function leave(dice, now, goal) {
  const left = [...now.querySelectorAll(".reserve .sd")].map(key);
  for (const { die, box } of dice) {
    const at = left.indexOf(key(die));
    if (at >= 0) {
      left.splice(at, 1);
      continue;
    }
    const ghost = die.cloneNode(true);
    ghost.removeAttribute("id");
    fly(ghost, box, goal);
  }
}

const key = ({ dataset: { colour, face } }) => `${colour}${face}`;
const pile = (main) => Number(main.querySelector("#place-pile .count")?.textContent ?? 0);

function watch(main) {
  const dice = [...main.querySelectorAll(".reserve .sd")].map((die) => ({
    die: die.cloneNode(true),
    box: die.getBoundingClientRect(),
  }));
  const [discarded, twice] = [pile(main), doubled(main)];
  const take = main.querySelector('[name="take"]:checked')?.closest(".take");
  const points = watchScores(main, take ?? main.querySelector(".reserve"));
  return (now, calm, rolled) => {
    const rows = [...doubled(now)].filter(([row]) => !twice.has(row)).map(([, row]) => row);
    if (rows.length) play("doubled");
    if (calm) return;
    for (const row of rows) if (row.offsetParent) celebrate(row);
    points(now);
    if (rolled) return appear([...now.querySelectorAll(".take")]);
    const goal = now.querySelector(pile(now) > discarded ? "#place-pile" : "#place-bag")?.getBoundingClientRect();
    if (goal) leave(dice, now, goal);
  };
}

// The dice of an action, the button or the choice that stands for it, and on the reader's own sheet where it goes. A
// reason may also name the dice that a take leaves (`leave`), and the penalty (`less`).
function light(main, deed, ask, gone = false) {
  const [, verb, line = "", ...rows] = deed.split(" ");
  const taken = ({ dataset: { colour, face } }) => [colour, face, face === "★" && "stars"].includes(line);
  const dice = [...main.querySelectorAll(".reserve .sd")].filter(
    (die) => !gone && (verb === "keep" || verb === "return" || Boolean(taken(die)) !== (verb === "leave")),
  );
  const choice = line && main.querySelector(`label#take-${line}`);
  const cells = line ? [...main.querySelectorAll(`.pv-${line}`)].map((one) => one.closest("td")) : [];
  // Where there is nothing to choose, the sheet is that of the player whose decision it was.
  const own = choice || !main.dataset.table ? [...main.querySelectorAll(".sheet:not(.small) tbody tr")] : [];
  const open = (label) => own.find((one) => one.cells[0].textContent === label)?.querySelectorAll(".box:not(.ticked)");
  const boxes = rows.map((row, i) => open(row)?.[rows.slice(0, i).filter((one) => one === row).length]);
  const button = main.querySelector(
    verb === "draw" ? `#draw-${line}` : verb === "less" ? ".sheet:not(.small) .penalty" : `#${verb}`,
  );
  return lightUp(main, [...dice, choice, ...cells, ...boxes, button], ask);
}

register("dice-stars", { refresh, stage, watch, click, light });
