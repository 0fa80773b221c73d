"""The chances to win Dicy Cards with three or four players, combined from the solved games of all pairs.

For any two seats the chance that one finishes ahead of the other, as if they were alone, is solved exactly. A seat's
weight is the product of its chances; its share of all weights is a first estimate of its chance to win. A small network
that learned from self-play (`research`) corrects it. Everything here runs on NumPy, in double precision as it is
played, and on JAX, in single precision as it is trained.

Seats are listed in the order in which they move next, so the seat that has just moved is the last.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from starfrost.games.dicy_cards import CARDS, MASKS, rank, result
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.vector.arrays import Array, module_of

LEAST: Final = 1e-6
"""The smallest chance, because a weight of 0 could never be corrected."""

F32 = np.float32
BITS: Final = np.array([mask.bit_count() for mask in range(MASKS)], np.int32)


class Pairs(NamedTuple):
    """The solved two-player game (see `starfrost.games.dicy_cards.solver.values`), as arrays of NumPy or JAX."""

    between: Array
    last: Array
    kinds: Array
    """`kinds[mask, kind]`: whether one of the twelve kinds of card is active in a mask."""

    @property
    def goal(self) -> int:
        """The points that end the game."""
        return int(self.between.shape[1])


def kinds_of(cards: Sequence[str]) -> Array:
    """Return for each mask of five cards which of the twelve kinds are active."""
    every = list(CARDS)
    table = np.zeros((MASKS, len(every)), np.float32)
    for place, card in enumerate(cards):
        table[:, every.index(card)] = np.arange(MASKS) >> place & 1
    return table


def pairs_of(values: Values) -> Pairs:
    """Return a solved set as NumPy arrays."""
    return Pairs(values.between, values.last, kinds_of(values.cards))


class Standing(NamedTuple):
    """Positions between turns: one array per seat in `scores` and `masks`, of shapes that broadcast together."""

    scores: tuple[Array, ...]
    masks: tuple[Array, ...]
    moved: Array
    """The number of the seat that has just moved, from 0."""

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.scores)


def ending(standing: Standing, goal: int) -> Array:
    """Return whether a seat has reached the goal, so that this is the last round (E1)."""
    highest = standing.scores[0]
    for score in standing.scores[1:]:
        highest = module_of(highest, score).maximum(highest, score)
    return highest >= goal


def wrapped(standing: Standing, place: int) -> Array:
    """Return whether a seat's next turn is in the next round."""
    return standing.moved + 1 + place >= standing.seats


def chances(pairs: Pairs, standing: Standing, one: int, two: int) -> Array:
    """Return the chance that place `one` finishes ahead of place `two`, which moves later."""
    xp = module_of(pairs.between)
    goal, gaps = pairs.goal, pairs.last.shape[0]
    own, other = standing.scores[one], standing.scores[two]
    mask, other_mask = standing.masks[one], standing.masks[two]
    first_done, second_done = (ending(standing, goal) & wrapped(standing, place) for place in (one, two))
    # If both turns are in the same round, the earlier seat is the first of the pair, otherwise the second.
    seat = xp.where(wrapped(standing, two) & ~wrapped(standing, one), 1, 0)
    top = goal - 1
    open_game = pairs.between[seat, xp.minimum(own, top), xp.minimum(other, top), other_mask, mask]
    gap = other - own
    last_turn = xp.where(gap < 0, F32(1), pairs.last[xp.clip(gap, 0, gaps - 1), other_mask, mask])
    compared = result(rank(own, xp.asarray(BITS)[mask]) - rank(other, xp.asarray(BITS)[other_mask]))
    return xp.where(first_done, compared, xp.where(second_done, last_turn, open_game))


def all_chances(pairs: Pairs, standing: Standing) -> dict[tuple[int, int], Array]:
    """Return the chances of all pairs, the earlier place first."""
    return {pair: chances(pairs, standing, *pair) for pair in combinations(range(standing.seats), 2)}


def log(chance: Array, others: bool) -> Array:
    """Return the logarithm of a chance, or of the other seat's."""
    xp = module_of(chance)
    return xp.log(xp.maximum(1 - chance if others else chance, LEAST))


