"""Time a decision of the bots at every table: `python -m bench.decisions [--bots …] [--games 12]`.

A bot plays all seats, with one thread for linear algebra, as everywhere. What is counted is the processor's time, so
that other work on the machine hardly shows.
"""

import argparse
import time
from random import Random
from typing import Any

from starfrost.workers import one_thread

one_thread()

from starfrost.bots.registry import all_bots, bots_here, make_bot, needs_tables  # noqa: E402
from starfrost.games.core import CHANCE, OVER, Game  # noqa: E402
from starfrost.games.dice_stars import DiceStars  # noqa: E402
from starfrost.games.dicy_cards import DicyCards  # noqa: E402
from starfrost.games.dicy_cards.solver import on_demand as service  # noqa: E402

TABLES: tuple[Game[Any, Any], ...] = (*(DicyCards(n) for n in (2, 3, 4)), *(DiceStars(n) for n in (1, 2, 3, 4)))


def times(game: Game[Any, Any], name: str, games: int) -> list[float]:
    """Return the milliseconds of a bot's decisions, after a first game that loads what it needs."""
    bot, found = make_bot(name, game), []
    for seed in range(games + 1):
        rng, state = Random(seed), game.start()
        while (actor := game.actor(state)) != OVER:
            began = time.process_time()
            action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
            if actor != CHANCE and seed:
                found.append(1000 * (time.process_time() - began))
            state = game.apply(state, action)
    return sorted(found)


def main() -> None:
    """Play and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.decisions", description="Time the bots' decisions.")
    parser.add_argument("--bots", default="planner,strong,master,perfect", help="separated by commas")
    parser.add_argument("--games", type=int, default=12, help="games a line")
    chosen = parser.parse_args()
    names = chosen.bots.split(",")
    if chosen.games < 1 or not set(names) <= set(all_bots()):
        parser.error(f"at least 1 game; bots from {', '.join(all_bots())}")
    print("game        players  bot      decisions  mean ms  99 in 100 ms  longest ms")
    for game in TABLES:
        for name in (name for name in bots_here(game) if name in names):
            if needs_tables(game.name, name):
                service.ensure_solved(game.cards, game.goal)
            found = times(game, name, chosen.games)
            mean, most = sum(found) / len(found), found[int(0.99 * len(found))]
            line = f"{game.name:11} {game.seats:7}  {name:8} {len(found):9} {mean:8.2f} {most:13.2f} {found[-1]:11.2f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
