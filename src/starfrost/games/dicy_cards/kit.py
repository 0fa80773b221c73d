"""The kit of Dicy Cards."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random
from typing import Any, Final

from starfrost.errors import UsageError, mark
from starfrost.games.dicy_cards.cards import CARDS, DICE
from starfrost.games.dicy_cards.modes import INTERGLACIAL, MODES, clean_cards, interglacial, mode_of
from starfrost.games.dicy_cards.rules import GOAL, SEATS, DicyCards
from starfrost.games.dicy_cards.state import Action, Phase, State
from starfrost.games.dicy_cards.variant import MOST_GOAL, OFFICIAL, Rules, read
from starfrost.games.kit import MODE, DailyGame, Draw, GameKit, Mode, Option, rules_option
from starfrost.games.variants import RULES, Fields, Variant, opened

_GOAL: Final = Option("goal", mark("the points that end the game"), default=GOAL, most=MOST_GOAL, most_in_form=1000)


@lru_cache(maxsize=64)
def _rules(text: str) -> Rules:
    """Read a variant once: every game with these headers asks for it."""
    return read(opened(text))


def _variant(fields: Fields) -> Variant:
    variant = read(fields).variant
    assert variant is not None
    return variant


def _make(seats: int, headers: Mapping[str, str]) -> DicyCards:
    rules = _rules(headers[RULES]) if RULES in headers else OFFICIAL
    if rules.variant is not None:
        headers = {**rules.variant.options, **headers}
    if "cards" not in headers:
        raise UsageError("Dicy Cards needs the header 'cards' with the five card ids.", "cards")
    return DicyCards(seats, tuple(headers["cards"].split()), _GOAL.number(headers), rules)


def _outcome(game: Any, state: State, draw: Draw) -> Action:
    """Roll the dice that are not on the table: all six, or the rerolled ones (T1, T2)."""
    count = DICE - len(state.dice)
    faces = sorted((game.rules.faces[draw(6, die, "face")] for die in range(1, count + 1)), reverse=True)
    return Action("roll", "", "".join(faces))


def _last_round(game: Any, state: State) -> int | None:
    """Return the seat that reached the goal first (E1): nobody had it before this round, so the first in order."""
    if state.phase is Phase.OVER:
        return None
    return next((seat for seat, score in enumerate(state.scores) if score >= game.goal), None)


def _named(cards: tuple[str, ...]) -> Callable[[Random], Mapping[str, str]]:
    return lambda rng: {"cards": " ".join(cards)}


KIT: Final = GameKit(
    id="dicy-cards",
    title="Dicy Cards",
    seats=SEATS,
    make=_make,
    outcome=_outcome,
    example="score odds 531",
    options=(
        Option(
            "cards",
            mark("five cards, or the name of a mode"),
            choices=tuple(CARDS),
            clean=clean_cards,
        ),
        _GOAL,
        rules_option(_variant),
    ),
    modes={
        **{mode.id: Mode(_named(mode.cards)) for mode in MODES.values()},
        # D6: drawn once for all seats before anyone acts, so no seat gains by it.
        INTERGLACIAL: Mode(lambda rng: {"cards": " ".join(interglacial(rng))}, drawn=True),
    },
    named_mode=lambda game: mode_of(game.cards),
    played=lambda game: (game.kinds, game.goal, game.rules.start(game.seats)),
    daily=DailyGame(
        seats=("open", "bot:planner"),
        # Each day the next of the named sets.
        options=lambda day: {MODE: tuple(MODES)[day % len(MODES)]},
        compared=("greedy", "planner", "perfect"),
        tries=40,
    ),
    last_round=_last_round,
    words="starfrost.games.dicy_cards.words:KIT",
    bots="starfrost.games.dicy_cards.bots:BOTS",
    terminal="starfrost.games.dicy_cards.terminal:KIT",
    board="starfrost.games.dicy_cards.board.board:DicyCardsBoard",
    pages="starfrost.games.dicy_cards.pages.atlas:router",
    engine="starfrost.games.dicy_cards.vector.kit:KIT",
    compiled="starfrost.games.dicy_cards.compiled.kit:KIT",
    coach="starfrost.games.dicy_cards.coach.coach:COACH",
    planned="starfrost.games.dicy_cards.coach.planned:COACH",
    puzzles="starfrost.games.dicy_cards.coach.puzzles:PUZZLES",
    puzzle_commands="starfrost.games.dicy_cards.cli.puzzle:KIT",
    commands={
        "atlas": (
            "starfrost.games.dicy_cards.cli.atlas",
            mark("Browse the solved sets: who wins, how long a game lasts, what each card is for."),
        ),
        "solve": (
            "starfrost.games.dicy_cards.cli.solve",
            mark("Solve two-player Dicy Cards for a set of cards and keep the result in the cache folder."),
        ),
    },
)
