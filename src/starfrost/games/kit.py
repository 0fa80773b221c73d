"""The kit of a game: its title, seats, options and modes, and how to make it.

A `Setup` describes the game to play: its id, a number of seats and options. `Setup.make` turns it into a `Game`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from starfrost.errors import UsageError, mark, quoted
from starfrost.games.core import Game
from starfrost.games.variants import PASTED, RULES, Fields, Variant, opened

CUSTOM: Final = "custom"
"""The mode of a game whose host set the options that modes decide."""

MODE: Final = "mode"
"""The option that names a mode."""

LONGEST_NAME: Final = 24
"""The maximum length of a player's name."""

Draw = Callable[[int, int, str], int]
"""Draw a number from 0 to sides - 1: `draw(sides, die, what)`, where `die` counts from 1 in each roll."""

_DIGITS: Final = re.compile("[0-9]+")


def _unchanged(text: str) -> str:
    return text


@dataclass(frozen=True)
class Option:
    """A setting that the host can choose; its name is a header in records."""

    name: str
    help: str
    """One line of English for the command line."""
    default: int = 0
    """The value of a number if the host gives none."""
    least: int = 1
    most: int = 0
    """The largest number allowed; 0 if the value is a text."""
    most_in_form: int = 0
    """The largest number that a form offers, if it is smaller than `most`."""
    choices: tuple[str, ...] = ()
    """The words that a text can contain."""
    clean: Callable[[str], str] = _unchanged
    """Normalise a text to the form that records use. Raises UsageError."""
    variant: Callable[[Fields], Variant] | None = None
    """Read a rules file: only in the option `rules`, whose text is the content of such a file. Raises UsageError."""

    def number(self, headers: Mapping[str, str]) -> int:
        """Return the number in the headers, or the default; the game checks its limits. Raises UsageError."""
        text = headers.get(self.name, str(self.default)).strip()
        # The length is checked too, because parsing thousands of digits is slow.
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


def rules_option(variant: Callable[[Fields], Variant]) -> Option:
    """Return the option `rules` of a game that can be varied."""
    return Option(
        RULES, mark("a file with rules of your own"), clean=lambda text: variant(opened(text)).text, variant=variant
    )


class Mode(NamedTuple):
    """A named choice of some of the options."""

    headers: Callable[[Random], Mapping[str, str]]
    """Return the record headers that the mode decides."""
    drawn: bool = False
    """Whether every game draws these headers at random."""


@dataclass(frozen=True)
class DailyGame:
    """The daily game: who plays it, with which options, and which play the results are compared with."""

    seats: tuple[str, ...] = ("open",)
    """The guest's seat, `open`, and bots as `bot:NAME`; these must choose the same in equal positions."""
    options: Callable[[int], Mapping[str, str]] = lambda day: {}
    """Return the options of a day; days are numbered as `datetime.date.toordinal` does."""
    compared: tuple[str, ...] = ()
    """Bots that play the same dice in the guest's seat when the day is over, from the weakest to the strongest."""
    tries: int = 0
    """How many games a search that knows the dice plays for the best result; the first of `compared` plays them."""


@dataclass(frozen=True)
class GameKit:
    """A game's description for the rest of the program."""

    id: str
    """The name in records, on the command line and in addresses."""
    title: str
    """The name shown to people: a proper name, the same in every language."""
    seats: tuple[int, ...]
    make: Callable[[int, Mapping[str, str]], Game[Any, Any]]
    """Make a game for a number of seats from record headers. Raises UsageError."""
    outcome: Callable[[Game[Any, Any], Any, Draw], Any]
    """Return the outcome of chance in a state, from numbers that the caller draws."""
    example: str
    """An action in record notation, for help texts."""
    options: tuple[Option, ...] = ()
    modes: Mapping[str, Mode] = field(default_factory=dict)
    """The modes by name, the default first; they all decide the same headers."""
    named_mode: Callable[[Any], str | None] = lambda game: None
    """Return the mode whose fixed options a game has; None if there is none."""
    played: Callable[[Any], Any] = lambda game: game
    """Return what a game plays by, hashable: its rules without what is only named or defined in a variant."""
    daily: DailyGame | None = None
    """The daily game; None if the game has none."""
    last_round: Callable[[Any, Any], int | None] = lambda game, state: None
    """Return the seat (from 0) that brought on the last round; None before that and after the game.

    The default is for games that end at once, without a last round.
    """

    # The other parts of the game, as `module:attribute`; each is imported when it is first used. All are optional.
    words: str = ""
    """A `words.registry.GameWords`: a sentence for each event. Without it events are told in record notation."""
    bots: str = ""
    """The bots by name (`bots.registry.Entry`), from the weakest to the strongest. Without it only `random` plays."""
    terminal: str = ""
    """A `terminal.registry.TerminalKit`: a board and its menus. Without it there is no game in the terminal."""
    board: str = ""
    """A subclass of `boards.Board`. Without it the pages have a plain board with one button for each action."""
    pages: str = ""
    """A FastAPI router with pages of the game's own, such as an atlas of its set-ups."""
    engine: str = ""
    """A `vector.registry.EngineKit`: the same rules for batches. Without it there are no environments."""
    compiled: str = ""
    """A `batch.registry.BatchKit`: bots that play many games at once. Without it simulations play single games."""
    coach: str = ""
    """A `coach.judge.Coach`. Without it there are no hints and no judged games."""
    planned: str = ""
    """A coach that needs no NumPy, for devices without a server. Without it they have no hints."""
    puzzles: str = ""
    """A `coach.puzzles.PuzzleSet`."""
    puzzle_commands: str = ""
    """A `cli.registry.PuzzleKit`: what `starfrost puzzle` adds to the puzzles."""
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Commands of the game's own by name: the module with a function of that name, and the help text."""

    @property
    def decided(self) -> frozenset[str]:
        """The names of the options that a mode decides."""
        return frozenset(name for mode in self.modes.values() for name in mode.headers(Random(0)))

    @property
    def option_names(self) -> tuple[str, ...]:
        """The names that the host can set: the options, and the mode if there are modes."""
        return (*((MODE,) if self.modes else ()), *(option.name for option in self.options))

    @property
    def mode_names(self) -> tuple[str, ...]:
        """The modes that the host can choose, with `CUSTOM` last; empty if there are none."""
        return (*self.modes, CUSTOM) if self.modes else ()

    def mode_of(self, game: Any, chosen: str | None) -> str | None:
        """Return the mode to show for a game; None if there are no modes.

        `chosen` is the mode that the table or the record names. Options that were drawn are no choice of the host, so
        a drawn mode keeps its name.
        """
        if not self.modes:
            return None
        mode = self.modes.get(chosen or "")
        return chosen if mode and mode.drawn else self.named_mode(game) or CUSTOM

    def variant(self, text: str, file: str = PASTED) -> Variant:
        """Read a rules file of this game, as TOML or in its canonical form. Raises UsageError."""
        option = self.option(RULES)
        if option is None or option.variant is None:
            raise UsageError("%(game)s cannot be played with rules of your own.", RULES, game=self.title)
        return option.variant(opened(text, file))

    def option(self, name: str) -> Option | None:
        """Return the option of this name; None if the game does not have it."""
        return next((option for option in self.options if option.name == name), None)
