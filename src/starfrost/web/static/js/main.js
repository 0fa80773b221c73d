// Sends every form marked data-live in the background (send.js) and replaces the page's <main> by the one in the answer.
// Without this script the same forms work as plain forms.

import { board } from "./boards.js";
import { ask, top } from "./line.js";
import { morph } from "./morph.js";
import { mark, randomKey, send, sendOnce, start } from "./send.js";
import { isRolling, mainButton, rest } from "./stage.js";

const root = document.documentElement;
// The path below which all pages lie: a site without a server may lie anywhere.
root.classList.add("js");
const main = () => document.getElementById("main");
const quiet = matchMedia("(prefers-reduced-motion: reduce)");
// As in table.css.
const small = matchMedia("(max-width: 59.99rem)");

const notices = () => import("./notify.js");
// Only a game needs sounds, so no other page loads them.
const play = (name) => root.dataset.sound === "on" && import("./sound.js").then((sound) => sound.play(name));

function announce(text) {
  const said = document.getElementById("said");
  if (text) said.textContent = said.textContent === text ? `${text}\u00a0` : text;
}

function greet() {
  for (const share of document.querySelectorAll("[data-share]")) share.hidden = !navigator.share;
  if (!window.isSecureContext)
    for (const copy of document.querySelectorAll("[data-copy]")) copy.hidden = !navigator.clipboard;
  for (const form of document.querySelectorAll("form.setup")) {
    board().setup?.(form);
    know(form);
  }
  const table = main();
  mark();
  for (const zone of document.querySelectorAll("[data-east]")) zone.value = -new Date().getTimezoneOffset();
  if (!table) return;
  for (const form of table.querySelectorAll("form.play")) board().refresh?.(form);
  document.title = table.dataset.table && table.dataset.title ? `${table.dataset.title} · Starfrost` : document.title;
}

const place = ({ table, lesson }) => table || lesson;

// Plays the scene that leads to a new position, if there is one: returns a promise for its end, or nothing.
function stage(fresh) {
  const [before, after] = [main().dataset, fresh.dataset];
  const forward = place(before) === place(after) && Number(after.step) > Number(before.step);
  // Real dice have been rolled already.
  if (!forward || "entered" in after || quiet.matches || document.hidden) return null;
  // How long the dice roll: one's own and the others', by the pace that the reader wants.
  const pace = Number(root.dataset.pace);
  const [own, others] = pace > 900 ? [0.85, 0.34] : pace ? [0.7, 0.26] : [0.5, 0];
  const speed = "turn" in before ? own : others;
  return speed ? board().stage?.(main(), fresh, speed) : null;
}

const read = (html) =>
  new DOMParser().parseFromString(html, "text/html").querySelector("main[data-table], main[data-lesson]");
let scene = null;

/**
 * Show the <main> of an answer, or one that was read from it. Returns false if there is none, true if it is shown, and a promise for that if dice roll
 * first: nothing else on the page changes before they have settled.
 */
export function show(html) {
  if (scene) return scene.then(() => show(html));
  const fresh = typeof html === "string" ? read(html) : html;
  if (!fresh || !main()) return false;
  const played = stage(fresh);
  if (!played) return reveal(fresh);
  // Whatever goes wrong with the dice, the position is shown.
  scene = played
    .catch(() => {})
    .then(() => {
      scene = null;
      return reveal(fresh, true);
    });
  return scene;
}

