// Tells the reader that it is their turn: by push messages, which arrive while the page is closed, and from the open page
// through the service worker, because phones refuse notifications of a page itself. Loaded only where it is wanted.

import { top } from "./line.js";

const registration = () => navigator.serviceWorker?.getRegistration();
// Quiet hours are those of the place where the browser is.
const east = -new Date().getTimezoneOffset();
const post = (method, subscription) =>
  fetch(`${top}push`, { method, body: JSON.stringify({ ...subscription.toJSON(), east }) });

/** Say beside the setting how far notifications work here; "" if there is nothing to say. */
let said = "";
function say(state) {
  said = state;
  const line = document.getElementById("notify-says");
  if (!line) return;
  line.hidden = !state;
  line.textContent = line.dataset[state] ?? "";
}

/** Say it again after the page has changed. */
export const again = () => say(said);

/** Return what keeps this browser from showing notifications: "none", "denied" or nothing. */
function obstacle() {
  if (!globalThis.Notification || !navigator.serviceWorker) return "none";
  return Notification.permission === "granted" ? "" : "denied";
}

async function subscribe() {
  const { pushManager } = (await registration()) ?? (await navigator.serviceWorker.ready);
  const known = await pushManager.getSubscription();
  const key = known ? null : await (await fetch(`${top}push`)).text();
  const subscription = known ?? (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
  const answer = await post("POST", subscription);
  if (!answer.ok) throw new Error(String(answer.status));
}

/** Begin to tell the reader; return whether the browser lets us. */
export async function begin() {
  const state = obstacle();
  say(state);
  if (state) return false;
  try {
    await subscribe();
    sessionStorage.setItem("subscribed", "1");
  } catch {
    // Without a push service the open page still tells.
    say("open");
  }
  return true;
}

/** Go on telling the reader: the push service may have changed the browser's address, and the reader the language. */
export const goOn = async () => sessionStorage.getItem("subscribed") || (await begin());

/** Stop telling the reader. */
export async function stop() {
  say("");
  const subscription = await (await registration())?.pushManager?.getSubscription();
  if (!subscription) return;
  await post("DELETE", subscription).catch(() => {});
  await subscription.unsubscribe();
}

/** Show a notification of the open page. A push message about the same table takes its place. */
export async function tell(title, table) {
  if (obstacle()) return;
  const icon = document.querySelector('link[rel="apple-touch-icon"]')?.href;
  await (await registration())?.showNotification(title, { tag: table, data: `${top}t/${table}`, icon });
}

/** Remove the notifications of a table that the reader looks at. */
export async function clear(table) {
  const shown = (await (await registration())?.getNotifications({ tag: table })) ?? [];
  // Whoever has left the page meanwhile is told again.
  if (!document.hidden) for (const one of shown) one.close();
}
