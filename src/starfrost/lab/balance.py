"""The balance of a game: equal bots in every seat, for several table sizes and several values of an option or rule.

The sums are exact integers (`shards`), so memory does not grow with the number of games.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from starfrost.games.setup import Setup
from starfrost.games.variants import Variant
from starfrost.lab.deals import PlayedGames, Player, games_at_once, play_deals, ready_here
from starfrost.lab.game_files import Rows
from starfrost.lab.shards import shard_size, total
from starfrost.lab.simulate import Simulation, simulate
from starfrost.lab.statistics import UNIT, Rate, group_sums, rate_of
from starfrost.workers import Workers


@dataclass(frozen=True)
class Trial:
    """Equal bots at one table."""

    setup: Setup
    bot: str
    seed: int
    option: str = ""
    """The values that are tried, as `name=value`; empty if none are."""
    value: int | None = None
    """The number of the first of them; None if it is a word."""
    against: str = ""
    """The bot that the other one plays besides, to measure skill; empty if it plays none."""

    def as_json(self) -> dict[str, Any]:
        """Return what decides the results."""
        about = asdict(self)
        return about if self.against else {name: fact for name, fact in about.items() if name != "against"}

    def play(self, numbers: range) -> PlayedGames:
        """Play games."""
        ready_here(self.setup, (self.bot,))
        seating = [Player(self.bot, (seat,)) for seat in range(self.setup.seats)]
        return play_deals(self.setup, self.seed, numbers, [seating])

    def rows(self, numbers: range, found: PlayedGames) -> Rows:
        """Return the rows of games for a file."""
        seats, variant = self.setup.seats, self.setup.variant
        return {
            "players": seats,
            "option": self.option,
            "game": np.repeat(np.array(numbers), seats),
            "turns": np.repeat(found.turns[:, 0], seats),
            "seat": np.tile(np.arange(1, seats + 1), len(numbers)),
            "score": found.scores[:, 0].ravel(),
            "credit": found.credits[:, 0].ravel(),
            "rules": variant.digest if variant else "",
        }


class Part(NamedTuple):
    """Some games of one of the tables."""

    place: int
    numbers: range
    played: PlayedGames


@dataclass(frozen=True)
class Study:
    """Tables with the same number of games each, which are numbered one after the other."""

    tables: tuple[Trial, ...]
    games: int
    whole: bool = False
    """Answer with every game, for a file, and not only with sums."""

    def __call__(self, numbers: range) -> Any:
        """Play games and return their sums by the place of the table; or the parts themselves."""
        parts = list(self._parts(numbers))
        return parts if self.whole else sums_of(parts)

    def _parts(self, numbers: range) -> Iterator[Part]:
        for place, table in enumerate(self.tables):
            first = place * self.games
            mine = range(max(numbers.start - first, 0), min(numbers.stop - first, self.games))
            if mine:
                yield Part(place, mine, table.play(mine))

    def as_json(self) -> Any:
        """Return what decides the results."""
        return {"games": self.games, "tables": [table.as_json() for table in self.tables]}


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
    """The values that are tried, as `name=value`; empty if none are."""
    games: int
    mean_turns: float
    seats: tuple[Seat, ...]
    scores: dict[int, int]
    """The number of final scores, by score."""
    turns: dict[int, int]
    """The number of games, by turns."""
    winners: dict[str, float]
    """What the winner of a game did, on average; the same facts as those of the seats."""
    setup: Setup
    value: int | None
    bot: str = ""
    against: str = ""
    skill: Rate | None = None
    """How often the bot wins against that other one in all other seats; None if that was not measured."""

    @property
    def variant(self) -> Variant | None:
        """The variant; None for the official rules."""
        return self.setup.variant

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        seats = [
            {"win_rate": seat.win_rate.mean, "interval": list(seat.win_rate.interval), "mean_score": seat.mean_score}
            | {"facts": seat.facts}
            for seat in self.seats
        ]
        rest = {name: fact for name, fact in self._asdict().items() if name not in _APART}
        if self.skill is not None:
            rest["skill"] = {
                "against": self.against,
                "win_rate": self.skill.mean,
                "interval": list(self.skill.interval),
            }
        return {**rest, "seats": seats, **({"variant": self.variant.as_json()} if self.variant else {})}


_APART: Final = ("setup", "value", "bot", "against", "skill")
"""What JSON says elsewhere, or only where it was measured."""


def sums_of(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the sums of some games by the place of their table."""
    return {str(part.place): _sums(part.played) for part in parts}


