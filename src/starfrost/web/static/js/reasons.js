// Lights the dice, cards and spaces that a reason names while it is read: under the pointer, with the focus, after a tap.

import { board, lightUp } from "./boards.js";

const main = () => document.getElementById("main");
let reading = null;

function read(target) {
  // A pointer that only lies somewhere does not end what the keyboard reads.
  const [over, focused] = [target, document.activeElement].map((one) => one?.closest?.("[data-lights]"));
  const reason = over ?? focused ?? null;
  if (reason === reading) return;
  reading = reason;
  if (!reason) return lightUp(main(), []);
  const { at } = reason.closest(".reasons").dataset;
  // After the move other dice lie there.
  board().light?.(main(), reason.dataset.lights, false, at !== "" && at !== main().dataset.step);
}

for (const kind of ["pointerover", "focusin", "click"])
  document.addEventListener(kind, ({ target }) => {
    read(target);
    if (kind === "click" && reading) main().querySelector(".lit")?.scrollIntoView({ block: "nearest" });
  });

// What is shown next is another position.
document.addEventListener("shown", () => {
  reading = null;
});
