"""The sweep's inner loops, compiled by Numba.

All tables have the lanes as their last, contiguous axis. In the main phase a lane is one set of the opponent's active
cards; in the skip phase it is one pair of scores with all the opponent's cards active. A worth is always the
probability that the player to move wins, a shared victory counting one half.
"""

import os
from typing import Any, NamedTuple

import numpy as np

from starfrost.errors import MissingExtra
from starfrost.solver.paths import cache_folder, has_room

# Numba's cache goes where the solved sets go: the installed package may be read-only.
os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder() / "numba"))

try:
    from numba import njit
except ModuleNotFoundError as missing:
    raise MissingExtra("Solving needs Numba: pip install 'starfrost[solver]'.") from missing

from starfrost.dice.card_set import CardSet
from starfrost.dice.lattice import lattice
from starfrost.solver import simd as lanes

__all__ = [
    "LANES",
    "Cards",
    "Room",
    "aligned",
    "best_offers",
    "cards_of",
    "final_worths",
    "jit",
    "last_worth",
    "list_cards",
    "main_phase",
    "scratch",
    "skip_phase",
    "spread",
    "squeeze",
]

Array = Any
LANES = lanes.LANES
# Numba fills in the first parameter of an intrinsic, which a type checker cannot know.
average6: Any = lanes.average6
fill: Any = lanes.fill
load: Any = lanes.load
maximum: Any = lanes.maximum
one_minus: Any = lanes.one_minus
store: Any = lanes.store
# On a full or read-only disk Numba would fail where compiling anew costs some seconds.
jit = njit(cache=has_room(os.environ["NUMBA_CACHE_DIR"]), nogil=True, error_model="numpy", boundscheck=False)


