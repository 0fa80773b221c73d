"""The interface of the vector engines: pure functions of packed states, elementwise over any batch shape.

A state is a named tuple of uint32 arrays, all of one shape: `()` for one game (then `jax.vmap` works as usual) or
`(n,)`, `(a, b)`… for many at once, which needs no `vmap`. Nothing here draws a random number on its own: `step` hashes
its key into dice and calls `step_with`, which uses the given dice.
"""

from abc import ABC, abstractmethod
from functools import reduce
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from starfrost.vector.arrays import U32, Array, module_of, where

S = TypeVar("S")


class Outcome(NamedTuple):
    """The report of a step with automatic reset about a game that ended."""

    rewards: Array
    """Float32, one per seat in seat order on the last axis: the share of victory; zero while the game runs."""
    over: Array
    """Whether the step ended a game; the returned state is then the start of a new one."""


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
    """A setup of a game as pure functions; hashable, so that it can be a static argument of `jax.jit`."""

    name: str
    seats: int
    actions: int
    """The size of the action space: actions are the numbers below it."""
    observation_size: int

    @abstractmethod
    def init(self, key: Array) -> S:
        """Return the start of a game."""

    @abstractmethod
    def step_with(self, state: S, action: Array, dice: Array) -> S:
        """Return the state after a legal action; these dice are used if the action or the next turn needs dice."""

    @abstractmethod
    def roll(self, state: S, key: Array) -> Array:
        """Draw the dice that `step_with` needs."""

    @abstractmethod
    def over(self, state: S) -> Array:
        """Return whether the game is over."""

    @abstractmethod
    def actor(self, state: S) -> Array:
        """Return the acting seat (from 0)."""

    @abstractmethod
    def legal_words(self, state: S) -> Array:
        """Return the set of legal actions as bits of uint32 words on a new last axis, the lowest bit first.

        It takes an eighth of the memory of `legal`, which counts where masks travel between devices.
        """

    def legal(self, state: S) -> Array:
        """Return the mask of legal actions on a new last axis; all False when the game is over."""
        words = self.legal_words(state)
        mask = ((words[..., None] >> np.arange(32, dtype=U32)) & U32(1)) != 0
        return mask.reshape(*words.shape[:-1], -1)[..., : self.actions]

    @abstractmethod
    def observe(self, state: S, seat: Array | None = None) -> Array:
        """Return a seat's view (None: the acting seat's) on a new last axis: uint8, own part first, then clockwise."""

    @abstractmethod
    def scores(self, state: S) -> Array:
        """Return every seat's points on a new last axis, in seat order."""

    @abstractmethod
    def rewards(self, state: S) -> Array:
        """Return the shares of victory on a new last axis, in seat order: winners share 1; 0 while the game runs."""

    @abstractmethod
    def random_action(self, state: S, key: Array) -> Array:
        """Return a random legal action; every legal action is possible, but not equally likely."""

    def in_seat_order(self, values: list[Array], first: Array) -> list[Array]:
        """Convert a list that starts with the seat `first` to seat order."""
        return self.rotate(values, self.wrap(U32(self.seats) - first))

    def rotate(self, values: list[Array], by: Array) -> list[Array]:
        """Rotate a list so that it starts `by` places later."""
        number = len(values)
        rotated = []
        for place in range(number):
            value = values[place]
            for first in range(1, number):
                value = where(by == U32(first), values[(place + first) % number], value)
            rotated.append(value)
        return rotated

    def wrap(self, seat: Array) -> Array:
        """Return a seat number below twice the number of seats, modulo the number of seats."""
        return where(seat >= U32(self.seats), seat - U32(self.seats), seat)

    def step(self, state: S, action: Array, key: Array) -> S:
        """Return the state after a legal action, with dice from the key; a finished game does not change."""
        return choose(self.over(state), state, self.step_with(state, action, self.roll(state, key)))

    def step_auto(self, state: S, action: Array, key: Array) -> tuple[S, Outcome]:
        """Step; a finished game is reported and replaced by a new one."""
        after = self.step_with(state, action, self.roll(state, key))
        over = self.over(after)
        return choose(over, self.init(key), after), Outcome(self.rewards(after), over)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def victory_shares(over: Array, ranks: list[Array]) -> list[Array]:
    """Return the share of victory for each rank: in a finished game the highest ranks share 1."""
    zero, one = np.float32(0), np.float32(1)
    best = reduce(lambda highest, rank: where(rank > highest, rank, highest), ranks)
    wins = [where(over & (rank == best), one, zero) for rank in ranks]
    share = one / where(over, sum(wins[1:], wins[0]), one)
    return [win * share for win in wins]


def stack(parts: list[Array]) -> Array:
    """Join arrays of one shape on a new last axis."""
    return module_of(*parts).stack(module_of(*parts).broadcast_arrays(*parts), axis=-1)
