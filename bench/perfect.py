"""How far the bots are from perfect play: `python -m bench.perfect [--games N] [--jobs N] [--modes …] [--bots …]`.

Each bot plays `perfect` from both seats in every mode, on the same dice. Two estimates of its winning probability stand
side by side, each with a 95% interval: the share of games that it won, and the solved bound less what its decisions
lost. A table compares each seat with its bound, a second one says what `perfect` wins over both seats.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from starfrost.bots.core import Bot
from starfrost.bots.registry import bots_for, make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.bots.perfect import adviser_for
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.lab.deals import stream
from starfrost.lab.statistics import Z, rate
from starfrost.workers import map_ordered

BOTS = bots_for(DicyCards(2))


class Estimate(NamedTuple):
    """A mean and the ends of its 95% interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:z6.2f} ({100 * self.low:z.2f} to {100 * self.high:z.2f})"

    def beside(self, counted: "Estimate") -> str:
        """Show an estimate of a winning probability from losses, unless counting games says more.

        What a bot that hardly ever wins loses scatters more than its few wins do, and such an estimate, though without
        bias, may leave the probabilities altogether; then the count stands alone.
        """
        quieter = self.high - self.low < counted.high - counted.low
        return str(self) if quieter and self.low >= 0 and self.high <= 1 else "as counted".rjust(15)


class Played(NamedTuple):
    """One game, by seats."""

    credits: tuple[float, ...]
    """1 for a win, a half for a shared victory"""
    losses: tuple[tuple[float, ...], ...]
    """what each decision cost the one who took it"""
    luck: tuple[float, ...]
    """what the rolls brought to the one who rolled"""


def play(adviser: Adviser, bots: Sequence[Bot], *deal: object) -> Played:
    """Play one game on the dice of a deal, weighing every decision and every roll as it falls."""
    game = adviser.game
    state, dice, turns = game.start(), Random(0), [0, 0]
    chances = [stream(*deal, "bot", seat) for seat in range(2)]
    losses: tuple[list[float], ...] = ([], [])
    luck = [0.0, 0.0]
    while (actor := game.actor(state)) != OVER:
        if game.starts_turn(state):
            turns[state.seat] += 1
            dice = stream(*deal, "dice", state.seat, turns[state.seat])
        if actor == CHANCE:
            after = game.apply(state, game.sample(state, dice))
            luck[state.seat] += adviser.value(after, state.seat) - adviser.value(state, state.seat)
        else:
            after = game.apply(state, bots[actor].choose(game, state, chances[actor]))
            losses[actor].append(adviser.value(state, actor) - adviser.value(after, actor))
        state = after
    winners = game.winners(state)
    credits = tuple((seat in winners) / len(winners) for seat in range(2))
    return Played(credits, tuple(map(tuple, losses)), tuple(luck))


@dataclass(frozen=True)
class Row:
    """A bot in a seat against `perfect`."""

    game: DicyCards
    mode: str
    bot: str
    seat: int
    bound: float
    """the solved winning probability of the seat"""
    seed: int

    def play(self, number: int) -> Played:
        """Play a deal; both seats meet the same dice."""
        adviser = adviser_for(self.game)
        if adviser is None:
            raise SystemExit("The solved cards cannot be kept in the cache folder.")
        names = ["perfect", "perfect"]
        names[self.seat] = self.bot
        # With perfect in both seats the same dice would give the same game twice.
        luck = self.seat if self.bot == "perfect" else "both"
        return play(adviser, [make_bot(name, self.game) for name in names], self.seed, luck, number)


def _play(question: tuple[Row, int]) -> Played:
    row, number = question
    return row.play(number)


