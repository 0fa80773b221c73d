"""Many games between the same bots, with the same result on any number of cores."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.bots.registry import make_bot
from starfrost.errors import UsageError
from starfrost.games.setup import Setup
from starfrost.lab.deals import PlayedGames, Player, games_at_once, play_deals, ready_here
from starfrost.lab.shards import shard_size, total
from starfrost.lab.statistics import Rate, group_sums, rate_of
from starfrost.workers import Workers


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
        found = self.play(numbers)
        return result_sums(found, self.are_played(numbers))

    @property
    def deals(self) -> int:
        """The number of deals."""
        return -(-self.games // self.rotations)

    @property
    def rotations(self) -> int:
        """The number of games on the same dice."""
        return len(self.bots) if self.swap_seats else 1

    def play(self, numbers: range) -> PlayedGames:
        """Play deals with each rotation of the seats; results are in the order of the bots, not of the seats."""
        seats = len(self.bots)
        # The first bot sits `turned` places later.
        orders = [[(seat - turned) % seats for seat in range(seats)] for turned in range(self.rotations)]
        seatings = [[Player(self.bots[bot], (bot,)) for bot in order] for order in orders]
        played = play_deals(self.setup, self.seed, numbers, seatings, run=self.games)
        for at, order in enumerate(orders):
            back = [order.index(bot) for bot in range(seats)]
            for part in (played.scores, played.credits):
                part[:, at] = part[:, at, back]
        faults = [fault._replace(seat=orders[fault.seating][fault.seat]) for fault in played.forfeits]
        return played._replace(forfeits=faults)

    def are_played(self, numbers: range) -> NDArray[np.bool_]:
        """Return which games of some deals count, by deal and rotation: the last deal may not need all of them."""
        games = np.array(numbers)[:, None] * self.rotations + np.arange(self.rotations)
        return np.asarray(games < self.games)


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


def result_sums(found: PlayedGames, counts: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the sums of the results of some deals, of the games that count: in all, and of each bot in a list."""
    scores, credits, turns, forfeits, _ = found
    failed = [fault for fault in forfeits if counts[fault.deal, fault.seating]]
    return {
        "games": int(counts.sum()),
        "turns": int(turns[counts].sum()),
        "bots": [
            {
                "wins": int((credits[counts, bot] == 1).sum()),
                "shared": int(((credits[counts, bot] > 0) & (credits[counts, bot] < 1)).sum()),
                "forfeits": dict(Counter(fault.sentence for fault in failed if fault.seat == bot)),
                "score": int(scores[counts, bot].sum()),
                "groups": group_sums(credits[..., bot], counts),
            }
            for bot in range(scores.shape[-1])
        ],
    }


def simulate(
    plan: Simulation,
    workers: Workers | int = 1,
    progress: Callable[[int], object] = lambda games: None,
    resume: Path | None = None,
) -> Summary:
    """Play all games; `progress` is called with the number of finished games. Raises UsageError for bad input.

    With the file `resume` an interrupted simulation can be continued (`shards.total`).
    """
    jobs = workers if isinstance(workers, int) else workers.jobs
    check_numbers(plan.games, jobs)
    game = plan.setup.make_exactly(Random(0))
    for name in plan.bots:
        make_bot(name, game)
    began = perf_counter()
    size = shard_size(plan.deals, games_at_once(plan.setup, plan.bots, plan.games) // plan.rotations, jobs)
    sums = total(
        plan,
        plan.deals,
        size,
        workers,
        resume=resume,
        progress=lambda deals: progress(min(deals * plan.rotations, plan.games)),
    )
    games = sums["games"]
    players = [
        Standing(bot, one["wins"], one["shared"], rate_of(one["groups"]), one["score"] / games, one["forfeits"])
        for bot, one in zip(plan.bots, sums["bots"], strict=True)
    ]
    return Summary(plan.setup.game, games, perf_counter() - began, sums["turns"] / games, tuple(players))