// Replaces the old <main> by a new one; announces what changed and plays its sounds.
function reveal(fresh, played = false) {
  const old = main();
  const before = { ...old.dataset };
  const shown = board().watch?.(old);
  const focused = document.activeElement;
  const wasGo = focused?.closest(".bar") !== null && focused !== document.body;
  // A game that begins takes the place of its waiting room as a whole: nothing of the one belongs to the other.
  const waits = ({ status }) => status === "waiting";
  if (place(before) && place(before) === place(fresh.dataset) && waits(before) === waits(fresh.dataset))
    morph(old, document.adoptNode(fresh), {
      keepInputs: before.step === fresh.dataset.step && ("turn" in before || waits(before)),
    });
  else old.replaceWith(document.adoptNode(fresh));
  greet();
  const now = main();
  rest(now);
  shown?.(now, quiet.matches, played);
  const after = now.dataset;
  if (after.said && after.said !== before.said) announce(after.said);
  // Reloading must not sit down again.
  if (after.me && after.table && location.pathname + location.search !== `${top}t/${after.table}`)
    history.replaceState(null, "", `${top}t/${after.table}`);
  // The address of a lesson holds its progress.
  if (after.address && after.address !== before.address) history.pushState(null, "", after.address);
  if (after.status === "over" && before.status === "running")
    play(after.me && !now.querySelector(".sparks") ? "loss" : "win");
  if ("turn" in after && !("turn" in before)) {
    play("turn");
    if (document.hidden && root.dataset.notify === "on") notices().then(({ tell }) => tell(after.title, after.table));
  }
  // On a phone a table fits the window: whoever has acted, or whose turn begins, sees all of it. Who reads far below stays there.
  const asked = "turn" in after && window.scrollY < window.innerHeight / 2;
  if (small.matches && after.step !== before.step && ("turn" in before || asked)) window.scrollTo(0, 0);
  // Keep the keyboard focus at the buttons.
  if (wasGo && !document.activeElement?.closest(".bar"))
    [...now.querySelectorAll(".bar .go")].find((button) => button.offsetParent)?.focus({ preventScroll: true });
  document.dispatchEvent(Object.assign(new Event("shown"), { before }));
  return true;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches("[data-contribute]")) form.elements.contribution.value = randomKey();
  if (form.matches("[data-live], [data-quiet]")) event.preventDefault();
  if (form.matches("[data-quiet]")) sendOnce(form, event.submitter);
  else if (form.matches("[data-settings]"))
    import("./settings.js")
      .then(({ apply }) => apply(form))
      .then(greet, () => send(form, event.submitter))
      .then(() => root.dataset.notify === "on" && notices().then(({ again }) => again()));
  else if (form.matches("[data-live]")) send(form, event.submitter);
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("form");
  if (form?.matches(".play")) board().refresh?.(form, event.target);
  if (form?.matches("[data-settings]")) {
    if (event.target.name === "notify") wish(event.target);
    else form.requestSubmit();
  }
});

// The browser asks for permission only as the direct answer to a tap, so this comes before the script is loaded.
async function wish(box) {
  if (box.checked) await globalThis.Notification?.requestPermission();
  const { begin, stop } = await notices();
  if (box.checked) box.checked = await begin();
  else await stop();
  if (box.checked !== (root.dataset.notify === "on")) box.form.requestSubmit();
}

// A button that stands for the setting; why the browser refuses is said there.
document.addEventListener("click", async ({ target }) => {
  if (!target.closest("[data-tell]")) return;
  const box = document.querySelector("[data-settings] [name=notify]");
  box.checked = true;
  await wish(box);
  document.getElementById("settings").open = !box.checked;
});

// Set-up form: updates the note on what the chosen bot knows of the set-up.
async function know(form) {
  const line = form.querySelector(".knowing");
  if (!line) return;
  const chosen = new URLSearchParams(new FormData(form));
  for (const name of ["key", "name", "name1", "name2", "name3", "name4", "rules", "rules_file"]) chosen.delete(name);
  const asked = String(chosen);
  line.dataset.asked = asked;
  const answer = await fetch(`${top}new/${chosen.get("game")}/knowing?${asked}`).catch(() => null);
  if (answer?.status === 200 && line.dataset.asked === asked) line.textContent = await answer.text();
}

