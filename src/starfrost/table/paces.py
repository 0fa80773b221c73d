"""How fast people want to see the moves of bots. Each guest's wish is remembered while the process runs."""

from typing import Final, NamedTuple

from starfrost.table.snapshot import Snapshot


class Pace(NamedTuple):
    """What a pace leaves of the times in the settings."""

    wait: float
    """The share of `bot_pace`, which a bot waits before each move."""
    grace: float
    """The share of `undo_grace`, in which a person can take the last move back before a bot moves."""


PACES: Final = {"calm": Pace(1.0, 1.0), "brisk": Pace(0.5, 0.85), "instant": Pace(0.0, 0.25)}

_STANDS: Final = 4.5
"""How much longer the pages let a decision of a bot stand than a bot waits before it."""

_USUAL: Final = PACES["brisk"]
_MOST_WISHES: Final = 100_000


class Paces:
    """The wishes of guests."""

    def __init__(self) -> None:
        self._wishes: dict[str, Pace] = {}

    def wish(self, guest: str, pace: str) -> bool:
        """Remember the pace that a guest wants; return whether it is another one than before."""
        before = self._wishes.pop(guest, None)
        self._wishes[guest] = PACES[pace]
        if len(self._wishes) > _MOST_WISHES:
            del self._wishes[next(iter(self._wishes))]
        return before != PACES[pace]

    def of(self, guest: str) -> Pace:
        """Return the pace that a guest wants, or the usual one."""
        return self._wishes.get(guest, _USUAL)

    def wait(self, table: Snapshot) -> float:
        """Return the share of `bot_pace` that the bots of a table wait.

        Without a clock the fastest wish counts, because the pages of the others show the moves one after another by
        themselves. With a clock the slowest counts, and bots wait as long as the pages show their decisions: the next
        person's time starts when the bots have moved.
        """
        people = [seat.guest for seat in table.seats if seat.kind == "person" and seat.guest]
        waits = [self.of(guest).wait for guest in people] or [_USUAL.wait]
        return min(waits) if table.clock == "none" else _STANDS * max(waits)
