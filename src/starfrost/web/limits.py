"""How often one guest or one address may ask: a bucket that fills at a steady rate."""

import math
import time
from collections import Counter

from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.words import mark

__all__ = ["Limits", "TooMany"]

_MOST_BUCKETS = 50_000


class TooMany(Refused):
    """Asked too often; `wait` is the number of seconds to wait."""

    def __init__(self, wait: float) -> None:
        seconds = max(1, math.ceil(wait))
        super().__init__("slow-down", mark("Too many requests: wait %(seconds)s s."), 429, seconds=seconds)
        self.wait = seconds


class _Buckets:
    """Buckets of one kind, by who asks."""

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_second = per_second
        self._burst = burst
        self._levels: dict[str, tuple[float, float]] = {}

    def take(self, who: str, cost: float = 1.0) -> None:
        """Take from a bucket. Raises TooMany if it is empty."""
        if self._per_second <= 0:
            return
        now = time.monotonic()
        level, at = self._levels.get(who, (self._burst, now))
        level = min(self._burst, level + (now - at) * self._per_second)
        if level < cost:
            raise TooMany((cost - level) / self._per_second)
        if len(self._levels) >= _MOST_BUCKETS:
            self._forget_full_ones(now)
        self._levels[who] = (level - cost, now)

    def _forget_full_ones(self, now: float) -> None:
        full = self._burst / self._per_second
        self._levels = {who: (level, at) for who, (level, at) in self._levels.items() if now - at < full}


class Limits:
    """Every limit of one server process."""

    def __init__(self, settings: Settings) -> None:
        moves = settings.moves_per_second
        opens = settings.opens_per_minute
        requests = settings.requests_per_second
        self._requests = _Buckets(requests, 4 * requests)
        self._moves = _Buckets(moves, 3 * moves)
        self._opens = _Buckets(opens / 60, opens)
        # A house full of people may share one address.
        self._most_streams = 20 * settings.streams_per_guest
        self._streams: Counter[str] = Counter()
        self._unknown = _Buckets(opens / 60 * 4, opens * 4)

    def request(self, address: str) -> None:
        """Count a request of any kind, by address."""
        self._requests.take(address)

    def command(self, guest_id: str) -> None:
        """Count a command of a guest."""
        self._moves.take(guest_id)

    def opening(self, who: str) -> None:
        """Count a new guest (by address) or a new table (by guest)."""
        self._opens.take(who)

    def stream_opened(self, address: str) -> None:
        """Count an open stream, by address. Raises TooMany."""
        if self._streams[address] >= self._most_streams:
            raise TooMany(5.0)
        self._streams[address] += 1

    def stream_closed(self, address: str) -> None:
        """Count it out again."""
        self._streams[address] -= 1
        if self._streams[address] <= 0:
            del self._streams[address]

    def unknown_token(self, address: str) -> None:
        """Count a token that nobody holds, by address."""
        self._unknown.take(address)
