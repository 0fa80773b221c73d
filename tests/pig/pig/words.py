"""Pig in words."""

from pig.game import HOLD, ROLL, Action, Pig, State

from starfrost.words import Words
from starfrost.words.registry import GameWords


def tell(w: Words, game: Pig, state: State, action: Action, name: str) -> str:
    """Tell in one sentence what an event does."""
    if action == ROLL:
        return f"{name} rolls."
    if action == HOLD:
        return f"{name} holds and scores {state.total}."
    if str(action) == "1":
        return f"{name} rolls a 1 and loses {state.total}."
    return f"{name} rolls a {action}."


RULES = """# Pig

Two to four players race to 100 points with one die.

## A turn

- [P1] Roll the die as often as you dare.
- [P2] A 1 ends the turn, and its points are lost.
- [P3] Hold to score what you have rolled.
"""

KIT = GameWords(
    tell=tell,
    rules={"en": RULES},
    invitation="Roll as often as you dare: a 1 loses the turn.",
    moves="a move in record notation: roll, hold",
)
