// Asks the coach and shows what it says over the page, until the game has gone on. Without this script the same forms
// show the whole page with the note.

import { board, lightUp } from "./boards.js";
import { ask, note, sentence } from "./line.js";
import "./reasons.js";

const BRIEF = 5000;
const AGAIN = 4000;
const main = () => document.getElementById("main");
const wide = matchMedia("(min-width: 60rem)");
const box = () => document.querySelector("body > .coach-note");
let asked = 0;
let timer = 0;
let judged = "";

function hide() {
  clearTimeout(timer);
  asked++;
  const focused = box()?.contains(document.activeElement);
  if (box()?.dataset.deed) lightUp(main(), []);
  box()?.remove();
  if (focused) main()?.querySelector(".bar .btn")?.focus({ preventScroll: true });
}

// On a phone the note lies over the scores and the story, never over the dice and cards that it speaks of.
function place() {
  const below = box() && main()?.querySelector(".board")?.getBoundingClientRect();
  if (below) box().style.setProperty("--room", `${below.top - 12}px`);
}

// Lights what a hint uses.
const light = () => box()?.dataset.deed && board().light?.(main(), box().dataset.deed);

// Brings the board below the note.
function uncover() {
  const covered = box().getBoundingClientRect().bottom + 8 - main().querySelector(".board").getBoundingClientRect().top;
  if (covered > 0 && !wide.matches) scrollBy({ top: -covered });
}

function show(fresh, form) {
  const old = box();
  if (old) old.replaceWith(document.adoptNode(fresh));
  else document.body.append(document.adoptNode(fresh));
  place();
  uncover();
  light();
  const said = document.getElementById("said");
  if (said)
    said.textContent = [...fresh.querySelectorAll(".says p:not(:has(.btn)), .says li")]
      .filter((one) => !one.closest("details:not([open])"))
      .map((one) => one.innerText)
      .join(" ");
  clearTimeout(timer);
  // Praise goes by itself; a coach that still works is asked again.
  if (fresh.matches(".best")) timer = setTimeout(hide, BRIEF);
  if (fresh.matches(".working")) timer = setTimeout(() => send(form), AGAIN);
}

async function send(form) {
  const mine = ++asked;
  form.setAttribute("aria-busy", "true");
  try {
    const body = new URLSearchParams(new FormData(form));
    const answer = await ask(form.getAttribute("action"), { method: "POST", body, patience: 40000 });
    if (mine !== asked || answer.status === 204) return;
    const fresh = new DOMParser().parseFromString(answer.text, "text/html").querySelector(".coach-note");
    if (fresh) show(fresh, form);
    else note("unsent", sentence(answer));
  } catch {
    if (mine === asked) note("unsent");
  } finally {
    form.removeAttribute("aria-busy");
  }
}

// In practice every decision is judged as soon as it is on the board.
function judge() {
  const now = main()?.dataset.judge ?? "";
  if (now === judged) return;
  judged = now;
  hide();
  const form = document.getElementById("judge-form");
  if (now && form) send(form);
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-coach]")) return;
  event.preventDefault();
  send(event.target);
});

document.addEventListener("toggle", ({ target }) => box()?.contains(target) && uncover(), true);

for (const moved of ["scroll", "resize"]) addEventListener(moved, place, { passive: true });

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-coach-close]")) hide();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
  const typing = event.target.closest("input[type=text], textarea, select");
  if (event.key === "h" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey)
    document.getElementById("hint")?.click();
});

document.addEventListener("shown", ({ before }) => {
  const [was, is] = [Number(before.step), Number(main().dataset.step)];
  if (is < was) judged = "";
  // A hint is for the position in which it was asked for.
  if (is !== was && (is < was || box()?.matches(".hint, .none, .working"))) hide();
  if (main().dataset.status === "over") hide();
  else judge();
  // A table that has noted the help is drawn again.
  light();
});

judge();
