"""The board of Pig on the pages: the plain board, with the total of the turn and short buttons."""

from collections.abc import Sequence

from pig.game import HOLD, Action

from starfrost.boards import Board, Position
from starfrost.words import Words


class PigBoard(Board):
    """Scores, the total of the turn and two buttons."""

    def facts(self, w: Words, position: Position) -> Sequence[tuple[str, str]]:
        """Return the total of the turn."""
        return [("This turn", str(position.state.total))]

    def button(self, w: Words, position: Position, action: Action) -> str:
        """Return the text of a button."""
        return f"Hold and score {position.state.total}" if action == HOLD else "Roll"
