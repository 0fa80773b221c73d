// Real dice: large buttons fill the fields of a form, and each field shows the die that it holds.
const slots = (form) => [...form.querySelectorAll(".slot select")];
const keys = (part) => [...part.querySelectorAll("[data-die]")];

function refresh(form) {
  const dice = slots(form);
  const used = dice.map((die) => die.value).filter(Boolean);
  for (const die of dice) {
    const key = keys(form).find((one) => one.dataset.die === die.value);
    const shown = die.nextElementSibling;
    shown.className = key ? key.className.replace("key", "shown") : "shown";
    shown.innerHTML = key?.innerHTML ?? "";
  }
  for (const kind of form.querySelectorAll(".kind")) {
    const own = keys(kind);
    const held = used.filter((value) => own.some((key) => key.dataset.die === value)).length;
    // Not disabled: a button that has the focus would lose it.
    const none = used.length === dice.length || held >= Number(kind.dataset.left);
    for (const key of own) key.ariaDisabled = String(none);
  }
}

document.addEventListener("click", ({ target }) => {
  const [key, back] = [target.closest("[data-die]"), target.closest("[data-entry-back]")];
  const form = (key ?? back)?.closest("form");
  if (!form) return;
  const die = back ? slots(form).findLast((one) => one.value) : slots(form).find((one) => !one.value);
  if (die && key?.ariaDisabled !== "true") die.value = back ? "" : key.dataset.die;
  refresh(form);
});

// Dice that are asked for anew are brought into view: the decision before them was made further down.
const all = ({ before } = {}) => {
  for (const keypad of document.querySelectorAll(".keypad")) {
    const form = keypad.closest("form");
    refresh(form);
    if (before && before.step !== form.closest("main").dataset.step)
      for (const one of [keypad, slots(form)[0]]) one.scrollIntoView({ block: "nearest" });
  }
};
document.addEventListener("change", ({ target }) => target.closest(".slot") && refresh(target.closest("form")));
document.addEventListener("shown", all);
all();
