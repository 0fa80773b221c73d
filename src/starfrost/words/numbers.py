"""Numbers and dates as a language writes them: `0.5` in English, `0,5` elsewhere."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starfrost.words.catalogue import Words


def count(w: "Words", number: int) -> str:
    """Write a whole number with separators between thousands."""
    if -1000 < number < 1000:
        return str(number)
    from babel.numbers import format_decimal

    return format_decimal(number, locale=w.language)


def decimal(w: "Words", value: float, places: int, *, signed: bool = False) -> str:
    """Write a number with some decimal places; if `signed`, with its sign unless it is zero."""
    from babel.numbers import format_decimal

    rounded = round(value, places) or 0.0
    digits = "0." + "0" * places
    pattern = f"+{digits};-{digits}" if signed and rounded else digits
    return format_decimal(rounded, format=pattern, locale=w.language)


def percent(w: "Words", share: float, places: int = 1, *, signed: bool = False) -> str:
    """Write a probability or its change in per cent."""
    return f"{decimal(w, 100 * share, places, signed=signed)}{_sign(w)}"


def whole_percent(w: "Words", share: float, *, signed: bool = False) -> str:
    """Write a share in whole per cent; if `signed`, with its sign unless it is zero."""
    number = round(100 * share)
    return f"{'+' if signed and number > 0 else ''}{count(w, number)}{_sign(w)}"


def _sign(w: "Words") -> str:
    """Return the per cent sign, with the space that German and Spanish put before it."""
    return "\u00a0%" if w.language in ("de", "es") else "%"


def region(language: str) -> str:
    """Return the locale that dates are written in: English is British."""
    return "en_GB" if language == "en" else language


def day_name(w: "Words", day: str, form: str = "long") -> str:
    """Write a day such as `2026-11-16` in words; the form `month` leaves out the day itself."""
    from datetime import date

    from babel.dates import format_date, format_skeleton

    found = date.fromisoformat(day)
    if form == "month":
        return str(format_skeleton("yMMMM", found, locale=region(w.language)))
    return format_date(found, format=form, locale=region(w.language))


def short_date(w: "Words", at: float) -> str:
    """Write the day of a moment, such as `16 Nov 2026`."""
    return _short_date(w.language, int(at // 86_400))


def clock_time(w: "Words", at: float, east: int) -> str:
    """Write a moment of the coming days, such as `Fri 20:30`, where clocks are some minutes ahead of UTC."""
    from datetime import UTC, datetime, timedelta

    from babel.dates import format_skeleton

    there = datetime.fromtimestamp(at, UTC) + timedelta(minutes=east)
    return f"{format_skeleton('E', there, locale=region(w.language))} {there:%H:%M}"


@lru_cache(maxsize=4096)
def _short_date(language: str, number: int) -> str:
    from datetime import UTC, datetime

    from babel.dates import format_date

    return format_date(datetime.fromtimestamp(number * 86_400, UTC), "medium", locale=region(language))
