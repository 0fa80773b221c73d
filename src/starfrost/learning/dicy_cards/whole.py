"""The chances of `master` in whole numbers, as they are played: the same in any batch, in NumPy, JAX and compiled code.

The order in which floats are added changes the last bits of a sum, and a last bit can change a decision. Here the
logarithms of chances come from a table of whole numbers, and weights and inputs of the network are whole numbers too.
Doubles hold every sum exactly, in any order. Training stays in floats (`network`, `turn_ends`).
"""

from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dicy_cards import ALL_ACTIVE, MASKS
from starfrost.learning.dicy_cards.network import (
    BITS,
    LEAST,
    Pairs,
    Standing,
    all_chances,
    ending,
    is_exact,
    log_weights,
)
from starfrost.learning.dicy_cards.network import wrapped as next_round
from starfrost.learning.dicy_cards.turn_ends import Ends, Entries, answered
from starfrost.vector.arrays import Array, module_of

Params = Mapping[str, Array]

CHANCES: Final = 1 << 28
"""Chances are rounded to multiples of one in so many."""
RARE: Final = 1 << 18
"""Lower numbers than this have a logarithm each, the others one for 256 of them."""
UNIT: Final = 20
"""The unit of logarithms, and of the values between the layers of the network, as a power of 1/2."""
FIRST: Final = 40
SECOND: Final = UNIT + 16
LAST: Final = UNIT + 16
"""The units of the sums of the three layers."""
ODDS: Final = CHANCES // 10_000
"""The odds of pairs are bounded by those of this chance, as in training."""
COARSE: Final = UNIT - 8
"""The bits of a logarithm that one of two tables of exponentials has."""
LOWEST: Final = 40 << UNIT
"""Seats whose logarithm is lower than the best one's by more than this are treated as if it were by this."""


def whole(params: Params) -> dict[str, Array]:
    """Return a network of whole numbers with nearly the same values."""
    seats = params["w2"].shape[-1]
    pairs = seats * (seats - 1) // 2
    units = np.ones(params["w0"].shape[0])
    units[:pairs] = 4 * 2.0**UNIT
    units[pairs : pairs + seats] = 100
    units[pairs + seats : pairs + 2 * seats] = 5
    first = {name: np.asarray(params[name], np.float64) for name in ("w0", "b0", "cards", "set")}
    first["w0"] = first["w0"] / units[:, None]
    rest = {"w1": SECOND - UNIT, "b1": SECOND, "w2": LAST - UNIT, "b2": LAST, "power": LAST - UNIT}
    return {
        **{name: np.rint(value * 2.0**FIRST) for name, value in first.items()},
        **{name: np.rint(np.asarray(params[name], np.float64) * 2.0**bits) for name, bits in rest.items()},
    }


