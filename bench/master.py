"""How much stronger `master` is: `python -m bench.master [--games N] [--jobs N] [--modes …] [--players 3,4]`.

One bot sits among others of another kind, in every seat equally often. Two estimates of how often it wins stand side by
side, each with a 95% interval: the share of games that it won, and that share with the luck of the dice taken out.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple

from bench.perfect import Estimate, normal
from starfrost.bots.core import Bot
from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.bots.master import DicyCardsMaster
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.lab.deals import stream
from starfrost.lab.statistics import rate
from starfrost.workers import map_ordered

PAIRS = "pairs"
"""The name of master without its network."""


class Played(NamedTuple):
    """One game, for the one seat that is measured."""

    credit: float
    luck: float


def play(game: DicyCards, bots: Sequence[Bot], seat: int, judge: DicyCardsMaster, rng: Random) -> Played:
    """Play one game and add up what the dice brought to a seat.

    A roll's luck is what it is worth to the mover beyond the mean of all rolls, by the judge's values; the others lose
    what the mover gains, in fixed parts. Its mean is nought by construction, however good the judge: so credit less
    luck has the mean of the credit, without bias, and less noise the better the judge is.
    """
    state, luck = game.start(), 0.0
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            after = game.apply(state, game.sample(state, rng))
            luck += judge.luck(game, state, after, seat)
        else:
            after = game.apply(state, bots[actor].choose(game, state, rng))
        state = after
    winners = game.winners(state)
    return Played((seat in winners) / len(winners), luck)


@lru_cache(maxsize=8)
def bot_for(name: str, game: DicyCards) -> Bot:
    """Return a bot of the registry, or master without its network; kept, so that values are computed once."""
    return DicyCardsMaster({game.seats: None}) if name == PAIRS else make_bot(name, game)


@dataclass(frozen=True)
class Row:
    """A bot alone among others."""

    game: DicyCards
    mode: str
    one: str
    rest: str
    seed: int

    def play(self, number: int) -> Played:
        """Play a game; the seat goes round."""
        seats = self.game.seats
        seat = number % seats
        bots = [bot_for(self.one if at == seat else self.rest, self.game) for at in range(seats)]
        judge = bot_for("master", self.game)
        assert isinstance(judge, DicyCardsMaster)
        return play(self.game, bots, seat, judge, stream(self.seed, self.mode, seats, number))

    def tell(self, games: Sequence[Played]) -> str:
        """Describe what the games mean."""
        even = 1 / self.game.seats
        won = Estimate(*rate([[game.credit] for game in games])[:3])
        quiet = normal([game.credit - game.luck for game in games])
        ahead, behind = (won.low > even, quiet.low > even), (won.high < even, quiet.high < even)
        verdict = "undecided"
        for word, said in (("ahead", ahead), ("behind", behind)):
            if any(said):
                verdict = f"{word} by both" if all(said) else f"{word} by {'games' if said[0] else 'games less luck'}"
        return f"{self.mode:8} {self.game.seats:7}  {100 * even:5.2f}  {won!s:23}  {quiet!s:23}  {verdict}"


def _play(question: tuple[Row, int]) -> Played:
    row, number = question
    return row.play(number)


def main() -> None:
    """Play and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.master", description="How much stronger master is.")
    parser.add_argument("--games", type=int, default=120, help="games a line")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--players", default="3,4")
    parser.add_argument(
        "--one", default="master", help=f"the bot that sits alone; {PAIRS} is master without its network"
    )
    parser.add_argument("--rest", default="planner", help="the bot in all other seats")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    modes, players = chosen.modes.split(","), chosen.players.split(",")
    if chosen.games < 2 or chosen.jobs < 1 or not set(modes) <= set(MODES) or not set(players) <= {"3", "4"}:
        parser.error(f"at least 2 games and 1 process; modes from {', '.join(MODES)}; players 3, 4 or both")
    print(
        f"One {chosen.one} among {chosen.rest}s; in percent, with 95 % intervals; {chosen.games:,} games a line, ",
        end="",
    )
    print(f"seed {chosen.seed}.\n")
    print("mode     players   even     won                     won, less luck")
    rows = []
    for mode in modes:
        service.ensure_solved(MODES[mode].cards, 100)
        games = [DicyCards(int(seats), MODES[mode].cards) for seats in players]
        rows += [Row(game, mode, chosen.one, chosen.rest, chosen.seed) for game in games]
    played = map_ordered(_play, [(row, number) for row in rows for number in range(chosen.games)], chosen.jobs)
    for row in rows:
        print(row.tell(list(islice(played, chosen.games))), flush=True)


if __name__ == "__main__":
    main()
