// Dice Stars: follows ticked stars, taps on dice, and dice that leave the reserve. Every number was computed by the rules on the server.
import { register } from "./boards.js";

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

// Dice that leave the reserve fly to their destination: remembers their places, and moves the dice that are gone.
function watch(main) {
  const count = (kind) => Number(main.querySelector(`#place-${kind} .count`)?.textContent ?? 0);
  const dice = [...main.querySelectorAll(".reserve .sd")].map((die) => ({
    die,
    box: die.getBoundingClientRect(),
    key: `${die.dataset.colour}${die.dataset.face}`,
  }));
  const before = { bag: count("bag"), pile: count("pile") };
  return (now, calm) => {
    if (!dice.length || calm) return;
    const left = [...now.querySelectorAll(".reserve .sd:not(.fresh)")].map(
      (die) => `${die.dataset.colour}${die.dataset.face}`,
    );
    const after = {
      bag: Number(now.querySelector("#place-bag .count")?.textContent ?? 0),
      pile: Number(now.querySelector("#place-pile .count")?.textContent ?? 0),
    };
    const goal = now.querySelector(after.pile > before.pile ? "#place-pile" : "#place-bag")?.getBoundingClientRect();
    if (!goal) return;
    for (const { die, box, key } of dice) {
      const at = left.indexOf(key);
      if (at >= 0) {
        left.splice(at, 1);
        continue;
      }
      const ghost = die.cloneNode(true);
      ghost.removeAttribute("id");
      ghost.classList.remove("fresh");
      ghost.classList.add("ghost");
      Object.assign(ghost.style, {
        left: `${box.left}px`,
        top: `${box.top}px`,
        width: `${box.width}px`,
        height: `${box.height}px`,
      });
      document.body.append(ghost);
      const x = goal.left + goal.width / 2 - box.left - box.width / 2;
      const y = goal.top + goal.height / 2 - box.top - box.height / 2;
      ghost
        .animate(
          [
            { transform: "none", opacity: 1 },
            { transform: `translate(${x * 0.5}px, ${y * 0.5 - 40}px) rotate(140deg)`, opacity: 1, offset: 0.55 },
            { transform: `translate(${x}px, ${y}px) rotate(260deg) scale(.35)`, opacity: 0.2 },
          ],
          { duration: 620, easing: "cubic-bezier(.3,.7,.3,1)" },
        )
        .finished.finally(() => ghost.remove());
    }
  };
}

register("dice-stars", { refresh, watch, click });
