// What is wrong with the layout of the page in the window as it is: a list of sentences. Runs in the page.
export default function faults() {
  const found = [];
  const name = (one) => `${one.tagName.toLowerCase()}${one.id ? `#${one.id}` : ""}.${[...one.classList].join(".")}`;
  const all = (what) => [...document.querySelectorAll(what)];
  const say = (text) => found.push(text);
  const box = (one) => one.getBoundingClientRect();
  if (document.documentElement.scrollWidth > innerWidth)
    say(`the page is ${document.documentElement.scrollWidth} wide`);
  // Text must lie inside the boxes that cut it off or that are drawn around it.
  const drawn =
    ".btn, .take, .face, .place, .lane, .turn-now, .cell, .tag, .panel, .mini, .segments label, .variant, .note";
  // Whether an element scrolls, and its edge if it cuts text off or is drawn around it: asked once for each element.
  const known = new Map();
  const around = (up) => {
    if (!known.has(up)) {
      const { overflowX, overflowY } = getComputedStyle(up);
      const scrolls = /auto|scroll/.test(overflowX + overflowY) && !(up.matches(".story") && all(".lane").length < 3);
      const bounds = /hidden|clip/.test(overflowX + overflowY) || up.matches(drawn);
      known.set(up, { scrolls, edge: bounds ? box(up) : null });
    }
    return known.get(up);
  };
  const walker = document.createTreeWalker(document.getElementById("main").parentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    const of = node.parentElement;
    if (!text || of.closest("script, .hide, [hidden], [popover], option, noscript, .void, .pv, .after, .skip, .sparks"))
      continue;
    if (!of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (getComputedStyle(of).clipPath !== "none") continue;
    // A long name is cut short, and says so.
    if (getComputedStyle(of).textOverflow === "ellipsis" || getComputedStyle(of).webkitLineClamp !== "none") continue;
    // The back of a card is not seen, nor the front of one that lies on its face.
    if (of.closest(".card:not(.frozen) .back, .card.frozen .front")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < 1) continue;
      for (let up = of; up && up !== document.body; up = up.parentElement) {
        const { scrolls, edge } = around(up);
        if (scrolls) break;
        if (!edge) continue;
        if (
          rect.left < edge.left - 2 ||
          rect.right > edge.right + 2 ||
          rect.top < edge.top - 3 ||
          rect.bottom > edge.bottom + 3
        )
          say(`"${text}" sticks out of ${name(up)}`);
      }
      if (rect.left < -1 || rect.right > innerWidth + 1) say(`"${text}" leaves the window`);
    }
  }
  // Parts of the head do not lie over one another, nor do parts of the board.
  const apart = (list) => {
    const seen = list.filter((one) => one?.checkVisibility() && box(one).width);
    seen.forEach((one, i) => {
      for (const other of seen.slice(i + 1)) {
        const a = box(one),
          b = box(other);
        if (
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
        )
          say(`${name(one)} lies over ${name(other)}`);
      }
    });
  };
  scrollTo(0, 0);
  apart(all(".turn-now, .brand svg, .brand span, .top .end > *"));
  apart(
    all(".race, .story, .tray, .cards, .places, .takes, .question:not(.tray *), .board > .sheet, .explain, .around"),
  );
  apart(all(".card"));
  apart(all(".reserve .sd"));
  apart(all(".lane"));
  // What the bar acts on can be brought into view, and then it is on top.
  for (const control of all(
    ".die > input, .card > input, .take > input, .cell .box > input, .variant > input, .twelve input, .field input, .bar .btn, .go-line .btn",
  )) {
    if (!control.checkVisibility() || control.disabled) continue;
    control.scrollIntoView({ block: "nearest" });
    const where = box(control);
    const [x, y] = [(where.left + where.right) / 2, (where.top + where.bottom) / 2];
    const hit = document.elementFromPoint(x, y);
    if (
      !hit ||
      !(control.parentElement.contains(hit) || hit.contains(control) || control.closest("label")?.contains(hit))
    )
      say(`${name(control)} ${control.value ?? ""} is covered by ${hit ? name(hit) : "nothing"}`);
    const bar = document.querySelector(".bar, .go-line");
    if (
      bar &&
      !bar.contains(control) &&
      [...bar.querySelectorAll(".btn")].some(
        (one) =>
          one.checkVisibility() &&
          box(one).top < where.bottom - 4 &&
          box(one).bottom > where.top + 4 &&
          box(one).left < where.right &&
          box(one).right > where.left,
      )
    )
      say(`a button of the bar lies over ${name(control)} ${control.value ?? ""}`);
  }
  scrollTo(0, 0);
  return [...new Set(found)];
}
