// Rolls: the dice turn through their faces and land one after another; only then is the new position shown. Everything
// that moves is animated by `transform` and `opacity` alone, which costs a phone no layout.
import { morph } from "./morph.js";
import { play } from "./sound.js";
import { hold, setPhase } from "./stage.js";

const root = document.documentElement;
const sleep = (time) => new Promise((done) => setTimeout(done, time));

// The sides of a cube (front, top, right, left, bottom, back): how far it turns about x and y to show each.
const TURNS = [
  [0, 0],
  [-90, 0],
  [0, -90],
  [0, 90],
  [90, 0],
  [0, 180],
];
const FLIGHT = 520;
const SETTLE = 180;

// Makes a cube of a die and returns which of its sides it will show.
function cube(die, draw) {
  const { face, faces } = die.dataset;
  const sides = faces.split(" ");
  for (const name of ["role", "aria-label", "data-face"]) die.removeAttribute(name);
  die.classList.add("rolling");
  die.ariaHidden = "true";
  // Not a span: the morph that follows would make a part of the die of it, whose first style would be animated.
  die.innerHTML = `<div class="hop"><span class="cube">${sides.map((side) => `<span class="facet">${draw(side, die)}</span>`).join("")}</span></div>`;
  return sides.indexOf(face);
}

// Throws a die: it flies in, hops twice, turns less and less, and lies still at a part of the time of the whole roll. All
// animations of a roll end together: until then the browser's main thread has nothing to do. Returns one of them.
function toss(die, side, size, number, part, whole) {
  const [x, y] = TURNS[side];
  const to = (left, up) => `translate(${left * size}px, ${-up * size}px)`;
  const turned = (a, b, c) => `translateZ(${-size / 2}px) rotateX(${x + a}deg) rotateY(${y + b}deg) rotateZ(${c}deg)`;
  const [over, round] = number % 2 ? [360, -720] : [-720, 360];
  const [hop] = die.children;
  const timing = { duration: whole, fill: "both" };
  hop.animate(
    [
      { transform: to(-2.4 - 0.4 * number, 2.1), opacity: 0.02, easing: "cubic-bezier(.3,0,.8,.6)" },
      { opacity: 1, offset: 0.12 * part },
      { transform: to(0, 0), offset: 0.45 * part, easing: "cubic-bezier(.2,.6,.5,1)" },
      { transform: to(0, 0.55), offset: 0.62 * part, easing: "cubic-bezier(.5,0,.8,.4)" },
      { transform: to(0, 0), offset: 0.8 * part, easing: "ease-out" },
      { transform: to(0, 0.12), offset: 0.89 * part, easing: "ease-in" },
      { transform: to(0, 0), offset: part },
      { transform: to(0, 0), opacity: 1 },
    ],
    timing,
  );
  for (const [at, loud] of [
    [0.45, 1],
    [0.8, 0.5],
    [1, 0.25],
  ])
    play("clack", (whole * part * at) / 1000, loud);
  return hop.firstChild.animate(
    [
      { transform: turned(over, round, 100 - 35 * number), easing: "cubic-bezier(.29,.41,.57,.76)" },
      { transform: turned(38, -30, 8), offset: 0.35 * part, easing: "cubic-bezier(.23,.64,.54,1)" },
      { transform: turned(0, 0, 0), offset: part },
      { transform: turned(0, 0, 0) },
    ],
    timing,
  );
}

/**
 * Roll the dice that are new in a position. Returns a promise for the moment when they have settled, or null if the
 * position has no new dice. `draw` returns the markup of a face.
 */
export function roll(old, fresh, draw, speed) {
  const [tray, next] = [old, fresh].map((main) => main.querySelector("[data-tray]"));
  return tray && next?.querySelector(".fresh") ? perform(old, tray, next.cloneNode(true), draw, speed) : null;
}

async function perform(old, tray, staged, draw, speed) {
  const { last, rolling } = staged.dataset;
  const pace = speed * (last ? 1.5 : 1);
  setPhase("tumbling");
  try {
    hold(old, rolling);
    // What the dice are worth, and what can be done with them, is not shown yet.
    for (const part of staged.querySelectorAll("input, .tick")) part.remove();
    for (const die of staged.querySelectorAll(".counts")) die.classList.remove("counts");
    const sides = [...staged.querySelectorAll(".fresh")].map((die) => cube(die, draw));
    morph(tray, staged);
    if (last) play("last");
    const dice = [...tray.querySelectorAll(".rolling")];
    const size = dice[0].offsetWidth;
    const lengths = dice.map((_, i) => pace * (FLIGHT + 95 * i + 50 * Math.random()));
    const whole = Math.max(...lengths);
    const [landed] = dice.map((die, i) => toss(die, sides[i], size, i, lengths[i] / whole, whole).finished);
    // A page that is not drawn does not move: its dice have landed when their time is over.
    await Promise.race([landed.catch(() => {}), sleep(whole + 600)]);
    setPhase("settling");
    await sleep(pace * SETTLE);
  } finally {
    setPhase("");
  }
}

