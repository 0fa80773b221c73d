"""The solver's inner loops, compiled by Numba: one turn for 32 positions at a time.

All tables have the lanes as their last, contiguous axis; a lane is one position. A value is the probability that the
mover (the player whose turn it is) wins, a shared victory counting one half.

`turn` is the program of `solver.turn` in vectors of doubles. It can record the best actions. Of actions whose
values are `NEAR`, a score comes before a skip and a skip before a reroll; then the earlier card, more points, more dice
kept and the lower die rerolled come first.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.compiling import Array, jit
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS
from starfrost.games.dicy_cards.solver.card_set import ANSWERS, TIES, CardSet
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice
from starfrost.games.dicy_cards.solver.shared import NEAR, REROLL, SKIP, STOP
from starfrost.games.dicy_cards.solver.simd import (
    LANES,
    add,
    fill,
    fill_codes,
    load,
    maximum,
    minus,
    store,
    times,
    where_reached,
)

__all__ = [
    "HALF",
    "LANES",
    "Cards",
    "Game",
    "Record",
    "Scratch",
    "aligned",
    "answer",
    "best_answer",
    "best_offers",
    "cards_of",
    "end_values",
    "last_value",
    "scratch",
    "spread",
    "squeeze",
    "successors",
    "turn",
]

HALF = MASKS // 2
"""The masks without one card."""


def aligned(*shape: int) -> Array:
    """Return an unfilled table that starts on a cache line, so that no row crosses one."""
    size = int(np.prod(shape))
    memory = np.empty(size + 8)
    start = (-memory.ctypes.data // 8) % 8
    return memory[start : start + size].reshape(shape)


class Cards(NamedTuple):
    """The numbers of a set of cards and of the dice that the loops read (see `CardSet` and `Lattice`)."""

    change: Array
    points: Array
    points_first: Array
    offer_first: Array
    offer_start: Array
    offer_points: Array
    offer: Array
    up: Array
    down: Array
    down_count: Array


class Game(NamedTuple):
    """A set of cards with its goal and the values that are known so far (see `Values`)."""

    cards: Cards
    goal: int
    between: Array
    last: Array


class Scratch(NamedTuple):
    """One worker's tables."""

    by_points: Array
    """values of scoring, by card, by the mask that stays, by points"""
    by_offer: Array
    """the best of each offer, in the same layout"""
    dice: Array
    """values by multiset of up to six dice"""
    again: Array
    """values of rerolling a roll, by the mask that stays"""
    out: Array
    """the turn's values before the first roll, by mask"""
    skip: Array
    """the value of skipping"""


class Record(NamedTuple):
    """The best actions of a turn, and how far the first roll moves the values."""

    choice: Array
    """the code of the action, by mask and roll"""
    step: Array
    """the code of the next step to the dice that are kept, by mask and multiset"""
    mass: Array
    """the probability of the positions, by mask"""
    chance: Array
    """the probability of each roll"""
    swing: Array
    """the mean move of the values by the first roll, weighed by `mass`"""


def cards_of(chosen: CardSet) -> Cards:
    """Return the numbers of a set of cards and of the dice."""
    dice = lattice()
    return Cards(*chosen[1:], dice.up, dice.down, dice.down_count)


def scratch(chosen: CardSet) -> Scratch:
    """Return one worker's tables for a set of cards, not filled."""
    return Scratch(
        aligned(len(chosen.points) * HALF, LANES),
        aligned(int(chosen.offer_first[-1]) * HALF, LANES),
        aligned(MULTISETS, LANES),
        aligned(ALL_ACTIVE * ROLLS, LANES),
        aligned(MASKS, LANES),
        aligned(1, LANES),
    )


@jit
def best_answer(change: int, following: Array, rest: int, mask: int) -> Any:
    """Return the greatest value that an affected player can choose, of values by the mover's and by their own mask."""
    if change == 0:
        return following[rest, mask]
    # Always five: the table repeats answers, and a loop of fixed length is unrolled.
    best = following[rest, ANSWERS[change, mask, 0]]
    for entry in range(1, CARDS_IN_A_GAME):
        best = max(best, following[rest, ANSWERS[change, mask, entry]])
    return best


