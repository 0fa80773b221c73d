"""The coach's panel: the winning chance through a game of two, and the three decisions that cost most."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from starfrost.coach.analysis import analyse
from starfrost.coach.report import meaning, share_kept, verdict, worst_sentences
from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import Event, Record, replay
from starfrost.solver import on_demand as service
from starfrost.solver.adviser import Adviser
from starfrost.web.views.after import BOTTOM, EDGE, HEIGHT, LEFT, WIDTH
from starfrost.words import Words
from starfrost.words.numbers import percent

__all__ = ["Advice", "Coach", "can_coach", "can_prepare", "coach", "prepare"]

GRID: Final = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Advice:
    """A decision that cost something: where it stands in the curve and in the replay, and what was better."""

    x: float
    y: float
    step: int
    """the event of the replay that shows the position before the decision"""
    sentence: str


@dataclass(frozen=True)
class Coach:
    """The panel, drawn in the same box as the curve of the scores."""

    path: str
    rows: tuple[tuple[float, int], ...]
    verdict: str
    """heads the advice, or says why there is none"""
    advice: tuple[Advice, ...]
    tallies: tuple[tuple[str, ...], ...]
    """for every player the name, the accuracy, the luck and what the decisions cost"""
    meaning: str


def can_coach(game: Any) -> bool:
    """Say whether the set-up of a game is solved on this machine."""
    return isinstance(game, DicyCards) and game.seats == 2 and service.find(game.cards, game.goal) is not None


def can_prepare(game: Any) -> bool:
    """Say whether the set-up of a game could be solved here for the coach."""
    if not isinstance(game, DicyCards) or game.seats != 2:
        return False
    return service.can_start(game.goal) and not service.gave_up(game.cards, game.goal)


def prepare(game: DicyCards) -> int:
    """Have the set-up of a game solved in the background, and say how far that is in per cent."""
    service.wanted(game.cards, game.goal)
    return round(100 * (service.solving_share(game.cards, game.goal) or 0.0))


def _tight(text: str) -> str:
    """Keep every per cent sign on the line of its number."""
    return text.replace(" %", "\u00a0%")


def coach(
    w: Words, game: DicyCards, history: Sequence[tuple[int | None, Any, Any]], names: Sequence[str]
) -> Coach | None:
    """Judge a game; None if its set-up is not solved, or if the machine lacks what judging needs."""
    values = service.find(game.cards, game.goal)
    if values is None:
        return None
    events = tuple(Event(game.actor(before), action) for _seat, action, before in history)
    played = replay(Record(game, tuple(names), events))
    try:
        found = analyse(Adviser(game, values), played)
    except MissingExtra:
        return None
    last = max(1, len(found.curve) - 1)

    def x(event: int) -> float:
        return round(LEFT + event / last * (WIDTH - LEFT - EDGE), 1)

    def y(share: float) -> float:
        return round(EDGE + (1 - share) * (HEIGHT - EDGE - BOTTOM), 1)

    path = f"M{x(0)} {y(found.curve[0])}" + "".join(
        f"H{x(event)}V{y(after)}" for event, (_before, after) in enumerate(pairwise(found.curve), 1)
    )
    worst = zip(found.worst(), worst_sentences(w, played, found), strict=True)
    return Coach(
        path,
        tuple((y(number / 100), number) for number in GRID),
        verdict(w, found),
        tuple(
            Advice(x(moment.event + 1), y(found.curve[moment.event + 1]), moment.event, _tight(sentence))
            for moment, sentence in worst
        ),
        tuple(
            (
                name,
                _tight(share_kept(w, tally)),
                _tight(percent(w, tally.luck, signed=True)),
                _tight(percent(w, -tally.loss, signed=True)),
            )
            for name, tally in zip(names, found.tallies, strict=True)
        ),
        meaning(w),
    )
