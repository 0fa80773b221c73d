"""Cards of Dicy Cards as numbers: which points each roll offers on each card, and what the cards do to others.

The different points of a card are its *entries*. A roll offers a set of entries on a card; few such sets are
different, so rolls share them. Entries are numbered through all cards, and so are offers.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.lattice import KEPT, ROLLS, lattice
from starfrost.games.dicy_cards import CARDS, CARDS_IN_A_GAME, MASKS, Change, options, rank, result, turned_over

__all__ = ["ANSWERS", "TIES", "CardSet", "card_set"]

ANSWERS: Final = np.array(
    [[(turned_over(mask, change) * CARDS_IN_A_GAME)[:CARDS_IN_A_GAME] for mask in range(MASKS)] for change in Change]
)
"""`ANSWERS[change, mask]`: the masks that an affected player can choose (T8), by card, repeated to fill the row."""

TIES: Final = np.array(
    [
        [
            [
                result(rank(0, own.bit_count()) - rank(0, turned_over(mask, change)[0].bit_count()))
                for mask in range(MASKS)
            ]
            for own in range(MASKS)
        ]
        for change in Change
    ]
)
"""`TIES[change, own, other]`: the result of equal points, the other player still to answer an effect (E2)."""


class CardSet(NamedTuple):
    """Some cards, numbered."""

    cards: tuple[str, ...]
    change: NDArray[np.int32]
    """`change[card]`: what the card does to a player that it affects, a `Change`."""
    points: NDArray[np.int32]
    """The points of each entry, rising within a card."""
    points_first: NDArray[np.int32]
    """Where a card's entries start; one more element is the end."""
    offer_first: NDArray[np.int32]
    """Where a card's offers start; one more element is the end. A card's first offer is the empty one."""
    offer_start: NDArray[np.int32]
    """Where an offer's entries start in `offer_points`; one more element is the end."""
    offer_points: NDArray[np.int32]
    """For each offer its entries."""
    offer: NDArray[np.int32]
    """`offer[card, roll]`: which offer a roll makes on a card."""

    @property
    def most(self) -> int:
        """The most points that one turn can bring."""
        return int(self.points.max())

    def entry(self, card: int, points: int) -> int:
        """Return the number of a card's points."""
        first, end = self.points_first[card], self.points_first[card + 1]
        return int(first + np.searchsorted(self.points[first:end], points))


@lru_cache(maxsize=12)
def _points(card: str) -> tuple[tuple[int, ...], ...]:
    """List the points that each roll offers on a card, rising."""
    return tuple(tuple(sorted({points for _, points in options(card, dice)})) for dice in lattice().dice[KEPT:])


@lru_cache(maxsize=256)
def card_set(cards: tuple[str, ...]) -> CardSet:
    """Number some cards, usually the five of a game."""
    points: list[int] = []
    points_first, offer_first, offer_start, offer_points = [0], [0], [0], []
    offer = np.zeros((len(cards), ROLLS), np.int32)
    for card, name in enumerate(cards):
        by_roll = _points(name)
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

    def ints(row: Sequence[int]) -> NDArray[np.int32]:
        return np.array(row, np.int32)

    return CardSet(
        cards,
        ints([CARDS[name].effect.change for name in cards]),
        ints(points),
        ints(points_first),
        ints(offer_first),
        ints(offer_start),
        ints(offer_points),
        offer,
    )
