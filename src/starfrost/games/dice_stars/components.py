"""The components: dice, colours, bags (P2, P4).

A die lying face up is one small integer, `8 * colour + face`, so that dice compare, sort and count quickly; a bag is
four counts, one per colour. `die_text` and `parse_die` write and read a die as records do (`orange*`, `black4`).
"""

from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial
from typing import Final, NamedTuple, TypeAlias

from starfrost.errors import NotationError

COLOURS: Final = ("black", "purple", "blue", "orange")
"""The colours, in the order of the sheet's columns (P3)."""

STAR: Final = 0
"""The star as a face: it counts 0 in a sum (F1)."""

FACES: Final = (
    (STAR, 2, 3, 4, 5, 6),
    (STAR, 2, 3, 4, 5, 6),
    (STAR, 2, 3, 4, 5, 6),
    (STAR, STAR, 3, 4, 5, 6),
)
"""The six faces of a die of each colour (P2)."""

Bag: TypeAlias = tuple[int, int, int, int]
"""The number of dice of each colour."""

Dice: TypeAlias = tuple[int, ...]
"""Dice lying face up, in ascending order."""

ALL_DICE: Final[Bag] = (2, 3, 4, 5)
"""The fourteen dice of the game (P2)."""

EMPTY_BAG: Final[Bag] = (0, 0, 0, 0)


def die(colour: int, face: int) -> int:
    """Return the die of a colour that shows a face."""
    return 8 * colour + face


def colour_of(shown: int) -> int:
    """Return the colour of a die, an index into `COLOURS`."""
    return shown >> 3


def face_of(shown: int) -> int:
    """Return the face of a die: 2 to 6, or `STAR`."""
    return shown & 7


def die_text(shown: int) -> str:
    """Return a die as records write it."""
    return f"{COLOURS[shown >> 3]}{shown & 7 or '*'}"


Faces: TypeAlias = tuple[tuple[int, ...], ...]
"""The six faces of a die of each colour."""


@cache
def _dice_by_text(faces: Faces) -> dict[str, int]:
    return {die_text(die(c, face)): die(c, face) for c in range(4) for face in faces[c]}


def parse_die(text: str, faces: Faces = FACES) -> int:
    """Parse a die written by `die_text`. Raises NotationError if the game has no such die or face."""
    try:
        return _dice_by_text(faces)[text]
    except KeyError:
        raise NotationError(
            "%(text)s is not a die: expected a colour and a face it has, such as blue4 or orange*.", text=repr(text)
        ) from None


def colours_in(dice: Dice) -> Bag:
    """Count dice by colour."""
    counts = [0, 0, 0, 0]
    for shown in dice:
        counts[shown >> 3] += 1
    return counts[0], counts[1], counts[2], counts[3]


class BagDraw(NamedTuple):
    """The possible results of drawing one die from a bag and rolling it."""

    shown: Dice
    """Every face of every die in the bag, each equally likely."""
    after: dict[int, Bag]
    """For each rolled die, the bag after it was drawn."""


@cache
def drawing(faces: Faces) -> Callable[[Bag], BagDraw]:
    """Return `bag_draw` for dice with these faces; hashing all faces at every draw would be slow."""
    return cache(lambda bag: _bag_draw(bag, faces))


def _bag_draw(bag: Bag, faces: Faces) -> BagDraw:
    shown: list[int] = []
    after: dict[int, Bag] = {}
    for colour in range(4):
        if bag[colour]:
            rest = [count - (c == colour) for c, count in enumerate(bag)]
            dice = [die(colour, face) for face in faces[colour]]
            shown += dice * bag[colour]
            after.update(dict.fromkeys(dice, (rest[0], rest[1], rest[2], rest[3])))
    return BagDraw(tuple(shown), after)


@cache
def _rolls_of_colour(colour: int, count: int, faces: tuple[int, ...]) -> tuple[tuple[Dice, int], ...]:
    """List the results of rolling `count` dice of one colour, each with its number of ways out of `6 ** count`."""
    weights: dict[Dice, int] = {}
    for shown in combinations_with_replacement(sorted(set(faces)), count):
        ways = factorial(count)
        for face in set(shown):
            ways //= factorial(shown.count(face))
            ways *= faces.count(face) ** shown.count(face)
        weights[tuple(die(colour, face) for face in shown)] = ways
    return tuple(weights.items())


def rolls(bag: Bag, count: int, faces: Faces = FACES) -> tuple[tuple[Dice, int], ...]:
    """List the results of drawing `count` dice blind and rolling them; weights sum to C(bag, count) * 6 ** count."""
    outcomes: list[tuple[Dice, int]] = []
    for drawn in product(*(range(min(held, count) + 1) for held in bag)):
        if sum(drawn) != count:
            continue
        ways = 1
        for held, number in zip(bag, drawn, strict=True):
            ways *= comb(held, number)
        for parts in product(*(_rolls_of_colour(colour, number, faces[colour]) for colour, number in enumerate(drawn))):
            dice: Dice = ()
            weight = ways
            for part, part_weight in parts:
                dice += part
                weight *= part_weight
            outcomes.append((dice, weight))
    return tuple(sorted(outcomes))
