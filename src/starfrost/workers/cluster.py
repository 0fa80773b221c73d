"""Work on a Ray cluster: `ray start --head` on one machine, `ray start --address …` on the others.

Every machine needs the same version of Starfrost and of Python. Ray does the work of a dead process or machine again
and stops what a driver that is gone had begun. Needs `pip install starfrost[cluster]`.
"""

import os
import socket
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from starfrost import __version__
from starfrost.errors import MissingExtra, StarfrostError, UsageError
from starfrost.workers import answer_all, one_thread

try:
    import ray
except ModuleNotFoundError as missing:
    raise MissingExtra("Work on a cluster needs Ray: pip install 'starfrost[cluster]'.") from missing

RETRIES: Final = 10
"""Times that Ray does a share again whose process or machine died."""
PATIENCE: Final = 20.0
"""Seconds to wait for an answer at the address."""


def _answer(wanted: str, work: Callable[[Any], Any], share: list[Any]) -> list[Any]:
    """Return the answers to a share; runs on any machine of the cluster."""
    if __version__ != wanted:
        raise UsageError(
            "A machine of the cluster has version %(here)s of Starfrost, this one %(wanted)s.",
            here=__version__,
            wanted=wanted,
        )
    one_thread()
    return answer_all(work, share)


def _knock(address: str) -> None:
    """Raise OSError if nothing listens at an address with a port; Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()


class Cluster:
    """All cores of a Ray cluster."""

    def __init__(self, address: str) -> None:
        self._mine = not ray.is_initialized()
        if self._mine:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            try:
                _knock(address)
                ray.init(address=address, log_to_driver=False, logging_level="error")
            except (OSError, ValueError, RuntimeError) as error:
                raise UsageError("There is no Ray cluster at %(address)s.", address=address) from error
        self.jobs = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._answer = ray.remote(num_cpus=1, max_retries=RETRIES)(_answer)

    def begin(self, work: Callable[[Any], Any], share: list[Any]) -> Any:
        return self._answer.remote(__version__, work, share)

    def end(self, begun: deque[Any]) -> list[Any]:
        try:
            answers: list[Any] = ray.get(begun[0])
        except ray.exceptions.RayTaskError as error:
            # What the work itself raised, as it is raised on one machine.
            raise error.as_instanceof_cause() from None
        except ray.exceptions.RayError as error:
            raise StarfrostError("The cluster gave up: %(reason)s.", reason=str(error).splitlines()[0]) from error
        begun.popleft()
        return answers

    def close(self, done: bool) -> None:
        if self._mine:
            ray.shutdown()
