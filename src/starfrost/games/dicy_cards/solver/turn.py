"""One turn of Dicy Cards, solved exactly for every set of active cards and every roll.

The caller gives the value of every way to end the turn; `solve_turn` returns the value of every position on the way.
Rerolls are expectations over the kept dice, built one die at a time. It works on the arrays of any module (NumPy, JAX,
CuPy); further axes of the values are further turns, solved side by side.

A column is a set of the cards that the turn starts with: bit i stands for the i-th of them. Sets are solved by their
size, since freezing a card for a reroll leads to a set with a card less.
"""

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice import remove
from starfrost.games.dicy_cards import ALL_ACTIVE, Action, card_of, options
from starfrost.games.dicy_cards.solver.card_set import CardSet, card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice, number_of, parts, steps
from starfrost.games.dicy_cards.solver.shared import NEAR

Array: TypeAlias = Any
"""An array of any module."""


class _Level(NamedTuple):
    """The columns with the same number of cards; `cards` and `rest` have one row a place and one element a column."""

    columns: NDArray[np.intp]
    cards: NDArray[np.intp]
    """`cards[place]`: the place-th card of each column."""
    rest: NDArray[np.intp]
    """`rest[place]`: the column without that card."""
    below: NDArray[np.intp]
    """`below[place]`: where that column stands in the level below."""


@lru_cache(maxsize=8)
def _levels(cards: int) -> tuple[_Level, ...]:
    levels: list[_Level] = []
    for size in range(cards + 1):
        columns = np.array([column for column in range(1 << cards) if column.bit_count() == size])
        held = np.array([[card for card in range(cards) if column >> card & 1] for column in columns], np.intp).T
        rest = columns ^ (1 << held)
        levels.append(_Level(columns, held, rest, np.searchsorted(levels[-1].columns, rest) if levels else rest))
    return tuple(levels)


class Offers(NamedTuple):
    """What every roll offers on each card, as `solve_turn` reads it; entries and offers as in `CardSet`."""

    rows: Array
    """`rows[k, offer]`: the offer's entries, rising, the last one repeated; beyond all entries if it is empty."""
    offer: Array
    """`offer[card, roll]`: which offer a roll makes on a card."""
    scores: tuple[Array, ...]
    """`scores[level][place, roll, column]`: the row of offers by columns that scoring the place-th card reads."""


@lru_cache(maxsize=256)
def offers_of(cards: tuple[str, ...], best_only: bool = False) -> Offers:
    """Lay out what rolls offer on some cards; `best_only` if more points are never worth less."""
    chosen = card_set(cards)
    rows = entry_rows(chosen)
    columns = 1 << len(cards)
    scores = [
        (chosen.offer[level.cards] * columns + level.rest[..., None]).swapaxes(1, 2).astype(np.intp)
        for level in _levels(len(cards))
    ]
    return Offers(rows[-1:] if best_only else rows, chosen.offer, tuple(scores))


def entry_rows(chosen: CardSet) -> NDArray[np.intp]:
    """List the entries of every offer, one column an offer."""
    start, end = chosen.offer_start[:-1], chosen.offer_start[1:]
    longest = int((end - start).max())
    rows = chosen.offer_points[np.minimum(start + np.arange(longest)[:, None], np.maximum(end - 1, 0))]
    return np.where(end > start, rows, len(chosen.points)).astype(np.intp)


class TurnValues:
    """The values inside one turn; arrays by multiset or roll, then by column, then by the turns solved side by side."""

    def __init__(self, offers: Array, kept: list[Array], rolls: list[Array], again: list[Array]) -> None:
        self.offers = offers
        """`offers[offer, column left]`: the value of the best entry of an offer."""
        # By level; the columns are put into their order where they are asked for.
        self._kept, self._rolls, self._again = kept, rolls, again
        self._columns = np.concatenate([level.columns for level in _levels(len(kept) - 1)])

    def _by_column(self, levels: list[Array]) -> Array:
        joined = levels[0].__array_namespace__().concatenate(levels, axis=1)
        return joined[:, np.argsort(self._columns[: joined.shape[1]])]

    @cached_property
    def kept(self) -> Array:
        """`kept[multiset, column]`: the value of keeping these dice and rolling the others, with these cards left."""
        return self._by_column(self._kept)

    @cached_property
    def rolls(self) -> Array:
        """`rolls[roll, column]`: the value of a roll with these cards active."""
        return self._by_column(self._rolls)

    @cached_property
    def again(self) -> Array:
        """`again[roll, column]`: the value of the best reroll that leaves these cards active (never all of them)."""
        return self._by_column(self._again)

    @property
    def start(self) -> Array:
        """`start[column]`: the value before the first roll."""
        return self._by_column([level[:1] for level in self._kept])[0]


