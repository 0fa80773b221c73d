"""The strength of bots: duels between all bots, in every variant and for every number of seats, and ratings.

With two seats the bots play in both seats on the same dice. With more seats the two bots share them, and every deal is
played in all balanced arrangements: with four seats the six ways to give two seats to each, with three seats the six
ways to give one bot one seat and the other two. A bot's credit is the sum of its seats' credits, so that even odds are
one half. In the solo game both play the same dice: who wins alone gets the credit, two winners share it, and where both
lose the one with more points gets it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, product
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.bots.outside import is_outside
from starfrost.bots.registry import bots_for, needs_tables
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup, read_variant
from starfrost.games.variants import RULES
from starfrost.lab.deals import Player, deal, games_at_once, play_deals, ready_here
from starfrost.lab.shards import shard_size, total
from starfrost.lab.statistics import Rate, Rating, games_in, group_sums, rate_of, ratings
from starfrost.workers import Workers


class Variant(NamedTuple):
    """A line of the table: one game, one mode, one number of seats, and rules of its own if there are any."""

    game: str
    mode: str
    """Empty in a game without modes."""
    seats: int
    rules: str = ""
    """The text of a rules file; empty for the official rules."""

    @property
    def setup(self) -> Setup:
        """The setup to play."""
        options = {MODE: self.mode, RULES: self.rules}
        return Setup(self.game, self.seats, {name: text for name, text in options.items() if text})

    def bots(self) -> tuple[str, ...]:
        """List the bots for this variant, from the weakest; random cards exclude bots that need solved tables."""
        names, drawn = bots_for(deal(self.setup, 0, 0), unlisted=True), self.setup.drawn
        return tuple(name for name in names if not (drawn and needs_tables(self.game, name)))

    def as_json(self) -> dict[str, Any]:
        """Return the part of the object that `--json` prints."""
        variant = self.setup.variant
        facts = {"game": self.game, "mode": self.mode or None, "players": self.seats}
        return facts | ({"variant": variant.as_json()} if variant else {})

    def __str__(self) -> str:
        players = "solo" if self.seats == 1 else f"{self.seats} players"
        variant = self.setup.variant
        name = f"{variant.name} ({variant.digest})" if variant else ""
        return " ".join(part for part in (self.game, name, self.mode, players) if part)


def variants(rules: str = "") -> tuple[Variant, ...]:
    """List every variant of every game, with the solo game last; with `rules`, those of a rules file.

    A file that decides what modes decide, such as the five cards, is one line for each number of seats.
    """
    own = read_variant(rules) if rules else None
    found = []
    for game, kit in GAMES.items():
        if own is None or game == own.game:
            modes = [""] if own and not kit.decided.isdisjoint(own.options) else kit.modes or [""]
            seats = sorted(kit.seats, key=lambda number: (number == 1, number))
            found += [Variant(game, mode, number, rules) for mode, number in product(modes, seats)]
    return tuple(found)


def arrangements(seats: int) -> tuple[tuple[int, ...], ...]:
    """List the balanced ways to seat two bots (0 and 1); together they give both bots every seat equally often."""
    return tuple(
        tuple(int(seat in taken) for seat in range(seats))
        for share in dict.fromkeys((seats // 2, seats - seats // 2))
        for taken in combinations(range(seats), share)
    )


@dataclass(frozen=True)
class Duel:
    """Two bots in one variant; every deal is one group of games on the same dice."""

    variant: Variant
    bots: tuple[str, str]
    seed: int

    def play(self, numbers: range, deals: int | None = None) -> NDArray[np.float64]:
        """Play some of the duel's deals in all arrangements; return the first bot's credits, `[deal, arrangement]`."""
        seatings = arrangements(self.variant.seats)
        found = play_deals(
            self.variant.setup,
            self.seed,
            numbers,
            [
                [Player(self.bots[bot], (seat, self.bots[bot])) for seat, bot in enumerate(seating)]
                for seating in seatings
            ],
            run=None if deals is None else deals * len(seatings),
        )
        if self.variant.seats == 1:
            # Points only count where both lose: a bot that plays to win does not look at them.
            better = np.where(found.credits[..., 0] > 0, np.inf, found.scores[..., 0])
            one, other = better[:, 0], better[:, 1]
            return np.asarray((one > other) + 0.5 * (one == other))[:, None]
        first = np.array(seatings) == 0
        return np.asarray((found.credits * first).sum(axis=-1))

    def at_once(self, deals: int) -> int:
        """Return the number of deals that a process should play at once, if the duel has so many."""
        games = len(arrangements(self.variant.seats))
        return max(1, games_at_once(self.variant.setup, self.bots, deals * games) // games)


class Outcome(NamedTuple):
    """The result of a duel for its first bot."""

    variant: Variant
    bots: tuple[str, str]
    games: int
    win_rate: Rate

    @property
    def decided(self) -> bool:
        """Whether even odds lie outside the interval."""
        return not self.win_rate.low <= 0.5 <= self.win_rate.high

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints."""
        return {
            **self.variant.as_json(),
            "bots": list(self.bots),
            "games": self.games,
            "win_rate": self.win_rate.mean,
            "interval": list(self.win_rate.interval),
        }


