"""A batch of Dicy Cards: rounds of planned turns, in groups of games whose turns are solved together."""

import numpy as np

from starfrost.batch.dicy_cards.ends import Book, perfect_ends, planner_ends
from starfrost.batch.dicy_cards.master import play_masters
from starfrost.batch.dicy_cards.network import Net
from starfrost.batch.dicy_cards.play import GREEDY, MASTER, PERFECT, PLANNER, Games, Minds, play_light
from starfrost.batch.dicy_cards.tables import Rules
from starfrost.batch.dicy_cards.turns import (
    NOTHING,
    Asks,
    Turns,
    choose_group,
    group_end,
    play_group,
    solve,
    turns_of,
)
from starfrost.dice.card_set import card_set
from starfrost.games.dicy_cards import DicyCards
from starfrost.solver.kernels import LANES, Array, jit


@jit
def play_groups(
    rules: Rules, minds: Minds, games: Games, book: Book, turns: Turns, order: Array, entries: Array, near: float,
    asks: Asks,
) -> None:  # fmt: skip
    """Play one turn of each game in the order given, or choose what is asked.

    Games with the same bot and cards are neighbours.
    """
    active = np.empty(rules.seats, np.int64)
    first = 0
    while first < len(order):
        seat = games.seat[order[first]]
        bot, held = minds.bots[seat], games.active[order[first], seat]
        end = group_end(minds, games, order, first)
        for lane in range(LANES):
            # Lanes beyond the last game repeat it.
            game = order[min(first + lane, end - 1)]
            if bot == PERFECT:
                perfect_ends(rules, minds, games, entries, turns, lane, game)
            elif bot == PLANNER:
                planner_ends(rules, minds, games, book, turns, lane, game, active)
        solve(turns, held)
        enough = minds.near if bot == PERFECT else near
        if len(asks.place):
            choose_group(rules, minds, games, turns, order, first, end, enough, asks)
        else:
            play_group(rules, minds, games, turns, order, first, end, enough)
        first = end


def play_planned(
    game: DicyCards, rules: Rules, minds: Minds, book: Book, net: Net | None, games: Games, near: float
) -> None:
    """Play all games to the end; bots that need no plan have played up to the next turn of one that does."""
    chosen = card_set(game.kinds)
    turns = turns_of(chosen)
    entries = chosen.points.astype(np.int64)
    going = np.flatnonzero(games.seat >= 0)
    while len(going):
        seats = games.seat[going]
        bots, held = minds.bots[seats], games.active[going, seats]
        # Neighbours in the tables of exact values are read together.
        order = np.lexsort((games.scores[going, seats], held, bots))
        ready = (bots[order] > GREEDY) & (games.asked[going[order], 0] == 0)
        others = going[order[ready & (bots[order] != MASTER)]]
        if len(others):
            play_groups(rules, minds, games, book, turns, others, entries, near, NOTHING)
        if net is not None:
            masters = going[order[ready & (bots[order] == MASTER)]]
            play_masters(rules, minds, games, net, turns, masters, entries, near, NOTHING)
        play_light(rules, minds, games)
        going = going[games.seat[going] >= 0]
