"""Bots at the table: they choose in worker processes, outside the event loop, and never see a seed.

A worker receives the game and the position as text and returns an action as text; the service then plays it like a
person's move.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from random import Random
from typing import Any

from pebble import ProcessExpired, ProcessPool
from structlog import get_logger

from starfrost.errors import StarfrostError
from starfrost.games.core import Game
from starfrost.games.registry import make_game
from starfrost.players.core import Bot
from starfrost.players.registry import make_bot
from starfrost.pool import end_with_parent, one_thread

_log = get_logger("starfrost.table")
_LONGEST_WAIT = 30.0
"""Seconds that a choice may wait for a worker."""


def prepare_worker() -> None:
    """Set up a worker: people's moves come first, and it ends when the server is gone, even if that was killed."""
    one_thread()
    if hasattr(os, "nice"):
        os.nice(5)
    end_with_parent()


@lru_cache(maxsize=64)
def _seated(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> tuple[Game[Any, Any], Bot]:
    game = make_game(name, seats, dict(headers))
    return game, make_bot(bot, game)


def _think(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...], position: str, dice: int) -> str:
    """Return the action that a bot chooses in a position; runs in a worker."""
    game, player = _seated(bot, name, seats, headers)
    return str(player.choose(game, game.parse_position(position), Random(dice)))


class Thinkers:
    """The worker processes of one server process, started when the first bot has to choose."""

    def __init__(self, workers: int, patience: float) -> None:
        self._workers = workers
        self._patience = patience
        self._pool: ProcessPool | None = None
        self._random = Random()
        self._answers = 0

    async def choose(self, bot: str, game: Game[Any, Any], headers: Mapping[str, str], state: Any) -> str:
        """Return the action that a bot chooses; the first legal one if the bot fails or takes too long."""
        arguments = (bot, game.name, game.seats, tuple(sorted(headers.items())), game.position_text(state))
        for _ in range(2):
            try:
                return await self._ask(*arguments, self._random.getrandbits(64))
            except (ProcessExpired, BrokenProcessPool):
                _log.warning("bot worker died", bot=bot)
            except TimeoutError:
                _log.warning("bot too slow", bot=bot, patience=self._patience)
                break
            except StarfrostError as error:
                _log.warning("bot failed", bot=bot, error=str(error))
                break
            except Exception as error:
                _log.error("bot failed", bot=bot, error=type(error).__name__)
                break
        return str(game.legal_actions(state)[0])

    async def _ask(self, *arguments: Any) -> str:
        """Have a worker choose. Raises TimeoutError if it takes too long or if no worker takes the choice."""
        pool, answers = self._running(), self._answers
        # The time of the pool starts only when a worker takes the choice.
        thought = asyncio.wrap_future(pool.schedule(_think, args=arguments, timeout=self._patience))
        try:
            return await asyncio.wait_for(thought, _LONGEST_WAIT + self._patience)
        except TimeoutError:
            if thought.cancelled() and pool is self._pool and answers == self._answers:
                # These workers have not answered any choice since then.
                self.close()
            raise
        finally:
            self._answers += not thought.cancelled()

    def _running(self) -> ProcessPool:
        """Return the pool; a new one if there is none yet or if all its workers died."""
        if self._pool is None or not self._pool.active:
            self.close()
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPool(self._workers, initializer=prepare_worker, context=context)
        return self._pool

    def close(self) -> None:
        """Stop the workers without waiting for a choice."""
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None
