"""`strong`: it plays legally without JAX, values sheets well, and beats weaker bots from either seat."""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import starfrost.games.dice_stars.bots.strong as module
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.bots.greedy import DiceStarsGreedy
from starfrost.games.dice_stars.bots.search import Search
from starfrost.games.dice_stars.bots.strong import DiceStarsStrong

WEIGHTS = sorted((Path(module.__file__).parent / "weights").glob("*.npz"))
QUICK = Search(rolls=6, mix=0.5)
"""A look-ahead for whole games: an eighth of the rolls that the bot samples."""


def play(game: DiceStars, bots: list[Any], seed: int) -> Any:
    """Play a game to its end."""
    rng = Random(seed)
    state = game.start()
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else bots[actor].choose(game, state, rng)
        state = game.apply(state, action)
    return state


def test_the_weights_are_small_and_plain() -> None:
    assert [path.name for path in WEIGHTS] == [f"dice-stars-{seats}.npz" for seats in (1, 2, 3, 4)]
    assert sum(path.stat().st_size for path in WEIGHTS) < 5_000_000


def test_it_plays_without_jax() -> None:
    code = (
        "import sys; sys.modules['jax'] = None\n"
        "from random import Random\n"
        "from starfrost.games.dice_stars import DiceStars\n"
        "from starfrost.games.dice_stars.bots.strong import DiceStarsStrong\n"
        "game, rng = DiceStars(3), Random(2)\n"
        "state = game.start()\n"
        "for _ in range(40):\n"
        "    actor = game.actor(state)\n"
        "    action = game.sample(state, rng) if actor < 0 else DiceStarsStrong().choose(game, state, rng)\n"
        "    state = game.apply(state, action)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_beats_greedy_at_every_table(seats: int) -> None:
    game, strong, greedy = DiceStars(seats), DiceStarsStrong(search=QUICK), DiceStarsGreedy()
    won, games = 0.0, 4 * seats
    for number in range(games):
        seat = number % seats
        winners = game.winners(play(game, [strong if s == seat else greedy for s in range(seats)], number))
        won += (seat in winners) / len(winners)
    assert won / games > 1.25 / seats


def test_alone_it_plays_to_win() -> None:
    game, strong = DiceStars(1), DiceStarsStrong(search=QUICK)
    ends = [play(game, [strong], seed) for seed in range(12)]
    assert sum(bool(game.winners(state)) for state in ends) >= 9


def test_the_same_position_gets_the_same_answer() -> None:
    game = DiceStars(2)
    state = play_some(game, 9)
    answers = {DiceStarsStrong().choose(game, state, Random(seed)) for seed in range(3)}
    assert len(answers) == 1


def play_some(game: DiceStars, events: int) -> Any:
    """Play some events at random, up to a decision."""
    rng = Random(5)
    state = game.start()
    while events > 0 or game.actor(state) == CHANCE:
        legal = game.legal_actions(state)
        state = game.apply(state, rng.choice(legal) if legal else game.sample(state, rng))
        events -= 1
    return state