# NumPy is fastest with one row after the other. JAX compiles one gather and one reduction into a slightly faster
# program than a chain of rows (1.58 instead of 1.70 ms for the turns of 4,096 tables on an H200). It remembers an array
# of NumPy in the width that it had in the first program, with or without 64 bits, so it gets numbers of 32 bits.


def _greatest(table: Array, rows: Array, axis: int = 0) -> Array:
    """Return the greatest of some choices of rows (or columns) of a table, elementwise."""
    if not isinstance(table, np.ndarray):
        rows = rows.astype(np.int32)
        return (table[:, rows] if axis else table[rows]).max(axis=axis)
    best = table.take(rows[0], axis)
    for row in rows[1:]:
        np.maximum(best, table.take(row, axis), out=best)
    return best


def _mean(table: Array, rows: Array) -> Array:
    """Return the mean of six choices of rows of a table, elementwise."""
    if not isinstance(table, np.ndarray):
        return table[rows.astype(np.int32)].sum(axis=0) / 6
    # The sum starts with the highest face: another order would change the last bits of the planner's values.
    total = table.take(rows[-1], 0)
    for row in rows[-2::-1]:
        total += table.take(row, 0)
    total /= 6
    return total


def solve_turn(offers: Offers, ends: Array, skip: Array | float) -> TurnValues:
    """Solve a turn for every set of active cards.

    `ends[entry, column left, ...]` is the value of ending the turn by scoring an entry; `skip` is that of skipping, a
    number or an array of the further axes.
    """
    xp = ends.__array_namespace__()
    up, down = steps()
    nothing = xp.full((1, *ends.shape[1:]), -np.inf, dtype=ends.dtype)
    best_entry = _greatest(xp.concatenate([ends, nothing]), offers.rows)
    scored = best_entry.reshape(-1, *ends.shape[2:])
    kept: list[Array] = []
    rolls: list[Array] = []
    again: list[Array] = []
    for level, scores in zip(_levels(len(offers.offer)), offers.scores, strict=True):
        values = xp.broadcast_to(xp.asarray(skip, dtype=ends.dtype), (ROLLS, len(level.columns), *ends.shape[2:]))
        if again:
            values = xp.maximum(values, _greatest(scored, scores))
            values = xp.maximum(values, _greatest(again[-1], level.below, axis=1))
        rolls.append(values)
        sizes = [values]
        for to_more in reversed(up):
            sizes.insert(0, _mean(sizes[0], to_more))
        kept.append(xp.concatenate(sizes[:-1]))
        if len(kept) == len(offers.scores):
            break
        best = sizes[0]
        for to_fewer, stay in zip(down[1:-1], sizes[1:], strict=False):
            best = xp.maximum(stay, _greatest(best, to_fewer))
        again.append(_greatest(best, down[-1]))
    return TurnValues(best_entry, kept, rolls, again)


@cache
def _points(card: str, dice: str) -> dict[str, int]:
    return dict(options(card, dice))


