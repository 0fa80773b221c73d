"""A fair handicap for two players of Dicy Cards: who begins, and how many points ahead, so that the game is about even.

The table of head starts is found by simulated people (`python -m bench.handicap` in a checkout, which says how).
"""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from starfrost.games.dicy_cards import MODES

if TYPE_CHECKING:
    # The set-up reads the table here, also where there is no NumPy.
    from starfrost.games.dicy_cards.solver.values import Values

TABLE: Final = Path(__file__).with_name("handicap.json")


class Start(NamedTuple):
    """How a game begins for the weaker player."""

    points: int
    """The head start."""
    begins: bool

    @property
    def scores(self) -> tuple[int, int]:
        """The points of the seats."""
        return (self.points, 0) if self.begins else (0, self.points)

    def value(self, values: "Values") -> float:
        """Return the exact chance of the one with the head start if both play perfectly."""
        first = values.first_player_wins_from(self.scores)
        return first if self.begins else 1.0 - first


@cache
def table() -> dict[str, dict[str, Start]]:
    """Return the fair starts by mode and by pair of people, to 100 points (`python -m bench.handicap --write`)."""
    found = json.loads(TABLE.read_text(encoding="utf-8"))
    return {mode: {pair: Start(*start) for pair, start in pairs.items()} for mode, pairs in found.items()}


def start_for(cards: tuple[str, ...], goal: int, weaker: str, stronger: str) -> Start | None:
    """Return the fair start of a set-up; None if it is not known."""
    mode = next((mode for mode in MODES.values() if set(mode.cards) == set(cards)), None)
    return table().get(mode.id, {}).get(f"{weaker} {stronger}") if mode is not None and goal == 100 else None
