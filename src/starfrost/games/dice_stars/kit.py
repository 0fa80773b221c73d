"""The kit of Dice Stars."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from starfrost.errors import mark
from starfrost.games.dice_stars.actions import Action
from starfrost.games.dice_stars.components import die, die_text
from starfrost.games.dice_stars.game import SEATS, SOLO_BOXES, DiceStars
from starfrost.games.dice_stars.sheet import ends_game
from starfrost.games.dice_stars.turn import Phase, State
from starfrost.games.dice_stars.variant import MOST_SOLO_BOXES, OFFICIAL, Rules, read
from starfrost.games.kit import DailyGame, Draw, GameKit, Option, rules_option
from starfrost.games.variants import RULES, Fields, Variant, opened

_SOLO_BOXES: Final = Option(
    "solo-boxes", mark("the boxes of the solo grid"), default=SOLO_BOXES, most=MOST_SOLO_BOXES, most_in_form=100
)


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    """Read a variant once: every game with these headers asks for it."""
    return read(opened(text))


def _variant(fields: Fields) -> Variant:
    variant = read(fields).variant
    assert variant is not None
    return variant


def _make(seats: int, headers: Mapping[str, str]) -> DiceStars:
    rules = _rules(headers[RULES]) if RULES in headers else OFFICIAL
    if rules.variant is not None:
        headers = {**rules.variant.options, **headers}
    return DiceStars(seats, _SOLO_BOXES.number(headers), rules)


def _outcome(game: Any, state: State, draw: Draw) -> Action:
    """Draw dice blind from the bag, one by one, and roll each (S2)."""
    bag = list(state.bag)
    drawn: list[str] = []
    for number in range(1, state.draw + 1):
        pick = draw(sum(bag), number, "bag")
        colour = 0
        while pick >= bag[colour]:
            pick -= bag[colour]
            colour += 1
        bag[colour] -= 1
        drawn.append(die_text(die(colour, game.rules.faces[colour][draw(6, number, "face")])))
    action: Action = game.parse_action(" ".join(drawn))
    return action


def _last_round(game: Any, state: State) -> int | None:
    """Return the seat whose sheet ends the game (G1): none did before this round, so the first in order."""
    if state.phase is Phase.OVER:
        return None
    return next((seat for seat, sheet in enumerate(state.sheets) if ends_game(sheet)), None)


KIT: Final = GameKit(
    id="dice-stars",
    title="Dice Stars",
    seats=SEATS,
    make=_make,
    outcome=_outcome,
    example="take blue",
    options=(_SOLO_BOXES, rules_option(_variant)),
    played=lambda game: (game.layouts, game.solo_boxes),
    daily=DailyGame(compared=("greedy", "strong"), tries=1500),
    last_round=_last_round,
    words="starfrost.games.dice_stars.words:KIT",
    bots="starfrost.games.dice_stars.bots:BOTS",
    terminal="starfrost.games.dice_stars.terminal:KIT",
    board="starfrost.games.dice_stars.board.board:DiceStarsBoard",
    engine="starfrost.games.dice_stars.vector.kit:KIT",
    compiled="starfrost.games.dice_stars.compiled.kit:KIT",
    coach="starfrost.games.dice_stars.coach.coach:COACH",
    planned="starfrost.games.dice_stars.coach.planned:COACH",
    puzzles="starfrost.games.dice_stars.coach.puzzles:PUZZLES",
    puzzle_commands="starfrost.games.dice_stars.cli.puzzle:KIT",
)
