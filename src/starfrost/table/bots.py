"""Bots at the table: they choose in worker processes, outside the event loop, and never see a seed.

A worker receives the game and the position as text and returns an action as text; the service then plays it like a
person's move.
"""

import asyncio
import multiprocessing
import threading
import time
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from random import Random
from typing import Any

from pebble import ProcessExpired, ProcessPool
from structlog import get_logger

from starfrost.errors import StarfrostError
from starfrost.games.core import Game
from starfrost.players.outside import is_outside
from starfrost.players.registry import code_of
from starfrost.players.thinking import think
from starfrost.pool import prepare_worker
from starfrost.table.sharing import FairQueue, Owner

_log = get_logger("starfrost.table")
_LONGEST_START = 30.0
"""Seconds that a worker may take to start."""
_GRACE = 1.0
"""Seconds beyond its patience that a worker may take to be told that it is too slow."""


class _Worker:
    """One worker process, started when it is needed and replaced when it dies or hangs."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._pool: ProcessPool | None = None
        self._started = False
        self._ending: list[threading.Thread] = []

    async def ask(self, arguments: tuple[Any, ...]) -> str:
        """Have the process choose. Raises TimeoutError if it takes too long, BrokenProcessPool if it is stopped."""
        # The time of the pool starts only when the process takes the choice.
        thought = asyncio.wrap_future(self._running().schedule(think, args=arguments, timeout=self._patience))
        longest = self._patience + (_GRACE if self._started else _LONGEST_START)
        try:
            done, _ = await asyncio.wait({thought}, timeout=longest)
        finally:
            if not thought.done():
                thought.cancel()
                self._replace()
        if not done:
            raise TimeoutError
        if thought.cancelled():
            raise BrokenProcessPool("the worker was stopped")
        # After an error the process may have to start again.
        self._started = thought.exception() is None
        return thought.result()

    def _running(self) -> ProcessPool:
        if self._pool is None or not self._pool.active:
            self._replace()
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPool(1, initializer=prepare_worker, context=context)
        return self._pool

    def _replace(self) -> None:
        """Leave the process to a thread that ends it: that takes seconds if the process hangs."""
        pool, self._pool, self._started = self._pool, None, False
        if pool is not None:
            self._ending = [thread for thread in self._ending if thread.is_alive()]
            self._ending.append(threading.Thread(target=_end, args=(pool,), daemon=True, name="end-bots"))
            self._ending[-1].start()

    def close(self) -> None:
        """End the process without waiting for a choice."""
        self._replace()
        for thread in self._ending:
            thread.join()


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


@dataclass(frozen=True, slots=True)
class _Choice:
    arguments: tuple[Any, ...]
    answer: asyncio.Future[str]


class Thinkers:
    """The worker processes of one server process, and the choices that wait for them.

    A choice fails alone: each worker has a process of its own, and time counts from when it takes the choice. Those who
    opened the tables get equal shares of the workers' time.
    """

    def __init__(self, workers: int, patience: float, stand_in: str = "greedy") -> None:
        self._patience = patience
        self._stand_in = stand_in
        self._workers = [_Worker(patience) for _ in range(workers)]
        self._idle = list(self._workers)
        self._queue: FairQueue[_Choice] = FairQueue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._random = Random()
        self._closed = False

    @property
    def waiting(self) -> int:
        """Return how many choices wait for a worker."""
        return len(self._queue)

    async def choose(
        self, bot: str, game: Game[Any, Any], headers: Mapping[str, str], state: Any, owner: Owner = ("", "")
    ) -> str:
        """Return the action that a bot chooses; the first legal one if the bot fails or takes too long.

        For a bot from outside that fails, the stand-in chooses.
        """
        arguments = (code_of(bot), game.name, game.seats, tuple(sorted(headers.items())), game.position_text(state))
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._queue.put(owner, _Choice((*arguments, self._random.getrandbits(64)), answer))
        self._hand_out()
        try:
            return await answer
        except TimeoutError:
            _log.warning("bot too slow", bot=bot, patience=self._patience)
        except StarfrostError as error:
            _log.warning("bot failed", bot=bot, error=str(error))
        except Exception as error:
            _log.error("bot failed", bot=bot, error=type(error).__name__)
        if is_outside(arguments[0]):
            return await self.choose(self._stand_in, game, headers, state, owner)
        return str(game.legal_actions(state)[0])

    def _hand_out(self) -> None:
        """Give the choices whose turn it is to the workers that have nothing to do."""
        while self._idle and self._queue:
            owner, choice = self._queue.take()
            if not choice.answer.done():
                task = asyncio.create_task(self._work(self._idle.pop(), owner, choice), name="choice")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _work(self, worker: _Worker, owner: Owner, choice: _Choice) -> None:
        """Have a worker make a choice, again with a new process if it dies, then hand out the next ones."""
        began = time.monotonic()
        fault: Exception = BrokenProcessPool("the workers died")
        try:
            for _ in range(2):
                try:
                    found = await worker.ask(choice.arguments)
                except (ProcessExpired, BrokenProcessPool):
                    _log.warning("bot worker died", bot=choice.arguments[0])
                    continue
                if not choice.answer.done():
                    choice.answer.set_result(found)
                return
        except Exception as error:
            fault = error
        finally:
            self._idle.append(worker)
            self._queue.charge(owner, time.monotonic() - began)
            if not self._closed:
                self._hand_out()
        if not choice.answer.done():
            choice.answer.set_exception(fault)

    def close(self) -> None:
        """Stop the workers without waiting for a choice."""
        self._closed = True
        for task in list(self._tasks):
            task.cancel()
        for worker in self._workers:
            worker.close()
