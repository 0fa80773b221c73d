"""Fair handicaps of Dicy Cards: `python -m bench.handicap [--mode glacial] [--games 1000] [--find] [--write]`.

Solves the cards of a mode to 100 points, if they are not solved here, and prints what points and frozen cards are worth
between perfect players. Then it plays games of the simulated people with the head start that is offered at set-up and
prints the share of the weaker one, without the luck of the dice, and what a decision cost them on average. With
`--find` it looks for the head starts, and with `--write` it keeps them in the table that the set-up reads.

Between perfect players a fair start is read from the solved values, and so is what a frozen card is worth. A person is
simulated: actions are taken the more seldom the more they cost, so that a decision costs some winning chance on
average. Dice neither give nor take on average, so the chance to win is the exact value of the beginning minus what the
one's decisions cost, plus what the other's cost. Counting what decisions cost on average in place of victories takes
out the luck of the dice and of the people, and fewer games are enough.
"""

import argparse
import json
import sys
from collections.abc import Callable
from math import exp
from random import Random
from statistics import NormalDist, mean, stdev
from typing import Any, Final, NamedTuple

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import ALL_ACTIVE, GOAL, MODES, DicyCards, State
from starfrost.games.dicy_cards.coach.handicap import TABLE, Start, table
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.values import Values

PEOPLE: Final = {"expert": 0.0, "regular": 0.01, "beginner": 0.03}
"""Simulated people, the best first: how much more an action costs that is taken 2.7 times as seldom."""
PAIRS: Final = (("beginner", "expert"), ("beginner", "regular"), ("regular", "expert"))
"""Who can have a head start against whom."""

_MOST: Final = 50
_NORMAL: Final = NormalDist()


class Share(NamedTuple):
    """What simulated games say of a start."""

    mean: float
    """The weaker one's share of victories, without the luck of the dice."""
    error: float
    """Half the 95% interval."""
    costs: tuple[float, float]
    """What a decision cost on average, of the weaker and of the stronger one."""


def without_card(values: Values, place: int, *, begins: bool) -> float:
    """Return the exact chance of a perfect player if the other one starts with a card frozen."""
    few = ALL_ACTIVE ^ 1 << place
    first = values.value(0, (0, 0), (ALL_ACTIVE, few) if begins else (few, ALL_ACTIVE))
    return first if begins else 1.0 - first


def perfect(values: Values) -> Start:
    """Return the head start that makes perfect players most equal."""
    return min(_starts(values), key=lambda start: abs(start.value(values) - 0.5))


def _starts(values: Values) -> list[Start]:
    return [Start(points, begins) for points in range(min(_MOST, values.goal)) for begins in (True, False)]


def simulate(adviser: Adviser, start: Start, weaker: float, stronger: float, games: int, rng: Random) -> Share:
    """Play games of two people."""
    seat = 0 if start.begins else 1
    people = (weaker, stronger) if start.begins else (stronger, weaker)
    played = [_play(adviser, people, adviser.game.start()._replace(scores=start.scores), rng) for _ in range(games)]
    value = start.value(adviser.values)
    shares = [value - one.lost[seat] + one.lost[1 - seat] for one in played]
    mine, other = (
        sum(one.lost[place] for one in played) / max(1, sum(one.decisions[place] for one in played))
        for place in (seat, 1 - seat)
    )
    return Share(mean(shares), 1.96 * stdev(shares) / games**0.5, (mine, other))


class _Played(NamedTuple):
    lost: list[float]
    decisions: list[int]
    winners: tuple[int, ...]


def _play(adviser: Adviser, people: tuple[float, float], state: State, rng: Random) -> _Played:
    game, lost, decisions = adviser.game, [0.0, 0.0], [0, 0]
    while (seat := game.actor(state)) != OVER:
        if seat == CHANCE:
            state = game.apply(state, game.sample(state, rng))
            continue
        values = adviser.action_values(state)
        best, careless = max(one.value for one in values), people[seat]
        if careless:
            weights = [exp((one.value - best) / careless) for one in values]
            (taken,) = rng.choices(values, weights)
            # What the decision costs on average, not what this one happens to cost.
            pairs = zip(weights, values, strict=True)
            lost[seat] += sum(weight * (best - one.value) for weight, one in pairs) / sum(weights)
        else:
            taken = adviser.best_of(values)
        decisions[seat] += len(values) > 1
        state = game.apply(state, taken.action)
    return _Played(lost, decisions, tuple(game.winners(state)))


def fair(values: Values, share: Callable[[Start, int], float], games: int) -> Start:
    """Return the start that makes an even game; `share` plays games from a start and returns the weaker one's share.

    On the scale of the normal distribution the share of people rises with that of perfect players in a straight line,
    one for who begins and one beside it for who does not. They are fitted to a few starts, closer and closer to the
    even one.
    """
    starts = {start: _NORMAL.inv_cdf(min(0.9999, max(0.0001, start.value(values)))) for start in _starts(values)}
    seen: list[tuple[Start, float, int]] = []

    def expected(start: Start) -> float:
        kinds = [[one for one in seen if one[0].begins == begins] for begins in (start.begins, not start.begins)]
        slope = 1.0
        for (first, y0, _), (last, y1, _) in [(kind[0], kind[-1]) for kind in kinds if kind][::-1]:
            if (rise := starts[last] - starts[first]) > 0.2:
                slope = min(2.0, max(0.3, (y1 - y0) / rise))
        # The line through the mean of the last starts, which are the closest and have the most games.
        alike = (kinds[0] or seen)[-2:]
        weight = sum(number for *_, number in alike)
        return sum(number * (y + slope * (starts[start] - starts[one])) for one, y, number in alike) / weight

    start = Start(0, True)
    for number in (games // 8, games // 8, games // 4, games // 2, games):
        seen.append((start, _NORMAL.inv_cdf(min(0.99, max(0.01, share(start, number)))), number))
        start = min(starts, key=lambda one: abs(expected(one)))
    return start


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

        known = table().get(chosen.mode, {}).get(f"{weaker} {stronger}")
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
    file = TABLE
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    found.setdefault(mode, {})[pair] = list(start)
    file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
