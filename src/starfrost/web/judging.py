"""Judges finished games for the history, in a process of its own: exact where values are at hand, else by estimates."""

import asyncio
import multiprocessing
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from pebble import ProcessExpired, ProcessPool
from structlog import get_logger

from starfrost.coach.asking import ask_reviews
from starfrost.coach.judging import Review
from starfrost.coach.registry import COACHES
from starfrost.pool import prepare_worker
from starfrost.table import Snapshot
from starfrost.table.historian import Verdict
from starfrost.table.records import table_record

_log = get_logger("starfrost.web")
_PATIENCE: Final = 180.0
"""Seconds that a game may take."""
_IDLE: Final = 60.0
"""Seconds without a game after which the process ends."""


class Reviewer:
    """One worker process, started when there is a game to judge."""

    def __init__(self) -> None:
        self._pool: ProcessPool | None = None
        self._closing: asyncio.TimerHandle | None = None

    async def __call__(self, table: Snapshot, estimates: bool) -> Sequence[Verdict] | None:
        """Judge every seat of a finished game; None if nobody can judge it now."""
        coach = COACHES.get(table.game.name)
        if coach is None or not (coach.is_exact(table.game) or (estimates and coach.can_judge(table.game))):
            return None
        if self._closing is not None:
            self._closing.cancel()
        if self._pool is None or not self._pool.active:
            self.close()
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPool(1, initializer=prepare_worker, context=context)
        job = self._pool.schedule(ask_reviews, args=(table_record(table),), timeout=_PATIENCE)
        try:
            found: list[Review] | None = await asyncio.wrap_future(job)
        except (ProcessExpired, BrokenProcessPool, TimeoutError) as error:
            _log.warning("a game was not judged", table=table.id, error=type(error).__name__)
            return None
        finally:
            self._closing = asyncio.get_running_loop().call_later(_IDLE, self.close)
        if found is None:
            return None
        return [Verdict("exact" if one.exact else "estimate", one.accuracy, one.luck, dict(one.kinds)) for one in found]

    def close(self) -> None:
        """End the process without waiting for a game."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        if self._pool is not None:
            self._pool.stop()  # type: ignore[no-untyped-call]
            self._pool.join()
            self._pool = None
