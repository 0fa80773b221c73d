"""The board of Pig in the terminal."""

from collections.abc import Sequence

from pig.game import HOLD, ROLL, Action, Pig, State
from rich.text import Text

from starfrost.terminal.menu import Menu, Option
from starfrost.terminal.registry import TerminalKit
from starfrost.terminal.screen import Screen


class PigBoard:
    """Draws a game of Pig and asks for its decisions."""

    def __init__(self, screen: Screen, game: Pig, names: Sequence[str]) -> None:
        self.game, self.names = game, names

    def title(self, state: State) -> str:
        """Return the line at the top."""
        return f"Pig · goal: {self.game.goal}"

    def standings(self, state: State) -> list[Text]:
        """Draw everybody's points."""
        return [
            Text(f" {'▶' if seat == state.seat and not state.over else ' '} {name:<16}{score:>5}")
            for seat, (name, score) in enumerate(zip(self.names, state.scores, strict=True))
        ]

    def parts(self, state: State, seat: int) -> list[list[Text]]:
        """Draw the points, then the total of the turn."""
        return [self.standings(state), [Text(f"   this turn: {state.total}")]]

    def everything(self, state: State) -> list[Text]:
        """Draw everybody's points: there is nothing else."""
        return self.standings(state)

    def ending(self, state: State, seat: int) -> list[Text]:
        """Draw nothing: the standings show everything."""
        return []

    def menu(self, state: State) -> Menu:
        """Ask whether the acting seat rolls or holds."""
        options = [Option("1", Text("roll"), ROLL)]
        if state.total:
            options.append(Option("2", Text(f"hold and score {state.total}"), HOLD))
        return Menu(f"{self.names[state.seat]}, do you roll or hold?", options, options[0])

    def understand(self, state: State, text: str) -> Action:
        """Read a move in record notation. Raises NotationError."""
        return self.game.parse_action(text.lower())


KIT = TerminalKit(board=PigBoard, is_reported=lambda action: action != ROLL)
