"""Cards of Dicy Cards as numbers: which points each roll offers on each card, and what the cards do to others.

The different points of a card are its *entries*. A roll offers a set of entries on a card; few such sets are
different, so rolls share them. Entries are numbered through all cards, and so are offers. Cards are given as kinds
(see `games.dicy_cards.cards`), so cards of a variant are never taken for the official ones.
"""

from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dicy_cards import CARDS_IN_A_GAME, MASKS, Change, card_of, options, rank, result, turned_over
from starfrost.games.dicy_cards.solver.lattice import KEPT, lattice, shown_by

ANSWERS: Final = np.array(
    [[(turned_over(mask, change) * CARDS_IN_A_GAME)[:CARDS_IN_A_GAME] for mask in range(MASKS)] for change in Change],
    np.uint8,
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

    @property
    def digest(self) -> str:
        """A digest of all the numbers: what a solved set was solved for, whoever changed the rules and how."""
        numbers = b"".join(np.ascontiguousarray(field, np.int32).tobytes() for field in self[1:])
        return sha256(numbers).hexdigest()[:24]

    def by_card(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Split an array by entry into one array a card."""
        return np.split(values, self.points_first[1:-1])

    def entry(self, card: int, points: int) -> int:
        """Return the number of a card's points."""
        first, end = self.points_first[card], self.points_first[card + 1]
        return int(first + np.searchsorted(self.points[first:end], points))


class _Numbers(NamedTuple):
    """One card's own numbers."""

    points: NDArray[np.int32]
    sizes: NDArray[np.int32]
    """How many entries each offer has."""
    entries: NDArray[np.int32]
    """The entries of all offers in turn."""
    offer: NDArray[np.int32]
    """The offer of each roll."""


@lru_cache(maxsize=64)
def _numbers(card: str) -> _Numbers:
    faces = card_of(card).faces
    by_roll = [
        tuple(sorted({points for _, points in options(card, shown_by(dice, faces))})) for dice in lattice().dice[KEPT:]
    ]
    points = sorted({value for offered in by_roll for value in offered})
    distinct = [(), *sorted({offered for offered in by_roll if offered})]
    entries = [points.index(value) for offered in distinct for value in offered]
    rows = (points, [len(offered) for offered in distinct], entries, [distinct.index(offered) for offered in by_roll])
    return _Numbers(*(np.array(row, np.int32) for row in rows))


@lru_cache(maxsize=256)
def card_set(cards: tuple[str, ...]) -> CardSet:
    """Number some cards, usually the five of a game."""
    own = [_numbers(card) for card in cards]

    def ends(counts: list[int]) -> NDArray[np.int32]:
        return np.cumsum([0, *counts]).astype(np.int32)

    points_first, offer_first = ends([len(card.points) for card in own]), ends([len(card.sizes) for card in own])
    return CardSet(
        cards,
        np.array([card_of(card).effect.change for card in cards], np.int32),
        np.concatenate([card.points for card in own]),
        points_first,
        offer_first,
        ends(np.concatenate([card.sizes for card in own]).tolist()),
        np.concatenate([card.entries + first for card, first in zip(own, points_first, strict=False)]),
        np.stack([card.offer + first for card, first in zip(own, offer_first, strict=False)]),
    )