const layer = () => document.getElementById("cheers");

// Lays an element over the page, animates it, and removes it.
function over(element, box, keyframes, timing) {
  Object.assign(element.style, {
    left: `${box.left}px`,
    top: `${box.top}px`,
    width: `${box.width}px`,
    height: `${box.height}px`,
  });
  element.classList.add("over");
  layer().append(element);
  return element
    .animate(keyframes, timing)
    .finished.catch(() => {})
    .finally(() => element.remove());
}

/** Let an element fly from one box to another. */
export function fly(element, from, to, duration = 560) {
  const x = to.left + to.width / 2 - from.left - from.width / 2;
  const y = to.top + to.height / 2 - from.top - from.height / 2;
  return over(
    element,
    from,
    [
      { transform: "none", opacity: 1 },
      { transform: `translate(${x * 0.4}px, ${y * 0.4 - 36}px) scale(1.25)`, opacity: 1, offset: 0.5 },
      { transform: `translate(${x}px, ${y}px) scale(.6)`, opacity: 0.3 },
    ],
    { duration, easing: "cubic-bezier(.45,.1,.6,1)" },
  );
}

/** Let drawings of the sprite burst from the middle of a box. */
export function burst(box, icon, count = 9) {
  const middle = { left: box.left + box.width / 2 - 10, top: box.top + box.height / 2 - 10, width: 20, height: 20 };
  for (let i = 0; i < count; i++) {
    const spark = document.createElement("span");
    spark.className = `spark ${icon}`;
    spark.innerHTML = `<svg><use href="#i-${icon}"/></svg>`;
    const turn = (2 * Math.PI * i) / count;
    const far = 0.45 * (box.width + box.height) * (0.6 + 0.4 * Math.random());
    const end = `translate(${Math.cos(turn) * far}px, ${Math.sin(turn) * far}px) rotate(${160 * (i % 2 ? 1 : -1)}deg) scale(.5)`;
    over(
      spark,
      middle,
      [
        { transform: "scale(.3)", opacity: 0 },
        { opacity: 1, offset: 0.2 },
        { transform: end, opacity: 0 },
      ],
      { duration: 800, easing: "cubic-bezier(.1,.7,.3,1)" },
    );
  }
}

/** Let an element grow for a moment. */
export const pop = (element, delay = 0) =>
  element.animate([{ transform: "none" }, { transform: "scale(1.3)", offset: 0.4 }, { transform: "none" }], {
    duration: 420,
    delay,
    easing: "ease-out",
  });

/** Let elements appear one after another. */
export function appear(elements) {
  for (const [i, element] of elements.entries())
    element.animate(
      [
        { transform: "translateY(.5em) scale(.6)", opacity: 0 },
        { transform: "none", opacity: 1 },
      ],
      {
        duration: 260,
        delay: 60 * i,
        fill: "backwards",
        easing: "cubic-bezier(.2,1.5,.4,1)",
      },
    );
}

const scores = (main) => [...main.querySelectorAll(".lane")].map((lane) => lane.querySelector(".score").firstChild);

/** Remember the scores; the returned function lets the points that were added fly to them from `source`. */
export function watchScores(main, source) {
  const before = scores(main).map((score) => score.data);
  const from = source?.getBoundingClientRect();
  return (now) =>
    scores(now).forEach((score, i) => {
      const gain = Number(score.data) - Number(before[i]);
      if (!from?.width || !before[i] || !gain) return;
      const after = score.data;
      const points = document.createElement("b");
      points.className = "points";
      points.textContent = gain > 0 ? `+${gain}` : `−${-gain}`;
      const goal = score.parentElement;
      // The score changes when the points arrive.
      score.data = before[i];
      play("score");
      fly(points, from, goal.getBoundingClientRect()).then(() => {
        if (score.data === before[i]) score.data = after;
        pop(goal);
      });
    });
}

// The first roll offers sound, once.
const ASKED = "starfrost-sound";
export function offerSound() {
  const offer = document.getElementById("offer");
  if (!offer || root.dataset.sound === "on" || localStorage.getItem(ASKED) !== null) return;
  offer.hidden = false;
  localStorage.setItem(ASKED, "");
  offer.addEventListener("click", (event) => {
    const answer = event.target.closest("button")?.value;
    if (!answer) return;
    offer.hidden = true;
    const form = document.querySelector("form[data-settings]");
    form.elements.sound.checked = answer === "on";
    root.dataset.sound = answer;
    play("turn");
    fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), redirect: "manual" }).catch(
      () => {},
    );
  });
}
