"""Many games between the same bots, with the same result on any number of cores."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.lab.deals import Result, deal, play, stream
from starfrost.lab.statistics import Rate, rate
from starfrost.players.registry import make_bot
from starfrost.pool import spread


@dataclass(frozen=True)
class Simulation:
    """The games to play: their number, and the bots in order, one per seat."""

    setup: Setup
    bots: tuple[str, ...]
    games: int
    seed: int
    swap_seats: bool = False
    """Play every deal once for each rotation of the seats, on the same dice."""

    @property
    def rotations(self) -> int:
        """The number of games on the same dice."""
        return len(self.bots) if self.swap_seats else 1

    def play_deal(self, number: int) -> list[Result]:
        """Play a deal with each rotation of the seats; results are in the order of the bots, not of the seats."""
        seats = len(self.bots)
        game = deal(self.setup, self.seed, number)
        bots = [make_bot(name, game) for name in self.bots]
        results = []
        for turned in range(min(self.rotations, self.games - number * self.rotations)):
            # The first bot sits `turned` places later.
            order = [(seat - turned) % seats for seat in range(seats)]
            luck = [stream(self.seed, number, "bot", bot) for bot in order]
            result = play(game, [bots[bot] for bot in order], luck, self.seed, number)
            back = [order.index(bot) for bot in range(seats)]
            scores = tuple(result.scores[seat] for seat in back)
            results.append(Result(scores, tuple(result.credits[seat] for seat in back), result.turns))
        return results


class Standing(NamedTuple):
    """The results of one bot."""

    bot: str
    wins: int
    shared: int
    win_rate: Rate
    mean_score: float

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "bot": self.bot,
            "wins": self.wins,
            "shared": self.shared,
            "win_rate": self.win_rate.mean,
            "interval": list(self.win_rate.interval),
            "mean_score": self.mean_score,
        }


class Summary(NamedTuple):
    """The results of a simulation."""

    game: str
    games: int
    seconds: float
    mean_turns: float
    players: tuple[Standing, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {**self._asdict(), "players": [player.as_json() for player in self.players]}


def check_numbers(games: int, jobs: int) -> None:
    """Raise UsageError unless there is at least one game and one process to play it."""
    if games < 1:
        raise UsageError("The number of games is at least 1, not %(number)s.", number=games)
    if jobs < 1:
        raise UsageError("The number of jobs is at least 1, not %(number)s.", number=jobs)


def simulate(plan: Simulation, jobs: int = 1, progress: Callable[[int], object] = lambda games: None) -> Summary:
    """Play all games; `progress` is called with the number of finished games. Raises UsageError for bad input."""
    check_numbers(plan.games, jobs)
    game = plan.setup.make_exactly(Random(0))
    for name in plan.bots:
        make_bot(name, game)
    began = perf_counter()
    deals = -(-plan.games // plan.rotations)
    groups: list[list[Result]] = []
    for results in spread(plan.play_deal, range(deals), jobs):
        groups.append(results)
        progress(sum(map(len, groups)))
    seconds = perf_counter() - began
    results = [result for group in groups for result in group]
    players = []
    for at, bot in enumerate(plan.bots):
        credits = [result.credits[at] for result in results]
        players.append(
            Standing(
                bot,
                wins=sum(credit == 1 for credit in credits),
                shared=sum(0 < credit < 1 for credit in credits),
                win_rate=rate([[result.credits[at] for result in group] for group in groups]),
                mean_score=sum(result.scores[at] for result in results) / len(results),
            )
        )
    turns = sum(result.turns for result in results) / len(results)
    return Summary(plan.setup.game, len(results), seconds, turns, tuple(players))