def _sums(found: PlayedGames) -> dict[str, Any]:
    scores, credits, turns = found.scores[:, 0], found.credits[:, 0], found.turns[:, 0]
    names, dealt, counts = found.facts

    def counted(values: Any) -> dict[str, int]:
        each, count = np.unique(values, return_counts=True)
        return {str(value): int(number) for value, number in zip(each, count, strict=True)}

    def by_name(values: Any) -> dict[str, int]:
        return {name: int(value) for name, value in zip(names, values, strict=True)}

    # Exact: whole parts of a credit, and far fewer games in a shard than would overflow 64 bits.
    won = np.einsum("gs,gsf->f", np.rint(credits * UNIT).astype(np.int64), counts[:, 0])
    return {
        "games": len(turns),
        "turns": counted(turns),
        "scores": counted(scores),
        "dealt": by_name(dealt),
        "won": by_name(won),
        "seats": [
            {
                "credits": group_sums(credits[:, seat : seat + 1]),
                "score": int(scores[:, seat].sum()),
                "facts": by_name(counts[:, 0, seat].sum(axis=0)),
            }
            for seat in range(scores.shape[1])
        ],
    }


def measure(
    study: Study,
    workers: Workers | int = 1,
    progress: Callable[[int], object] = lambda games: None,
    *,
    resume: Path | None = None,
    write: Callable[[Rows, int], object] | None = None,
) -> list[Balance]:
    """Play the games of all tables; `write` gets the rows of every game and their number, in order.

    With the file `resume` an interrupted run can be continued (`shards.total`).
    """
    jobs = workers if isinstance(workers, int) else workers.jobs
    count = len(study.tables) * study.games
    at_once = min(games_at_once(table.setup, (table.bot,)) for table in study.tables)

    def written(parts: Sequence[Part]) -> dict[str, Any]:
        for part in parts:
            rows = study.tables[part.place].rows(part.numbers, part.played)
            if write is not None:
                write(rows, part.played.scores.size)
        return sums_of(parts)

    sums = total(
        study,
        count,
        shard_size(count, at_once, jobs),
        workers,
        resume=resume,
        progress=progress,
        each=written if study.whole else lambda sums: sums,
    )
    return [_balance(table, sums[str(place)]) for place, table in enumerate(study.tables)]


def _balance(table: Trial, sums: Any) -> Balance:
    games = sums["games"]
    turns = {int(number): count for number, count in sums["turns"].items()}
    credits = sum(seat["credits"]["credits"] for seat in sums["seats"]) / UNIT
    wins = credits / games
    return Balance(
        table.setup.seats,
        table.option,
        games,
        sum(number * count for number, count in turns.items()) / games,
        tuple(
            Seat(
                rate_of(seat["credits"]),
                seat["score"] / games,
                {name: fact / sums["dealt"][name] for name, fact in seat["facts"].items()},
            )
            for seat in sums["seats"]
        ),
        {int(score): count for score, count in sorted(sums["scores"].items(), key=lambda row: int(row[0]))},
        dict(sorted(turns.items())),
        # The solo game has games without a winner.
        {name: won / UNIT / (sums["dealt"][name] * wins) if wins else 0.0 for name, won in sums["won"].items()},
        table.setup,
        table.value,
        table.bot,
        table.against,
    )


def with_skill(result: Balance, games: int, seed: int, workers: Workers | int = 1) -> Balance:
    """Measure how often the bot wins against the weaker one in all other seats, from every seat on the same dice."""
    bots = (result.bot, *[result.against] * (result.players - 1))
    plan = Simulation(result.setup, bots, games, seed, swap_seats=True)
    return result._replace(skill=simulate(plan, workers).players[0].win_rate)
