// A page without a browser: the scripts of src/starfrost/web find the globals that they use in a small DOM.
import { mock } from "node:test";
import { JSDOM } from "jsdom";

const NAMES =
  "document window location history navigator sessionStorage Node HTMLInputElement DOMParser FormData Event KeyboardEvent MouseEvent SubmitEvent crypto".split(
    " ",
  );

/** Open a page with this body, and with timers that stand still until a test moves them. */
export function open(body) {
  const { window } = new JSDOM(`<!doctype html><body>${body}</body>`, { url: "http://starfrost.test/t/abc" });
  for (const name of NAMES)
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
  Object.defineProperty(globalThis, "window", { value: window, configurable: true, writable: true });
  globalThis.matchMedia = () => ({ matches: false });
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  return window.document;
}

/** The element that says how the line to the server is, as templates/base.html has it. */
export const LINE = `<div id="line" hidden ${["sending", "offline", "down", "slow", "lost", "silent", "still", "closed", "refused", "unsent", "maybe", "cancel", "stop", "close"].map((word) => `data-${word}="${word}"`).join(" ")}><span></span><button></button></div>`;

/** What the page says about the line, and the word on the button beside it. */
export function line() {
  const box = globalThis.document.getElementById("line");
  if (box.hidden) return "";
  const [text, button] = box.children;
  return button.hidden ? text.textContent : `${text.textContent} [${button.textContent}]`;
}

/** Let everything that waits for an answer, but not for a timer, go on. */
export async function settle() {
  for (let round = 0; round < 20; round++) await new Promise((done) => setImmediate(done));
}

/** Let time pass. */
export async function pass(milliseconds) {
  mock.timers.tick(milliseconds);
  await settle();
}

/** Answer every fetch with what `reply` returns for it (a Response, or an Error to throw); return the list of requests. */
export function serve(reply) {
  const requests = [];
  globalThis.fetch = async (address, options = {}) => {
    const request = { address: String(address), ...options };
    requests.push(request);
    const answer = await reply(request, requests.length);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return requests;
}
