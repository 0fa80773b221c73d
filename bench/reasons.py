"""Check that reasons add up: `python -m bench.reasons [--sets 20] [--decisions 10000] [--goal 20]`.

Perfect players who sometimes move at random play games of Dicy Cards with random sets of cards. At every decision two
of the actions are compared at random: the parts must add up to the difference of the solved values. Prints how far they
are off at most, and how much processor time a reason takes after the values are known. Solves the sets in a folder of
its own.
"""

import argparse
import os
import sys
from collections import Counter
from itertools import combinations
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import CARDS, DicyCards
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser


def main() -> None:
    """Check random decisions of random sets of cards."""
    parser = argparse.ArgumentParser(prog="python -m bench.reasons", description=__doc__)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--goal", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rng = Random(chosen.seed)
    gaps, times, names = [0.0], [0.0], Counter[str]()
    with TemporaryDirectory() as folder:
        os.environ["STARFROST_CACHE"] = folder
        for number, cards in enumerate(rng.sample(list(combinations(CARDS, 5)), chosen.sets)):
            game = DicyCards(2, cards, chosen.goal)
            judge = ExactJudge(Adviser(game, on_demand.ensure_solved(cards, chosen.goal)))
            wanted = chosen.decisions * (number + 1) // chosen.sets
            while len(gaps) <= wanted:
                play(judge, rng, wanted, gaps, times, names)
            print(f"{' '.join(cards)}: {len(gaps) - 1} decisions, greatest gap {max(gaps):.1e}", file=sys.stderr)
    print(f"{len(gaps) - 1} decisions of {chosen.sets} sets to {chosen.goal} points")
    print(f"greatest gap between a difference and its parts: {max(gaps):.1e}")
    print(f"processor time of a reason: {1000 * median(times):.1f} ms (median), at most {1000 * max(times):.0f} ms")
    print("greatest part: " + ", ".join(f"{name} {100 * n / names.total():.0f}%" for name, n in names.most_common()))
    sys.exit(max(gaps) > 1e-9)


def play(
    judge: ExactJudge, rng: Random, wanted: int, gaps: list[float], times: list[float], names: Counter[str]
) -> None:
    """Play a game and compare two actions of every decision."""
    game, adviser = judge.game, judge.adviser
    state = game.start()
    while (actor := game.actor(state)) != OVER and len(gaps) <= wanted:
        if actor == CHANCE:
            state = game.apply(state, game.sample(state, rng))
            continue
        values = adviser.action_values(state)
        one, other = rng.choice(values), rng.choice(values)
        if len(values) > 1:
            started = process_time()
            parts = judge.parts(state, one.action, other.action, one.value - other.value)
            times.append(process_time() - started)
            gaps.append(abs(sum(part.value for part in parts) - (one.value - other.value)))
            names.update(part.part for part in parts[:1])
        action = rng.choice(values).action if rng.random() < 0.2 else adviser.best_of(values).action
        state = game.apply(state, action)


if __name__ == "__main__":
    main()
