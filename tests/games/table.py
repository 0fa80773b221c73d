"""Helpers to apply events in either game."""

from typing import Any

from starfrost.games.core import Game


def play(game: Game[Any, Any], state: Any, *events: str) -> Any:
    """Apply events given in record notation, without their seats."""
    for event in events:
        state = game.apply(state, game.parse_action(event))
    return state


def options(game: Game[Any, Any], state: Any) -> list[str]:
    """List the legal actions in record notation."""
    return [str(action) for action in game.legal_actions(state)]