def log_weights(pairs: Pairs, standing: Standing, known: Mapping[tuple[int, int], Array]) -> list[Array]:
    """Return the logarithms of the seats' weights.

    A seat that still has its last turn must pass the best of the seats that have finished, however many they are, so
    the smallest chance counts there and not the product. With one seat left to move this is exact.
    """
    xp = module_of(*known.values())
    last = ending(standing, pairs.goal)
    done = [last & wrapped(standing, place) for place in range(standing.seats)]
    found = []
    for one in range(standing.seats):
        product, least = 0, 0
        for two in range(standing.seats):
            if one == two:
                continue
            own = log(known[min(one, two), max(one, two)], one > two)
            passing = done[two] & ~done[one]
            product = product + xp.where(passing, 0, own)
            least = xp.where(passing, xp.minimum(least, own), least)
        found.append(product + least)
    return found


def is_exact(pairs: Pairs, standing: Standing) -> Array:
    """Return whether the weights need no correction, because at most one seat has a turn left."""
    return ending(standing, pairs.goal) & (standing.moved + 2 >= standing.seats)


def size(seats: int) -> int:
    """Return the number of features of a table."""
    return seats * (seats - 1) // 2 + 4 * seats + 1


def features(pairs: Pairs, standing: Standing, known: Mapping[tuple[int, int], Array]) -> Array:
    """Return the features of positions: odds of the pairs, scores, active cards, seats that are done, last seat."""
    xp = module_of(*known.values())
    seats = standing.seats
    last = ending(standing, pairs.goal)
    columns = []
    for chance in known.values():
        bounded = xp.clip(chance, 1e-4, 1 - 1e-4)
        columns.append(xp.log(bounded / (1 - bounded)) / 4)
    # Points to go instead of points made, because a short game is the end of a long one.
    columns += [(pairs.goal - score) / 100 for score in standing.scores]
    columns += [xp.asarray(BITS)[mask] / 5 for mask in standing.masks]
    columns += [last & wrapped(standing, place) for place in range(seats)]
    columns += [standing.moved == seat for seat in range(seats)]
    columns.append(last)
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    return xp.stack([xp.broadcast_to(xp.asarray(column, pairs.between.dtype), shape) for column in columns], axis=-1)


def corrected(
    params: Mapping[str, Array], kinds: Array, plain: Array, x: Array, masks: Sequence[Array], exact: Array
) -> Array:
    """Correct the logarithms of weights by the network if they are not exact.

    The network sees the features, every seat's active cards by their kinds, and the kinds of the set.
    """
    xp = module_of(plain, x)
    hidden = x @ params["w0"] + (params["b0"] + kinds[-1] @ params["set"])
    for place, mask in enumerate(masks):
        hidden = hidden + (kinds @ params["cards"][place])[mask]
    hidden = xp.maximum(hidden, 0)
    hidden = xp.maximum(hidden @ params["w1"] + params["b1"], 0)
    added = hidden @ params["w2"] + params["b2"]
    return xp.where(exact[..., None], plain, plain * params["power"] + added)


def logits(pairs: Pairs, standing: Standing, params: Mapping[str, Array] | None) -> Array:
    """Return the logarithms of the seats' weights, corrected if there is a network, the seats along the last axis."""
    known = all_chances(pairs, standing)
    weights = log_weights(pairs, standing, known)
    xp = module_of(*weights)
    shape = np.broadcast_shapes(*(weight.shape for weight in weights))
    plain = xp.stack([xp.broadcast_to(weight, shape) for weight in weights], axis=-1)
    if params is None:
        return plain
    x, exact = features(pairs, standing, known), is_exact(pairs, standing)
    return corrected(params, pairs.kinds, plain, x, standing.masks, exact)


def shares(found: Array) -> Array:
    """Convert logarithms of weights to chances to win, which sum to one."""
    xp = module_of(found)
    raised = xp.exp(found - found.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def read(path: Path) -> dict[str, Array]:
    """Load a network saved by `write`."""
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