def aligned(*shape: int) -> Array:
    """Give a scratch table that starts on a cache line, so that no row straddles two."""
    size = int(np.prod(shape))
    room = np.empty(size + 8)
    start = (-room.ctypes.data // 8) % 8
    return room[start : start + size].reshape(shape)


class Cards(NamedTuple):
    """What the loops read of a set of cards and of the dice (see `CardSet` and `Lattice`)."""

    effect: Array
    points: Array
    points_first: Array
    offer_first: Array
    offer_start: Array
    offer_points: Array
    offer: Array
    up: Array
    down: Array
    down_count: Array


class Room(NamedTuple):
    """One worker's scratch tables."""

    by_points: Array
    """worths of scoring, by card, by the mask that stays, by points"""
    by_offer: Array
    """the best of each offer, laid out likewise"""
    dice: Array
    """worths by multiset of up to six dice"""
    reroll: Array
    """worths of rerolling a roll, by the mask that stays"""
    out: Array
    """the turn's worths before the first roll, by mask"""
    skip: Array
    """the worth of skipping"""


def cards_of(chosen: CardSet) -> Cards:
    """Take what the loops read from a set-up and the lattice of dice."""
    dice = lattice()
    return Cards(
        chosen.change,
        chosen.points,
        chosen.points_first,
        chosen.offer_first,
        chosen.offer_start,
        chosen.offer_points,
        chosen.offer,
        dice.up,
        dice.down,
        dice.down_count,
    )


def scratch(chosen: CardSet) -> Room:
    """Give one worker's tables for a set-up, not filled."""
    return Room(
        aligned(len(chosen.points) * 16, LANES),
        aligned(int(chosen.offer_first[5]) * 16, LANES),
        aligned(924, LANES),
        aligned(31 * 462, LANES),
        aligned(32, LANES),
        aligned(1, LANES),
    )


@jit
def _affect(effect: int, row: Array, out: Array, place: int) -> None:
    """Write the mover's worths after the opponent has chosen what to freeze (1) or reset (2) in their own interest."""
    for mask in range(32):
        best = -1.0
        for card in range(5):
            bit = 1 << card
            if effect == 1 and mask & bit:
                best = max(best, row[mask ^ bit])
            elif effect == 2 and not mask & bit:
                best = max(best, row[mask | bit])
        if best < 0:
            best = row[mask]
        out[place, mask] = 1.0 - best


@jit
def squeeze(mask: int, card: int) -> int:
    """Number the 16 masks without a card from 0."""
    low = mask & ((1 << card) - 1)
    return low | ((mask >> (card + 1)) << card)


@jit
def list_cards(mask: int, offer_first: Any, chosen: Any, rest: Any, base: Any) -> int:
    """List the cards of a mask, where rolls without each stand, and where its offers do; give their number."""
    count = 0
    for card in range(5):
        if mask >> card & 1:
            left = mask ^ (1 << card)
            chosen[count] = card
            rest[count] = left * 462
            size = offer_first[card + 1] - offer_first[card]
            base[count] = offer_first[card] * 16 + squeeze(left, card) * size - offer_first[card]
            count += 1
    return count


@jit
def spread(place: int, card: int) -> int:
    """Turn the number of a mask without a card back into the mask."""
    low = place & ((1 << card) - 1)
    return low | ((place >> card) << (card + 1))


@jit
def best_offers(cards: Cards, by_points: Array, by_offer: Array) -> None:
    """Find each offer's best points, for each card and each mask that stays."""
    points_first, offer_first = cards.points_first, cards.offer_first
    start, rows = cards.offer_start, cards.offer_points
    for card in range(5):
        point_count = points_first[card + 1] - points_first[card]
        offer_count = offer_first[card + 1] - offer_first[card]
        for place in range(16):
            source = points_first[card] * 16 + place * point_count - points_first[card]
            target = offer_first[card] * 16 + place * offer_count
            for offer in range(offer_count):
                best = fill(-1.0)
                for entry in range(start[offer_first[card] + offer], start[offer_first[card] + offer + 1]):
                    best = maximum(best, load(by_points, source + rows[entry]))
                store(by_offer, target + offer, best)


@jit
def _turn(cards: Cards, room: Room) -> None:
    """Solve one turn for all the mover's masks: `out[mask]` is the worth before the first roll.

    Skipping at once is never better than freezing cards for rerolls first and skipping then, so the skip enters only
    where no card is active.
    """
    by_offer, dice, reroll, out = room.by_offer, room.dice, room.reroll, room.out
    offer_first, offer, up, down, down_count = cards.offer_first, cards.offer, cards.up, cards.down, cards.down_count
    chosen = np.empty(5, np.int64)
    rest = np.empty(5, np.int64)
    base = np.empty(5, np.int64)
    nothing = load(room.skip, 0)
    store(out, 0, nothing)
    for roll in range(462):
        store(reroll, roll, nothing)
    for mask in range(1, 32):
        count = list_cards(mask, offer_first, chosen, rest, base)
        for roll in range(462):
            best = maximum(load(reroll, rest[0] + roll), load(by_offer, base[0] + offer[chosen[0], roll]))
            for entry in range(1, count):
                best = maximum(best, load(reroll, rest[entry] + roll))
                best = maximum(best, load(by_offer, base[entry] + offer[chosen[entry], roll]))
            store(dice, 462 + roll, best)
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
        store(out, mask, load(dice, 0))
        if mask == 31:
            return
        for kept in range(1, 462):
            best = load(dice, kept)
            for entry in range(down_count[kept]):
                best = maximum(best, load(dice, down[kept, entry]))
            store(dice, kept, best)
        for roll in range(462):
            best = load(dice, down[462 + roll, 0])
            for entry in range(1, down_count[462 + roll]):
                best = maximum(best, load(dice, down[462 + roll, entry]))
            store(reroll, mask * 462 + roll, best)


@jit
def _successor(between: Array, last: Array, goal: int, seat: int, own: int, other: int, mask: int) -> Array:
    """Give the opponent's worths at the start of their turn, by their own mask; `mask` is the mover's.

    `own` is the mover's score after scoring; once it reaches the goal the opponent has one last turn. (The second seat
    has won by then: callers do not ask.)
    """
    if own < goal:
        return between[1 - seat, other, own, mask]
    return last[min(own - other, last.shape[0] - 1), mask]


@jit
def last_worth(effect: int, points: int, gap: int, rest: int, mask: int) -> float:
    """Give the worth of scoring in the last turn with `gap` to make up: more wins, as many are a tie (E2)."""
    if points != gap:
        return 1.0 if points > gap else 0.0
    active = 0
    other = 0
    for bit in range(5):
        active += rest >> bit & 1
        other += mask >> bit & 1
    if effect == 1:
        other = max(other - 1, 0)
    elif effect == 2:
        other = min(other + 1, 5)
    return 1.0 if active > other else (0.5 if active == other else 0.0)


@jit
def final_worths(cards: Cards, room: Room, last: Array) -> None:
    """Fill the second seat's last turns: `last[gap, opponent's mask, own mask]`, worth 0 from the last gap on."""
    last[:] = 0.0
    room.skip[:] = 0.0
    for gap in range(1, last.shape[0] - 1):
        for card in range(5):
            first = cards.points_first[card]
            count = cards.points_first[card + 1] - first
            for entry in range(count):
                for place in range(16):
                    row = first * 16 + place * count + entry
                    for mask in range(32):
                        worth = last_worth(
                            cards.effect[card], cards.points[first + entry], gap, spread(place, card), mask
                        )
                        room.by_points[row, mask] = worth
        best_offers(cards, room.by_points, room.by_offer)
        _turn(cards, room)
        for mask in range(32):
            for other in range(32):
                last[gap, other, mask] = room.out[mask, other]


@jit
def skip_phase(
    total: int, begin: int, end: int, goal: int, between: Array, last: Array, cards: Cards, room: Room, other_room: Room
) -> int:
    """Solve the positions in which the opponent has all cards active, for first seats' scores from `begin` to `end`.

    Skipping leads from each of the two positions with all cards active to the other one: a fixed point of two numbers,
    found by iterating until no lane moves. Returns the number of rounds.
    """
    lanes = end - begin
    for seat in range(2):
        own_room = room if seat == 0 else other_room
        for lane in range(32):
            first = begin + min(lane, lanes - 1)
            own = first if seat == 0 else total - first
            for card in range(5):
                first_row = cards.points_first[card]
                count = cards.points_first[card + 1] - first_row
                for entry in range(count):
                    after = own + cards.points[first_row + entry]
                    for place in range(16):
                        target = first_row * 16 + place * count + entry
                        if seat == 1 and after >= goal:
                            own_room.by_points[target, lane] = 1.0
                            continue
                        row = _successor(between, last, goal, seat, after, total - own, spread(place, card))
                        worth = row[31]
                        if cards.effect[card] == 1:
                            worth = row[30]
                            for bit in range(1, 5):
                                worth = max(worth, row[31 ^ (1 << bit)])
                        own_room.by_points[target, lane] = 1.0 - worth
        best_offers(cards, own_room.by_points, own_room.by_offer)
    room.skip[:] = 0.5
    rounds = 0
    while True:
        rounds += 1
        _turn(cards, room)
        for lane in range(32):
            other_room.skip[0, lane] = 1.0 - room.out[31, lane]
        _turn(cards, other_room)
        moved = 0.0
        for lane in range(32):
            skip = 1.0 - other_room.out[31, lane]
            moved = max(moved, abs(skip - room.skip[0, lane]))
            room.skip[0, lane] = skip
        if moved < 2e-16 or rounds == 200:
            break
    for lane in range(lanes):
        first = begin + lane
        for mask in range(32):
            between[0, first, total - first, 31, mask] = room.out[mask, lane]
            between[1, total - first, first, 31, mask] = other_room.out[mask, lane]
    return rounds


@jit
def main_phase(
    total: int, begin: int, end: int, goal: int, between: Array, last: Array, cards: Cards, room: Room
) -> None:
    """Solve all other positions with these scores: a lane is a set of the opponent's active cards."""
    for first in range(begin, end):
        for seat in range(2):
            own = first if seat == 0 else total - first
            other = total - own
            for card in range(5):
                first_row = cards.points_first[card]
                count = cards.points_first[card + 1] - first_row
                for entry in range(count):
                    after = own + cards.points[first_row + entry]
                    for place in range(16):
                        target = first_row * 16 + place * count + entry
                        if seat == 1 and after >= goal:
                            store(room.by_points, target, fill(1.0))
                            continue
                        row = _successor(between, last, goal, seat, after, other, spread(place, card))
                        if cards.effect[card] == 0:
                            store(room.by_points, target, one_minus(load(row, 0)))
                        else:
                            _affect(cards.effect[card], row, room.by_points, target)
            _affect(2, between[1 - seat, other, own, 31], room.skip, 0)
            best_offers(cards, room.by_points, room.by_offer)
            _turn(cards, room)
            # The opponent's mask 31 was solved by the skip phase and stays as it is.
            for mask in range(32):
                for lane in range(31):
                    between[seat, own, other, lane, mask] = room.out[mask, lane]
