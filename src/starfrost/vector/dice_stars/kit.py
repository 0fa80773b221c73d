"""The engine kit of Dice Stars for `vector.registry`."""

from typing import Final

from starfrost.games.dice_stars import SOLO_BOXES
from starfrost.vector.dice_stars.engine import StarsState, VectorStars
from starfrost.vector.dice_stars.reference import action_number, pack, unpack
from starfrost.vector.registry import EngineKit

KIT: Final = EngineKit(
    make=lambda game: VectorStars(game.seats, game.solo_boxes or SOLO_BOXES, game.rules),
    state=StarsState,
    pack=pack,
    number=lambda game, state, action: action_number(action, game.rules.stars),
    unpack=unpack,
)
