// The line to the server: requests that notice a dead line, the pauses between attempts, and the one place of the page
// that says how the line is. Its sentences are in the page, in the reader's language.

/** The address of the start page; the site may lie below a path of another one. */
export const top = new URL("../../../", import.meta.url).pathname;

const FIRST = 500;
const LONGEST = 15000;

/** Fetch an address and read the answer, or throw if no whole answer comes in time. */
export async function ask(address, { patience = 8000, stopped, ...options } = {}) {
  const control = new AbortController();
  const timer = setTimeout(() => control.abort(), patience);
  stopped?.addEventListener("abort", () => control.abort());
  try {
    const headers = { Accept: "text/html", "X-Fragment": "1", ...options.headers };
    const answer = await fetch(address, { ...options, headers, signal: control.signal });
    return { ok: answer.ok, status: answer.status, headers: answer.headers, text: await answer.text() };
  } finally {
    clearTimeout(timer);
  }
}

/** Return what an answer that is no success means: "slow" and "down" pass by themselves, "refused" does not. */
export function meaning({ status }) {
  if (status === 429) return "slow";
  // A device without room stays so until somebody makes some.
  if (status === 507) return "refused";
  return status >= 500 || status === 408 || status === 425 ? "down" : "refused";
}

/** Return the server's sentence about a refusal, or "" if the answer has none, for example because a proxy gave it. */
export function sentence({ text }) {
  try {
    return String(JSON.parse(text).reason ?? "");
  } catch {
    return "";
  }
}

/** Return the milliseconds until the next attempt: longer each time, not the same for everybody, as the server asks. */
export function pause(tries, answer) {
  const usual = Math.min(LONGEST, FIRST * 2 ** tries) * (0.75 + Math.random() / 2);
  const asked = Number(answer?.headers?.get("retry-after")) * 1000 || 0;
  return Math.max(Math.min(usual, LONGEST), Math.min(asked, 4 * LONGEST));
}

// Who has something to say, the most important first: a note about what was refused, what is sent, scenes, the stream.
const ORDER = ["note", "send", "scene", "stream"];
const told = new Map();
let spoken = "";

/** Say how the line is: a state whose sentence the page has, or "" for nothing; `text` replaces the page's sentence. */
export function tell(who, state, more = {}) {
  if (state) told.set(who, { state, ...more });
  else told.delete(who);
  const box = document.getElementById("line");
  if (!box) return;
  const now = told.get(ORDER.find((one) => told.has(one)));
  box.hidden = !now;
  if (!now) {
    spoken = "";
    return;
  }
  const [line, button] = box.children;
  const text = now.text || box.dataset[now.state];
  box.dataset.state = now.state;
  if (line.textContent !== text) line.textContent = text;
  button.hidden = !now.button;
  if (now.button) button.textContent = box.dataset[now.button];
  button.onclick = now.act;
  // A move that is on its way for a moment need not be announced.
  const said = document.getElementById("said");
  if (said && now.state !== "sending" && text !== spoken) said.textContent = spoken = text;
}

/** Say something that a person reads and closes. */
export function note(state, text = "") {
  tell("note", state, { text, button: "close", act: () => tell("note", "") });
}
