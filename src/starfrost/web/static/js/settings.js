// Applies the reader's settings without a reload. The answer to the form is this page in the new language and with the new
// settings; it is morphed in, so that what was typed, the scroll position and open menus stay.
import { morph } from "./morph.js";

export async function apply(form) {
  const answer = await fetch(form.getAttribute("action"), {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    headers: { Accept: "text/html" },
  });
  if (!answer.ok) throw new Error(String(answer.status));
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fields = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")];
  // A field that nobody has touched follows the new page, so that "Player 1" becomes "Spieler 1".
  const kept = fields
    .filter((field) => field.type === "radio" || field.type === "checkbox" || field.value !== field.defaultValue)
    .map((field) => [field, field.value, field.checked]);
  const root = document.documentElement;
  for (const { name } of [...root.attributes])
    if (name !== "class" && !fresh.documentElement.hasAttribute(name)) root.removeAttribute(name);
  for (const { name, value } of fresh.documentElement.attributes) if (name !== "class") root.setAttribute(name, value);
  document.title = fresh.title;
  morph(document.body, document.adoptNode(fresh.body), { keepInputs: true });
  for (const [field, value, checked] of kept)
    if (field.type === "radio" || field.type === "checkbox") field.checked = checked;
    else field.value = value;
}
