// What of a decision cannot be seen or touched in the window as it is, without scrolling: a list of sentences. Runs in the page.
export default function needed(least) {
  const found = [];
  const name = (one) => `${one.tagName.toLowerCase()}${one.id ? `#${one.id}` : ""}.${[...one.classList].join(".")}`;
  const box = (one) => one.getBoundingClientRect();
  const shown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && box(one).width > 1;
  const within = ({ left, top, right, bottom }) =>
    left >= -1 && top >= -1 && right <= innerWidth + 1 && bottom <= innerHeight + 1;
  const say = (one, fault) => found.push(`${name(one)} "${one.textContent.trim().slice(0, 30)}" ${fault}`);
  const all = (what) => [...document.querySelectorAll(what)].filter(shown);
  scrollTo(0, 0);
  // Both sides of a card lie in the same place; only one of them is seen.
  const seen = ".card:not(.frozen) .front, .card.frozen .back";
  const parts = `.turn-now, .lane .who, .lane .score, .lane .hand, .story, .teacher p, .die, .question, :is(${seen}) > *, .take, .reserve .sd, .place .count,
    .board > .sheet .cell, .board > .sheet .rowsum, .goal, .bar .btn, .teacher .btn, .walk .btn, #mistake p`;
  for (const one of all(parts)) {
    const where = box(one);
    if (!within(where)) {
      say(one, "lies outside the window");
      continue;
    }
    if (getComputedStyle(one).pointerEvents === "none") continue;
    const hit = document.elementFromPoint((where.left + where.right) / 2, (where.top + where.bottom) / 2);
    const own = one.closest("label, .card, .die, .place, td, .btn") ?? one;
    if (!hit || !(own.contains(hit) || hit.contains(one))) say(one, `lies under ${hit ? name(hit) : "nothing"}`);
  }
  // Text is large enough to read.
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const of = node.parentElement;
    const aside = ".hide, [popover], .around, .others, noscript, .pv, .after, .sparks";
    if (!node.data.trim() || of.closest(aside) || !shown(of)) continue;
    if (of.closest(".card") && !of.closest(seen)) continue;
    const size = Number.parseFloat(getComputedStyle(of).fontSize);
    if (size < least.text) say(of, `is ${size} px`);
  }
  // What is tapped is large enough for a thumb.
  const targets = ".board :is(input:not([type=hidden]), .btn), .bar .btn, .teacher .btn, .walk .btn";
  for (const one of all(targets)) {
    // Star boxes are as large as ten in a row of a phone can be; popovers are closed.
    if (one.matches(".cell input") || one.closest("[popover]")) continue;
    const { width, height } = box(one);
    if (Math.min(width, height) < least.target - 0.5) say(one, `is ${Math.round(width)}×${Math.round(height)} px`);
  }
  return [...new Set(found)];
}
