"""Sentences about a game: its mode, what an event does, the last round, and how the game ended."""

from collections.abc import Sequence
from typing import Any

from starfrost.games.core import OVER, Game
from starfrost.games.kit import CUSTOM
from starfrost.games.registry import GAMES
from starfrost.games.setup import variant_of
from starfrost.words.catalogue import Words, mark
from starfrost.words.registry import PLAIN, WORDS


def tell(w: Words, game: Game[Any, Any], state: Any, action: Any, names: Sequence[str]) -> str:
    """Return a sentence on what an event in this state does; `names` are the players by seat."""
    actor = game.actor(state)
    name = names[actor if actor >= 0 else game.turn_of(state)]
    return WORDS.get(game.name, PLAIN).tell(w, game, state, action, name)


def last_round(w: Words, game: Game[Any, Any], state: Any, names: Sequence[str]) -> str:
    """Return the announcement of the last round and of who brought it on; empty before that and after the game."""
    seat = GAMES[game.name].last_round(game, state)
    if seat is None:
        return ""
    why = WORDS.get(game.name, PLAIN).last_round(w, game, state, seat, names[seat])
    return " ".join((why, w("This is the last round.")))


def needed(w: Words, game: Game[Any, Any], state: Any, seat: int) -> str:
    """Return how many points a seat needs for the lead in the last round, before its turn is over; empty otherwise."""
    if GAMES[game.name].last_round(game, state) is None or game.seats < 2 or game.turn_of(state) > seat:
        return ""
    scores = game.scores(state)
    behind = max(score for other, score in enumerate(scores) if other != seat) - scores[seat]
    if behind < 0:
        return ""
    return w.plural("You need one point for the lead.", "You need %(n)s points for the lead.", behind + 1)


def ending(
    w: Words, game: Game[Any, Any], state: Any, action: Any, names: Sequence[str], after: Any | None = None
) -> str:
    """Return the announcement of the last round or of the end of the game if an event brings it on; empty otherwise.

    `after` is the state after the event, where it is known already.
    """
    if GAMES[game.name].last_round(game, state) is not None:
        return ""
    after = game.apply(state, action) if after is None else after
    return w("That ends the game.") if game.actor(after) == OVER else last_round(w, game, after, names)


def narrate(w: Words, game: Game[Any, Any], state: Any, action: Any, names: Sequence[str]) -> str:
    """Return what an event does, and the last round or the end of the game if the event brings it on."""
    return f"{tell(w, game, state, action, names)} {ending(w, game, state, action, names)}".rstrip()


def mode_label(w: Words, game: Game[Any, Any], chosen: str | None) -> str:
    """Return the name of a game's mode, where `chosen` is the one that its table or record names; empty if none.

    A variant is always named, so that nobody takes it for the official game.
    """
    variant, mode = variant_of(game), GAMES[game.name].mode_of(game, chosen)
    if variant and mode == CUSTOM:
        mode = None
    label = w(WORDS.get(game.name, PLAIN).modes.get(mode, (mode,))[0]) if mode else ""
    return " · ".join(filter(None, (variant_label(w, variant["name"]) if variant else "", label)))


def variant_label(w: Words, name: str) -> str:
    """Return the words that mark a game as a variant."""
    return w("Variant “%(name)s”", name=name)


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
    wins = mark("%(name)s wins with %(points)s points."), mark("You win with %(points)s points.")
    return w.told(names[winners[0]], *wins, points=points)
