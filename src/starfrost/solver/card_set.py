"""A set of five cards as numbers: what each roll offers on each card.

A roll offers a set of points on a card; few such sets are different, so rolls share them. All cards' points are
numbered through (`points`), and so are all cards' sets of points (`offers`): the tables of the sweep have one row for
each.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.lattice import KEPT, ROLLS, lattice
from starfrost.errors import UsageError
from starfrost.games.dicy_cards import CARDS, Effect, check_cards, options

__all__ = ["EFFECTS", "FREEZE", "NONE", "RESET", "SetUp", "set_up"]

NONE: Final = 0
FREEZE: Final = 1
RESET: Final = 2
EFFECTS: Final = {
    Effect.NONE: NONE,
    Effect.NEIGHBOURS_FREEZE: FREEZE,
    Effect.OTHERS_FREEZE: FREEZE,
    Effect.NEIGHBOURS_RESET: RESET,
}
"""What a card does to the one opponent of a two-player game."""


class SetUp(NamedTuple):
    """Five cards and a goal, numbered for the sweep."""

    cards: tuple[str, ...]
    goal: int
    effect: NDArray[np.int32]
    """`effect[card]`: NONE, FREEZE or RESET."""
    points: NDArray[np.int32]
    """All cards' possible points, rising within a card."""
    points_first: NDArray[np.int32]
    """Where a card's points start; `points_first[5]` is the end."""
    offer_first: NDArray[np.int32]
    """Where a card's offers start; `offer_first[5]` is the end. A card's first offer is the empty one."""
    offer_start: NDArray[np.int32]
    """Where an offer's row numbers start in `offer_points`; one more entry is the end."""
    offer_points: NDArray[np.int32]
    """For each offer, the numbers of its points."""
    offer: NDArray[np.int32]
    """`offer[card, roll]`: which offer a roll makes on a card."""

    @property
    def most(self) -> int:
        """The most points that one turn can bring."""
        return int(self.points.max())


@lru_cache(maxsize=12)
def _offers(card: str) -> tuple[tuple[int, ...], ...]:
    texts = lattice().dice[KEPT:]
    return tuple(tuple(sorted({points for _, points in options(card, dice)})) for dice in texts)


def set_up(cards: Sequence[str], goal: int = 100) -> SetUp:
    """Number a set of five cards. Raises UsageError for unknown or repeated cards and for a goal below 1."""
    chosen = check_cards(tuple(cards))
    if not 1 <= goal <= 200:
        raise UsageError("The solver takes goals from 1 to 200, not %(goal)s.", goal=goal)
    points: list[int] = []
    points_first, offer_first, offer_start, offer_points = [0], [0], [0], []
    offer = np.zeros((5, ROLLS), np.int32)
    for card, name in enumerate(chosen):
        by_roll = _offers(name)
        own = sorted({value for offered in by_roll for value in offered})
        distinct = [(), *sorted({offered for offered in by_roll if offered})]
        number = {offered: offer_first[card] + place for place, offered in enumerate(distinct)}
        offer[card] = [number[offered] for offered in by_roll]
        for offered in distinct:
            offer_points += [len(points) + own.index(value) for value in offered]
            offer_start.append(len(offer_points))
        points += own
        points_first.append(len(points))
        offer_first.append(offer_first[-1] + len(distinct))
    return SetUp(
        chosen,
        goal,
        np.array([EFFECTS[CARDS[name].effect] for name in chosen], np.int32),
        np.array(points, np.int32),
        np.array(points_first, np.int32),
        np.array(offer_first, np.int32),
        np.array(offer_start, np.int32),
        np.array(offer_points, np.int32),
        offer,
    )
