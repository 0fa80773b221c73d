"""How far the other bots are from perfect play: `python -m bench.perfect [--games 40] [--modes …] [--bots …]`.

Each bot plays `perfect` from both seats in every mode. The coach weighs every decision of the bot: what it loses on
average is exactly what its winning probability falls short of the solved one, and a far quieter figure than the games
it won.
"""

import argparse
from random import Random
from statistics import mean, stdev

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.record import Event, Record, replay
from starfrost.players.registry import make_bot
from starfrost.solver import service
from starfrost.solver.adviser import Adviser
from starfrost.solver.coach import analyse


def match(adviser: Adviser, bot: str, seat: int, games: int, seed: int) -> tuple[float, list[float], list[float]]:
    """Let a bot play from a seat: its share of wins, what its decisions lost in each game, and their accuracy."""
    game, other = adviser.game, make_bot(bot, adviser.game)
    won, losses, accuracies = 0.0, [], []
    for number in range(games):
        rng = Random(f"{seed}-{number}")
        state, events = game.start(), []
        while (actor := game.actor(state)) != OVER:
            if actor == CHANCE:
                action = game.sample(state, rng)
            else:
                action = other.choose(game, state, rng) if actor == seat else adviser.best(state).action
            events.append(Event(actor, action))
            state = game.apply(state, action)
        winners = game.winners(state)
        won += (seat in winners) / len(winners)
        tally = analyse(adviser, replay(Record(game, ("one", "two"), tuple(events)))).tallies[seat]
        losses.append(tally.loss)
        accuracies.append(tally.accuracy)
    return won / games, losses, accuracies


def main() -> None:
    """Play and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.perfect", description="How far bots are from perfect play.")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--bots", default="planner,greedy,random")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print("mode      bot       seat  solved bound   won  loss per game        so it wins  accuracy")
    for mode in chosen.modes.split(","):
        game = DicyCards(2, MODES[mode].cards)
        adviser = Adviser(game, service.ensure_solved(game.cards, game.goal))
        for bot in chosen.bots.split(","):
            for seat in (0, 1):
                bound = adviser.values.first_player_wins if seat == 0 else 1 - adviser.values.first_player_wins
                won, losses, accuracies = match(adviser, bot, seat, chosen.games, chosen.seed)
                error = stdev(losses) / len(losses) ** 0.5
                print(
                    f"{mode:9} {bot:9} {seat + 1:4}  {100 * bound:10.3f} %  {100 * won:4.0f} %"
                    f"  {100 * mean(losses):6.2f} ± {100 * error:4.2f} %  {100 * (bound - mean(losses)):10.2f} %"
                    f"  {100 * mean(accuracies):6.1f} %",
                    flush=True,
                )


if __name__ == "__main__":
    main()