@dataclass(frozen=True)
class Result:
    """What the games of a row say."""

    row: Row
    games: Sequence[Played]

    @property
    def credits(self) -> list[float]:
        """The bot's credit in each game."""
        return [game.credits[self.row.seat] for game in self.games]

    @property
    def losses(self) -> list[float]:
        """What the bot lost in each game."""
        return [sum(game.losses[self.row.seat]) for game in self.games]

    @property
    def won(self) -> Estimate:
        """The share of games that the bot won."""
        return Estimate(*rate([[credit] for credit in self.credits])[:3])

    @property
    def loss(self) -> Estimate:
        """What the bot lost per game."""
        return normal(self.losses)

    @property
    def adjusted(self) -> Estimate:
        """The winning probability without the luck of the games: the solved bound less the losses.

        A game's credit is the bound, plus the luck of the rolls, less the losses of both. A roll's luck has a mean of
        nought whatever was played before, and perfect loses nothing: so the mean of bound less loss is the winning
        probability, without bias, and free of the noise of the dice that decide a game between equals.
        """
        return Estimate(
            self.row.bound - self.loss.mean, self.row.bound - self.loss.high, self.row.bound - self.loss.low
        )

    @property
    def gap(self) -> float:
        """How far the books are from adding up, in the worst game: credit less luck against bound less losses."""
        own, other = self.row.seat, 1 - self.row.seat
        return max(
            abs(game.credits[own] - game.luck[own] + game.luck[other] - self.row.bound + loss)
            for game, loss in zip(self.games, self.losses, strict=True)
        )

    @property
    def verdict(self) -> str:
        """What is decided: both estimates of a bot below the bound, and perfect's around it."""
        if self.won.low > self.row.bound or min(self.losses) < -1e-9:
            return "ABOVE ITS BOUND"
        if self.row.bot == "perfect":
            return "agrees" if self.won.high >= self.row.bound and self.loss.high < 1e-9 else "OFF THE SOLVED VALUE"
        if self.loss.low <= 0:
            return "undecided"
        return "below by both" if self.won.high < self.row.bound else "below by its losses"

    def __str__(self) -> str:
        return (
            f"{self.row.mode:8} {self.row.bot:8} {self.row.seat + 1:4}  {100 * self.row.bound:6.3f}"
            f"  {self.won!s:23}  {self.loss!s:23}  {self.adjusted.beside(self.won):23}  {self.verdict}"
        )


def normal(numbers: Sequence[float]) -> Estimate:
    """Estimate a mean from independent numbers."""
    mean, reach = fmean(numbers), Z * stdev(numbers) / len(numbers) ** 0.5
    return Estimate(mean, mean - reach, mean + reach)


def over_both(one: Result, two: Result) -> str:
    """Describe what perfect wins over both seats, by games and by the bot's losses; say if it is more than half."""
    pairs = list(zip(one.credits, two.credits, strict=True))
    won = Estimate(*rate([[1 - credit for credit in pair] for pair in pairs])[:3])
    # The bounds of both seats add up to 1.
    by_losses = normal([0.5 + fmean(pair) for pair in zip(one.losses, two.losses, strict=True)])
    if won.high < 0.5:
        verdict = "BEHIND"
    elif one.row.bot == "perfect":
        verdict = "even" if won.low <= 0.5 else "NOT EVEN"
    elif by_losses.low <= 0.5:
        verdict = "undecided"
    else:
        verdict = "ahead by both" if won.low > 0.5 else "ahead by losses"
    return f"{one.row.mode:8} {one.row.bot:8} {2 * len(pairs):6,}  {won!s:23}  {by_losses.beside(won):23}  {verdict}"


def main() -> None:
    """Play and print two tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.perfect", description="How far bots are from perfect play.")
    parser.add_argument("--games", type=int, default=200, help="games of each bot from each seat in each mode")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--bots", default=",".join(BOTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    chosen = parser.parse_args()
    modes, bots = chosen.modes.split(","), chosen.bots.split(",")
    if chosen.games < 2 or chosen.jobs < 1 or not set(modes) <= set(MODES) or not set(bots) <= set(BOTS):
        parser.error(f"at least 2 games and 1 process; modes from {', '.join(MODES)}; bots from {', '.join(BOTS)}")
    print(f"In percent, with 95 % intervals; {chosen.games:,} games a line, seed {chosen.seed}.\n")
    print("mode     bot      seat   bound     won                     loss per game              so it wins")
    rows = []
    for mode in modes:
        game = DicyCards(2, MODES[mode].cards)
        first = service.ensure_solved(game.cards, game.goal).first_player_wins
        both = ((0, first), (1, 1 - first))
        rows += [Row(game, mode, bot, seat, bound, chosen.seed) for bot in bots for seat, bound in both]
    games = map_ordered(_play, [(row, number) for row in rows for number in range(chosen.games)], chosen.jobs)
    results = []
    for row in rows:
        results.append(Result(row, list(islice(games, chosen.games))))
        print(results[-1], flush=True)
    print("\nperfect over both seats\n\nmode     against   games     won                     by losses")
    for pair in zip(results[::2], results[1::2], strict=True):
        print(over_both(*pair))
    gap = max(result.gap for result in results)
    print(f"\nCredit less luck is bound less losses in every game, to {gap:.1e}.")


if __name__ == "__main__":
    main()
