"""A fair handicap for two players of Dicy Cards: who begins, and how many points ahead, so that the game is about even.

Between perfect players that is read from the solved values, and what a frozen card is worth, too. A person is
simulated: actions are taken the more seldom the more they cost, so that a decision costs some winning chance on
average. Dice neither give nor take on average, so the chance to win is the exact value of the beginning minus what the
one's decisions cost, plus what the other's cost. Counting what decisions cost on average in place of victories takes
out the luck of the dice and of the people, and fewer games are enough.
"""

import json
from collections.abc import Callable
from functools import cache
from math import exp
from pathlib import Path
from random import Random
from statistics import NormalDist, mean, stdev
from typing import TYPE_CHECKING, Final, NamedTuple

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import ALL_ACTIVE, MODES, State

if TYPE_CHECKING:
    # The set-up reads the table here, also where there is no NumPy.
    from starfrost.games.dicy_cards.solver.adviser import Adviser
    from starfrost.games.dicy_cards.solver.values import Values

PEOPLE: Final = {"expert": 0.0, "regular": 0.01, "beginner": 0.03}
"""Simulated people, the best first: how much more an action costs that is taken 2.7 times as seldom."""
PAIRS: Final = (("beginner", "expert"), ("beginner", "regular"), ("regular", "expert"))
"""Who can have a head start against whom."""

_TABLE: Final = Path(__file__).with_name("handicap.json")
_MOST: Final = 50
_NORMAL: Final = NormalDist()


class Start(NamedTuple):
    """How a game begins for the weaker player."""

    points: int
    """The head start."""
    begins: bool

    @property
    def scores(self) -> tuple[int, int]:
        """The points of the seats."""
        return (self.points, 0) if self.begins else (0, self.points)

    def value(self, values: "Values") -> float:
        """Return the exact chance of the one with the head start if both play perfectly."""
        first = values.first_player_wins_from(self.scores)
        return first if self.begins else 1.0 - first


class Share(NamedTuple):
    """What simulated games say of a start."""

    mean: float
    """The weaker one's share of victories, without the luck of the dice."""
    error: float
    """Half the 95 % interval."""
    costs: tuple[float, float]
    """What a decision cost on average, of the weaker and of the stronger one."""


def without_card(values: "Values", place: int, *, begins: bool) -> float:
    """Return the exact chance of a perfect player if the other one starts with a card frozen."""
    few = ALL_ACTIVE ^ 1 << place
    first = values.value(0, (0, 0), (ALL_ACTIVE, few) if begins else (few, ALL_ACTIVE))
    return first if begins else 1.0 - first


def perfect(values: "Values") -> Start:
    """Return the head start that makes perfect players most equal."""
    return min(_starts(values), key=lambda start: abs(start.value(values) - 0.5))


def _starts(values: "Values") -> list[Start]:
    return [Start(points, begins) for points in range(min(_MOST, values.goal)) for begins in (True, False)]


def simulate(adviser: "Adviser", start: Start, weaker: float, stronger: float, games: int, rng: Random) -> Share:
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


def _play(adviser: "Adviser", people: tuple[float, float], state: State, rng: Random) -> _Played:
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


def fair(values: "Values", share: Callable[[Start, int], float], games: int) -> Start:
    """Return the start that makes an even game; `share` plays games from a start and returns the weaker one's share.

    On the scale of the normal distribution the share of people rises with that of perfect players in a straight line,
    which is fitted to a few starts, closer and closer to the even one.
    """
    starts = {start: _NORMAL.inv_cdf(min(0.9999, max(0.0001, start.value(values)))) for start in _starts(values)}
    seen: list[tuple[float, float, int]] = []
    start, slope = Start(0, True), 1.0
    for number in (games // 8, games // 8, games // 4, games // 2, games):
        found = _NORMAL.inv_cdf(min(0.99, max(0.01, share(start, number))))
        seen.append((starts[start], found, number))
        (x0, y0, _), (x1, y1, _) = seen[0], seen[-1]
        if x1 - x0 > 0.2:
            slope = min(2.0, max(0.3, (y1 - y0) / (x1 - x0)))
        # The line through the mean of the last starts, which are the closest and have the most games.
        last = seen[-2:]
        weights = [number for _, _, number in last]
        x, y = (sum(one[i] * one[2] for one in last) / sum(weights) for i in (0, 1))
        even = x - y / slope
        start = min(starts, key=lambda one: abs(starts[one] - even))
    return start


@cache
def table() -> dict[str, dict[str, Start]]:
    """Return the fair starts by mode and by pair of people, to 100 points (`python -m bench.handicap --write`)."""
    found = json.loads(_TABLE.read_text(encoding="utf-8"))
    return {mode: {pair: Start(*start) for pair, start in pairs.items()} for mode, pairs in found.items()}


def start_for(cards: tuple[str, ...], goal: int, weaker: str, stronger: str) -> Start | None:
    """Return the fair start of a set-up; None if it is not known."""
    mode = next((mode for mode in MODES.values() if set(mode.cards) == set(cards)), None)
    return table().get(mode.id, {}).get(f"{weaker} {stronger}") if mode is not None and goal == 100 else None
