"""OpenSpiel's Monte Carlo tree search plays Dicy Cards: `python examples/open_spiel_mcts.py [GAMES]`.

Needs `pip install 'starfrost[vector]' open_spiel`. The search knows nothing of the game but its rules.
"""

import sys

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import starfrost.adapters.open_spiel  # noqa: F401  (registers the games)


def duel(games: int, simulations: int = 300, goal: int = 8) -> float:
    """Play the search against a random player in alternating seats; return its share of the victories."""
    game = pyspiel.load_game(f"starfrost_dicy_cards(goal={goal})")
    rng = np.random.RandomState(1)
    won = 0.0
    for number in range(games):
        seat = number % 2
        search = mcts.MCTSBot(game, 1.0, simulations, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        bots = [search, pyspiel.make_uniform_random_bot(1 - seat, number)]
        won += pyspiel.evaluate_bots(game.new_initial_state(), bots[::-1] if seat else bots, number)[seat]
    return won / games


if __name__ == "__main__":
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"the search won {duel(games):.0%} of {games} games")
