"""Fair handicaps of Dicy Cards: `python -m bench.handicap [--mode glacial] [--games 1000] [--find] [--write]`.

Solves the cards of a mode to 100 points, if they are not solved here, and prints what points and frozen cards are worth
between perfect players. Then it plays games of the simulated people with the head start that is offered at set-up and
prints the share of the weaker one, without the luck of the dice, and what a decision cost them on average. With
`--find` it looks for the head starts, and with `--write` it keeps them in the table that the set-up reads.
"""

import argparse
import json
import sys
from random import Random
from typing import Any

from starfrost.games.dicy_cards import GOAL, MODES, DicyCards
from starfrost.games.dicy_cards.coach import handicap
from starfrost.games.dicy_cards.coach.handicap import PAIRS, PEOPLE, Start, fair, perfect, simulate, without_card
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser


def main() -> None:
    """Check or find the fair head starts of a mode."""
    parser = argparse.ArgumentParser(prog="python -m bench.handicap", description=__doc__)
    parser.add_argument("--mode", choices=list(MODES), default="glacial")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--find", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    cards = MODES[chosen.mode].cards
    adviser = Adviser(DicyCards(2, cards, GOAL), on_demand.ensure_solved(cards, GOAL))
    values, rng = adviser.values, Random(chosen.seed)
    best = perfect(values)
    print(f"{chosen.mode}, {GOAL} points; perfect players: {_start(best)}, {best.value(values):.2%}")
    for place, card in enumerate(values.cards):
        first, second = (without_card(values, place, begins=begins) for begins in (True, False))
        print(f"  against a frozen {card}: {first:.2%} for who begins, {second:.2%} for who does not")
    for weaker, stronger in PAIRS:
        people = PEOPLE[weaker], PEOPLE[stronger]

        def share(start: Start, games: int, people: tuple[float, float] = people) -> float:
            return simulate(adviser, start, *people, games, rng).mean

        known = handicap.table().get(chosen.mode, {}).get(f"{weaker} {stronger}")
        start = fair(values, share, chosen.games) if chosen.find or known is None else known
        found = simulate(adviser, start, *people, chosen.games, rng)
        print(
            f"{weaker} ({found.costs[0]:.2%} a decision) against {stronger} ({found.costs[1]:.2%}): {_start(start)}: "
            f"{found.mean:.1%} ± {found.error:.1%} in {chosen.games} games",
            flush=True,
        )
        if chosen.write:
            _write(chosen.mode, f"{weaker} {stronger}", start)


def _start(start: Start) -> str:
    return f"{start.points} points ahead and {'begins' if start.begins else 'does not begin'}"


def _write(mode: str, pair: str, start: Start) -> None:
    """Keep a start in the table."""
    file = handicap._TABLE
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    found.setdefault(mode, {})[pair] = list(start)
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
