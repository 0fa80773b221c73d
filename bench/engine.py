"""How fast the rules run: random playouts on one core, next to other engines driven from Python, all in one run.

    python -m bench.engine [--seconds 1.0] [--rounds 7]

A decision is one choice of a player; dice are rolled in between and cost time but do not count. Every engine lists
the legal actions, one is drawn at random, and the engine checks it when it is played: ours always does, Catanatron
by default, OpenSpiel as its Python binding does. All games have two players. The engines take turns, so that a busy
machine slows them all alike; the middle of the rounds is reported, in seconds of processor time.
"""

import argparse
from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards

Playout = Callable[[Random], int]
"""Play one random game; give the number of decisions."""


def ours(game: Game[Any, Any]) -> Playout:
    def playout(rng: Random) -> int:
        decisions = 0
        draw = rng.random
        state = game.start()
        while (actor := game.actor(state)) != OVER:
            if actor == CHANCE:
                state = game.apply(state, game.sample(state, rng))
            else:
                legal = game.legal_actions(state)
                state = game.apply(state, legal[int(draw() * len(legal))])
                decisions += 1
        return decisions

    return playout


def drawn(outcomes: list[tuple[int, float]], left: float) -> int:
    """Draw an outcome with its probability, from a number between 0 and 1."""
    for outcome, chance in outcomes:
        left -= chance
        if left < 0:
            return outcome
    return outcomes[-1][0]


def open_spiel(name: str) -> Playout:
    import pyspiel

    game = pyspiel.load_game(name)

    def playout(rng: Random) -> int:
        decisions = 0
        draw = rng.random
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(drawn(state.chance_outcomes(), draw()))
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(draw() * len(legal))])
                decisions += 1
        return decisions

    return playout


def catanatron() -> Playout:
    from catanatron import Color, RandomPlayer
    from catanatron import Game as Catan
    from catanatron.game import TURNS_LIMIT

    def playout(rng: Random) -> int:
        decisions = 0
        draw = rng.random
        game = Catan([RandomPlayer(colour) for colour in list(Color)[:2]], seed=rng.getrandbits(32))
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            legal = game.state.playable_actions
            game.execute(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    return playout


def measure(playouts: dict[str, Playout], rounds: int, seconds: float) -> dict[str, float]:
    """Let the engines take turns and give each one's middle number of decisions a second."""
    speeds: dict[str, list[float]] = {name: [] for name in playouts}
    for round_ in range(rounds + 1):
        for name, playout in playouts.items():
            rng = Random(round_)
            decisions = 0
            began = process_time()
            while (spent := process_time() - began) < seconds:
                decisions += playout(rng)
            # The first round only warms up caches.
            if round_:
                speeds[name].append(decisions / spent)
    return {name: median(each) for name, each in speeds.items()}


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="time for each engine in each round")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, after one to warm up")
    options = parser.parse_args()
    rivals = {
        "Catanatron": catanatron(),
        "backgammon": open_spiel("backgammon"),
        "yacht": open_spiel("yacht"),
    }
    our_own = {"Dicy Cards": ours(DicyCards()), "Dice Stars": ours(DiceStars())}
    speeds = measure({**our_own, **rivals}, options.rounds, options.seconds)
    table = Table(title="Random playouts on one core", caption="backgammon and yacht are OpenSpiel's")
    table.add_column("game")
    table.add_column("decisions/s", justify="right")
    for name in rivals:
        table.add_column(f"÷ {name}", justify="right")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", *(f"{speed / speeds[rival]:.2f}" for rival in rivals))
    Console().print(table)


if __name__ == "__main__":
    main()
