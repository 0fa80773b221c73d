// Changes an element into another one in place. What stays the same keeps its focus, its scroll position and its
// running transitions, so that a card whose class changes turns over and a lane that grows is animated.

const keyOf = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.id : "");
const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

// What a person has picked or typed stays when the page asks the same question again.
let keep = false;

function attributes(from, to) {
  // Whether a menu, a list or a panel is open is the reader's decision.
  const theirs = (name) => name === "open";
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && !theirs(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes)
    if (from.getAttribute(name) !== value && !theirs(name)) from.setAttribute(name, value);
  if (from instanceof HTMLInputElement && (from.type === "hidden" || !keep)) {
    from.checked = to.checked;
    from.value = to.value;
  }
}

function children(from, to) {
  const kept = new Map();
  for (const child of from.children) if (child.id) kept.set(child.id, child);
  const wantedKeys = new Set([...to.children].map(keyOf).filter(Boolean));
  let here = from.firstChild;
  for (const wanted of [...to.childNodes]) {
    const known = keyOf(wanted) && kept.get(keyOf(wanted));
    if (known && known.nodeName === wanted.nodeName) {
      // Moving an element would end its transitions, so unwanted elements before it are removed first.
      while (here && here !== known && !wantedKeys.has(keyOf(here))) {
        const next = here.nextSibling;
        here.remove();
        here = next;
      }
      if (known !== here) from.insertBefore(known, here);
      else here = here.nextSibling;
      bring(known, wanted);
    } else if (here && alike(here, wanted)) {
      const next = here.nextSibling;
      bring(here, wanted);
      here = next;
    } else {
      from.insertBefore(wanted, here);
    }
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}

function bring(from, to) {
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  if (from.nodeType !== Node.ELEMENT_NODE || (from.isEqualNode(to) && !from.querySelector("input"))) return;
  attributes(from, to);
  children(from, to);
}

export function morph(from, to, { keepInputs = false } = {}) {
  keep = keepInputs;
  bring(from, to);
  if (keep) return;
  // Radio buttons uncheck one another while they are moved, so the server's choice is set at the end.
  for (const input of from.querySelectorAll("input[type=radio], input[type=checkbox]"))
    input.checked = input.defaultChecked;
  for (const select of from.querySelectorAll(".play select")) select.selectedIndex = 0;
}
