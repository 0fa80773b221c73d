"""The engine kit of Dicy Cards for `vector.registry`."""

from typing import Any, Final

from starfrost.games.dicy_cards.vector.engine import DicyState, VectorDicy
from starfrost.games.dicy_cards.vector.reference import action_number, mask, observe, pack, reference_action, unpack
from starfrost.vector.game import VectorGame
from starfrost.vector.registry import EngineKit


# Functions with names, so that whatever holds the kit can be pickled.
def _make(game: Any) -> VectorGame[Any]:
    return VectorDicy(game.seats, game.cards, game.goal, game.rules)


def _number(game: Any, state: Any, action: Any) -> int:
    return action_number(game.cards, state.dice, action)


def _action(game: Any, state: Any, number: int) -> Any:
    return reference_action(game.cards, state.dice, number)


KIT: Final = EngineKit(
    make=_make,
    state=DicyState,
    pack=pack,
    number=_number,
    action=_action,
    mask=mask,
    observe=observe,
    unpack=unpack,
)
