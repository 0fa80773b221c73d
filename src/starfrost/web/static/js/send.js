// Sends forms in the background. A form is kept until the server has answered it: through lost connections, a server that
// is down and a reload of the page. Its key makes sending it again harmless: the table carries a command out once.

import { ask, meaning, note, pause, sentence, tell } from "./line.js";

const DAY = 86400000;
// At a table one command is sent at a time; any other form waits only for itself.
const slotOf = (action) => action.match(/\/t\/[^/]+/)?.[0] ?? action;
const jobs = new Map();
/** Return sixteen random bytes in hexadecimal. */
export const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

let show = () => false;
let answered = () => {};

function keep(job) {
  if (!job.slot.startsWith("/t/")) return;
  const { action, body, certain, at } = job;
  try {
    if (job.ended) sessionStorage.removeItem(`unsent:${job.slot}`);
    else sessionStorage.setItem(`unsent:${job.slot}`, JSON.stringify({ action, body, certain, at }));
  } catch {
    // Without storage a reload loses what is unsent.
  }
}

/** Mark the forms that are on their way; call this again after the page has changed. */
export function mark() {
  for (const form of document.querySelectorAll("form[data-live]"))
    if (jobs.has(slotOf(form.getAttribute("action")))) form.setAttribute("aria-busy", "true");
    else form.removeAttribute("aria-busy");
}

/** Return whether a form is travelling right now, so that its answer is about to be shown. */
export const sending = () => [...jobs.values()].some((job) => job.flying);

/** Try again at once: the connection is back. */
export function hurry() {
  for (const job of jobs.values()) {
    job.tries = 0;
    job.go?.();
  }
}

function end(job) {
  job.ended = true;
  clearTimeout(job.late);
  keep(job);
  jobs.delete(job.slot);
  mark();
  const next = [...jobs.values()].find((other) => other.state);
  tell("send", "");
  if (next) wait(next);
}

// Whoever stops a form that the server may have got already is told so.
function stop(job) {
  const { certain } = job;
  end(job);
  job.control.abort();
  job.go?.();
  if (!certain) note("maybe");
  answered();
}

function wait(job) {
  tell("send", job.state, { button: job.certain ? "cancel" : "stop", act: () => stop(job) });
}

/** Go to another page of this site; the forms of this page stay busy until it is gone. */
function go(address) {
  if (new URL(address, location.href).href === location.href) location.reload();
  else location.href = address;
}

/** Send once; return what is in the way and for how long, or nothing once the server has answered. */
async function attempt(job) {
  // Only a browser that says it has no network at all is certain not to have sent anything.
  const alone = navigator.onLine === false;
  const { certain } = job;
  if (!alone) job.certain = false;
  keep(job);
  job.flying = true;
  let answer = null;
  try {
    answer = await ask(job.action, {
      method: "POST",
      body: new URLSearchParams(job.body),
      patience: Math.min(30000, 8000 * 1.5 ** job.tries),
      stopped: job.control.signal,
    });
  } catch (error) {
    job.certain &&= navigator.onLine === false;
    return [navigator.onLine !== false && error.name === "AbortError" ? "down" : "offline", pause(job.tries)];
  } finally {
    job.flying = false;
  }
  if (job.ended) return null;
  if (!answer.ok) {
    const state = meaning(answer);
    if (state === "slow") job.certain = certain;
    if (state !== "refused") return [state, pause(job.tries, answer)];
    end(job);
    note("refused", sentence(answer));
    answered();
    return null;
  }
  const address = answer.headers.get("x-go-to");
  if (address) {
    job.ended = true;
    clearTimeout(job.late);
    keep(job);
    go(address);
    return null;
  }
  clearTimeout(job.late);
  tell("send", "");
  // The form stays busy until its answer is shown: a roll takes a moment.
  job.flying = true;
  const shown = answer.status === 204 || (await show(answer.text));
  job.flying = false;
  // Whatever answers with another page than a table's, a hotel's network perhaps, is not the server.
  if (!shown) return ["down", pause(job.tries)];
  end(job);
  answered();
  return null;
}

async function run(job) {
  Object.assign(job, { slot: slotOf(job.action), tries: 0, control: new AbortController(), at: job.at ?? Date.now() });
  jobs.set(job.slot, job);
  mark();
  tell("note", "");
  job.late = setTimeout(() => job.state || tell("send", "sending"), 150);
  for (;;) {
    const obstacle = await attempt(job);
    if (job.ended || !obstacle) return;
    const [state, time] = obstacle;
    job.state = state;
    wait(job);
    keep(job);
    await new Promise((done) => {
      job.go = done;
      setTimeout(done, time);
    });
    if (job.ended) return;
    job.tries++;
  }
}

/** Send a form; its answer is shown. A form that is on its way already is not sent twice. */
export function send(form, submitter) {
  const action = form.getAttribute("action");
  const busy = jobs.get(slotOf(action));
  if (busy?.state) wait(busy);
  else if (busy) tell("send", "sending");
  else {
    const fields = new URLSearchParams(new FormData(form, submitter));
    if (!fields.has("key")) fields.set("key", randomKey());
    run({ action, body: String(fields), certain: true });
  }
}

/** Send a form whose answer is not shown, such as a reaction: late it would be out of place, so it is sent once. */
export async function sendOnce(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const answer = await ask(form.getAttribute("action"), { method: "POST", body }).catch(() => null);
  if (!answer?.ok) note("unsent", answer ? sentence(answer) : "");
}

/** Begin: `use` shows an answer and returns whether it could, `then` is called after every answer. */
export function start(use, then, table) {
  show = use;
  answered = then;
  window.addEventListener("online", hurry);
  // A page that comes back from the browser's memory has sent its forms.
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const job of jobs.values()) if (job.ended) jobs.delete(job.slot);
    mark();
  });
  let kept = null;
  try {
    kept = table && JSON.parse(sessionStorage.getItem(`unsent:/t/${table}`));
  } catch {
    // Nothing was kept.
  }
  if (kept?.action && Date.now() - kept.at < DAY) run(kept);
}
