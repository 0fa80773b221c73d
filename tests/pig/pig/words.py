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


KIT = GameWords(
    tell=tell,
    invitation="Roll as often as you dare: a 1 loses the turn.",
    moves="a move in record notation: roll, hold",
)
