"""The choice of a bot in another process: what travels is text.

Servers have it made in workers, which import no more than this: they start in a moment and are small.
"""

from functools import lru_cache
from random import Random
from typing import Any

from starfrost.bots.core import Bot
from starfrost.bots.registry import make_bot
from starfrost.games.core import Game
from starfrost.games.registry import make_game


@lru_cache(maxsize=64)
def _seated(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> tuple[Game[Any, Any], Bot]:
    game = make_game(name, seats, dict(headers))
    return game, make_bot(bot, game, meanwhile=True)


def think(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...], position: str, dice: int) -> str:
    """Return the action that a bot chooses in a position."""
    game, player = _seated(bot, name, seats, headers)
    return str(player.choose(game, game.parse_position(position), Random(dice)))
