"""Bots at the table: they choose in worker processes, outside the event loop, and never see a seed.

A worker receives the game and the position as text and returns an action as text; the service then plays it like a
person's move.
"""

from collections.abc import Mapping
from random import Random
from typing import Any

from structlog import get_logger

from starfrost.bots.outside import is_outside, seconds_of
from starfrost.bots.registry import code_of
from starfrost.bots.thinking import think
from starfrost.errors import StarfrostError
from starfrost.games.core import Game
from starfrost.workers.fair_queue import Owner
from starfrost.workers.pool import WorkerPool

_log = get_logger("starfrost.table")


class BotWorkers:
    """The bots of one server process. Those who opened the tables get equal shares of the workers' time."""

    def __init__(self, workers: int, patience: float, stand_in: str = "greedy") -> None:
        self._patience = patience
        self._stand_in = stand_in
        self._random = Random()
        self.pool = WorkerPool(workers)

    async def choose(
        self, bot: str, game: Game[Any, Any], headers: Mapping[str, str], state: Any, owner: Owner = ("", "")
    ) -> str:
        """Return the action that a bot chooses; the first legal one if the bot fails or takes too long.

        For a bot from outside that fails, the stand-in chooses.
        """
        code = code_of(bot)
        # An engine has a limit of its own besides.
        patience = self._patience + seconds_of(code)
        setup = game.name, game.seats, tuple(sorted(headers.items()))
        place = game.position_text(state), self._random.getrandbits(64)
        try:
            found: str = await self.pool.run(think, code, *setup, *place, timeout=patience, owner=owner)
            return found
        except TimeoutError:
            _log.warning("bot too slow", bot=bot, patience=patience)
        except StarfrostError as error:
            _log.warning("bot failed", bot=bot, error=str(error))
        except Exception as error:
            _log.error("bot failed", bot=bot, error=type(error).__name__)
        if is_outside(code):
            return await self.choose(self._stand_in, game, headers, state, owner)
        return str(game.legal_actions(state)[0])
