// Keeps moves from being made by accident. While dice roll, and for a moment after a move, the page takes no other move:
// a second tap that was meant for "Roll" must not press what stands there next.

const root = document.documentElement;
// Longer than the pause between the two taps of a double tap.
const REST = 450;

let played = Number.NEGATIVE_INFINITY;
let resting = [];
let waking = 0;

/** Return whether dice roll, so that nothing can be chosen or played. */
export const isRolling = () => "phase" in root.dataset;

/** Set the phase of a roll: tumbling, settling, or nothing once the result is shown. */
export function setPhase(phase) {
  if (phase) root.dataset.phase = phase;
  else delete root.dataset.phase;
}

/** Return the button that Enter presses: the large one, if it can be pressed. */
export const mainButton = (form) =>
  [...form.querySelectorAll(".bar .go")].find(
    (button) => button.offsetParent && !button.disabled && button.ariaDisabled !== "true",
  );

/** Deactivate the buttons of a table until they are drawn again; the large one says why. */
export function hold(main, text) {
  for (const button of main.querySelectorAll(".bar button")) {
    button.setAttribute("aria-disabled", "true");
    if (text && button.matches(".go") && button.offsetParent) button.textContent = text;
  }
}

function wake() {
  clearTimeout(waking);
  played = Number.NEGATIVE_INFINITY;
  for (const button of resting) {
    button.removeAttribute("aria-disabled");
    button.classList.remove("resting");
  }
  resting = [];
}

/** Deactivate the buttons that a double tap would press, for as long as it could. */
export function rest(main) {
  const left = played + REST - performance.now();
  if (left <= 0) return;
  clearTimeout(waking);
  resting = [...main.querySelectorAll(".bar button:not([aria-disabled])")];
  for (const button of resting) {
    button.setAttribute("aria-disabled", "true");
    button.classList.add("resting");
  }
  waking = setTimeout(wake, left);
}

document.addEventListener(
  "submit",
  (event) => {
    if (event.target.matches(".play")) played = performance.now();
  },
  true,
);

document.addEventListener(
  "click",
  (event) => {
    if (!event.target.closest("button[aria-disabled=true]") && !(isRolling() && event.target.closest(".play"))) return;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

// Whoever touches something else has not tapped twice.
document.addEventListener("pointerdown", (event) => event.target.closest(".bar") || wake(), true);
document.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) || wake(), true);
