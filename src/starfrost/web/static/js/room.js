// Keeps the page of a room true: who is there, what is played. A table has a stream; a room is looked at now and then.

import { ask } from "./line.js";
import { morph } from "./morph.js";

const PAUSE = 8000;
const main = () => document.getElementById("main");

async function look() {
  if (document.hidden || main().contains(document.activeElement?.closest("input, .menu"))) return;
  const answer = await ask(location.href).catch(() => null);
  const fresh =
    answer?.ok && new DOMParser().parseFromString(answer.text, "text/html").querySelector("main[data-room]");
  if (fresh) morph(main(), document.adoptNode(fresh), {});
}

setInterval(look, PAUSE);
document.addEventListener("visibilitychange", look);
