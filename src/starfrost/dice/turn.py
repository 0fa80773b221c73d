"""One turn of Dicy Cards, solved exactly for every set of active cards and every roll.

The caller gives the value of every way to end the turn; `solve_turn` returns the value of every position on the way.
Rerolls are expectations over the kept dice, built one die at a time. It works on the arrays of any module (NumPy, JAX,
CuPy); further axes of the values are further turns, solved side by side.

A column is a set of the cards that the turn starts with: bit i stands for the i-th of them. Sets are solved by their
size, since freezing a card for a reroll leads to a set with a card less.
"""

from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.card_set import CardSet, card_set
from starfrost.dice.lattice import KEPT, ROLLS, lattice, steps
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, options

__all__ = ["Offers", "SolvedTurn", "TurnValues", "entry_rows", "offers_of", "solve_turn"]

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
    scores: tuple[tuple[Array, ...], ...]
    """`scores[level][place][roll, column]`: the row of offers by columns that scoring the place-th card reads."""


@lru_cache(maxsize=256)
def offers_of(cards: tuple[str, ...], best_only: bool = False) -> Offers:
    """Lay out what rolls offer on some cards; `best_only` if more points are never worth less."""
    chosen = card_set(cards)
    rows = entry_rows(chosen)
    columns = 1 << len(cards)
    scores = [
        tuple(
            chosen.offer[held].T.astype(np.intp) * columns + rest
            for held, rest in zip(level.cards, level.rest, strict=True)
        )
        for level in _levels(len(cards))
    ]
    return Offers(rows[-1:] if best_only else rows, chosen.offer, tuple(scores))


def entry_rows(chosen: CardSet) -> NDArray[np.intp]:
    """List the entries of every offer, one column an offer."""
    lists = np.split(chosen.offer_points, chosen.offer_start[1:-1])
    rows = np.full((max(map(len, lists)), len(lists)), len(chosen.points), np.intp)
    for offer, entries in enumerate(lists):
        if len(entries):
            rows[:, offer] = entries[-1]
            rows[: len(entries), offer] = entries
    return rows


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


def _rows(table: Array, numbers: Array) -> Array:
    # NumPy copies whole rows faster this way.
    return table.take(numbers, 0) if isinstance(table, np.ndarray) else table[numbers]


def _greatest(table: Array, rows: Array) -> Array:
    """Return the greatest of some rows of a table, elementwise."""
    xp = table.__array_namespace__()
    best = _rows(table, rows[0])
    for row in rows[1:]:
        best = xp.maximum(best, _rows(table, row))
    return best


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
        for score, below in zip(scores, level.below, strict=True):
            values = xp.maximum(values, _rows(scored, score))
            values = xp.maximum(values, again[-1][:, below])
        rolls.append(values)
        sizes = [values]
        for to_more in reversed(up):
            # The sum starts with the highest face: another order would change the last bits of the planner's values.
            mean = _rows(sizes[0], to_more[-1])
            for face in reversed(to_more[:-1]):
                mean += _rows(sizes[0], face)
            mean /= 6
            sizes.insert(0, mean)
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
    """One turn with the value of every action in it; `active` is always a column of these cards."""

    def __init__(self, cards: tuple[str, ...], ends: NDArray[np.float64], skip: float) -> None:
        self.skip = skip
        self._ends, self._cards = ends, card_set(cards)
        self._place = {card: place for place, card in enumerate(cards)}
        self._values = solve_turn(offers_of(cards), ends, skip)

    def value(self, action: Action, active: int, dice: str) -> float:
        """Return the value of scoring, rerolling or skipping with six dice on the table."""
        if action.verb == "skip":
            return self.skip
        place = self._place[action.card]
        left = active ^ (1 << place)
        if action.verb == "reroll":
            return self.kept(remove(dice, action.dice), left)
        return float(self._ends[self._cards.entry(place, _points(action.card, dice)[action.dice]), left])

    def kept(self, dice: str, active: int) -> float:
        """Return the value of keeping fewer than six dice and rolling the others."""
        return float(self._values.kept[lattice().number[dice], active])

    def roll(self, dice: str, active: int) -> float:
        """Return the value of six dice on the table."""
        return float(self._values.rolls[lattice().number[dice] - KEPT, active])