@cache
def logarithms() -> NDArray[np.int32]:
    """Return the logarithms of chances: those of rare ones, then of every 256th."""
    numbers = np.concatenate([np.arange(RARE), np.arange(CHANCES // 256 + 1) * 256])
    return np.rint(np.log(np.maximum(numbers / CHANCES, LEAST)) * 2.0**UNIT).astype(np.int32)


@cache
def exponentials() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tables of exponentials: that of any whole logarithm is a product of one from each.

    They have the digits of single precision, so that the products are exact.
    """
    coarse, fine = np.arange((LOWEST >> COARSE) + 1) << COARSE, np.arange(1 << COARSE)
    tables = [np.exp(-logs / 2.0**UNIT).astype(np.float32).astype(np.float64) for logs in (coarse, fine)]
    return tables[0], tables[1]


class Tables(NamedTuple):
    """The tables of logarithms and exponentials, as arrays of NumPy or JAX."""

    logs: Array
    coarse: Array
    fine: Array

    def log(self, number: Array) -> Array:
        """Return the whole logarithm of a chance that is given as a number."""
        return self.logs[module_of(number).where(number < RARE, number, RARE + (number + 128 >> 8))]

    def logarithm(self, chance: Array, others: bool) -> Array:
        """Return the whole logarithm of a chance, or of the other seat's."""
        number = _numbered(chance)
        return self.log(CHANCES - number if others else number)

    def odds(self, chance: Array) -> Array:
        """Return the whole logarithm of the odds of a chance, within bounds."""
        number = _numbered(chance).clip(ODDS, CHANCES - ODDS)
        return self.log(number) - self.log(CHANCES - number)


@cache
def tables() -> Tables:
    """Return the tables as arrays of NumPy."""
    return Tables(logarithms(), *exponentials())


def _numbered(chance: Array) -> Array:
    return module_of(chance).rint(chance * CHANCES).astype(np.int32)


def _rounded(sums: Array, bits: int) -> Array:
    """Return the values of hidden units from their sums."""
    xp = module_of(sums)
    return xp.rint(xp.maximum(sums, 0) * 2.0 ** (UNIT - bits))


def logits(pairs: Pairs, standing: Standing, params: Params | None, by: Tables | None = None) -> Array:
    """Return the whole logarithms of the seats' weights (`network.logits`), the seats along the last axis.

    Arrays of JAX need tables of JAX, and the doubles that it has with `jax.enable_x64`.
    """
    by = by or tables()
    known = all_chances(pairs, standing)
    xp = module_of(*known.values())
    plain = xp.stack(xp.broadcast_arrays(*log_weights(pairs, standing, known, by.logarithm)), axis=-1)
    if params is None:
        return plain
    last = ending(standing, pairs.goal)
    columns = [
        *map(by.odds, known.values()),
        *(pairs.goal - score for score in standing.scores),
        *(xp.asarray(BITS)[mask] for mask in standing.masks),
        *(last & next_round(standing, place) for place in range(standing.seats)),
        *(standing.moved == seat for seat in range(standing.seats)),
        last,
    ]
    x = xp.stack(xp.broadcast_arrays(*columns), axis=-1).astype(np.float64)
    kinds = pairs.kinds.astype(np.float64)
    hidden = x @ params["w0"] + (params["b0"] + kinds[-1] @ params["set"])
    for place, mask in enumerate(standing.masks):
        hidden = hidden + (kinds @ params["cards"][place])[mask]
    hidden = _rounded(hidden, FIRST)
    hidden = _rounded(hidden @ params["w1"] + params["b1"], SECOND)
    added = hidden @ params["w2"] + params["b2"]
    corrected = xp.rint((plain * params["power"] + added) * 2.0 ** (UNIT - LAST))
    return xp.where(is_exact(pairs, standing)[..., None], plain, corrected)


def shares(found: Array, by: Tables | None = None) -> Array:
    """Convert whole logarithms of weights to chances to win; tables as for `logits`."""
    by = by or tables()
    below = module_of(found).minimum(found.max(axis=-1, keepdims=True) - found, LOWEST).astype(np.int32)
    raised = by.coarse[below >> COARSE] * by.fine[below & (1 << COARSE) - 1]
    # In this order, because sums of these numbers are rounded.
    total = raised[..., 0]
    for place in range(1, raised.shape[-1]):
        total = total + raised[..., place]
    return raised / total[..., None]


def ends(pairs: Pairs, params: Params | None, rules: Entries, scores: Array, masks: Array, seat: Array) -> Ends:
    """Evaluate the ends that one turn can have (`turn_ends.ends`); those that it cannot have are 0."""
    after, chosen = answered(pairs, rules, scores, masks, seat, tables().logarithm)
    own = np.arange(MASKS, dtype=np.int32)
    # Scoring a card leaves some of the others; a skip leaves all cards (T5).
    left = masks[-1] & ~rules.freezes[:, None]
    possible = ((rules.freezes & masks[-1]) > 0)[:, None] & ((own & ~left) == 0)
    possible[-1, ALL_ACTIVE] = True
    entry, mask = np.nonzero(possible)
    standing = Standing(
        tuple(score[entry] for score in after), (*(answer[entry] for answer in chosen), own[mask]), seat
    )
    found = np.zeros((*possible.shape, scores.shape[-1]))
    found[entry, mask] = shares(logits(pairs, standing, params))
    return Ends(found, chosen)
