// Asks the coach and shows what it says over the page, until the game has gone on. Without this script the same forms
// show the whole page with the note.

import { ask, note, sentence } from "./line.js";

const BRIEF = 5000;
const AGAIN = 4000;
const main = () => document.getElementById("main");
const box = () => document.querySelector("body > .coach-note");
let asked = 0;
let timer = 0;
let judged = "";

function hide() {
  clearTimeout(timer);
  asked++;
  const focused = box()?.contains(document.activeElement);
  box()?.remove();
  if (focused) main()?.querySelector(".bar .btn")?.focus({ preventScroll: true });
}

// On a phone the note lies above the bar, wherever that is just now.
function place() {
  const bar = box() && main()?.querySelector(".board .bar")?.getBoundingClientRect();
  if (bar) box().style.bottom = `${Math.max(8, Math.min(innerHeight - bar.top, innerHeight - 200))}px`;
}

function show(fresh, form) {
  const old = box();
  if (old) old.replaceWith(document.adoptNode(fresh));
  else document.body.append(document.adoptNode(fresh));
  place();
  const said = document.getElementById("said");
  if (said) said.textContent = [...fresh.querySelectorAll(".says p:not(:has(.btn))")].map((p) => p.innerText).join(" ");
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
});

judge();
