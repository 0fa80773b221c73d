"""One turn of Dicy Cards, solved exactly: 462 rolls by the 32 sets of cards that can still be active.

The caller says what it is worth to end the turn: one number for a skip, and for every card an array of worths by
points taken and by the set of cards left active. `solve` answers with the best worth of every kept hand and every
set of active cards; rerolls are expectations over the kept dice, built one die at a time. Further axes of the
worths are further questions, answered side by side.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from starfrost.players.dicy_cards.rolls import DICE, ROLLS, Floats, Ints, Takings, hands

__all__ = ["Turn", "solve"]


class Turn(NamedTuple):
    """The best worth of every position inside one turn."""

    kept: Floats
    """[hand, active]: the worth of keeping this hand, rerolling the rest, with these cards active afterwards."""

    @property
    def start(self) -> Floats:
        """The worth of the turn before its first roll, by active cards."""
        start: Floats = self.kept[0]
        return start


@lru_cache(maxsize=8)
def _levels(cards: int) -> tuple[tuple[Ints, tuple[tuple[Ints, Ints], ...]], ...]:
    """List the sets of active cards by size, and for each card the columns that reach them by freezing it."""
    levels = []
    for size in range(cards + 1):
        columns = np.array([active for active in range(1 << cards) if active.bit_count() == size])
        reached = []
        for card in range(cards):
            without = np.flatnonzero(columns >> card & 1 == 0)
            reached.append((without, columns[without] | 1 << card))
        levels.append((columns, tuple(reached)))
    return tuple(levels)


@lru_cache(maxsize=64)
def _holding(cards: int, card: int) -> tuple[Ints, Ints]:
    """List the sets of active cards that hold a card, and the same sets without it."""
    held = np.array([active for active in range(1 << cards) if active >> card & 1])
    return held, held ^ (1 << card)


def _scored(taking: Takings, worth: Floats) -> Floats:
    """Give the best worth of scoring a card on each roll, [roll, column], from `worth` [points, column]."""
    floor = np.full((1, *worth.shape[1:]), -np.inf, dtype=worth.dtype)
    table = np.concatenate((worth, floor))
    best = table[taking.best]
    if not np.all(worth[1:] >= worth[:-1]):
        # Fewer points can be worth more: reaching the goal ends the game for everybody.
        for at in range(taking.choices.shape[1] - 1):
            np.maximum(best, table[taking.choices[:, at]], out=best)
    return best


def solve(skip: float | Floats, takings: Sequence[Takings], worths: Sequence[Floats]) -> Turn:
    """Solve a turn for every set of active cards.

    `takings` has one entry a card; `worths[card][points, active]` is the worth of ending the turn with that card, the
    points counted by their place in the card's `Takings.points` and `active` being the set of cards left active.
    """
    book = hands()
    cards = len(takings)
    further = worths[0].shape[2:] if cards else ()
    kept = np.empty((len(book.dice), 1 << cards, *further), dtype=worths[0].dtype if cards else np.float64)
    lying = kept[-ROLLS:]
    lying[:] = skip
    for card, (taking, worth) in enumerate(zip(takings, worths, strict=True)):
        held, left = _holding(cards, card)
        lying[:, held] = np.maximum(lying[:, held], _scored(taking, worth[:, left]))
    for columns, reached in _levels(cards):
        mean = _expect(lying[:, columns])
        kept[:, columns] = mean
        reroll = _best_kept(mean)
        for without, into in reached:
            if without.size:
                lying[:, into] = np.maximum(lying[:, into], reroll[:, without])
    return Turn(kept)


def _expect(lying: Floats) -> Floats:
    """Extend worths of rolls to all hands: a hand with a die missing is worth the mean of the six ways to add it."""
    book = hands()
    mean = np.empty((len(book.dice), *lying.shape[1:]), dtype=lying.dtype)
    mean[-ROLLS:] = lying
    for size in range(DICE - 1, -1, -1):
        rows = slice(book.first[size], book.first[size + 1])
        more = book.more[:, rows]
        total = mean[rows]
        np.take(mean, more[0], axis=0, out=total, mode="clip")
        for face in range(1, 6):
            total += mean.take(more[face], axis=0)
        total /= 6
    return mean


def _best_kept(mean: Floats) -> Floats:
    """Give for each roll the worth of the best hand to keep, at least one die being rerolled."""
    book = hands()
    best = mean[:-ROLLS].copy()
    for size in range(1, DICE):
        rows = slice(book.first[size], book.first[size + 1])
        for place in range(size):
            np.maximum(best[rows], best.take(book.less[place, rows], axis=0), out=best[rows])
    rows = slice(book.first[DICE], None)
    rolled = best.take(book.less[0, rows], axis=0)
    for place in range(1, DICE):
        np.maximum(rolled, best.take(book.less[place, rows], axis=0), out=rolled)
    return rolled
