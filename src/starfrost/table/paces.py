"""How fast people want to see the moves of bots. Each guest's wish is remembered while the process runs."""

from typing import Final

from starfrost.table.snapshot import Snapshot

PACES: Final = {"calm": 1.0, "brisk": 0.35, "instant": 0.0}
"""The paces, and the share of `Settings.bot_pace` that a bot waits before it moves."""

_USUAL: Final = PACES["brisk"]
_MOST_WISHES: Final = 100_000


class Paces:
    """The wishes of guests."""

    def __init__(self) -> None:
        self._wishes: dict[str, float] = {}

    def wish(self, guest: str, pace: str) -> None:
        """Remember the pace that a guest wants."""
        self._wishes.pop(guest, None)
        self._wishes[guest] = PACES[pace]
        if len(self._wishes) > _MOST_WISHES:
            del self._wishes[next(iter(self._wishes))]

    def share(self, table: Snapshot) -> float:
        """Return the share of a bot's pace that a table waits for.

        Without a clock the fastest wish counts, because the pages of the others show the moves one after another by
        themselves. With a clock the slowest counts: the next person's time starts when the bots have moved.
        """
        people = [seat.guest for seat in table.seats if seat.kind == "person" and seat.guest]
        wishes = [self._wishes.get(guest, _USUAL) for guest in people] or [_USUAL]
        return min(wishes) if table.clock == "none" else max(wishes)
