"""Games between bots, for tests: the same seed gives the same game."""

from collections.abc import Sequence
from random import Random
from typing import Any

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars, State


def play_out(game: DiceStars, bots: Sequence[Any], seed: int) -> State:
    """Play a whole game; every chosen action must be legal."""
    dice, own = Random(seed), [Random(f"{seed} {seat}") for seat in range(game.seats)]
    state = game.start()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            state = game.apply(state, game.sample(state, dice))
        else:
            action = bots[actor].choose(game, state, own[actor])
            assert action in game.legal_actions(state)
            state = game.apply(state, action)
    return state


def share_of_wins(seats: int, bot: Any, rival: Any, games: int) -> float:
    """Play `bot` against rivals, in every seat in turn, and return its share of the victories."""
    game = DiceStars(seats)
    won = 0.0
    for number in range(games):
        seat = number % seats
        winners = game.winners(play_out(game, [bot if s == seat else rival for s in range(seats)], number))
        won += (seat in winners) / len(winners)
    return won / games