@jit
def answer(change: int, row: Array, mask: int) -> Any:
    """Return the mask that an affected player chooses: the first of those that are `NEAR`."""
    chosen = ANSWERS[change, mask, 0]
    for entry in range(1, CARDS_IN_A_GAME):
        if row[ANSWERS[change, mask, entry]] > row[chosen] + NEAR:
            chosen = ANSWERS[change, mask, entry]
    return chosen


@jit
def last_value(change: int, points: int, gap: int, rest: int, mask: int) -> Any:
    """Return the value of scoring in the last turn, `gap` points behind: more points win, as many are a tie (E2)."""
    if points != gap:
        return 1.0 if points > gap else 0.0
    return TIES[change, rest, mask]


@jit
def squeeze(mask: int, card: int) -> int:
    """Number the masks without a card from 0."""
    low = mask & ((1 << card) - 1)
    return low | ((mask >> (card + 1)) << card)


@jit
def spread(place: int, card: int) -> int:
    """Return the mask without a card that has this number; the inverse of `squeeze`."""
    low = place & ((1 << card) - 1)
    return low | ((place >> card) << (card + 1))


@jit
def _list_cards(mask: int, offer_first: Array, chosen: Array, rest: Array, base: Array) -> int:
    """List a mask's cards, the rows of the rolls without each and the rows of its offers; return their number."""
    count = 0
    for card in range(CARDS_IN_A_GAME):
        if mask >> card & 1:
            left = mask ^ (1 << card)
            chosen[count] = card
            rest[count] = left * ROLLS
            size = offer_first[card + 1] - offer_first[card]
            base[count] = offer_first[card] * HALF + squeeze(left, card) * size - offer_first[card]
            count += 1
    return count


@jit
def best_offers(cards: Cards, by_points: Array, by_offer: Array) -> None:
    """Find each offer's best points, for each card and each mask that stays."""
    points_first, offer_first = cards.points_first, cards.offer_first
    start, rows = cards.offer_start, cards.offer_points
    for card in range(CARDS_IN_A_GAME):
        point_count = points_first[card + 1] - points_first[card]
        offer_count = offer_first[card + 1] - offer_first[card]
        for place in range(HALF):
            source = points_first[card] * HALF + place * point_count - points_first[card]
            target = offer_first[card] * HALF + place * offer_count
            for offer in range(offer_count):
                best = fill(-1.0)
                for entry in range(start[offer_first[card] + offer], start[offer_first[card] + offer + 1]):
                    best = maximum(best, load(by_points, source + rows[entry]))
                store(by_offer, target + offer, best)


@jit
def _step(cards: Cards, dice: Array, held: int, best: Any) -> Any:
    """Return the codes of the first step down from a multiset that is as good as the best."""
    enough = minus(best, fill(NEAR))
    codes = fill_codes(STOP)
    for entry in range(cards.down_count[held] - 1, -1, -1):
        codes = where_reached(load(dice, cards.down[held, entry]), enough, entry, codes)
    return codes


@jit
def _swing(dice: Array, record: Record, mask: int) -> Any:
    """Return how far the first roll moves the values, weighed by the probability of a mask."""
    moves = fill(0.0)
    if record.mass[mask].any():
        for roll in range(ROLLS):
            rolled, before = load(dice, KEPT + roll), load(dice, 0)
            distance = maximum(minus(rolled, before), minus(before, rolled))
            moves = add(moves, times(distance, fill(record.chance[roll])))
    return times(moves, load(record.mass, mask))


