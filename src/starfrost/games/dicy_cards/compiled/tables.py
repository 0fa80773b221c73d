"""What the compiled loops of Dicy Cards read: the rules of one setup as arrays.

Rolls and kept dice are numbered as in `dice.lattice`; selections and points are in the order of the legal actions, so
that the n-th action here is the n-th action there.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from starfrost.games.dice import remove, subsets
from starfrost.games.dicy_cards import DicyCards, Effect, affected_seats, card_of, options
from starfrost.games.dicy_cards.bots.greedy import mean_points
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, ROLLS, lattice
from starfrost.games.dicy_cards.vector.choices import plain_mask
from starfrost.vector.arrays import Array

MOST: int = 63
"""The selections of six different dice."""


class Rules(NamedTuple):
    """A setup as numbers; cards count from 0 in the game's order."""

    seats: int
    goal: int
    up: Array
    """`up[kept, face]`: the dice with one more, as in `Lattice`."""
    subsets: Array
    """`subsets[roll]`: the number of selections to reroll."""
    kept: Array
    """`kept[roll, n]`: the dice that stay after the n-th selection is rerolled."""
    scores: Array
    """`scores[card, roll]`: the number of selections that a card scores."""
    points: Array
    """`points[card, roll, n]`: their points, the most first."""
    entry: Array
    """`entry[card, roll, n]`: the number of these points among all entries of the set (`CardSet`)."""
    change: Array
    """`change[card]`: what affected seats do; the last row is the skip."""
    reach: Array
    """`reach[card]`: the affected seats as bits, counted from the one whose turn it is; the last row is the skip."""
    mean: Array
    """`mean[card]`: the mean points of a card's best selection over one roll."""


@lru_cache(maxsize=1)
def _rerolls() -> tuple[Any, Any]:
    dice = lattice()
    counts = np.zeros(ROLLS, np.int64)
    kept = np.zeros((ROLLS, MOST), np.int64)
    for roll, text in enumerate(dice.dice[KEPT:]):
        found = subsets(text)
        counts[roll] = len(found)
        kept[roll, : len(found)] = [dice.number[remove(text, chosen)] for chosen in found]
    return counts, kept


@lru_cache(maxsize=64)
def _scores(card: str) -> tuple[Any, Any]:
    counts = np.zeros(ROLLS, np.int64)
    points = np.zeros((ROLLS, MOST), np.int64)
    for roll, text in enumerate(lattice().dice[KEPT:]):
        found = [value for _, value in options(card, text)]
        counts[roll] = len(found)
        points[roll, : len(found)] = found
    return counts, points


@lru_cache(maxsize=1)
def reroll_masks() -> Array:
    """Return the selections to reroll as bits of the dice, by roll and number."""
    found = np.zeros((ROLLS, MOST), np.int64)
    for roll, dice in enumerate(lattice().dice[KEPT:]):
        own = [plain_mask(dice, chosen) for chosen in subsets(dice)]
        found[roll, : len(own)] = own
    return found


@lru_cache(maxsize=64)
def score_masks(card: str) -> Array:
    """Return the selections that a card scores as bits of the dice, by roll and number."""
    found = np.zeros((ROLLS, MOST), np.int64)
    for roll, dice in enumerate(lattice().dice[KEPT:]):
        own = [plain_mask(dice, chosen) for chosen, _ in options(card, dice)]
        found[roll, : len(own)] = own
    return found


@lru_cache(maxsize=64)
def rules_of(game: DicyCards) -> Rules:
    """Return a setup as numbers."""
    chosen = card_set(game.kinds)
    effects = [*(card_of(kind).effect for kind in game.kinds), Effect.OTHERS_RESET]
    scores, points = (np.stack(part) for part in zip(*map(_scores, game.kinds), strict=True))
    entry = np.zeros_like(points)
    for card in range(len(game.cards)):
        first, end = chosen.points_first[card], chosen.points_first[card + 1]
        entry[card] = first + np.searchsorted(chosen.points[first:end], points[card]).clip(0, end - first - 1)
    reach = [sum(1 << other for other in affected_seats(effect, 0, game.seats)) for effect in effects]
    return Rules(
        game.seats,
        game.goal,
        lattice().up,
        *_rerolls(),
        scores,
        points,
        entry,
        np.array([effect.change for effect in effects], np.int64),
        np.array(reach, np.int64),
        np.array([mean_points(kind) for kind in game.kinds]),
    )
