"""The playthroughs of Dicy Cards, one per mode, and their format."""

from collections.abc import Iterable, Iterator
from random import Random

from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import MODES as SETS
from starfrost.games.dicy_cards import Action, DicyCards, State, interglacial

MODES = {
    "glacial": (DicyCards(2, SETS["glacial"].cards), 1),
    "interglacial": (DicyCards(3, interglacial(Random(6)), 60), 2),
    "b": (DicyCards(3, SETS["b"].cards, 60), 3),
    "c": (DicyCards(4, SETS["c"].cards, 60), 4),
    "d": (DicyCards(4, SETS["d"].cards, 40), 5),
}


def tell(game: DicyCards, events: Iterable[Action]) -> Iterator[str]:
    """Write a game line by line."""
    state, turn = game.start(), 0
    yield f"# Dicy Cards, {game!r}: written by tests/games/playthroughs.py"
    for action in events:
        if game.starts_turn(state):
            turn += 1
            yield f"turn {turn}: {_table(game, state)}"
        actor, legal = game.actor(state), game.legal_actions(state)
        yield f"* {action}" if actor == CHANCE else f"{actor + 1} {action}{_others(action, legal)}"
        before, state = state, game.apply(state, action)
        if action.verb == "reroll":
            yield f"  keeps {state.dice or 'nothing'}"
        if state.scores != before.scores:
            yield f"  {before.scores[before.seat]} + {state.scores[before.seat] - before.scores[before.seat]} points"
    yield f"scores {' '.join(map(str, game.scores(state)))}"
    yield f"winners {' '.join(str(seat + 1) for seat in game.winners(state))}"
    yield f"position {game.position_text(state)}"


def _others(action: Action, legal: tuple[Action, ...]) -> str:
    """Summarise the other legal actions: the number of ways by card."""
    ways: dict[str, int] = {}
    for other in legal:
        if other != action:
            name = f"{other.verb} {other.card}".strip() if other.verb != "reroll" else "reroll"
            ways[name] = ways.get(name, 0) + 1
    listed = [name if number == 1 else f"{name} in {number} ways" for name, number in ways.items()]
    return f"  (or {', '.join(listed)})" if listed else ""


def _table(game: DicyCards, state: State) -> str:
    seats = []
    for score, active in zip(state.scores, state.active, strict=True):
        frozen = [card for index, card in enumerate(game.cards) if not active >> index & 1]
        seats.append(f"{score}" + (f" without {' '.join(frozen)}" if frozen else ""))
    return ", ".join(seats)
