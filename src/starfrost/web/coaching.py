"""Asks the coach in worker processes, so that moves never wait for it.

A question is answered once and then remembered. It is worked on as long as somebody wants the answer: who waits says
so again and again, and a question that nobody asked for some seconds is dropped.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from structlog import get_logger

from starfrost.coach.analysis import Analysis, ask_analysis, review_of
from starfrost.coach.asking import Values, ask_advice, ask_values, ask_verdict, set_up
from starfrost.coach.judge import Advice, Verdict
from starfrost.coach.practice import ask_practice
from starfrost.coach.registry import COACHES
from starfrost.errors import Refused
from starfrost.games.core import Game
from starfrost.games.record import Record, write_record
from starfrost.table import Snapshot, historian
from starfrost.table.records import table_record
from starfrost.table.tasks import end
from starfrost.workers.pool import WorkerPool

_log = get_logger("starfrost.web")

WANTED: Final = 15.0
"""Seconds after which a question that nobody repeats is dropped."""
LONGEST: Final = 240.0
"""Seconds that the coach may take for one answer."""
MOST_WAITING: Final = 40
"""Questions that may wait at once."""
MOST_KEPT: Final = 600
"""Answers that are remembered."""
_IDLE: Final = 60.0
"""Seconds without a game to judge after which that worker ends."""


class Failed:
    """The answer to a question that could not be answered."""


@dataclass
class _Question:
    """A question that is being worked on."""

    answer: asyncio.Task[Any]
    wanted_until: float


class CoachWorkers:
    """The coach of one server process; long work on whole games must not delay a hint, nor the history a reader."""

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._open: dict[Hashable, _Question] = {}
        self._moves, self._games = WorkerPool(), WorkerPool()
        self._history = WorkerPool(niceness=10, idle=_IDLE)
        self._reaper: asyncio.Task[None] | None = None

    async def advice(self, game: Game[Any, Any], state: Any, wait: float) -> Advice | None:
        """Return what to do in a position; None if the answer is not there in time."""
        question = ask_advice, set_up(game), COACHES[game.name].is_exact(game), game.position_text(state)
        found: Advice | None = await self._ask(self._moves, question, question, wait)
        return found

    async def values(self, game: Game[Any, Any], state: Any, wait: float) -> Values | None:
        """Return the values of all that can be done in a position; None if the answer is not there in time."""
        question = ask_values, set_up(game), COACHES[game.name].is_exact(game), game.position_text(state)
        found: Values | None = await self._ask(self._moves, question, question, wait)
        return found

    async def verdict(self, game: Game[Any, Any], state: Any, action: Any, wait: float) -> Verdict | None:
        """Judge a move; None if the answer is not there in time."""
        position = game.position_text(state)
        question = ask_verdict, set_up(game), COACHES[game.name].is_exact(game), position, str(action)
        found: Verdict | None = await self._ask(self._moves, question, question, wait)
        return found

    async def analysis(self, record: Record, final: Any, wait: float, *, ask: bool = True) -> Analysis | Failed | None:
        """Judge a game up to its `final` state; None if there is no answer yet. Without `ask`, only look for one."""
        exact = COACHES[record.game.name].is_exact(record.game)
        key = (ask_analysis, set_up(record.game), exact, record.first, tuple(map(str, record.events)))
        if not ask and key not in self._answers:
            return None
        # Names do not matter to the coach, and may be such that a record cannot hold them.
        names = tuple(f"Seat {seat + 1}" for seat in range(record.game.seats))
        plain = Record(record.game, names, record.events, start=record.start)
        text = "" if key in self._open else write_record(plain, final)
        await self._ask(self._games, key, (ask_analysis, text), wait)
        answer: Analysis | Failed | None = self._answers.get(key)
        return answer

    async def review(self, table: Snapshot, estimates: bool) -> Sequence[historian.Verdict] | None:
        """Judge every seat of a finished game for the history; None if nobody can judge it now."""
        coach = COACHES.get(table.game.name)
        if coach is None or not (coach.is_exact(table.game) or (estimates and coach.can_judge(table.game))):
            return None
        try:
            answer = await self._history.run(ask_practice, table_record(table), timeout=LONGEST)
        except (BrokenProcessPool, TimeoutError) as error:
            _log.warning("a game was not judged", table=table.id, error=type(error).__name__)
            return None
        if answer is None:
            return None
        found, practice = answer
        reviews = [review_of(found, seat) for seat in range(table.game.seats)]
        return [
            historian.Verdict(
                "exact" if one.exact else "estimate",
                one.accuracy,
                one.luck,
                dict(one.kinds),
                [(each.id, each.line) for each in practice if each.seat == seat],
            )
            for seat, one in enumerate(reviews)
        ]

    async def _ask(self, pool: WorkerPool, key: Hashable, question: tuple[Any, ...], wait: float) -> Any:
        """Return the answer to a question, which a worker of a pool works on if nobody has asked it before."""
        if key in self._answers:
            self._answers.move_to_end(key)
            found = self._answers[key]
            return None if isinstance(found, Failed) else found
        asked = self._open.get(key)
        if asked is None:
            if len(self._open) >= MOST_WAITING:
                raise Refused("coach-busy", "The coach is busy. Try again in a moment.", 503)
            answer = asyncio.create_task(pool.run(*question, timeout=LONGEST), name="coach")
            asked = self._open[key] = _Question(answer, 0.0)
            answer.add_done_callback(partial(self._answered, key))
            if self._reaper is None or self._reaper.done():
                self._reaper = asyncio.create_task(self._reap(), name="coach")
        asked.wanted_until = time.monotonic() + wait + WANTED
        await asyncio.wait({asked.answer}, timeout=wait)
        found = self._answers.get(key)
        return None if isinstance(found, Failed) else found

    def _answered(self, key: Hashable, answer: asyncio.Future[Any]) -> None:
        self._open.pop(key, None)
        if answer.cancelled():
            return
        fault = answer.exception()
        if fault is not None:
            _log.error("the coach failed", error=type(fault).__name__)
        self._answers[key] = Failed() if fault is not None or answer.result() is None else answer.result()
        while len(self._answers) > MOST_KEPT:
            self._answers.popitem(last=False)

    async def _reap(self) -> None:
        """Drop the questions that nobody waits for any more."""
        while self._open:
            now = time.monotonic()
            for question in list(self._open.values()):
                if question.wanted_until < now:
                    question.answer.cancel()
            await asyncio.sleep(1.0)

    async def stop(self) -> None:
        """Stop the workers without waiting for an answer."""
        await end([*([self._reaper] if self._reaper else []), *(one.answer for one in self._open.values())])
        for pool in (self._moves, self._games, self._history):
            pool.close()
