"""The engine kit of Dicy Cards for `vector.registry`."""

from typing import Final

from starfrost.vector.dicy_cards.engine import DicyState, VectorDicy
from starfrost.vector.dicy_cards.reference import action_number, pack, unpack
from starfrost.vector.registry import EngineKit

KIT: Final = EngineKit(
    make=lambda game: VectorDicy(game.seats, game.cards, game.goal, game.rules),
    state=DicyState,
    pack=pack,
    number=lambda game, state, action: action_number(game.cards, state.dice, action),
    unpack=unpack,
)
