// Notifications of a table go away when the reader looks at it, and only then.
import assert from "node:assert/strict";
import { test } from "node:test";

import { clear } from "../../../src/starfrost/web/static/js/notify.js";

/** Clear the notifications of a table; the reader leaves the page while the browser looks for them, or stays. */
async function cleared(leaves) {
  let open = true;
  const page = { hidden: false };
  const registration = {
    getNotifications: async ({ tag }) => {
      page.hidden = leaves;
      return tag === "t1" ? [{ close: () => (open = false) }] : [];
    },
  };
  const serviceWorker = { getRegistration: async () => registration };
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker }, configurable: true });
  globalThis.document = page;
  await clear("t1");
  return !open;
}

test("a reader who looks at the table needs no notification", async () => {
  assert.equal(await cleared(false), true);
});

test("a reader who has left meanwhile keeps it", async () => {
  assert.equal(await cleared(true), false);
});
