// What lies over a table at some moments: the result, the hand-over of a shared device, the list of keys.

const root = document.documentElement;
const main = () => document.getElementById("main");
const find = (id) => document.getElementById(id);

// Who has the device, where several people share it; the server writes whom the table waits for.
let holder = find("handover")?.dataset.for ?? null;

function update() {
  const sheet = find("handover");
  if (!sheet) return;
  holder ??= sheet.dataset.for;
  sheet.hidden = sheet.dataset.for === holder;
  if (!sheet.hidden) find("take-device").focus({ preventScroll: true });
}

// What the result covers cannot be reached by keys either.
function cover() {
  const on = find("result") !== null && !root.classList.contains("looking");
  for (const one of main().children) one.inert = on && one.id !== "result";
}
cover();

document.addEventListener("shown", ({ before }) => {
  update();
  cover();
  // The result takes the focus from the button that ended the game, so that a second Enter starts nothing.
  if (before.status === "running" && main().dataset.status === "over") find("result")?.focus({ preventScroll: true });
});

document.addEventListener("click", (event) => {
  const taken = event.target.closest("[data-handed]");
  if (taken) {
    holder = find("handover").dataset.for;
    update();
    if (taken.dataset.handed) {
      const { form } = document.querySelector("[data-settings] [name=handover]");
      form.elements.handover.checked = false;
      form.requestSubmit();
    }
    main().focus({ preventScroll: true });
  }
  const { result } = event.target.closest("[data-result]")?.dataset ?? {};
  if (result) look(result === "off");
});

function look(at) {
  if (!find("result")) return;
  root.classList.toggle("looking", at);
  cover();
  find(at ? "show-result" : "result").focus({ preventScroll: true });
}

// Key hints are shown to whoever has a mouse or presses a key.
const shown = () => root.classList.add("keys");
if (matchMedia("(hover: hover) and (pointer: fine)").matches) shown();

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input[type=text], textarea, select")) return;
  shown();
  if (event.key === "Escape" && !root.classList.contains("looking")) look(true);
  if (event.key === "?") find("key-list")?.togglePopover();
});