// A bot that does not play at a table of the chosen size is replaced by the strongest that does, as on the server.
function fit(form) {
  const many = form.querySelector('[name="bots"]:checked')?.value;
  const plays = (bot) => bot.closest("label").dataset.bots.split(" ").includes(many);
  const bots = [...form.querySelectorAll('[name="bot"]')];
  if (many !== "0" && bots.some((bot) => bot.checked && !plays(bot))) bots.filter(plays).at(-1).checked = true;
  for (const bot of form.querySelectorAll("option[data-bots]")) {
    bot.disabled = !bot.dataset.bots.split(" ").includes(many);
    if (bot.disabled && bot.selected) bot.parentElement.value = "";
  }
}

document.addEventListener("input", async (event) => {
  const form = event.target.closest("form.setup");
  if (event.target.name === "rules_file") form.elements.rules.value = await event.target.files[0]?.text();
  if (!form || event.target.type === "text" || event.target.name?.startsWith("rules")) return;
  fit(form);
  board().setup?.(form, event.target);
  know(form);
});

document.addEventListener("click", async (event) => {
  board().click?.(event);
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard?.writeText(copy.dataset.copy);
    announce(copy.dataset.done);
    copy.textContent = copy.dataset.done;
  }
  const share = event.target.closest("[data-share]");
  if (share) navigator.share?.({ url: share.dataset.share, title: document.title }).catch(() => {});
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(event.target)) menu.open = false;
  const cheering = document.getElementById("cheering");
  if (cheering?.checked && !event.target.closest("#cheering, .cheering")) cheering.checked = false;
});

const OTHERS = { s: "#skip", z: "#undo" };

// Keys: s skips, z takes back, 1 to 9 click the picks of the board, q w e r t … its choices; Enter plays, Escape clears the picks.
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.target.closest("input[type=text], textarea, select, details.menu")
  )
    return;
  const form = main()?.querySelector("form.play");
  if (!form || isRolling()) return;
  const picks = [...form.querySelectorAll("[data-pick]")];
  const choices = [...form.querySelectorAll("[data-choice]")];
  const pick = "123456789".indexOf(event.key);
  const choice = "qwertyuiop".indexOf(event.key.toLowerCase());
  if (pick >= 0 && picks[pick]) picks[pick].click();
  else if (choice >= 0 && event.key.length === 1 && choices[choice]) choices[choice].click();
  else if (OTHERS[event.key]) form.querySelector(OTHERS[event.key])?.click();
  else if (event.key === "Escape") {
    for (const one of picks) one.checked = false;
    board().refresh?.(form, picks[0] ?? null);
  } else if (event.key === "Enter" && (event.target === document.body || event.target.matches("main, input"))) {
    event.preventDefault();
    if (!event.repeat) mainButton(form)?.click();
  }
});

window.addEventListener("popstate", () => main()?.dataset.address && location.reload());

greet();
// Only a table is followed, so no other page loads this.
const following = main()?.dataset.table
  ? import("./live.js").then(({ follow }) => follow({ main, show, read, announce }))
  : null;
start(show, () => following?.then((live) => live.wake()), main()?.dataset.table);
for (const form of document.querySelectorAll("form[data-at-once]")) form.requestSubmit();
// A page that waits for something reloads itself, once the server answers.
async function again() {
  const answer = await ask(location.href).catch(() => null);
  if (answer?.ok) location.reload();
  else setTimeout(again, 2500);
}
if (document.querySelector("[data-again]")) setTimeout(again, 2500);
if (root.dataset.notify === "on") {
  const look = () => document.hidden || notices().then(({ clear }) => clear(main()?.dataset.table));
  document.addEventListener("visibilitychange", look);
  notices().then(({ goOn }) => goOn());
  look();
}
// What plays without a network comes by itself, once the page is idle, where the connection is known to cost nothing.
const free = ({ saveData, type } = {}) => !saveData && ["wifi", "ethernet"].includes(type);
window.addEventListener("load", () => {
  navigator.serviceWorker?.register(`${top}sw.js`).catch(() => {});
  if (window.caches && free(navigator.connection) && window === window.top && !document.getElementById("here"))
    requestIdleCallback(() => import("./download.js").then(({ prepare }) => prepare(`${top}here`)).catch(() => {}));
});
