"""The standings of a room, computed from the results of its games: nothing is stored that could be left behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from typing import Final, NamedTuple

from starfrost.table.results import DEVICE, PEOPLE, Result

PAUSE: Final = 6 * 3600.0
"""Seconds without a game after which another evening begins."""


class Person(NamedTuple):
    """Who played: a guest, with a name where several people share one device."""

    guest: str
    name: str = ""


@dataclass
class Sums:
    """What somebody has reached."""

    games: int = 0
    won: float = 0.0
    """Victories; a shared one counts as its share."""
    points: int = 0

    def add(self, row: Result) -> None:
        """Add a game."""
        self.games += 1
        self.won += row.share
        self.points += row.score

    @property
    def average(self) -> float:
        """The average points."""
        return self.points / max(1, self.games)


@dataclass
class Line:
    """One person's line."""

    name: str
    all: Sums = field(default_factory=Sums)
    evening: Sums = field(default_factory=Sums)
    kinds: dict[tuple[str, int], Sums] = field(default_factory=dict)
    """By game and number of seats."""


@dataclass
class Standings:
    """The games of a room in figures."""

    lines: dict[Person, Line] = field(default_factory=dict)
    """By victories, then by their share, then by name."""
    pairs: dict[tuple[Person, Person], list[int]] = field(default_factory=dict)
    """How often the first was ahead, how often the second, and how often they were level."""
    games: int = 0
    evening: int = 0
    """Games since the last long pause."""
    began: float = 0.0
    """When the first game of that evening ended."""


def standings(rows: Sequence[Result], names: Mapping[str, str]) -> Standings:
    """Compute the standings from the results of a room; `names` are the guests' names of today.

    Games count in which people met, bots among them or not. Whoever left a game to a bot is behind everybody else.
    """
    found = Standings()
    met = [row for row in rows if {PEOPLE, DEVICE} & set(row.against.split("+")) and row.guest is not None]
    tables = [list(of_one) for _, of_one in groupby(sorted(met, key=_place), key=lambda row: row.table_id)]
    ends = [of_one[0].at for of_one in tables]
    first = next((n for n in range(len(ends) - 1, 0, -1) if ends[n] - ends[n - 1] > PAUSE), 0)
    found.games, found.evening = len(ends), len(ends) - first
    found.began = ends[first] if ends else 0.0
    for number, of_one in enumerate(tables):
        people = dict(zip(_people(of_one, names), of_one, strict=True))
        for person, row in people.items():
            name = person.name or names.get(person.guest, row.name)
            line = found.lines.setdefault(person, Line(name))
            kind = line.kinds.setdefault((row.game, row.seats), Sums())
            for sums in (line.all, kind, *([line.evening] if number >= first else [])):
                sums.add(row)
        for one, other in combinations(sorted(people), 2):
            pair = found.pairs.setdefault((one, other), [0, 0, 0])
            left, right = _rank(people[one]), _rank(people[other])
            pair[2 if left == right else 0 if left > right else 1] += 1
    order = sorted(found.lines.items(), key=lambda item: (-item[1].all.won, item[1].all.games, item[1].name))
    found.lines = dict(order)
    return found


def _place(row: Result) -> tuple[float, str, int]:
    return row.at, row.table_id, row.seat


def _rank(row: Result) -> tuple[bool, float, int]:
    return row.bot is None, row.share, row.score


def _people(rows: Sequence[Result], names: Mapping[str, str]) -> list[Person]:
    """Return who sat at the seats of one table; somebody else at a guest's device is known by a name."""
    guests = [row.guest for row in rows]
    return [
        Person(
            str(row.guest), row.name if guests.count(row.guest) > 1 and row.name != names.get(str(row.guest)) else ""
        )
        for row in rows
    ]
