// The rules beside the table: the link's own page, fetched once and shown in a side panel while the game goes on.
// Also the explanations that a tap on the table opens.

import { ask, note, sentence } from "./line.js";

const sheet = document.getElementById("beside");
const narrow = matchMedia("(max-width: 59.99rem)");
let asked = null;

async function open(link) {
  asked = link;
  const text = sheet.querySelector(".text");
  if (!text.firstElementChild) {
    const address = new URL(link.href);
    address.searchParams.set("beside", "1");
    const answer = await ask(address).catch(() => ({ text: "" }));
    if (!answer.ok) return note("unsent", sentence(answer));
    text.replaceChildren(...new DOMParser().parseFromString(answer.text, "text/html").body.children);
  }
  if (!sheet.open) narrow.matches ? sheet.showModal() : sheet.show();
  sheet.querySelector("#beside-close").focus();
}

sheet?.addEventListener("close", () => document.getElementById(asked?.id)?.focus());

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-beside]");
  if (link && sheet && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    open(link);
    return;
  }
  const place = event.target.closest("[data-tells]");
  if (place && !event.target.closest("input, button, a"))
    document.getElementById(`tells-${place.dataset.tells}`)?.showPopover();
});

// The tap that closes an explanation does nothing else: what lies under it is not pressed.
let closing = false;
document.addEventListener(
  "pointerdown",
  (event) => {
    const told = document.querySelector(".tells:popover-open");
    closing = told !== null && !told.contains(event.target);
  },
  true,
);
document.addEventListener(
  "click",
  (event) => {
    if (!closing || event.detail === 0) return;
    closing = false;
    event.preventDefault();
    event.stopPropagation();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && sheet?.open) sheet.close();
});
