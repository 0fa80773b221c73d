"""The balance of a game: equal bots in every seat, for several table sizes and several values of an option.

The sums are exact integers (`shards`), so memory does not grow with the number of games.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from starfrost.errors import UsageError, quoted
from starfrost.games.setup import Setup
from starfrost.lab.deals import Played, Player, fact_names, games_at_once, play_deals, ready_here
from starfrost.lab.shards import add, ranges, shard_size
from starfrost.lab.statistics import Rate, group_sums, rate_of
from starfrost.pool import Crew, spread


@dataclass(frozen=True)
class Table:
    """Equal bots at one table; the task that processes play."""

    setup: Setup
    bot: str
    seed: int

    def __call__(self, numbers: range) -> Played:
        """Play games."""
        ready_here(self.setup, (self.bot,))
        seating = [Player(self.bot, (seat,)) for seat in range(self.setup.seats)]
        return play_deals(self.setup, self.seed, numbers, [seating], fewest=1)

    def as_json(self) -> dict[str, Any]:
        """Return what decides the results."""
        return asdict(self)


class Seat(NamedTuple):
    """The results of one seat."""

    win_rate: Rate
    mean_score: float
    facts: dict[str, float]
    """What the seat did per game."""


class Balance(NamedTuple):
    """The balance at one table."""

    players: int
    option: str
    """The value of the option, as `name=value`; empty if none is tried."""
    games: int
    mean_turns: float
    seats: tuple[Seat, ...]
    scores: dict[int, int]
    """The number of final scores, by score."""
    turns: dict[int, int]
    """The number of games, by turns."""

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        seats = [
            {"win_rate": seat.win_rate.mean, "interval": list(seat.win_rate.interval), "mean_score": seat.mean_score}
            | {"facts": seat.facts}
            for seat in self.seats
        ]
        return {**self._asdict(), "seats": seats}


def sums_of(found: Played) -> dict[str, Any]:
    """Return the sums of some games."""
    scores, credits, turns, facts = found.scores[:, 0], found.credits[:, 0], found.turns[:, 0], found.facts[:, 0]

    def counted(values: Any) -> dict[str, int]:
        each, count = np.unique(values, return_counts=True)
        return {str(value): int(number) for value, number in zip(each, count, strict=True)}

    return {
        "games": len(turns),
        "turns": counted(turns),
        "scores": counted(scores),
        "seats": [
            {
                "credits": group_sums(credits[:, seat : seat + 1]),
                "score": int(scores[:, seat].sum()),
                "facts": [int(fact) for fact in facts[:, seat].sum(axis=0)],
            }
            for seat in range(scores.shape[1])
        ],
    }


def measure(
    table: Table,
    option: str,
    games: int,
    crew: Crew | int,
    progress: Callable[[int], object] = lambda games: None,
    each: Callable[[range, Played], object] = lambda numbers, found: None,
) -> Balance:
    """Play games at a table; `each` gets every game, a shard at a time and in order."""
    jobs = crew if isinstance(crew, int) else crew.jobs
    size = shard_size(games, games_at_once(table.setup, (table.bot,)), jobs)
    sums: Any = None
    shards = list(ranges(0, games, size))
    for numbers, found in zip(shards, spread(table, shards, crew, most=1), strict=True):
        each(numbers, found)
        sums = add(sums, sums_of(found))
        progress(numbers.stop)
    names = fact_names(table.setup)
    turns = {int(number): count for number, count in sums["turns"].items()}
    return Balance(
        table.setup.seats,
        option,
        sums["games"],
        sum(number * count for number, count in turns.items()) / sums["games"],
        tuple(
            Seat(
                rate_of(seat["credits"]),
                seat["score"] / sums["games"],
                {name: fact / sums["games"] for name, fact in zip(names, seat["facts"], strict=False)},
            )
            for seat in sums["seats"]
        ),
        {int(score): count for score, count in sorted(sums["scores"].items(), key=lambda row: int(row[0]))},
        dict(sorted(turns.items())),
    )


def swept(text: str) -> Iterator[tuple[str, int]]:
    """Yield the values of `name=first..last` or `name=first..last..step`. Raises UsageError."""
    name, _, span = text.partition("=")
    try:
        numbers: Sequence[int] = [int(part) for part in span.split("..")]
        first, last, step = (*numbers, 1) if len(numbers) == 2 else numbers
    except ValueError:
        first, last, step = 1, 0, 1
    if not name or step < 1 or last < first:
        raise UsageError("%(text)s is no range: expected one such as goal=60..140..10.", text=quoted(text))
    for value in range(first, last + 1, step):
        yield name, value