def _pairings(variant: Variant, only: Sequence[str]) -> Iterator[tuple[str, str]]:
    """List the duels of a variant, the expected winner first; the weakest bot plays only the next one.

    Stronger bots never lose to it, so those games would give no information.
    """
    names = [name for name in variant.bots() if name in only] + [name for name in only if is_outside(name)]
    for weaker, stronger in combinations(names, 2):
        if weaker != names[0] or stronger == names[1]:
            yield stronger, weaker


@dataclass(frozen=True)
class Tournament:
    """Duels with their numbers of deals; the deals of all duels are numbered one after the other."""

    duels: tuple[Duel, ...]
    deals: tuple[int, ...]

    @property
    def ends(self) -> tuple[int, ...]:
        """The number after the last deal of each duel."""
        return tuple(accumulate(self.deals))

    def __call__(self, numbers: range) -> dict[str, Any]:
        """Play deals and return the sums of each duel's credits, by the duel's place."""
        found = {}
        for place, (end, count) in enumerate(zip(self.ends, self.deals, strict=True)):
            mine = range(max(numbers.start, end - count), min(numbers.stop, end))
            if mine:
                duel = self.duels[place]
                ready_here(duel.variant.setup, duel.bots)
                deals = range(mine.start - end + count, mine.stop - end + count)
                found[str(place)] = group_sums(duel.play(deals, count))
        return found

    def as_json(self) -> Any:
        """Return what decides the results."""
        return [
            [list(duel.variant), list(duel.bots), duel.seed, count]
            for duel, count in zip(self.duels, self.deals, strict=True)
        ]


def tournament(where: Sequence[Variant], games: int, seed: int, only: Sequence[str]) -> Tournament:
    """Return the duels of every pair of these bots in every variant, rounded up to whole deals.

    A table of four plays `games` games; smaller tables play more, for the same number of turns.
    """
    pairs = [(variant, pair) for variant in where for pair in _pairings(variant, only)]
    return Tournament(
        tuple(Duel(variant, pair, seed) for variant, pair in pairs),
        tuple(ceil(games * 4 / variant.seats / len(arrangements(variant.seats))) for variant, _ in pairs),
    )


def outcomes(
    plan: Tournament,
    workers: Workers | int = 1,
    progress: Callable[[int], object] = lambda deals: None,
    resume: Path | None = None,
) -> list[Outcome]:
    """Play a tournament; `progress` is called with the number of finished deals.

    With the file `resume` an interrupted one can be continued (`shards.total`).
    """
    jobs = workers if isinstance(workers, int) else workers.jobs
    count = sum(plan.deals)
    at_once = (duel.at_once(deals) for duel, deals in zip(plan.duels, plan.deals, strict=True))
    size = shard_size(count, min(at_once, default=1), jobs)
    sums = total(plan, count, size, workers, resume=resume, progress=progress)
    return [
        Outcome(duel.variant, duel.bots, games_in(sums[str(place)]), rate_of(sums[str(place)]))
        for place, duel in enumerate(plan.duels)
    ]


def rated(found: Sequence[Outcome], anchor: str) -> dict[Variant, dict[str, Rating]]:
    """Return the ratings in every variant, with the anchor at 0 if it plays."""
    table: dict[Variant, dict[str, Rating]] = {}
    for variant in dict.fromkeys(outcome.variant for outcome in found):
        here = {outcome.bots: outcome.win_rate for outcome in found if outcome.variant == variant}
        names = [name for pair in here for name in pair]
        table[variant] = ratings(here, anchor if anchor in names else names[0])
    return table
