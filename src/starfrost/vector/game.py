"""What both vector engines offer: pure functions of packed states, elementwise over any batch shape.

A state is a named tuple of uint32 arrays, all of one shape: `()` for one game (then `jax.vmap` works as usual) or
`(n,)`, `(a, b)`… for many at once, which needs no `vmap`. Nothing here draws a random number on its own: `step` hashes
the key it is handed into dice and calls `step_with`, which takes the dice as they are.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar, cast

from starfrost.vector.arrays import U32, Array, module_of, where

__all__ = ["Outcome", "VectorGame"]

S = TypeVar("S")


class Outcome(NamedTuple):
    """What a step with automatic reset reports about the game that it may have ended."""

    rewards: Array
    """Float32, one a seat in seat order on the last axis: the share of victory; zero while the game runs."""
    over: Array
    """Whether the step ended a game; the state handed back is then the start of a new one."""


def choose(condition: Array, yes: S, no: S) -> S:
    """Choose between two states, word by word."""
    chosen: Any
    if isinstance(yes, tuple):
        parts = [choose(condition, a, b) for a, b in zip(yes, cast(tuple[Any, ...], no), strict=True)]
        chosen = type(yes)(*parts) if hasattr(yes, "_fields") else tuple(parts)
    else:
        chosen = where(condition, yes, no)
    return cast(S, chosen)


class VectorGame(ABC, Generic[S]):
    """A set-up of a game as pure functions; hashable, so that it can be a static argument of `jax.jit`."""

    name: str
    seats: int
    actions: int
    """The size of the action space: actions are the numbers under it."""
    observation_size: int

    @abstractmethod
    def init(self, key: Array) -> S:
        """Give the start of a game."""

    @abstractmethod
    def step_with(self, state: S, action: Array, dice: Array) -> S:
        """Give the state after a legal action, with these dice where the action or the next turn calls for dice."""

    @abstractmethod
    def roll(self, state: S, key: Array) -> Array:
        """Draw the dice that `step_with` needs."""

    @abstractmethod
    def over(self, state: S) -> Array:
        """Say whether the game is over."""

    @abstractmethod
    def actor(self, state: S) -> Array:
        """Say which seat (from 0) acts."""

    @abstractmethod
    def legal(self, state: S) -> Array:
        """Give the mask of legal actions on a new last axis; all False when the game is over."""

    @abstractmethod
    def observe(self, state: S, seat: Array | None = None) -> Array:
        """Give what a seat (the acting one if None) sees on a new last axis: uint8, own part first, then clockwise."""

    @abstractmethod
    def scores(self, state: S) -> Array:
        """Count every seat's points on a new last axis, in seat order."""

    @abstractmethod
    def rewards(self, state: S) -> Array:
        """Share the victory on a new last axis, in seat order: winners share 1, all get 0 while the game runs."""

    @abstractmethod
    def random_action(self, state: S, key: Array) -> Array:
        """Choose a legal action at random: every legal action has a chance, though not the same one."""

    def rotate(self, values: list[Array], by: Array) -> list[Array]:
        """List values again, starting `by` places further on."""
        number = len(values)
        rotated = []
        for place in range(number):
            value = values[place]
            for first in range(1, number):
                value = where(by == U32(first), values[(place + first) % number], value)
            rotated.append(value)
        return rotated

    def wrap(self, seat: Array) -> Array:
        """Bring a seat number under twice the number of seats back into range."""
        return where(seat >= U32(self.seats), seat - U32(self.seats), seat)

    def step(self, state: S, action: Array, key: Array) -> S:
        """Give the state after a legal action; chance follows from the key. A finished game stays as it is."""
        return choose(self.over(state), state, self.step_with(state, action, self.roll(state, key)))

    def step_auto(self, state: S, action: Array, key: Array) -> tuple[S, Outcome]:
        """Step; a game that ends is reported and replaced by a new one."""
        after = self.step_with(state, action, self.roll(state, key))
        over = self.over(after)
        return choose(over, self.init(key), after), Outcome(self.rewards(after), over)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def stack(parts: list[Array]) -> Array:
    """Join arrays of one shape on a new last axis."""
    return module_of(*parts).stack(module_of(*parts).broadcast_arrays(*parts), axis=-1)
