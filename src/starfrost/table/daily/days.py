"""Days of the daily game: they begin and end at midnight UTC, whatever the players' time zones."""

import re
import time
from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta
from typing import Final

from starfrost.errors import Refused

GRACE: Final = 3600.0
"""Seconds after midnight in which games that were begun before it still count; then the seed is shown."""

_DAY: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day_at(now: float) -> str:
    """Return the day of a time in seconds since 1970, as `2026-11-16`."""
    return f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d}"


def today() -> str:
    """Return the day that it is now."""
    return day_at(time.time())


def shifted(day: str, days: int) -> str:
    """Return the day that is some days later, or earlier."""
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def ends(day: str) -> float:
    """Return when a day ends: nobody can begin its game any more."""
    tomorrow = date.fromisoformat(day) + timedelta(days=1)
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=UTC).timestamp()


def opens(day: str) -> float:
    """Return when the envelope of a day is opened: no result counts any more, and the seed is shown."""
    return ends(day) + GRACE


def read_day(text: str) -> str:
    """Return a day that was asked for. Raises Refused if it is no day or has not come yet."""
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        found = date.fromisoformat(text).isoformat()
        # The first and the last days that dates can have are too close to their limits to compute with.
        if not "1970-01-02" <= found <= "9999-12-30":
            raise ValueError
    except ValueError:
        raise Refused("no-day", "There is no such day; write a day as 2026-11-16.", 404) from None
    if found > today():
        raise Refused("day-to-come", "This day has not come yet. Its game begins at midnight UTC.", 404)
    return found


def streaks(played: Collection[str], now: str) -> tuple[int, int]:
    """Return how many days in a row were played up to now, and the most days in a row ever.

    A day that is not over does not break a streak before it has been played.
    """
    days = sorted({date.fromisoformat(day).toordinal() for day in played})
    longest = run = 0
    for number, day in enumerate(days):
        run = run + 1 if number and days[number - 1] == day - 1 else 1
        longest = max(longest, run)
    is_alive = bool(days) and days[-1] >= date.fromisoformat(now).toordinal() - 1
    return (run if is_alive else 0), longest
