"""Sentences about a game: what an event does, and how the game ended."""

from collections.abc import Sequence
from typing import Any

from starfrost.games.core import OVER, Game
from starfrost.words.catalogue import Words
from starfrost.words.registry import PLAIN, WORDS


def tell(w: Words, game: Game[Any, Any], state: Any, action: Any, names: Sequence[str]) -> str:
    """Return a sentence on what an event in this state does; `names` are the players by seat."""
    actor = game.actor(state)
    name = names[actor if actor >= 0 else game.turn_of(state)]
    return WORDS.get(game.name, PLAIN).tell(w, game, state, action, name)


def result(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str]) -> str:
    """Return a sentence on how a finished game ended; empty before the end."""
    if game.actor(state) != OVER:
        return ""
    if special := WORDS.get(game.name, PLAIN).ending(w, game, state, names):
        return special
    winners = game.winners(state)
    points = game.scores(state)[winners[0]]
    if len(winners) > 1:
        everybody = w.all_of(names[seat] for seat in winners)
        return w("%(names)s share the victory with %(points)s points.", names=everybody, points=points)
    return w("%(name)s wins with %(points)s points.", name=names[winners[0]], points=points)
