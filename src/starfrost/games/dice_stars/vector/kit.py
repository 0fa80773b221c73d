"""The engine kit of Dice Stars for `vector.registry`."""

from typing import Any, Final

from starfrost.games.dice_stars import SOLO_BOXES
from starfrost.games.dice_stars.vector.engine import StarsState, VectorStars
from starfrost.games.dice_stars.vector.reference import action_number, mask, observe, pack, reference_action, unpack
from starfrost.vector.game import VectorGame
from starfrost.vector.registry import EngineKit


# Functions with names, so that whatever holds the kit can be pickled.
def _make(game: Any) -> VectorGame[Any]:
    return VectorStars(game.seats, game.solo_boxes or SOLO_BOXES, game.rules)


def _number(game: Any, state: Any, action: Any) -> int:
    return action_number(action, game.rules.stars)


def _action(game: Any, state: Any, number: int) -> Any:
    return reference_action(number, game.rules.stars)


KIT: Final = EngineKit(
    make=_make,
    state=StarsState,
    pack=pack,
    number=_number,
    action=_action,
    mask=mask,
    observe=observe,
    unpack=unpack,
)
