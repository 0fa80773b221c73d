"""How well the bots play, and a learner: `python -m bench.baselines [--games 1000] [--ppo STEPS] [--only GAME]`.

The share of the victory of one seat, the first, as the environments have it by default, against `greedy` in the other
seats; in the solo game the share of games won. Official rules, 95 % intervals. `strong` plays a tenth of the games.

With `--ppo` the learner of `examples/maskable_ppo.py` learns from so many steps against random play, at the same kind
of table, with five seeds; its interval is that of the mean of five. It needs `pip install sb3-contrib`. Random play
never beats the solo grid, so there is nothing to learn from there.
"""

import argparse
import os
from typing import Final

from starfrost.games.setup import Setup
from starfrost.lab.deals import make_ready
from starfrost.lab.simulate import Simulation, simulate

BOTS: Final = ("random", "greedy", "planner", "master", "perfect", "strong")
TABLES: Final = (
    ("dicy-cards", 2),
    ("dicy-cards", 3),
    ("dicy-cards", 4),
    ("dice-stars", 2),
    ("dice-stars", 3),
    ("dice-stars", 4),
    ("dice-stars", 1),
)


def share(setup: Setup, bot: str, games: int) -> str:
    """Return the share of the victory of a bot in the first seat, with its interval; nothing where it does not play."""
    from random import Random

    from starfrost.bots.registry import bots_for

    if bot not in bots_for(setup.make(Random(0)), unlisted=True):
        return ""
    seats = (bot, *["greedy"] * (setup.seats - 1))
    make_ready(setup, seats, lambda part: None)
    rate = simulate(Simulation(setup, seats, games // 10 if bot == "strong" else games, 0)).players[0].win_rate
    return written(rate.mean, *rate.interval)


def learned(setup: Setup, steps: int, games: int) -> str:
    """Return the share of the victory of five learners in the first seat."""
    import numpy as np

    from examples.maskable_ppo import SEEDS, STUDENT, by_policy, credits, learner
    from starfrost.adapters.gymnasium_vector import SeatVectorEnv

    if setup.seats == 1:
        return ""
    shares = []
    for seed in SEEDS:
        model = learner(seed, SeatVectorEnv(64, setup.game, setup.seats, autoreset_mode="SameStep"))
        model.learn(steps)
        tables = SeatVectorEnv(games, setup.game, setup.seats, opponents="greedy", autoreset_mode="Disabled")
        shares.append(credits(by_policy(model), games, seed, tables).mean())
    mean, reach = np.mean(shares), STUDENT * np.std(shares, ddof=1) / len(shares) ** 0.5
    return written(mean, max(0, mean - reach), min(1, mean + reach))


def written(mean: float, low: float, high: float) -> str:
    return f"{100 * mean:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--ppo", type=int, default=0, metavar="STEPS")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    names = [*BOTS, *([f"PPO, {options.ppo:,} steps"] if options.ppo else [])]
    print("| table |", " | ".join(names), "|")
    print("|---" * (1 + len(names)) + "|")
    for game, seats in TABLES:
        if options.only in ("", game):
            setup = Setup.of(game, seats)
            cells = [share(setup, bot, options.games) for bot in BOTS]
            cells += [learned(setup, options.ppo, options.games)] if options.ppo else []
            print(f"| {game} {seats if seats > 1 else 'solo'} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
