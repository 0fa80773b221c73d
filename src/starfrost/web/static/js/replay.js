// Steps through a replay without reloading the page: the bar's own links are fetched and morphed in.
import { board } from "./boards.js";
import { ask, note, sentence } from "./line.js";
import { morph } from "./morph.js";
import "./reasons.js";
import { isRolling } from "./stage.js";

const main = () => document.getElementById("main");
const pick = (id) => document.getElementById(id);
const quiet = matchMedia("(prefers-reduced-motion: reduce)");
let timer = 0;

// Lets the dice of the next move roll, unless the replay runs faster than that.
function roll(fresh, time) {
  const next = Number(fresh.dataset.number) === Number(main().dataset.number) + 1;
  return next && time >= 500 && !quiet.matches && !isRolling() ? board().stage?.(main(), fresh, time / 2400) : null;
}

function dress() {
  pick("walk-play").hidden = false;
  pick("walk-play").textContent = timer ? pick("walk-play").dataset.pause : pick("walk-play").dataset.play;
  for (const label of document.querySelectorAll(":is(.walk, .around) label[hidden]")) label.hidden = false;
  const current = document.querySelector(".moves [aria-current]");
  const list = current?.closest("ol");
  if (list) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}

// A coach that is still at work is asked again, unless the replay runs.
let waiting = 0;
function wait() {
  clearTimeout(waiting);
  if (main().querySelector("[data-coaching]")) waiting = setTimeout(() => (timer ? wait() : go(location.href)), 2500);
}

function fail(answer) {
  if (timer) stop();
  note("unsent", sentence(answer));
}

let asked = 0;
async function go(address) {
  const mine = ++asked;
  try {
    const answer = await ask(address);
    if (mine !== asked) return;
    const fresh = new DOMParser().parseFromString(answer.text, "text/html").querySelector("main");
    if (!fresh) return fail(answer);
    const speed = pick("walk-speed").value;
    const rolled = roll(fresh, Number(speed));
    await rolled;
    if (mine !== asked) return;
    const shown = board().watch?.(main());
    morph(main(), document.adoptNode(fresh));
    shown?.(main(), quiet.matches || Number(speed) < 500, Boolean(rolled));
    pick("walk-speed").value = speed;
    history.replaceState(null, "", address);
    document.getElementById("said").textContent = main().dataset.said;
    dress();
    wait();
  } catch {
    fail({ text: "" });
  }
}

function stop() {
  clearTimeout(timer);
  timer = 0;
  dress();
}

function next() {
  const on = pick("walk-on");
  if (on.getAttribute("aria-disabled") === "true") return stop();
  timer = setTimeout(
    async () => {
      await go(pick("walk-on").href);
      if (timer) next();
    },
    Number(pick("walk-speed").value),
  );
  dress();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-step]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    if (timer) stop();
    if (link.getAttribute("aria-disabled") !== "true") go(link.href);
  }
  if (event.target.closest("#walk-play")) {
    if (timer) stop();
    else if (pick("walk-on").getAttribute("aria-disabled") === "true") go(pick("walk-first").href).then(next);
    else next();
  }
});

document.addEventListener("change", (event) => {
  if (event.target.id !== "walk-slide") return;
  const step = event.target.dataset.steps.split(" ")[event.target.value];
  const base = main().dataset.replay;
  go(`${base}${base.includes("?") ? "&" : "?"}step=${step}`);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const id = { ArrowLeft: "walk-back", ArrowRight: "walk-on", Home: "walk-first", End: "walk-last", " ": "walk-play" }[
    event.key
  ];
  if (!id || (event.key === " " && event.target.closest("button, a, summary"))) return;
  event.preventDefault();
  pick(id).click();
});

dress();
wait();
