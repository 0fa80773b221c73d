"""The effects of cards and skips on other seats (T5, T8, T9), and the final ranking (E2).

Sets of active cards are masks: bit i stands for the game's i-th card. The functions on points also take arrays.
"""

from enum import Enum, IntEnum
from functools import cache
from typing import Any, Self

CARDS_IN_A_GAME = 5
MASKS = 1 << CARDS_IN_A_GAME
"""The number of sets of active cards."""
ALL_ACTIVE = MASKS - 1


class Change(IntEnum):
    """The change that an affected seat makes to one of its own cards (T8)."""

    NONE = 0
    FREEZE = 1
    RESET = 2


class Effect(Enum):
    """Which other seats freeze or reset a card after a score or a skip (T5, T8, T9)."""

    NONE = "none", Change.NONE
    NEIGHBOURS_FREEZE = "neighbours freeze", Change.FREEZE
    NEIGHBOURS_RESET = "neighbours reset", Change.RESET
    OTHERS_FREEZE = "others freeze", Change.FREEZE
    OTHERS_RESET = "others reset", Change.RESET
    """The effect of a skip."""

    change: Change
    """The change that every affected seat makes."""

    def __new__(cls, text: str, change: Change) -> Self:
        """Store the change as an attribute; the text stays the enum value."""
        member = object.__new__(cls)
        member._value_ = text
        member.change = change
        return member


EFFECTS: dict[str, Effect] = {effect.value: effect for effect in Effect}
"""The effects by their texts."""


@cache
def affected_seats(effect: Effect, seat: int, seats: int) -> tuple[int, ...]:
    """List the seats that an effect of `seat` reaches, clockwise from its left (T9)."""
    others = tuple((seat + step) % seats for step in range(1, seats))
    if effect is Effect.NONE:
        return ()
    everyone = effect in (Effect.OTHERS_FREEZE, Effect.OTHERS_RESET) or seats <= 3
    return others if everyone else (others[0], others[-1])


@cache
def turned_over(mask: int, change: Change) -> tuple[int, ...]:
    """List the masks that result from freezing or resetting one card; the same mask if no card qualifies (T8)."""
    bits = [1 << card for card in range(CARDS_IN_A_GAME)]
    if change is Change.FREEZE and mask:
        return tuple(mask ^ bit for bit in bits if mask & bit)
    if change is Change.RESET and mask != ALL_ACTIVE:
        return tuple(mask | bit for bit in bits if not mask & bit)
    return (mask,)


def rank(points: Any, active: Any) -> Any:
    """Return a number that orders seats by points, then by the number of their active cards (E2)."""
    return points * (CARDS_IN_A_GAME + 1) + active


def result(lead: Any) -> Any:
    """Return the value of a lead in `rank` over one opponent: 1, one half for a shared victory, or 0 (E2)."""
    return (lead > 0) + 0.5 * (lead == 0)
