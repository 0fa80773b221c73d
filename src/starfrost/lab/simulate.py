"""Many games between the same bots, with the same result on any number of cores."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.lab.deals import Result, deal, play, ready_here, stream
from starfrost.lab.shards import total
from starfrost.lab.statistics import Rate, group_sums, rate_of
from starfrost.players.registry import make_bot
from starfrost.pool import MOST, SHARES, Crew


@dataclass(frozen=True)
class Simulation:
    """The games to play: their number, and the bots in order, one per seat."""

    setup: Setup
    bots: tuple[str, ...]
    games: int
    seed: int
    swap_seats: bool = False
    """Play every deal once for each rotation of the seats, on the same dice."""

    def as_json(self) -> dict[str, Any]:
        """Return what decides the results."""
        return asdict(self)

    def __call__(self, numbers: range) -> dict[str, Any]:
        """Play deals and return the sums of their results: of the games, and of each bot in a list."""
        ready_here(self.setup, self.bots)
        return result_sums([self.play_deal(number) for number in numbers])

    @property
    def deals(self) -> int:
        """The number of deals."""
        return -(-self.games // self.rotations)

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
            failed = order[result.failed] if result.forfeit else -1
            results.append(
                result._replace(scores=scores, credits=tuple(result.credits[seat] for seat in back), failed=failed)
            )
        return results


class Standing(NamedTuple):
    """The results of one bot."""

    bot: str
    wins: int
    shared: int
    win_rate: Rate
    mean_score: float
    forfeits: Mapping[str, int]
    """The games lost because the bot failed, by reason."""

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            "bot": self.bot,
            "wins": self.wins,
            "shared": self.shared,
            "win_rate": self.win_rate.mean,
            "interval": list(self.win_rate.interval),
            "mean_score": self.mean_score,
            "forfeits": dict(self.forfeits),
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


def result_sums(deals: Sequence[Sequence[Result]]) -> dict[str, Any]:
    """Return the sums of the results of some deals: of the games, and of each bot in a list."""
    games = [result for results in deals for result in results]
    return {
        "games": len(games),
        "turns": sum(result.turns for result in games),
        "bots": [
            {
                "wins": sum(result.credits[bot] == 1 for result in games),
                "shared": sum(0 < result.credits[bot] < 1 for result in games),
                "forfeits": Counter(result.forfeit for result in games if result.failed == bot),
                "score": sum(result.scores[bot] for result in games),
                "groups": group_sums([[result.credits[bot] for result in results] for results in deals]),
            }
            for bot in range(len(games[0].scores))
        ],
    }


def simulate(
    plan: Simulation,
    crew: Crew | int = 1,
    progress: Callable[[int], object] = lambda games: None,
    resume: Path | None = None,
) -> Summary:
    """Play all games; `progress` is called with the number of finished games. Raises UsageError for bad input.

    With the file `resume` an interrupted simulation can be continued (`shards.total`).
    """
    jobs = crew if isinstance(crew, int) else crew.jobs
    check_numbers(plan.games, jobs)
    game = plan.setup.make_exactly(Random(0))
    for name in plan.bots:
        make_bot(name, game)
    began = perf_counter()
    size = max(1, min(MOST, plan.deals // (jobs * SHARES)))
    sums = total(
        plan,
        plan.deals,
        size,
        crew,
        resume=resume,
        progress=lambda deals: progress(min(deals * plan.rotations, plan.games)),
    )
    games = sums["games"]
    players = [
        Standing(bot, one["wins"], one["shared"], rate_of(one["groups"]), one["score"] / games, one["forfeits"])
        for bot, one in zip(plan.bots, sums["bots"], strict=True)
    ]
    return Summary(plan.setup.game, games, perf_counter() - began, sums["turns"] / games, tuple(players))
