"""The phases of the sweep, compiled by Numba: last turns, skips, and all other positions of a score total.

In the main phase a lane is one set of the opponent's active cards; in the skip phase it is one pair of scores with all
the opponent's cards active. Every phase gets two sets of tables, though only the skip phase uses both.
"""

from typing import Any

import numpy as np

from starfrost.compiling import jit
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change
from starfrost.games.dicy_cards.solver.kernels import (
    HALF,
    LANES,
    Game,
    Scratch,
    best_answer,
    best_offers,
    end_values,
    spread,
    successors,
    turn,
)
from starfrost.games.dicy_cards.solver.simd import fill, load, minus, store

Array = Any
_RESET = int(Change.RESET)


@jit
def final_values(game: Game, tables: Scratch, other_tables: Scratch) -> None:
    """Fill the second seat's last turns: `last[gap, opponent's mask, own mask]`, 0 from the last gap on."""
    game.last[:] = 0.0
    tables.skip[:] = 0.0
    places = np.zeros((3, LANES), np.int64)
    places[2] = np.arange(LANES)
    for gap in range(1, game.last.shape[0] - 1):
        end_values(game, 1, gap, places, tables)
        turn(game.cards, tables, None)
        for mask in range(MASKS):
            for other in range(MASKS):
                game.last[gap, other, mask] = tables.out[mask, other]


@jit
def skip_phase(game: Game, total: int, begin: int, end: int, tables: Scratch, other_tables: Scratch) -> int:
    """Solve the positions in which the opponent has all cards active, for first seats' scores from `begin` to `end`.

    Skipping leads from each of the two positions with all cards active to the other one: a fixed point of two numbers,
    found by iterating until no lane changes. Return the number of rounds.
    """
    places = np.full((3, LANES), ALL_ACTIVE)
    for seat in range(2):
        for lane in range(LANES):
            first = min(begin + lane, end - 1)
            places[0, lane] = first if seat == 0 else total - first
            places[1, lane] = total - places[0, lane]
        end_values(game, seat, 0, places, tables if seat == 0 else other_tables)
    tables.skip[:] = 0.5
    rounds = 0
    while True:
        rounds += 1
        turn(game.cards, tables, None)
        for lane in range(LANES):
            other_tables.skip[0, lane] = 1.0 - tables.out[ALL_ACTIVE, lane]
        turn(game.cards, other_tables, None)
        moved = 0.0
        for lane in range(LANES):
            skip = 1.0 - other_tables.out[ALL_ACTIVE, lane]
            moved = max(moved, abs(skip - tables.skip[0, lane]))
            tables.skip[0, lane] = skip
        if moved < 2e-16 or rounds == 200:
            break
    for lane in range(end - begin):
        first = begin + lane
        for mask in range(MASKS):
            game.between[0, first, total - first, ALL_ACTIVE, mask] = tables.out[mask, lane]
            game.between[1, total - first, first, ALL_ACTIVE, mask] = other_tables.out[mask, lane]
    return rounds


@jit
def _answered(change: int, following: Array, rest: int, out: Array, place: int) -> None:
    """Write the mover's values after the opponent chose a card to freeze or reset, by the opponent's mask."""
    for mask in range(MASKS):
        out[place, mask] = 1.0 - best_answer(change, following, rest, mask)


@jit
def main_phase(game: Game, total: int, first: int, tables: Scratch, other_tables: Scratch) -> None:
    """Solve all other positions with these scores: a lane is a set of the opponent's active cards."""
    cards = game.cards
    for seat in range(2):
        own = first if seat == 0 else total - first
        other = total - own
        for card in range(CARDS_IN_A_GAME):
            first_row = cards.points_first[card]
            count = cards.points_first[card + 1] - first_row
            for entry in range(count):
                after = own + cards.points[first_row + entry]
                won = seat == 1 and after >= game.goal
                following = game.last[0] if won else successors(game, seat, after, other)
                for place in range(HALF):
                    target = first_row * HALF + place * count + entry
                    if won:
                        store(tables.by_points, target, fill(1.0))
                    elif cards.change[card] == 0:
                        store(tables.by_points, target, minus(fill(1.0), load(following, spread(place, card))))
                    else:
                        _answered(cards.change[card], following, spread(place, card), tables.by_points, target)
        _answered(_RESET, game.between[1 - seat, other, own], ALL_ACTIVE, tables.skip, 0)
        best_offers(cards, tables.by_points, tables.by_offer)
        turn(cards, tables, None)
        # The skip phase solved the opponent's mask with all cards.
        for mask in range(MASKS):
            for lane in range(ALL_ACTIVE):
                game.between[seat, own, other, lane, mask] = tables.out[mask, lane]
