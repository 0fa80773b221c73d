"""Asks the coach in worker processes, so that moves never wait for it.

A question is answered once and then remembered. It is worked on as long as somebody wants the answer: who waits says
so again and again, and a question that nobody asked for some seconds is dropped.
"""

import asyncio
import multiprocessing
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pebble import ProcessPool
from structlog import get_logger

from starfrost.coach.analysis import Analysis
from starfrost.coach.asking import ask_advice, ask_analysis, ask_verdict, set_up
from starfrost.coach.judging import Advice, Coach, Verdict
from starfrost.coach.registry import COACHES
from starfrost.errors import Refused
from starfrost.games.core import Game
from starfrost.games.record import Record, write_record
from starfrost.pool import prepare_worker

_log = get_logger("starfrost.web")

WANTED: Final = 15.0
"""Seconds after which a question that nobody repeats is dropped."""
LONGEST: Final = 240.0
"""Seconds that the coach may take for one answer."""
MOST_WAITING: Final = 40
"""Questions that may wait at once."""
MOST_KEPT: Final = 600
"""Answers that are remembered."""


class Failed:
    """The answer to a question that could not be answered."""


@dataclass
class _Question:
    """A question that is being worked on."""

    future: asyncio.Future[Any]
    wanted_until: float


class Coaching:
    """The coach of one server process."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._open: dict[Hashable, _Question] = {}
        self._pools: dict[str, ProcessPool] = {}
        self._reaper: asyncio.Task[None] | None = None

    @staticmethod
    def of(game: Game[Any, Any]) -> Coach | None:
        """Return the coach of a game that can judge it now or work out what it needs; None if there is none."""
        coach = COACHES.get(game.name)
        return coach if coach is not None and (coach.can_judge(game) or coach.can_solve(game)) else None

    async def advice(self, game: Game[Any, Any], state: Any, wait: float) -> Advice | None:
        """Return what to do in a position; None if the answer is not there in time."""
        what, exact, position = set_up(game), COACHES[game.name].is_exact(game), game.position_text(state)
        ask = partial(ask_advice, what, exact, position)
        found: Advice | None = await self._ask("moves", ("advice", what, exact, position), ask, wait)
        return found

    async def verdict(self, game: Game[Any, Any], state: Any, action: Any, wait: float) -> Verdict | None:
        """Judge a move; None if the answer is not there in time."""
        what, exact, position = set_up(game), COACHES[game.name].is_exact(game), game.position_text(state)
        ask = partial(ask_verdict, what, exact, position, str(action))
        key = ("verdict", what, exact, position, str(action))
        found: Verdict | None = await self._ask("moves", key, ask, wait)
        return found

    async def analysis(self, record: Record, final: Any, wait: float, *, ask: bool = True) -> Analysis | Failed | None:
        """Judge a game up to its `final` state; None if there is no answer yet. Without `ask`, only look for one."""
        exact = COACHES[record.game.name].is_exact(record.game)
        key = ("analysis", set_up(record.game), exact, tuple(map(str, record.events)))
        if not ask and key not in self._answers:
            return None
        # Names do not matter to the coach, and may be such that a record cannot hold them.
        plain = Record(record.game, tuple(f"Seat {seat + 1}" for seat in range(record.game.seats)), record.events)
        text = "" if key in self._open else write_record(plain, final)
        await self._ask("games", key, partial(ask_analysis, text), wait)
        answer: Analysis | Failed | None = self._answers.get(key)
        return answer

    async def _ask(self, pool: str, key: Hashable, ask: Callable[[], Any], wait: float) -> Any:
        """Return the answer to a question, which a worker of a pool works on if nobody has asked it before."""
        if key in self._answers:
            self._answers.move_to_end(key)
            found = self._answers[key]
            return None if isinstance(found, Failed) else found
        question = self._open.get(key)
        if question is None:
            if len(self._open) >= MOST_WAITING:
                raise Refused("coach-busy", "The coach is busy. Try again in a moment.", 503)
            future = asyncio.wrap_future(self._pool(pool).schedule(ask, timeout=LONGEST))
            question = self._open[key] = _Question(future, 0.0)
            future.add_done_callback(partial(self._answered, key))
            if self._reaper is None or self._reaper.done():
                self._reaper = asyncio.create_task(self._reap(), name="coach")
        question.wanted_until = time.monotonic() + wait + WANTED
        await asyncio.wait({question.future}, timeout=wait)
        found = self._answers.get(key)
        return None if isinstance(found, Failed) else found

    def _answered(self, key: Hashable, future: asyncio.Future[Any]) -> None:
        self._open.pop(key, None)
        if future.cancelled():
            return
        fault = future.exception()
        if fault is not None:
            _log.error("the coach failed", error=type(fault).__name__)
        self._answers[key] = Failed() if fault is not None or future.result() is None else future.result()
        while len(self._answers) > MOST_KEPT:
            self._answers.popitem(last=False)

    async def _reap(self) -> None:
        """Drop the questions that nobody waits for any more."""
        while self._open:
            now = time.monotonic()
            for question in list(self._open.values()):
                if question.wanted_until < now:
                    question.future.cancel()
            await asyncio.sleep(1.0)

    def _pool(self, name: str) -> ProcessPool:
        """Return a pool of one worker: the long work on whole games must not delay a hint."""
        pool = self._pools.get(name)
        if pool is None or not pool.active:
            context = multiprocessing.get_context("spawn")
            pool = self._pools[name] = ProcessPool(1, initializer=prepare_worker, context=context)
        return pool

    async def stop(self) -> None:
        """Stop the workers without waiting for an answer."""
        if self._reaper is not None:
            self._reaper.cancel()
        for pool in self._pools.values():
            pool.stop()  # type: ignore[no-untyped-call]
            await asyncio.to_thread(pool.join)
        self._pools = {}
