"""The selections that fit a card, as sets of the 64 choices from six sorted dice: one bit each, in two uint32 words.

A choice is a mask of six bits, bit i for the i-th highest die. With equal dice several masks mean the same selection;
the *plain* one, which uses the earliest of equal dice, represents them. Each rule below starts from a fixed set and
removes the choices that the dice do not allow.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from itertools import combinations, combinations_with_replacement

import numpy as np

from starfrost.games.dicy_cards import FACES, Card, Pattern, card_of, options
from starfrost.vector.arrays import U32, Array, module_of, where

Choices = tuple[Array, Array]
"""A set of masks: the words of bits 0-31 and 32-63."""

ALL = (1 << 64) - 1
ROLLS = tuple("".join(dice) for dice in combinations_with_replacement(FACES[::-1], 6))
"""Six dice, highest first."""


def plain_mask(dice: str, chosen: str) -> int:
    """Return the plain mask of a selection (of equal dice the earliest)."""
    mask, left = 0, list(chosen)
    for i, die in enumerate(dice):
        if die in left:
            left.remove(die)
            mask |= 1 << i
    return mask


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
AT = {
    size: [
        [
            _set(lambda m, n=size, i=i, p=p: m.bit_count() == n and _chosen(m)[p] == i)  # type: ignore[misc]
            for i in range(6)
        ]
        for p in range(size)
    ]
    for size in range(1, 7)
}
"""`AT[size][p][i]`: the choices of a size whose p-th die is the i-th of the six."""


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


def _each(dice: Dice, allowed: Callable[[Array], Array], start: int) -> Choices:
    return _cut(_fixed(start), *(_unless(allowed(die), HAS[i]) for i, die in enumerate(dice.shown)))


def _neighbours(allowed: Callable[[int, int], Array], start: int) -> Choices:
    return _cut(_fixed(start), *(_unless(allowed(i, j), removed) for (i, j), removed in NEXT.items()))


def _lowest(dice: Dice, sizes: range, start: int) -> Choices:
    def same(i: int, j: int) -> Array:
        return dice.equal[min(i, j), max(i, j)] if i != j else dice.shown[0] == dice.shown[0]

    removed = [
        _unless(same(i, 6 - size + place), AT[size][place][i])
        for size in sizes
        for place in range(size)
        for i in range(6)
    ]
    return _cut(_fixed(start), *removed)


def _showing(card: Card, dice: Dice, start: int) -> Choices:
    """Return the choices in which every die shows one of the card's values."""
    values = set(card.values)
    if values >= set(card.faces):
        return _fixed(start)
    if card.least == 6 and values == set(FACES[: len(values)]):
        # All dice are chosen, so only the highest one can be too high.
        return _unless(dice.shown[0] <= U32(len(values)), ALL, ALL & ~start)
    if len(values) == 1:
        return _each(dice, lambda die: die == U32(int(card.values)), start)
    if values == set("135"):
        return _each(dice, lambda die: (die & U32(1)) != 0, start)
    bits = U32(sum(1 << int(value) for value in values))
    return _each(dice, lambda die: ((bits >> die) & U32(1)) != 0, start)


def _matching(card: Card, dice: Dice, start: int) -> Choices:
    """Return the choices that have the card's pattern."""
    match card.pattern:
        case Pattern.DIFFERENT:
            return _cut(_fixed(start), *(_unless(~dice.equal[i, i + 1], BOTH[i]) for i in range(5)))
        case Pattern.ALIKE:
            return _neighbours(lambda i, j: dice.equal[i, j], start)
        case Pattern.CONSECUTIVE:
            return _neighbours(lambda i, j: dice.shown[i] == dice.shown[j] + U32(1), start)
        case Pattern.TWO_PAIRS:
            return _cut(_fixed(start), *(_unless(dice.equal[pair], OUTER[pair], INNER[pair]) for pair in NEXT))
        case Pattern.LOWEST:
            return _lowest(dice, range(card.least, card.most + 1), start)
        case _:
            return _fixed(start)


# A card with an expression is looked up: the points of every selection from every roll, 0 where it does not fit.


@cache
def _numbers() -> np.ndarray:
    """Return the number of a roll by its dice, three bits each, highest first; what is no roll has the last number."""
    numbers = np.full(1 << 18, len(ROLLS), np.uint32)
    for number, dice in enumerate(ROLLS):
        numbers[sum(int(die) << (3 * i) for i, die in enumerate(dice))] = number
    return numbers


@lru_cache(maxsize=64)
def _table(kind: str) -> np.ndarray:
    """Return the points of a card by the number of a roll and the plain mask of a selection."""
    table = np.zeros((len(ROLLS) + 1, 64), np.uint32)
    for number, dice in enumerate(ROLLS):
        for chosen, points in options(kind, dice):
            table[number, plain_mask(dice, chosen)] = points
    return table


def _look_up(table: np.ndarray, *places: Array) -> Array:
    """Return the entries of a table at some places."""
    # A constant of the compiled program where the places are JAX's.
    return module_of(*places).asarray(table)[places]


def is_looked_up(kind: str) -> bool:
    """Return whether a card says its selections or points by an expression."""
    return bool(card_of(kind).when or card_of(kind).score)


def points_of(kind: str, shown: Sequence[Array], subset: Array) -> Array:
    """Return the points of a card with an expression."""
    return _look_up(_table(kind), _look_up(_numbers(), _word(shown)), subset)


def _word(shown: Sequence[Array]) -> Array:
    return reduce(lambda word, die: word | die, (die << U32(3 * i) for i, die in enumerate(shown)))


def _fitting_by_table(kind: str, dice: Dice) -> Choices:
    bits = (_table(kind) > 0).reshape(-1, 2, 32) * (U32(1) << np.arange(32, dtype=U32))
    number = _look_up(_numbers(), _word(dice.shown))
    low, high = (_look_up(words, number) for words in bits.sum(axis=-1, dtype=U32).T)
    return low, high


def fitting(kind: str, dice: Dice, plain_ones: Choices) -> Choices:
    """Return the selections from these dice that satisfy a card."""
    card = card_of(kind)
    if is_looked_up(kind):
        return _cut(_fitting_by_table(kind, dice), plain_ones)
    start = reduce(int.__or__, SIZE[card.least : card.most + 1])
    shown, matched = _showing(card, dice, start), _matching(card, dice, start)
    if card.pattern is Pattern.ANY:
        return _cut(shown, plain_ones)
    return _cut(matched, plain_ones) if set(card.values) >= set(card.faces) else _cut(matched, shown, plain_ones)