@jit
def turn(cards: Cards, tables: Scratch, record: Any) -> None:
    """Solve one turn for all the mover's masks: `out[mask]` is the value before the first roll.

    `record` is None or a `Record` to fill; Numba compiles each case separately. Skipping at once is never better than
    skipping after some rerolls, so only the mask without active cards considers the skip.
    """
    by_offer, dice, again, out = tables.by_offer, tables.dice, tables.again, tables.out
    offer_first, offer, up, down, down_count = cards.offer_first, cards.offer, cards.up, cards.down, cards.down_count
    chosen = np.empty(CARDS_IN_A_GAME, np.int64)
    rest = np.empty(CARDS_IN_A_GAME, np.int64)
    base = np.empty(CARDS_IN_A_GAME, np.int64)
    nothing = load(tables.skip, 0)
    moved = fill(0.0)
    store(out, 0, nothing)
    for roll in range(ROLLS):
        store(again, roll, nothing)
    for mask in range(1, MASKS):
        count = _list_cards(mask, offer_first, chosen, rest, base)
        for roll in range(ROLLS):
            best = maximum(load(again, rest[0] + roll), load(by_offer, base[0] + offer[chosen[0], roll]))
            for entry in range(1, count):
                best = maximum(best, load(again, rest[entry] + roll))
                best = maximum(best, load(by_offer, base[entry] + offer[chosen[entry], roll]))
            store(dice, KEPT + roll, best)
            if record is not None:
                # The first in the order of preference is checked last, so that it overwrites the others.
                enough = minus(best, fill(NEAR))
                codes = fill_codes(SKIP)
                for entry in range(count - 1, -1, -1):
                    codes = where_reached(load(again, rest[entry] + roll), enough, REROLL + chosen[entry], codes)
                codes = where_reached(nothing, enough, SKIP, codes)
                for entry in range(count - 1, -1, -1):
                    offered = load(by_offer, base[entry] + offer[chosen[entry], roll])
                    codes = where_reached(offered, enough, chosen[entry], codes)
                store(record.choice, mask * ROLLS + roll, codes)
        for kept in range(KEPT - 1, -1, -1):
            low = add(load(dice, up[kept, 0]), load(dice, up[kept, 1]))
            middle = add(load(dice, up[kept, 2]), load(dice, up[kept, 3]))
            high = add(load(dice, up[kept, 4]), load(dice, up[kept, 5]))
            store(dice, kept, times(add(add(low, middle), high), fill(1 / 6)))
        store(out, mask, load(dice, 0))
        if record is not None:
            moved = add(moved, _swing(dice, record, mask))
        if mask == ALL_ACTIVE:
            # A reroll freezes a card, so none leads here.
            break
        for kept in range(1, KEPT):
            best = load(dice, kept)
            for entry in range(down_count[kept]):
                best = maximum(best, load(dice, down[kept, entry]))
            if record is not None:
                codes = _step(cards, dice, kept, best)
                codes = where_reached(load(dice, kept), minus(best, fill(NEAR)), STOP, codes)
                store(record.step, mask * MULTISETS + kept, codes)
            store(dice, kept, best)
        for roll in range(ROLLS):
            best = load(dice, down[KEPT + roll, 0])
            for entry in range(1, down_count[KEPT + roll]):
                best = maximum(best, load(dice, down[KEPT + roll, entry]))
            if record is not None:
                store(record.step, mask * MULTISETS + KEPT + roll, _step(cards, dice, KEPT + roll, best))
            store(again, mask * ROLLS + roll, best)
    if record is not None:
        store(record.swing, 0, moved)


@jit
def successors(game: Game, seat: int, own: int, other: int) -> Array:
    """Return the opponent's values at the start of their turn, by both masks; the mover has `own` points by then.

    Once the first seat has reached the goal, the second has one last turn. (The second seat has won at the goal:
    callers handle that.)
    """
    if own < game.goal:
        return game.between[1 - seat, other, own]
    return game.last[min(own - other, game.last.shape[0] - 1)]


@jit
def end_values(game: Game, seat: int, gap: int, places: Array, tables: Scratch) -> None:
    """Find the values of each card's points by the mask that stays, and the best of each offer.

    `places` has the mover's score, the other's score and the other's mask for each lane. In a last turn `gap` is the
    other's lead, and the scores do not matter.
    """
    cards = game.cards
    # Lanes are the outer loop: one lane's successors are neighbours in memory, those of different lanes are not.
    for lane in range(LANES):
        own, other, mask = places[0, lane], places[1, lane], places[2, lane]
        for card in range(CARDS_IN_A_GAME):
            first = cards.points_first[card]
            count = cards.points_first[card + 1] - first
            change = cards.change[card]
            for entry in range(count):
                points = cards.points[first + entry]
                won = seat == 1 and own + points >= game.goal
                following = game.last[0] if gap or won else successors(game, seat, own + points, other)
                for place in range(HALF):
                    rest = spread(place, card)
                    if gap:
                        value = last_value(change, points, gap, rest, mask)
                    elif won:
                        value = 1.0
                    else:
                        value = 1.0 - best_answer(change, following, rest, mask)
                    tables.by_points[first * HALF + place * count + entry, lane] = value
    best_offers(cards, tables.by_points, tables.by_offer)
