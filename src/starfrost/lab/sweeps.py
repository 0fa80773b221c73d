"""Sweeps: the values of an option, or of any number in a rules file, that `starfrost balance` tries."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple

from starfrost.errors import UsageError, quoted
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.games.variants import LONGEST_NAME, RULES

MOST_VALUES: Final = 1000
"""The most combinations of values: each is a table of its own."""
_RANGE: Final = re.compile(r"(.*?)(-?\d{1,7})\.\.(-?\d{1,7})(?:\.\.(\d{1,7}))?(.*)")
_COMMA: Final = re.compile(r",(?![^(]*\))")
"""Between the values of a list; those inside of brackets belong to an expression."""
_DEALS: Final = 60
"""Draws of cards in which every one of the twelve is dealt, but for a chance of one in 10**14."""


class Combination(NamedTuple):
    """One combination of swept values."""

    label: str
    """Such as `goal=60`; empty if nothing is swept."""
    options: Mapping[str, str | int]
    """All options of the setup."""
    value: int | None = None
    """The number that the first sweep tries; None if it tries words."""


def swept(text: str) -> Iterator[tuple[str, int | None, str | int]]:
    """Yield the values of `name=first..last`, `name=first..last..step` or a list such as `mode=b,c`. Raises UsageError.

    Each comes as the name, the number and the whole value: in `points=sum + 3..8` the numbers are part of a formula.
    """
    name, _, span = text.partition("=")
    values = [value.strip() for value in _COMMA.split(span)]
    found = _RANGE.fullmatch(values[0])
    first, last, step = (int(found[2]), int(found[3]), int(found[4] or 1)) if found else (1, 0, 1)
    if not name.strip() or not all(values) or (len(values) == 1 and (found is None or step < 1 or last < first)):
        raise UsageError(
            "%(text)s is neither a range nor a list: expected goal=60..140..10 or mode=b,c, for example.",
            text=quoted(text),
        )
    if len(values) > 1:
        for value in values:
            number = int(value) if re.fullmatch(r"-?\d{1,7}", value) else None
            yield name.strip(), number, value if number is None else number
    elif found is not None:
        for number in range(first, last + 1, step):
            yield name.strip(), number, f"{found[1]}{number}{found[5]}" if found[1] or found[5] else number


def trials(game: str, options: Mapping[str, str | int], sweeps: Sequence[str]) -> list[Combination]:
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
        found.append(Combination(label, tried, chosen[0][1] if chosen else None))
    return found


def check_sweeps(game: str, seats: int, found: Sequence[Combination]) -> None:
    """Raise UsageError where two trials play the same game at a table: a name in a sweep is wrong, say."""
    seen: dict[object, str] = {}
    for trial in found:
        setup = Setup.of(game, seats, **trial.options)
        deals = range(_DEALS if setup.drawn else 1)
        rules = (trial.options.get(MODE), *(setup.kit.played(setup.make(Random(deal))) for deal in deals))
        if rules in seen:
            raise UsageError(
                "%(one)s and %(other)s are the same game: no rule that is played there differs.",
                one=quoted(seen[rules]),
                other=quoted(trial.label),
            )
        seen[rules] = trial.label


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
