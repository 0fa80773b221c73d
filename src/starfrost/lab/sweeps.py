"""Sweeps: the values of an option, or of any number in a rules file, that `starfrost balance` tries."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from starfrost.errors import UsageError, quoted
from starfrost.games.registry import GAMES
from starfrost.games.variants import LONGEST_NAME, RULES

MOST_VALUES: Final = 1000
"""The most combinations of values: each is a table of its own."""
_RANGE: Final = re.compile(r"(.*?)(-?\d{1,7})\.\.(-?\d{1,7})(?:\.\.(\d{1,7}))?(.*)")


class Trial(NamedTuple):
    """One combination of swept values."""

    label: str
    """Such as `goal=60`; empty if nothing is swept."""
    options: Mapping[str, str | int]
    """All options of the setup."""
    value: int = 0
    """The number that the first sweep tries."""


def swept(text: str) -> Iterator[tuple[str, int, str | int]]:
    """Yield the values of `name=first..last` or `name=first..last..step`. Raises UsageError.

    Each comes as the name, the number and the whole value: in `points=sum + 3..8` the numbers are part of a formula.
    """
    name, _, span = text.partition("=")
    found = _RANGE.fullmatch(span.strip())
    first, last, step = (int(found[2]), int(found[3]), int(found[4] or 1)) if found else (1, 0, 1)
    if found is None or not name or step < 1 or last < first:
        raise UsageError("%(text)s is no range: expected one such as goal=60..140..10.", text=quoted(text))
    for number in range(first, last + 1, step):
        yield name.strip(), number, f"{found[1]}{number}{found[5]}" if found[1] or found[5] else number


def trials(game: str, options: Mapping[str, str | int], sweeps: Sequence[str]) -> list[Trial]:
    """Return every combination of the swept values; the options without a sweep. Raises UsageError."""
    values = []
    for text in sweeps:
        values.append(list(swept(text)))
        count = 1
        for each in values:
            count *= len(each)
        if count > MOST_VALUES:
            raise UsageError("%(count)s values are too many; at most %(most)s.", count=count, most=MOST_VALUES)
    found = []
    for chosen in product(*values):
        label = ", ".join(f"{name}={value}" for name, _, value in chosen)
        tried = dict(options)
        for name, _, value in chosen:
            if name in GAMES[game].option_names and name != RULES:
                tried[name] = value
            else:
                tried[RULES] = _changed(game, tried.get(RULES), name, value)
        if tried.get(RULES) != options.get(RULES):
            # An error names the value that the rules refuse.
            tried[RULES] = GAMES[game].variant(str(tried[RULES]), label).text
        found.append(Trial(label, tried, chosen[0][1] if chosen else 0))
    return found


def _changed(game: str, text: str | int | None, path: str, value: str | int) -> str:
    """Return rules with another value at a path such as `card.odds.points` or `handicap.1`. Raises UsageError.

    Keys that are missing are added; whether they exist is for the rules to say. Places in a list count from 1.
    """
    rules: Any = {"game": game, "name": path[:LONGEST_NAME]} if text is None else json.loads(str(text))
    *outer, last = path.split(".")
    here = rules
    for at, key in enumerate(outer):
        if isinstance(here, dict) and key not in here and (*outer, last)[at + 1].isdecimal():
            raise UsageError("The sweep of %(path)s needs the list %(key)s in a rules file.", path=path, key=key)
        here = here.setdefault(key, {}) if isinstance(here, dict) else here[_place(path, here, key)]
    here[last if isinstance(here, dict) else _place(path, here, last)] = value
    return json.dumps(rules)


def _place(path: str, values: object, key: str) -> int:
    """Return the index of a place in a list. Raises UsageError."""
    if not isinstance(values, list):
        raise UsageError("The sweep of %(path)s leads nowhere: a number has no %(key)s.", path=path, key=quoted(key))
    if not key.isdecimal() or not 1 <= int(key) <= len(values):
        raise UsageError(
            "The sweep of %(path)s leads nowhere: the list has the places 1 to %(count)s.",
            path=path,
            count=len(values),
        )
    return int(key) - 1
