"""The solver next to the reference engine, on sets that hold every card and every pair of effects.

    python -m tests.solver.oracle CARD CARD CARD CARD CARD GOAL     all positions of one set, by value iteration
    python -m tests.solver.oracle MODE GOAL GOAL                    the same for a mode and several goals
    python -m tests.solver.oracle --all GOAL                        the same for all the sets below
    python -m tests.solver.oracle --plain 50 --all GOAL             50 turns of each, by plain expectimax
    python -m tests.solver.oracle --gpu --all GOAL                  iteration and CUDA kernels, both with CuPy

`iteration` and `expectimax` import nothing of Starfrost but its games; here they meet the solver.
"""

import argparse
import time
from random import Random
from typing import Any, NamedTuple

import numpy as np

from research.dicy_cards import gpu
from starfrost.errors import UsageError
from starfrost.games.dicy_cards import ALL_ACTIVE, MODES, DicyCards, Phase, State, check_cards
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.dicy_cards.solver.values import Values
from tests.solver.expectimax import expectimax
from tests.solver.iteration import Iteration

__all__ = ["SETS", "difference", "plain_difference"]

SETS = {
    **{mode: MODES[mode].cards for mode in MODES},
    "all three effects": ("any-two", "sixes", "three-lowest", "distinct-fours", "forty-minus"),
    "C1+C6": ("any-two", "no-sixes", "sixes", "distinct-sum", "same-fives"),
    "C1+C8": ("any-two", "odds", "two-pairs", "three-lowest", "distinct-fours"),
    "C6+C8": ("no-sixes", "sixes", "three-lowest", "distinct-sum", "forty-minus"),
    "C6 alone": ("odds", "straight", "two-pairs", "sixes", "same-fives"),
    "C8 alone": ("straight", "double-pair", "three-lowest", "distinct-sum", "same-fives"),
}
"""The four modes; all three effects once more, with other cards; every pair of effects; each alone (Glacial: C1)."""

LIMIT = 1e-12


class Difference(NamedTuple):
    """The greatest difference found, and among how many positions."""

    positions: int
    greatest: float


def difference(iteration: Iteration, values: Values) -> Difference:
    """Compare all positions between turns, the second seat's last turns included."""
    goal, positions, greatest = iteration.game.goal, 0, 0.0
    for first in range(goal + iteration.facts.most):
        for second in range(goal):
            for seat in range(2) if first < goal else (1,):
                apart = np.abs(iteration.block(seat, (first, second)) - values.block(seat, (first, second)))
                positions += apart.size
                greatest = max(greatest, float(apart.max()))
    return Difference(positions, greatest)


def some_position(game: DicyCards, rng: Random, last: bool, most_cards: int = 5) -> State:
    """Draw a position between turns, or one before the second seat's last turn."""
    scores = [rng.randrange(game.goal), rng.randrange(game.goal)]
    seat = rng.randrange(2)
    if last:
        seat, scores = 1, [game.goal + rng.randrange(10), game.goal - 1 - rng.randrange(min(game.goal, 10))]
    active = [rng.randrange(ALL_ACTIVE + 1) for _ in range(2)]
    while active[seat].bit_count() > most_cards:
        active[seat] = rng.randrange(ALL_ACTIVE + 1)
    phase = Phase.ROLL if active[seat] else Phase.ACT
    return State(phase, seat, "", (scores[0], scores[1]), (active[0], active[1]))


def plain_difference(
    game: DicyCards, worths: Values | Iteration, number: int, seed: int = 1, most_cards: int = 5
) -> Difference:
    """Compare the value of some positions with a whole turn of the engine and the values of what can follow it.

    One turn in four is a last one.
    """
    rng, greatest = Random(seed), 0.0

    def first_seats(state: State) -> float:
        worth = worths.value(state.seat, state.scores, state.active)
        return worth if state.seat == 0 else 1 - worth

    for turn in range(number):
        state = some_position(game, rng, turn % 4 == 3, most_cards)
        greatest = max(greatest, abs(expectimax(game, state, first_seats) - first_seats(state)))
    return Difference(number, greatest)


def _solved(cards: tuple[str, ...], goal: int, machine: gpu.Machine | None) -> Values:
    if machine is None:
        return solve(cards, goal)
    batch = gpu.solve_batch(machine, [cards], goal)
    return Values(cards, goal, *(machine.numbers(array)[0] for array in (batch.between, batch.last)))


def _read(words: list[str]) -> tuple[dict[str, tuple[str, ...]], list[int]]:
    """Read sets and goals: names of sets or five cards, then numbers. Raises UsageError."""
    names, goals = [word for word in words if not word.isdigit()], [int(word) for word in words if word.isdigit()]
    if not goals or min(goals) < 1:
        raise UsageError("Expected a goal of at least 1, for example: --all 10.")
    if len(names) == 5 and not set(names) & set(SETS):
        return {"these five": check_cards(tuple(names))}, goals
    for name in names:
        if name not in SETS:
            raise UsageError(f"There is no set {name!r}; expected five cards or some of {', '.join(SETS)}.")
    return {name: SETS[name] for name in names}, goals


def main() -> None:
    """Print a table; leave with 1 if a difference is greater than 1e-12."""
    parser = argparse.ArgumentParser(prog="python -m tests.solver.oracle", description="The solver next to the engine.")
    parser.add_argument("words", nargs="+", metavar="SET GOAL", help="five cards or names of sets, then goals")
    parser.add_argument("--all", action="store_true", help="all sets")
    parser.add_argument("--plain", type=int, metavar="N", help="N turns by plain expectimax instead of all positions")
    parser.add_argument("--gpu", action="store_true", help="iterate with CuPy and compare with the CUDA kernels")
    options = parser.parse_args()
    try:
        sets, goals = _read(options.words)
    except UsageError as error:
        parser.error(str(error))
    sets = SETS if options.all else sets
    if not sets:
        parser.error("Expected a set, or --all.")
    machine: gpu.Cupy | None = gpu.Cupy() if options.gpu else None
    how: dict[str, Any] = {}
    if options.gpu:
        import cupy

        how = {"arrays": cupy, "together": 100}
    print(f"{'set':<18} {'goal':>4}  {'first player wins':>17}  {'positions':>10}  {'difference':>10}  {'seconds':>7}")
    worst = 0.0
    for goal in goals:
        for name, cards in sets.items():
            begun = time.perf_counter()
            game, values = DicyCards(2, cards, goal), _solved(cards, goal, machine)
            if options.plain:
                found = plain_difference(game, values, options.plain)
            else:
                found = difference(Iteration(game, **how), values)
            seconds = time.perf_counter() - begun
            print(
                f"{name:<18} {goal:>4}  {values.first_player_wins:>17.12f}  {found.positions:>10,}"
                f"  {found.greatest:>10.1e}  {seconds:>7.1f}",
                flush=True,
            )
            worst = max(worst, found.greatest)
    print(f"greatest difference {worst:.1e}")
    raise SystemExit(worst > LIMIT)


if __name__ == "__main__":
    main()
