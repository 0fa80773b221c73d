"""Bots at the table: they think in worker processes, outside the event loop, and never see a seed.

A worker is handed the set-up and the position as text, and answers with an action as text; the service then plays it
through the same door as a person's.
"""

import asyncio
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from random import Random
from typing import Any

from structlog import get_logger

from starfrost.errors import StarfrostError
from starfrost.games.core import Game
from starfrost.games.registry import make_game
from starfrost.players.core import Bot
from starfrost.players.registry import make_bot

__all__ = ["Thinkers"]

_log = get_logger("starfrost.table")


def _prepare() -> None:
    """Set up a worker: the server decides when it stops, and it ends when the server is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        # People's moves come first.
        os.nice(5)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            multiprocessing.connection.wait([parent.sentinel])
        os._exit(0)

    threading.Thread(target=follow, daemon=True).start()


@lru_cache(maxsize=64)
def _seated(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...]) -> tuple[Game[Any, Any], Bot]:
    game = make_game(name, seats, dict(headers))
    return game, make_bot(bot, game)


def _think(bot: str, name: str, seats: int, headers: tuple[tuple[str, str], ...], position: str, dice: int) -> str:
    """Choose an action for the position; runs in a worker."""
    game, player = _seated(bot, name, seats, headers)
    return str(player.choose(game, game.parse_position(position), Random(dice)))


class Thinkers:
    """The worker processes of one server process, started when the first bot has to think."""

    def __init__(self, workers: int, patience: float) -> None:
        self._workers = workers
        self._patience = patience
        self._pool: ProcessPoolExecutor | None = None
        self._random = Random()

    async def choose(self, bot: str, game: Game[Any, Any], headers: Mapping[str, str], state: Any) -> str:
        """Let a bot choose; one that fails or dawdles plays its first legal action, so that nobody waits for ever."""
        arguments = (bot, game.name, game.seats, tuple(sorted(headers.items())), game.position_text(state))
        for _ in range(2):
            pool = self._pool
            if pool is None:
                context = multiprocessing.get_context("spawn")
                pool = self._pool = ProcessPoolExecutor(self._workers, mp_context=context, initializer=_prepare)
            try:
                thought = asyncio.get_running_loop().run_in_executor(
                    pool, _think, *arguments, self._random.getrandbits(64)
                )
                return await asyncio.wait_for(thought, self._patience)
            except BrokenProcessPool:
                _log.warning("bot worker died", bot=bot)
                if self._pool is pool:
                    self._pool = None
            except TimeoutError:
                _log.warning("bot too slow", bot=bot, patience=self._patience)
                self._discard(pool)
                break
            except StarfrostError as error:
                _log.warning("bot failed", bot=bot, error=str(error))
                break
            except Exception as error:
                _log.error("bot failed", bot=bot, error=type(error).__name__)
                break
        return str(game.legal_actions(state)[0])

    def _discard(self, pool: ProcessPoolExecutor) -> None:
        """Drop a pool whose worker is stuck."""
        if self._pool is pool:
            self._pool = None
        processes = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()

    def close(self) -> None:
        """Stop the workers without waiting for a thought."""
        if self._pool is not None:
            self._discard(self._pool)
