"""The board of every game in the terminal, found by the game's id."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from rich.text import Text

from starfrost.registry import Registry
from starfrost.terminal.menu import Menu
from starfrost.terminal.screen import Screen

__all__ = ["BOARDS", "Board", "TerminalKit"]


class Board(Protocol):
    """Draws the positions of one game and asks for its decisions."""

    def title(self, state: Any) -> str:
        """Return the line at the top."""

    def standings(self, state: Any) -> Sequence[Text]:
        """Draw everybody's points."""

    def parts(self, state: Any, seat: int) -> Sequence[Sequence[Text]]:
        """Draw the table as a seat sees it, in parts that a blank line may separate."""

    def everything(self, state: Any) -> Sequence[Text]:
        """Draw what everybody has, for the command `v`."""

    def ending(self, state: Any, seat: int) -> Sequence[Text]:
        """Draw what is shown below the standings of a finished game."""

    def menu(self, state: Any) -> Menu:
        """Ask what the acting seat does."""

    def understand(self, state: Any, text: str) -> Any:
        """Read a move in record notation, or in words close to it. Raises NotationError."""


@dataclass(frozen=True)
class TerminalKit:
    """What the terminal needs of a game."""

    board: Callable[[Screen, Any, Sequence[str]], Board]
    """Make the board for a screen, a game and the players' names."""
    ask: Callable[[Screen], Mapping[str, str]] = lambda screen: {}
    """Ask for the options of a game that the command line does not decide."""
    is_told: Callable[[Any], bool] = lambda action: True
    """Return whether an event is told; false if the next event tells it as well."""
    is_analysed: Callable[[Any], bool] = lambda game: False
    """Return whether `starfrost analyse` can explain the record of a game."""


BOARDS: Final[Registry[TerminalKit]] = Registry(
    "starfrost.terminal",
    {"dicy-cards": "starfrost.terminal.dicy_cards:KIT", "dice-stars": "starfrost.terminal.dice_stars:KIT"},
)
