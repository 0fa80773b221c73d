"""Why one action is better than another, as pages show it: sentences that light up what they name while they are read.

`parts/reasons.html` shows them, and `js/reasons.js` lights the board. Whoever shows a position with the coach's parts
can include both.
"""

from typing import Any, NamedTuple

from starfrost.boards import board_of
from starfrost.coach.judge import Parts
from starfrost.coach.reasons import told
from starfrost.coach.registry import COACHES
from starfrost.games.core import Game
from starfrost.words import Words


class Reason(NamedTuple):
    """A sentence on one part, and what the board lights while it is read (`Board.lights`)."""

    text: str
    lights: str


def reasons_of(w: Words, game: Game[Any, Any], state: Any, better: Any, worse: Any, parts: Parts) -> tuple[Reason, ...]:
    """Return at most two reasons why one action of a position is better than another."""
    sentences = COACHES[game.name].reasons(w, game, state, better, worse, parts)
    board = board_of(game.name)
    return tuple(
        Reason(text, board.lights(game, state, better, worse, part))
        for text, part in zip(sentences, told(parts), strict=True)
    )