class SolvedTurn:
    """One turn of a seat with an active card, with the value of every action in it; sets of cards are masks."""

    def __init__(self, cards: tuple[str, ...], active: int, ends: Sequence[Array], skip: Any) -> None:
        """Solve a turn that starts with these active cards; `ends` has the values of each card by points and mask."""
        places = [place for place in range(len(cards)) if active >> place & 1]
        held = tuple(cards[place] for place in places)
        # Columns stand for the sets of these cards only: frozen ones stay frozen until a skip.
        masks = [
            sum(1 << place for bit, place in enumerate(places) if column >> bit & 1) for column in range(1 << len(held))
        ]
        self.skip: float = skip
        self._column = {mask: column for column, mask in enumerate(masks)}
        self._place = {card_of(card).id: (number, 1 << places[number]) for number, card in enumerate(held)}
        self._held = held
        self._faces = card_of(cards[0]).faces
        self._cards = card_set(held)
        self._ends = np.concatenate(ends)[:, masks]
        self._values = solve_turn(offers_of(held), self._ends, skip)

    def value(self, action: Action, active: int, dice: str) -> float:
        """Return the value of scoring, rerolling or skipping with six dice on the table."""
        if action.verb == "skip":
            return self.skip
        place, bit = self._place[action.card]
        if action.verb == "reroll":
            return self.kept(remove(dice, action.dice), active ^ bit)
        return float(self._ends[self._entry(place, action, dice), self._column[active ^ bit]])

    def points(self, action: Action, dice: str) -> int:
        """Return the points of a score."""
        return _points(self._held[self._place[action.card][0]], dice)[action.dice]

    def _entry(self, place: int, action: Action, dice: str) -> int:
        """Return the entry of a score."""
        return self._cards.entry(place, self.points(action, dice))

    def kept(self, dice: str, active: int) -> float:
        """Return the value of keeping fewer than six dice and rolling the others."""
        return float(self._values.kept[number_of(dice, self._faces), self._column[active]])

    def roll(self, dice: str, active: int) -> float:
        """Return the value of six dice on the table."""
        return float(self._values.rolls[number_of(dice, self._faces) - KEPT, self._column[active]])

    def outcomes(self, dice: str, active: int) -> dict[tuple[int, int, int], float]:
        """Return how likely perfect play ends the turn with a card, its points and a mask, from kept dice.

        The card is its place among all five. A skip is the card -1 with 0 points and all cards active. Of actions that
        are `NEAR`, a score comes first, then a skip, then a reroll.
        """
        up, first, offers_at = lattice().up, lattice().first, self._cards.offer
        found_by = self._values
        # Turns that are solved for several seats have the own one first.
        own = (..., 0) if self._ends.ndim > 2 else ...
        offers, again, stay, ends = (
            table[own] for table in (found_by.offers, found_by.again, found_by.kept, self._ends)
        )
        skip = float(np.ravel(self.skip)[0])
        entries = entry_rows(self._cards)
        # One more row for the offers without an entry.
        ends = np.vstack([ends, np.full(ends.shape[1], -np.inf)])
        found: dict[tuple[int, int, int], float] = {}
        waiting = {active: np.zeros(MULTISETS)}
        waiting[active][number_of(dice, self._faces)] = 1.0
        skipped = 0.0
        while waiting:
            mask = max(waiting, key=int.bit_count)
            chances = waiting.pop(mask)
            for begin, end in pairwise(first[:-1]):
                for face in range(up.shape[1]):
                    np.add.at(chances, up[begin:end, face], chances[begin:end] / 6)
            held = [(place, bit, self._column[mask ^ bit]) for place, bit in self._place.values() if mask & bit]
            rolls = np.flatnonzero(chances[KEPT:])
            weight = chances[KEPT + rolls]
            if not held:
                skipped += float(weight.sum())
                continue
            scores = np.stack([offers[offers_at[place, rolls], column] for place, _, column in held])
            rerolls = np.stack([again[rolls, column] for _, _, column in held])
            most, more = scores.max(axis=0), rerolls.max(axis=0)
            ends_now = most >= np.maximum(more, skip) - NEAR
            skips = ~ends_now & (skip >= more - NEAR)
            skipped += float(weight[skips].sum())
            cards, frozen = scores.argmax(axis=0), rerolls.argmax(axis=0)
            for number, (place, bit, column) in enumerate(held):
                taken = np.flatnonzero(ends_now & (cards == number))
                rows = entries[:, offers_at[place, rolls[taken]]]
                best = rows[ends[rows, column].argmax(axis=0), np.arange(len(taken))]
                shares = np.bincount(best, weight[taken], len(self._cards.points))
                for entry in np.flatnonzero(shares):
                    found[bit.bit_length() - 1, int(self._cards.points[entry]), mask ^ bit] = float(shares[entry])
                again_here = np.flatnonzero(~ends_now & ~skips & (frozen == number))
                if len(again_here):
                    choices = parts()[rolls[again_here]]
                    kept = choices[np.arange(len(choices)), stay[choices, column].argmax(axis=1)]
                    np.add.at(waiting.setdefault(mask ^ bit, np.zeros(MULTISETS)), kept, weight[again_here])
        if skipped:
            found[-1, 0, ALL_ACTIVE] = skipped
        return found
