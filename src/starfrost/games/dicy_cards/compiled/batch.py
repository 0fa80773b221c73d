"""A batch of Dicy Cards: rounds of planned turns, in groups of games whose turns are solved together."""

import numpy as np

from starfrost.compiling import Array, jit
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.dicy_cards.compiled.ends import Book, perfect_ends, planner_ends
from starfrost.games.dicy_cards.compiled.master import play_masters
from starfrost.games.dicy_cards.compiled.network import Net
from starfrost.games.dicy_cards.compiled.play import GREEDY, MASTER, PERFECT, PLANNER, BotData, Games, play_light
from starfrost.games.dicy_cards.compiled.tables import Rules
from starfrost.games.dicy_cards.compiled.turns import (
    NOTHING,
    DecisionBatch,
    Turns,
    choose_group,
    group_end,
    play_group,
    solve,
    turns_of,
)
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.kernels import LANES


@jit
def play_groups(
    rules: Rules, data: BotData, games: Games, book: Book, turns: Turns, order: Array, entries: Array, near: float,
    asked: DecisionBatch,
) -> None:  # fmt: skip
    """Play one turn of each game in the order given, or choose what is asked.

    Games with the same bot and cards are neighbours.
    """
    active = np.empty(rules.seats, np.int64)
    first = 0
    while first < len(order):
        seat = games.seat[order[first]]
        bot, held = data.bots[seat], games.active[order[first], seat]
        end = group_end(data, games, order, first)
        for lane in range(LANES):
            # Lanes beyond the last game repeat it.
            game = order[min(first + lane, end - 1)]
            if bot == PERFECT:
                perfect_ends(rules, data, games, entries, turns, lane, game)
            elif bot == PLANNER:
                planner_ends(rules, data, games, book, turns, lane, game, active)
        solve(turns, held)
        enough = data.near if bot == PERFECT else near
        if len(asked.place):
            choose_group(rules, data, games, turns, order, first, end, enough, asked)
        else:
            play_group(rules, data, games, turns, order, first, end, enough)
        first = end


def play_planned(
    game: DicyCards, rules: Rules, data: BotData, book: Book, net: Net | None, games: Games, near: float
) -> None:
    """Play all games to the end; bots that need no plan have played up to the next turn of one that does."""
    chosen = card_set(game.kinds)
    turns = turns_of(chosen)
    entries = chosen.points.astype(np.int64)
    going = np.flatnonzero(games.seat >= 0)
    while len(going):
        seats = games.seat[going]
        bots, held = data.bots[seats], games.active[going, seats]
        # Neighbours in the tables of exact values are read together.
        order = np.lexsort((games.scores[going, seats], held, bots))
        ready = (bots[order] > GREEDY) & (games.asked[going[order], 0] == 0)
        others = going[order[ready & (bots[order] != MASTER)]]
        if len(others):
            play_groups(rules, data, games, book, turns, others, entries, near, NOTHING)
        if net is not None:
            masters = going[order[ready & (bots[order] == MASTER)]]
            play_masters(rules, data, games, net, turns, masters, entries, near, NOTHING)
        play_light(rules, data, games)
        going = going[games.seat[going] >= 0]
