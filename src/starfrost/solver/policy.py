"""What perfect play does inside a turn, for 32 positions at a time, and how probability runs through it.

`choose` solves the turn once more and writes down an action for every roll and a step for every multiset of kept dice;
`run` sends the probability of the mover's masks through them. A lane is one position. Of actions whose worths differ by
less than 1e-12 a score is taken before a skip before a reroll; the earlier card; the most points; the more dice kept;
the lower die rerolled.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.dice.lattice import KEPT, ROLLS, Lattice
from starfrost.solver import simd as lanes
from starfrost.solver.kernels import LANES, Cards, aligned, jit, list_cards

__all__ = ["NEAR", "SKIP", "Inside", "choose", "run", "scratch", "ways"]

Array = Any
NEAR = 1e-12
"""Worths closer than this count as equal."""
SKIP = 5
"""The code of a skip; a card's own number is the code of scoring it, `SKIP` + 1 + card that of a reroll for it."""
STOP = 6
"""The code of kept dice that are rolled from; others are the numbers of the step down."""

add: Any = lanes.add
apart: Any = lanes.apart
average6: Any = lanes.average6
fill: Any = lanes.fill
fill_codes: Any = lanes.fill_codes
load: Any = lanes.load
maximum: Any = lanes.maximum
minus: Any = lanes.minus
only: Any = lanes.only
scaled: Any = lanes.scaled
store: Any = lanes.store
times: Any = lanes.times
where_reached: Any = lanes.where_reached


def ways(dice: Lattice) -> Array:
    """Number the steps backwards: which step down leads from a kept multiset and a face more to that multiset."""
    below = [list(row[:count]) for row, count in zip(dice.down, dice.down_count, strict=True)]
    return np.array([[below[more].index(kept) for more in dice.up[kept]] for kept in range(KEPT)])


class Inside(NamedTuple):
    """Scratch tables for the inside of a turn."""

    dice: Array
    """worths, and then probabilities, by multiset of up to six dice"""
    again: Array
    """worths of rerolling a roll, by the mask that stays"""
    choice: Array
    """the code of what to do, by mask and roll"""
    step: Array
    """the code of the next step, by mask and multiset"""
    flow: Array
    """the probability of a roll, by mask"""
    kept_flow: Array
    """the probability of rolling from kept dice"""


def scratch() -> Inside:
    """Give the tables for the inside of a turn."""
    return Inside(
        aligned(KEPT + ROLLS, LANES),
        aligned(32 * ROLLS, LANES),
        np.zeros((32 * ROLLS, LANES), np.uint8),
        np.zeros((32 * (KEPT + ROLLS), LANES), np.uint8),
        aligned(32 * ROLLS, LANES),
        aligned(KEPT, LANES),
    )


@jit
def choose(
    cards: Cards, by_offer: Array, skip: Array, mass: Array, chance: Array, inside: Inside, swing: Array
) -> None:
    """Write down what to do in a turn; `swing` gets how far the first roll moves worths, by `mass[mover's mask]`."""
    dice, again, choice, step = inside.dice, inside.again, inside.choice, inside.step
    offer_first, offer, up, down, down_count = cards.offer_first, cards.offer, cards.up, cards.down, cards.down_count
    chosen = np.empty(5, np.int64)
    rest = np.empty(5, np.int64)
    base = np.empty(5, np.int64)
    nothing = load(skip, 0)
    moved = fill(0.0)
    for roll in range(462):
        store(again, roll, nothing)
    for mask in range(1, 32):
        count = list_cards(mask, offer_first, chosen, rest, base)
        for roll in range(462):
            best = fill(-1.0)
            for entry in range(count):
                best = maximum(best, load(again, rest[entry] + roll))
                best = maximum(best, load(by_offer, base[entry] + offer[chosen[entry], roll]))
            store(dice, 462 + roll, best)
            # What comes first in the order is asked last and has the last word.
            enough = minus(best, NEAR)
            codes = fill_codes(SKIP)
            for entry in range(count - 1, -1, -1):
                codes = where_reached(load(again, rest[entry] + roll), enough, SKIP + 1 + chosen[entry], codes)
            codes = where_reached(nothing, enough, SKIP, codes)
            for entry in range(count - 1, -1, -1):
                offered = load(by_offer, base[entry] + offer[chosen[entry], roll])
                codes = where_reached(offered, enough, chosen[entry], codes)
            store(choice, mask * 462 + roll, codes)
        for kept in range(461, -1, -1):
            mean = average6(
                load(dice, up[kept, 0]),
                load(dice, up[kept, 1]),
                load(dice, up[kept, 2]),
                load(dice, up[kept, 3]),
                load(dice, up[kept, 4]),
                load(dice, up[kept, 5]),
            )
            store(dice, kept, mean)
        if mass[mask].any():
            expected = load(dice, 0)
            moves = fill(0.0)
            for roll in range(462):
                moves = add(moves, scaled(apart(load(dice, 462 + roll), expected), chance[roll]))
            moved = add(moved, times(moves, load(mass, mask)))
        if mask == 31:
            # Nobody rerolls and still has all cards.
            break
        store(step, mask * 924, fill_codes(STOP))
        for held in range(1, 924):
            best = load(dice, held) if held < 462 else fill(-1.0)
            for entry in range(down_count[held]):
                best = maximum(best, load(dice, down[held, entry]))
            enough = minus(best, NEAR)
            codes = fill_codes(STOP)
            for entry in range(down_count[held] - 1, -1, -1):
                codes = where_reached(load(dice, down[held, entry]), enough, entry, codes)
            if held < 462:
                codes = where_reached(load(dice, held), enough, STOP, codes)
                store(dice, held, best)
            else:
                store(again, mask * 462 + held - 462, best)
            store(step, mask * 924 + held, codes)
    store(swing, 0, moved)


@jit
def run(cards: Cards, mass: Array, way: Array, chance: Array, inside: Inside) -> None:
    """Send the probability `mass[mover's mask]` through a turn: how probable each roll is with each mask left."""
    dice, choice, step, flow, kept_flow = inside.dice, inside.choice, inside.step, inside.flow, inside.kept_flow
    up, down, down_count = cards.up, cards.down, cards.down_count
    for mask in range(31, 0, -1):
        begun = load(mass, mask)
        if mask == 31:
            for roll in range(462):
                store(flow, mask * 462 + roll, scaled(begun, chance[roll]))
            continue
        for roll in range(462):
            arrived = fill(0.0)
            for card in range(5):
                above = (mask | (1 << card)) * 462 + roll
                if not mask >> card & 1:
                    arrived = add(arrived, only(load(choice, above), SKIP + 1 + card, load(flow, above)))
            store(dice, 462 + roll, arrived)
        for kept in range(461, -1, -1):
            arrived = fill(0.0)
            for face in range(6):
                above = up[kept, face]
                arrived = add(arrived, only(load(step, mask * 924 + above), way[kept, face], load(dice, above)))
            store(dice, kept, arrived)
        for held in range(924):
            arrived = fill(0.0)
            for entry in range(down_count[held]):
                arrived = add(arrived, load(kept_flow, down[held, entry]))
            arrived = scaled(arrived, 1 / 6)
            if held < 462:
                stayed = only(load(step, mask * 924 + held), STOP, load(dice, held))
                store(kept_flow, held, add(arrived, stayed))
            else:
                store(flow, mask * 462 + held - 462, add(arrived, scaled(begun, chance[held - 462])))
