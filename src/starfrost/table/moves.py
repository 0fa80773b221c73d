"""The moves of a table: a sequence that every later version shares and no version can change."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, overload


class Roll:
    """What is to be done with dice that wait. It is not an action of the rules, which know only what the dice show."""

    __slots__ = ("_word",)

    def __init__(self, word: str) -> None:
        self._word = word

    def __str__(self) -> str:
        return self._word


ROLL: Final = Roll("roll")
"""The wish to roll the dice."""

ENTER: Final = Roll("enter")
"""Somebody rolls real dice and enters what they show."""


class Move(NamedTuple):
    """A decision of a seat (from 0) or an outcome of `CHANCE`; `before` is the position before it."""

    seat: int
    action: Any
    before: Any


class Moves(Sequence[Move]):
    """The first `length` moves of a list to which later versions append: adding a move copies nothing."""

    __slots__ = ("_length", "_list")

    def __init__(self, moves: list[Move] | None = None, length: int = 0) -> None:
        self._list = [] if moves is None else moves
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> list[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | list[Move]:
        if isinstance(index, slice):
            return [self._list[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._list[index if index >= 0 else self._length + index]

    def plus(self, moves: Iterable[Move]) -> "Moves":
        """Return these moves and some more."""
        shared = self._list
        if len(shared) != self._length:
            # Moves were taken back: an older version still shows them.
            shared = shared[: self._length]
        shared.extend(moves)
        return Moves(shared, len(shared))

    def first(self, length: int) -> "Moves":
        """Return only the first of these moves."""
        return Moves(self._list, min(length, self._length))
