"""The selections that fit a card, as sets of the 64 choices from six sorted dice: one bit each, in two uint32 words.

A choice is a mask of six bits, bit i for the i-th highest die. With equal dice several masks mean the same selection;
the *plain* one, which uses the earliest of equal dice, represents them. Each rule below starts from a fixed set and
removes the choices that the dice do not allow.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations

from starfrost.games.dicy_cards import CARDS
from starfrost.vector.arrays import U32, Array, where

Choices = tuple[Array, Array]
"""A set of masks: the words of bits 0-31 and 32-63."""

ALL = (1 << 64) - 1


def _set(condition: Callable[[int], bool]) -> int:
    return sum(1 << mask for mask in range(64) if condition(mask))


def _chosen(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(6) if mask >> i & 1)


def _pairs_at(place: int, size: int) -> dict[tuple[int, int], int]:
    """Map every pair of dice to the choices of a size in which they are at `place` and the next place."""
    return {
        (i, j): _set(lambda m, i=i, j=j: len(_chosen(m)) == size and _chosen(m)[place : place + 2] == (i, j))  # type: ignore[misc]
        for i, j in combinations(range(6), 2)
    }


SOME = ALL & ~1
SIZE = [_set(lambda m, n=n: m.bit_count() == n) for n in range(7)]  # type: ignore[misc]
HAS = [_set(lambda m, i=i: bool(m >> i & 1)) for i in range(6)]  # type: ignore[misc]
SKIPS = [HAS[i + 1] & ~HAS[i] for i in range(5)]
BOTH = [HAS[i + 1] & HAS[i] for i in range(5)]
NEXT = {
    (i, j): _set(lambda m, i=i, j=j: (i, j) in zip(_chosen(m), _chosen(m)[1:], strict=False))  # type: ignore[misc]
    for i, j in combinations(range(6), 2)
}
OUTER = {pair: _pairs_at(0, 4)[pair] | _pairs_at(2, 4)[pair] for pair in NEXT}
INNER = _pairs_at(1, 4)
AT = [[_set(lambda m, i=i, p=p: m.bit_count() == 3 and _chosen(m)[p] == i) for i in range(6)] for p in range(3)]  # type: ignore[misc]

POINTS: dict[str, tuple[int, int, int]] = {
    **dict.fromkeys(CARDS, (1, 0, 0)),
    "double-pair": (2, 0, 0),
    "distinct-fours": (0, 4, 0),
    "forty-minus": (-1, 0, 40),
    "same-fives": (0, 5, 0),
}
"""The points of a card: a multiple of the sum, plus points per die, plus a fixed number."""


def _fixed(members: int) -> Choices:
    return U32(members & 0xFFFFFFFF), U32(members >> 32)


def _cut(*sets: Choices) -> Choices:
    return reduce(lambda a, b: (a[0] & b[0], a[1] & b[1]), sets)


def _unless(condition: Array, removed: int, otherwise: int = 0) -> Choices:
    """Remove one set of choices unless a condition holds, and another one if it holds."""
    kept, other = _fixed(ALL & ~otherwise), _fixed(ALL & ~removed)
    return where(condition, kept[0], other[0]), where(condition, kept[1], other[1])


class Dice:
    """Six sorted dice, with their equal neighbours computed once."""

    def __init__(self, shown: Sequence[Array]) -> None:
        self.shown = shown
        self.equal = {(i, j): shown[i] == shown[j] for i, j in combinations(range(6), 2)}


def plain(dice: Dice) -> Choices:
    """Return the plain masks: at least one die, and of equal dice the earliest."""
    return _cut(_fixed(SOME), *(_unless(~dice.equal[i, i + 1], SKIPS[i]) for i in range(5)))


def _each(dice: Dice, allowed: Callable[[Array], Array], start: int = SOME) -> Choices:
    return _cut(_fixed(start), *(_unless(allowed(die), HAS[i]) for i, die in enumerate(dice.shown)))


def _neighbours(dice: Dice, allowed: Callable[[int, int], Array], start: int = SOME) -> Choices:
    return _cut(_fixed(start), *(_unless(allowed(i, j), removed) for (i, j), removed in NEXT.items()))


def _different(dice: Dice, start: int = SOME) -> Choices:
    return _cut(_fixed(start), *(_unless(~dice.equal[i, i + 1], BOTH[i]) for i in range(5)))


def _lowest(dice: Dice) -> Choices:
    def same(i: int, j: int) -> Array:
        return dice.equal[min(i, j), max(i, j)] if i != j else dice.shown[0] == dice.shown[0]

    removed = [_unless(same(i, 3 + place), AT[place][i]) for place in range(3) for i in range(6)]
    return _cut(_fixed(SIZE[3]), *removed)


_FITTING: dict[str, Callable[[Dice], Choices]] = {
    "any-two": lambda dice: _fixed(SIZE[2]),
    "no-sixes": lambda dice: _unless(dice.shown[0] != U32(6), ALL, ALL & ~SIZE[6]),
    "odds": lambda dice: _each(dice, lambda die: (die & U32(1)) != 0),
    "straight": lambda dice: _neighbours(dice, lambda i, j: dice.shown[i] == dice.shown[j] + U32(1), SOME & ~SIZE[1]),
    "two-pairs": lambda dice: _cut(
        _fixed(SIZE[4]), *(_unless(dice.equal[pair], OUTER[pair], INNER[pair]) for pair in NEXT)
    ),
    "sixes": lambda dice: _each(dice, lambda die: die == U32(6)),
    "double-pair": lambda dice: _neighbours(dice, lambda i, j: dice.equal[i, j], SIZE[2]),
    "three-lowest": _lowest,
    "distinct-fours": _different,
    "distinct-sum": lambda dice: _different(dice, SOME & ~SIZE[6]),
    "forty-minus": lambda dice: _fixed(SIZE[6]),
    "same-fives": lambda dice: _neighbours(dice, lambda i, j: dice.equal[i, j]),
}


def fitting(card: str, dice: Dice, plain_ones: Choices) -> Choices:
    """Return the selections from these dice that satisfy a card."""
    return _cut(_FITTING[card](dice), plain_ones)
