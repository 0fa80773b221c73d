"""Seats as a page shows them: a name, a shape, a colour, a score on the way to the goal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starfrost.table.view import NOBODY, SeatChange, SeatView, TableView
from starfrost.words import Words, You, mark
from starfrost.words.bots import bot_name

SHAPES: Final = ("circle", "triangle", "square", "diamond")
"""The shapes of the seats, in seat order, so that nobody needs to tell colours apart."""


def seat_shape(number: int) -> str:
    """Return the shape of a seat; seats count from 1."""
    return SHAPES[(number - 1) % len(SHAPES)]


def look_of(seats: Sequence[SeatView], number: int) -> int:
    """Return which colour and shape a seat has for a reader; both count from 1.

    A reader with one seat always has the first ones, so that they stay the same in every game; the others have
    theirs in the order of play from there.
    """
    own = [seat.seat for seat in seats if seat.yours]
    return (number - (own[0] if len(own) == 1 else 1)) % len(seats) + 1


def seat_names(w: Words, seats: Sequence[SeatView]) -> list[str]:
    """Return a name for every seat of a table; two seats never share a name.

    A reader with one seat is addressed; several people at one device are told apart by their names.
    """
    names: list[str] = []
    for seat in seats:
        name = seat.name
        if seat.kind == "bot" and (not name or name == seat.bot):
            name = bot_name(w, str(seat.bot))
        elif seat.kind == "open":
            name = w("Free seat")
        elif name == NOBODY:
            name = w(NOBODY)
        names.append(name)
    distinct = [
        f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 and seats[i].kind != "open" else name
        for i, name in enumerate(names)
    ]
    own = [i for i, seat in enumerate(seats) if seat.yours]
    if len(own) == 1:
        distinct[own[0]] = You(distinct[own[0]])
    return distinct


_NEWS: Final[Mapping[str, str]] = {
    "left": mark("%(name)s leaves; a bot takes over."),
    "clock": mark("%(name)s ran out of time; a bot takes over."),
    "gone": mark("%(name)s is away; a bot takes over."),
    "resigned": mark("%(name)s gives up; a bot plays on."),
    "back": mark("%(name)s is back and takes over from the bot."),
    "joined": mark("%(name)s joins and takes over from the bot."),
}


def tell_change(w: Words, change: SeatChange, names: Sequence[str]) -> str:
    """Return a sentence on a bot that takes a seat over, or gives it back; `names` tell equal ones apart."""
    here = names[change.seat - 1]
    name = here if here.startswith(change.name) else change.name
    return w(_NEWS[change.what], name=w(NOBODY) if name == NOBODY else str(name))


def own_absences(w: Words, view: TableView) -> list[tuple[int, str]]:
    """Return the reader's seats that a bot holds for them in a running game, each with a sentence that says why."""
    if view.status != "running":
        return []
    kept = [seat for seat in view.seats if seat.vacated and seat.kept_for_you]
    several = len(kept) + len(view.mine) > 1
    told = []
    for seat in kept:
        if several:
            why = w("A bot plays for %(name)s.", name=seat.name)
        elif seat.away == "clock":
            why = w("Your time ran out, so a bot plays for you.")
        elif seat.away == "gone":
            why = w("You were away, so a bot plays for you.")
        else:
            why = w("You left, so a bot plays for you.")
        if view.paused:
            why += " " + w("The game waits until somebody comes back.")
        told.append((seat.seat, why))
    return told


@dataclass(frozen=True)
class Lane:
    """A seat's lane in the race."""

    number: int
    """The seat, from 1."""
    look: int
    """Its colour and shape, from 1."""
    name: str
    score: int
    share: float
    """How far the score is on the way to the goal, 0 to 100."""
    turn: bool
    you: bool
    bot: bool
    present: bool
    note: str = ""
    stand_in: bool = False
    """Whether a bot plays for somebody who is away."""
    program: bool = False
    """Whether the person is a program, which says so."""
