"""Reasons: how the difference of two actions is split into parts, and which parts its sentences name."""

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any, Final

from starfrost.coach.judge import NOTICEABLE, Part, Parts

LATER: Final = "later"
"""The part that only games played on show, where values are estimates."""

_TOLD: Final = 0.2
"""The least share of the greatest part that a second sentence tells."""


def shapley(value: Callable[[frozenset[str]], Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Split value(all) - value(none) by Shapley values; `value` takes the ingredients of the better action."""
    known = {
        frozenset(some): value(frozenset(some)) for size in range(len(names) + 1) for some in combinations(names, size)
    }
    orders = factorial(len(names))
    return {
        name: sum(
            factorial(len(some)) * factorial(len(names) - len(some) - 1) / orders * (known[some | {name}] - known[some])
            for some in known
            if name not in some
        )
        for name in names
    }


def sorted_parts(parts: list[Part]) -> Parts:
    """Return the parts that are not nothing, the greatest first."""
    return tuple(sorted((part for part in parts if part.value), key=lambda part: -abs(part.value)))


def told(parts: Parts) -> Parts:
    """Return the one or two greatest parts, first one that speaks for the better action.

    The second one may speak against it, but not outweigh the first: that would be a reason for the other action.
    """
    known = [part for part in parts if part.part != LATER and abs(part.value) >= NOTICEABLE]
    first = next((part for part in known if part.value > 0), None)
    if first is None:
        return ()
    second = next((part for part in known if part is not first and part.value > -first.value), None)
    return (first,) if second is None or abs(second.value) < _TOLD * first.value else (first, second)
