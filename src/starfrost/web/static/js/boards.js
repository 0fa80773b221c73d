// The scripts of the boards, by game. A board's script registers what the page calls, all of it optional:
//   refresh(form, changed)  brings the board's form up to date; `changed` is the field that a person has changed
//   setup(form)             brings the set-up form up to date
//   stage(old, fresh, speed)  is called before a new position is shown, unless motion is to be avoided; may play a scene on
//                           the old <main>, such as a roll, and return a promise for its end: until then the page keeps
//                           everything else as it was
//   watch(main)             is called when a new position is shown and returns a function that is called with the new
//                           <main>, whether to avoid motion, and whether a scene was played
//   light(main, deed)       lights what an action uses, such as dice and a card; "2 score odds 531" is the second seat's,
//                           and what a reason names (`Board.lights`). Returns whether there is anything; as a third
//                           argument `true` asks for that alone, as a fourth it leaves out dice, since others lie there
//   click(event)            handles a click on the page
const boards = new Map();
const none = {};

/** Add the script of a game's board. */
export function register(game, script) {
  boards.set(game, script);
  for (const form of document.querySelectorAll("form.play")) script.refresh?.(form);
  for (const form of document.querySelectorAll("form.setup")) script.setup?.(form);
}

/** Light elements of the table and nothing else; return whether there are any. */
export function lightUp(main, found, ask = false) {
  const lit = found.filter(Boolean);
  if (ask) return lit.length > 0;
  for (const one of main.querySelectorAll(".lit")) one.classList.remove("lit");
  for (const one of lit) one.classList.add("lit");
  return lit.length > 0;
}

/** Return the script of the board on this page; an empty one if the page has none. */
export const board = () => boards.get(document.body.dataset.game) ?? none;
