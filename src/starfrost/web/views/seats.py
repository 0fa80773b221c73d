"""Seats as a page shows them: a name, a shape, a colour, a score on the way to the goal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starfrost.table import SeatView
from starfrost.words import Words
from starfrost.words.bots import bot_name

SHAPES: Final = ("circle", "triangle", "square", "diamond")
"""The shapes of the seats, in seat order, so that nobody needs to tell colours apart."""


def seat_shape(number: int) -> str:
    """Return the shape of a seat; seats count from 1."""
    return SHAPES[(number - 1) % len(SHAPES)]


def usual_bot(bots: Sequence[str]) -> str:
    """Return the bot that is offered first: one that plays sensibly and fast."""
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
