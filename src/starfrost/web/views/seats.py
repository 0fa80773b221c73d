"""Seats as a page shows them: a name, a shape, a colour, a score on the way to the goal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from starfrost.games.core import Game
from starfrost.players.registry import bots_here
from starfrost.table import SeatView
from starfrost.words import Words, mark

__all__ = ["Lane", "bot_name", "lanes", "seat_names", "seat_shape", "strengths", "usual_bot"]

SHAPES: Final = ("circle", "triangle", "square", "diamond")
"""The shapes of the seats, in seat order: a colour never stands alone."""

BOT_NAMES: Final[Mapping[str, str]] = {
    "random": mark("Easy bot"),
    "greedy": mark("Quick bot"),
    "planner": mark("Clever bot"),
    "strong": mark("Strong bot"),
    "perfect": mark("Perfect bot"),
    "master": mark("Master bot"),
}


def seat_shape(number: int) -> str:
    """Return the shape of a seat, which counts from 1."""
    return SHAPES[(number - 1) % len(SHAPES)]


def bot_name(w: Words, bot: str) -> str:
    """Return the name of a bot as people know it."""
    return w(BOT_NAMES[bot]) if bot in BOT_NAMES else bot


def strengths(w: Words, game: Game[Any, Any]) -> list[tuple[str, str]]:
    """Return the bots that play a game, the weakest first, with their names."""
    return [(bot, bot_name(w, bot)) for bot in bots_here(game)]


def usual_bot(bots: Sequence[str]) -> str:
    """Return the bot that a newcomer meets: one that plays sensibly and fast."""
    return "greedy" if "greedy" in bots else bots[0]


def seat_names(w: Words, seats: Sequence[SeatView]) -> list[str]:
    """Return a name for every seat of a table; two seats never share a name."""
    names: list[str] = []
    for seat in seats:
        name = seat.name
        if seat.kind == "bot" and (not name or name == seat.bot):
            name = bot_name(w, str(seat.bot))
        elif seat.kind == "open":
            name = w("Free seat")
        names.append(name)
    return [
        f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 and seats[i].kind != "open" else name
        for i, name in enumerate(names)
    ]


@dataclass(frozen=True)
class Lane:
    """A seat's lane in the race."""

    number: int
    """The seat, from 1."""
    name: str
    score: int
    share: float
    """How far the score is on the way to the goal, 0 to 100."""
    turn: bool
    you: bool
    bot: bool
    present: bool
    note: str = ""

    @property
    def shape(self) -> str:
        """The seat's shape."""
        return seat_shape(self.number)


def lanes(
    names: Sequence[str],
    scores: Sequence[int],
    goal: int,
    *,
    turn: int | None,
    seats: Sequence[SeatView],
    notes: Sequence[str] = (),
) -> tuple[Lane, ...]:
    """Return one lane for each seat; `turn` is the acting seat from 0."""
    return tuple(
        Lane(
            number=i + 1,
            name=name,
            score=scores[i],
            share=max(0.0, min(100.0, round(100 * scores[i] / max(goal, 1), 1))),
            turn=turn == i,
            you=seats[i].yours,
            bot=seats[i].kind == "bot",
            present=seats[i].present or seats[i].kind == "bot",
            note=notes[i] if notes else "",
        )
        for i, name in enumerate(names)
    )
