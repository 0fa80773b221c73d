"""The terminal kits by game id."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rich.text import Text

from starfrost.games.registry import Part
from starfrost.terminal.menu import Menu
from starfrost.terminal.screen import Screen


class Board(Protocol):
    """Draws the positions of one game and asks for its decisions."""

    def title(self, state: Any) -> str:
        """Return the line at the top."""

    def standings(self, state: Any) -> Sequence[Text]:
        """Draw every seat's points."""

    def parts(self, state: Any, seat: int) -> Sequence[Sequence[Text]]:
        """Draw the table for a seat, in parts that a blank line can separate."""

    def everything(self, state: Any) -> Sequence[Text]:
        """Draw the cards or sheets of all seats, for the command `v`."""

    def ending(self, state: Any, seat: int) -> Sequence[Text]:
        """Draw the part below the standings of a finished game."""

    def menu(self, state: Any) -> Menu:
        """Return the menu of the acting seat."""

    def understand(self, state: Any, text: str) -> Any:
        """Parse a move in record notation, or in words close to it. Raises NotationError."""


@dataclass(frozen=True)
class TerminalKit:
    """The part of a game that the terminal needs."""

    board: Callable[[Screen, Any, Sequence[str]], Board]
    """Make the board for a screen, a game and the players' names."""
    ask: Callable[[Screen], Mapping[str, str]] = lambda screen: {}
    """Ask for the options of a game that the command line does not set."""
    ask_seated: Callable[[Screen, int, Mapping[str, str]], Mapping[str, str]] = lambda screen, seats, headers: {}
    """Ask for options that depend on the number of seats, once that is known; `headers` has those that are set."""
    is_reported: Callable[[Any], bool] = lambda action: True
    """Return whether an event is reported; false if the next event reports it too."""
    is_analysed: Callable[[Any], bool] = lambda game: False
    """Return whether `starfrost analyse` can explain the record of a game."""


BOARDS: Final = Part[TerminalKit]("terminal")
