// The atlas without loading the page anew: filters, axes and pages are links that are fetched and morphed in, and a tap
// near a dot of the map shows its set below the map.
import { ask, note, sentence } from "./line.js";
import { morph } from "./morph.js";

const main = () => document.getElementById("main");
const plain = (event) => !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
// Points of the screen within which a tap finds a dot.
const NEAR = 28;

let asked = 0;
async function fetched(address, what) {
  const mine = ++asked;
  try {
    const answer = await ask(address, what === "main" ? { headers: { "X-Fragment": "0" } } : {});
    if (mine !== asked) return null;
    const found = new DOMParser().parseFromString(answer.text, "text/html").querySelector(what);
    if (!found) note("unsent", sentence(answer));
    return found;
  } catch {
    note("unsent");
    return null;
  }
}

async function go(address, keep) {
  const fresh = await fetched(address, "main");
  if (!fresh) return;
  morph(main(), document.adoptNode(fresh));
  if (keep) history.pushState(null, "", address);
  document.getElementById("said").textContent = main().dataset.said;
}

async function look(link) {
  const fresh = await fetched(link.getAttribute("href"), "#set");
  if (!fresh) return;
  document.querySelector(".dots .on")?.classList.remove("on");
  link.classList.add("on");
  link.parentNode.append(link);
  const place = document.getElementById("shown-set");
  place.replaceChildren(document.adoptNode(fresh));
  place.scrollIntoView({ block: "nearest" });
}

function nearest(map, event) {
  let best = NEAR;
  let found = null;
  for (const dot of map.querySelectorAll(".dots circle")) {
    const box = dot.getBoundingClientRect();
    const far = Math.hypot(event.clientX - box.x - box.width / 2, event.clientY - box.y - box.height / 2);
    if (far < best) [best, found] = [far, dot.parentNode];
  }
  return found;
}

document.addEventListener("click", (event) => {
  if (!plain(event)) return;
  const link = event.target.closest("a[data-atlas]");
  const map = event.target.closest("#map");
  if (link) {
    event.preventDefault();
    go(link.href, true);
  } else if (map) {
    event.preventDefault();
    const dot = nearest(map, event);
    if (dot) look(dot);
  }
});

addEventListener("popstate", () => go(location.href, false));
