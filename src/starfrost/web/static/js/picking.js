// Following picked dice and ticked stars. Every number here was computed by the rules on the server and came with the page.

const sorted = (values) => [...values].sort().reverse().join("");
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

function dicy(form, changed) {
  const data = JSON.parse(form.dataset.picking);
  const dice = [...form.querySelectorAll('[name="die"]')];
  const cards = [...form.querySelectorAll('[name="card"]')];
  const picked = sorted(dice.filter((die) => die.checked).map((die) => die.value));
  const question = form.querySelector("#question");
  const again = form.querySelector("#again");
  // The first picked die turns the question around: from "what do you score" to "what do you freeze".
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
      button.textContent = picked && exact !== undefined ? fill(data.exactly, { points: exact }) : fill(data.score, { points: best.points, card: name });
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
  // Without picks, gold marks the dice that the chosen card would count.
  const counted = !picked && chosen && data.best[chosen] ? [...data.best[chosen].dice] : [];
  for (const die of dice) {
    const at = counted.indexOf(die.value);
    die.closest(".die").classList.toggle("counts", at >= 0);
    if (at >= 0) counted.splice(at, 1);
  }
}

function stars(form, changed) {
  const take = form.querySelector('[name="take"]:checked');
  const need = Number(take?.dataset.stars ?? 0);
  const boxes = [...form.querySelectorAll('[name="row"]')];
  if (!need) for (const box of boxes) box.checked = false;
  const ticked = boxes.filter((box) => box.checked);
  // One star too many: the one ticked first gives way.
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

export function refresh(form, changed = null) {
  if (form.dataset.picking) dicy(form, changed);
  else if (form.classList.contains("stars-play")) stars(form, changed);
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
