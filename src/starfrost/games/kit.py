"""What a game declares about itself: its title, seats, options and modes, and how to set it up.

A `Setup` is what somebody wants to play: a game, a number of seats and options. `Setup.make` turns it into a `Game`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from starfrost.errors import UsageError, quoted
from starfrost.games.core import Game

__all__ = ["CUSTOM", "LONGEST_NAME", "MODE", "Draw", "GameKit", "Mode", "Option"]

CUSTOM: Final = "custom"
"""The mode of a game whose host chose for himself what the modes decide."""

MODE: Final = "mode"
"""The option that names a mode."""

LONGEST_NAME: Final = 24
"""The most characters of a player's name."""

Draw = Callable[[int, int, str], int]
"""Draw a number from 0 to sides - 1: `draw(sides, die, what)`, where `die` counts from 1 in each roll."""

_DIGITS: Final = re.compile("[0-9]+")


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Option:
    """Something that a host may set, under the name that records use in their headers."""

    name: str
    help: str
    """One line of English for the command line."""
    default: int = 0
    """The value of a number that is not given."""
    least: int = 1
    most: int = 0
    """The largest number allowed; 0 if the value is a text."""
    most_in_form: int = 0
    """The largest number that a form offers, if that is less."""
    choices: tuple[str, ...] = ()
    """The words that a text is made of."""
    clean: Callable[[str], str] = _as_it_is
    """Bring a text into the form that records use. Raises UsageError."""

    def number(self, headers: Mapping[str, str]) -> int:
        """Return the number that the headers give, or the default; the game checks its limits. Raises UsageError."""
        text = headers.get(self.name, str(self.default)).strip()
        # The length is checked too: reading thousands of digits takes long.
        if not _DIGITS.fullmatch(text) or len(text) > len(str(self.most)):
            raise UsageError(
                "'%(header)s' is a whole number from %(least)s to %(most)s, not %(found)s.",
                self.name,
                header=self.name,
                least=self.least,
                most=self.most,
                found=quoted(text),
            )
        return int(text)


class Mode(NamedTuple):
    """A named choice of some of the options."""

    headers: Callable[[Random], Mapping[str, str]]
    """Return the record headers that the mode decides."""
    drawn: bool = False
    """Whether every game draws them anew."""


@dataclass(frozen=True)
class GameKit:
    """A game as the rest of the program knows it."""

    id: str
    """The name in records, on the command line and in addresses."""
    title: str
    """The name that people read: a proper name, the same in every language."""
    seats: tuple[int, ...]
    make: Callable[[int, Mapping[str, str]], Game[Any, Any]]
    """Make a game for a number of seats from record headers. Raises UsageError."""
    outcome: Callable[[Game[Any, Any], Any, Draw], Any]
    """Return the outcome of chance in a state, from numbers that the caller draws."""
    example: str
    """An action in record notation, for help texts."""
    options: tuple[Option, ...] = ()
    modes: Mapping[str, Mode] = field(default_factory=dict)
    """The modes by name, the usual one first; they all decide the same headers."""

    @property
    def decided(self) -> frozenset[str]:
        """The names of the options that a mode decides."""
        return frozenset(name for mode in self.modes.values() for name in mode.headers(Random(0)))

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names of everything a host may set: the options, and the mode if there are modes."""
        return (*((MODE,) if self.modes else ()), *(option.name for option in self.options))

    @property
    def mode_names(self) -> tuple[str, ...]:
        """The modes that a host may choose from, with the choice of one's own last; empty if there are none."""
        return (*self.modes, CUSTOM) if self.modes else ()

    def option(self, name: str) -> Option | None:
        """Return the option of this name; None if the game has none."""
        return next((option for option in self.options if option.name == name), None)
