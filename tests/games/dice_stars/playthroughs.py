"""The playthroughs of Dice Stars and their format."""

from collections.abc import Iterable, Iterator

from starfrost.games.core import CHANCE
from starfrost.games.dice_stars import ROWS, Action, DiceStars, Sheet, State
from starfrost.games.dice_stars.components import die_text
from starfrost.games.dice_stars.sheet import CROSS, EMPTY, ROW_SPACES, STAR_BOXES

MODES = {
    "two": (DiceStars(2), 2),
    "three": (DiceStars(3), 3),
    "four": (DiceStars(4), 4),
    "solo": (DiceStars(1, solo_boxes=40), 5),
}


def tell(game: DiceStars, events: Iterable[Action]) -> Iterator[str]:
    """Write a game line by line."""
    state, turn = game.start(), 0
    yield f"# Dice Stars, {game!r}: written by tests/games/playthroughs.py"
    for action in events:
        if game.starts_turn(state):
            turn += 1
            yield f"turn {turn}: bag {' '.join(map(str, state.bag))}, reserve {_reserve(state)}"
        seat, legal = game.turn_of(state), game.legal_actions(state)
        if game.actor(state) == CHANCE:
            yield f"* {action}"
        else:
            yield f"{seat + 1} {action}{_others(action, legal)}"
        before, state = state, game.apply(state, action)
        changed = state.sheets[seat]
        if changed != before.sheets[seat]:
            rows = [index for index in range(5) if _row(changed, index) != _row(before.sheets[seat], index)]
            yield "".join(f"  {_row(changed, index)}" for index in rows) + f"  = {game.scores(state)[seat]}"
        if state.solo != before.solo:
            yield f"  solo boxes {state.solo} of {game.solo_boxes}"
    yield f"scores {' '.join(map(str, game.scores(state)))}"
    yield f"winners {' '.join(str(seat + 1) for seat in game.winners(state)) or 'none'}"
    yield game.position_text(state)


def _others(action: Action, legal: tuple[Action, ...]) -> str:
    others = [str(other).removeprefix(f"{action.verb} ") for other in legal if other != action]
    stars = [other for other in others if other.startswith("stars")]
    if len(stars) > 3:
        others = [other for other in others if other not in stars] + [f"stars in {len(stars)} ways"]
    return f"  (or {', '.join(others)})" if others else ""


def _reserve(state: State) -> str:
    return " ".join(map(die_text, state.reserve)) or "empty"


def _row(sheet: Sheet, index: int) -> str:
    signs = {EMPTY: ".", CROSS: "X"}
    spaces = [sheet.spaces[space] for space in ROW_SPACES[index]]
    cells = " ".join(signs.get(value, str(value)) for value in spaces)
    return f"{ROWS[index]}: {cells} *{sheet.ticked[index]}/{STAR_BOXES[index]}"
