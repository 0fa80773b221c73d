"""Six-sided dice as multisets: a text of digits, highest first, such as `665211`.

Strings are used instead of tuples because records write dice this way and Python caches the hash of a string.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from math import factorial

from starfrost.errors import NotationError, quoted

FACES = "654321"


def dice_text(dice: Iterable[str]) -> str:
    """Return dice as text, highest first."""
    return "".join(sorted(dice, reverse=True))


def parse_dice(text: str) -> str:
    """Parse dice in any order. Raises NotationError."""
    if not text or not set(text) <= set(FACES):
        raise NotationError(
            "%(text)s is not a set of dice: expected digits from 1 to 6, such as 665211.", text=quoted(text)
        )
    return dice_text(text)


@cache
def rolls(number: int, faces: str = FACES) -> tuple[tuple[str, int], ...]:
    """List the results of rolling a number of dice, each with the number of ordered rolls that give it.

    `faces` are the six faces of a die; equal ones make a value more likely.
    """
    outcomes = []
    for dice in combinations_with_replacement(sorted(set(faces), reverse=True), number):
        weight = factorial(number)
        for face in set(dice):
            weight //= factorial(dice.count(face))
            weight *= faces.count(face) ** dice.count(face)
        outcomes.append(("".join(dice), weight))
    return tuple(outcomes)


@cache
def subsets(dice: str) -> tuple[str, ...]:
    """List the different non-empty selections from these dice, the largest first, then the highest."""
    found = {""}
    for die in dice:
        found |= {chosen + die for chosen in found}
    return tuple(sorted(found - {""}, key=lambda chosen: (len(chosen), chosen), reverse=True))


def remove(dice: str, chosen: str) -> str:
    """Return the dice without the chosen ones."""
    for die in chosen:
        dice = dice.replace(die, "", 1)
    return dice
