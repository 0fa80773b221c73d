"""Follows perfect play forwards through a solved set: how probable every position is, and what happens there.

The same two passes as `cuda/forward.cu`, compiled by Numba: the turn is solved again with its policy written down,
then the probability runs through it the other way (`policy`), 32 positions at a time. In most turns a lane is one set
of the opponent's active cards; where the opponent has them all it is one pair of scores.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.dice.lattice import lattice
from starfrost.solver import policy
from starfrost.solver import simd as lanes
from starfrost.solver.gpu import LEAST
from starfrost.solver.kernels import LANES, Cards, aligned, best_offers, cards_of, jit, last_worth, spread, squeeze
from starfrost.solver.policy import NEAR, SKIP, Inside, choose, run
from starfrost.solver.values import Values, numbered

__all__ = ["TALLIES", "follow"]

Array = Any
TALLIES = 40
_TURNS, _LOST, _SWING, _FINAL, _SHARED, _SKIPS, _SCORED, _SACRIFICED, _DECIDED = 0, 1, 2, 3, 5, 6, 8, 18, 28

add: Any = lanes.add
fill: Any = lanes.fill
load: Any = lanes.load
only: Any = lanes.only
store: Any = lanes.store


class _Game(NamedTuple):
    """A solved set-up: its cards and dice, the ways between multisets, the chances of rolls, the worths."""

    cards: Cards
    way: Array
    chance: Array
    goal: int
    between: Array
    last: Array


class _Room(NamedTuple):
    """Scratch tables; the first two as in the sweep."""

    by_points: Array
    by_offer: Array
    skip: Array
    mass: Array
    """the probability of the 32 positions, by the mover's mask"""
    by_shares: Array
    """the probability that an offer of one card is taken"""
    taken: Array
    """the probability that points are scored with one card"""
    sums: Array
    inside: Inside


class _Flow(NamedTuple):
    """Where the probability is: between turns, before last turns, and in the tallies."""

    masses: Array
    ends: Array
    tally: Array


@jit
def _affected(effect: int, row: Array, mask: int) -> int:
    chosen = mask
    best = -1.0
    for card in range(5):
        bit = 1 << card
        held = (mask & bit) != 0
        if (effect == 1 and held) or (effect == 2 and not held):
            worth = row[mask ^ bit]
            if best < 0 or worth > best + NEAR:
                best = worth
                chosen = mask ^ bit
    return chosen


@jit
def _most(effect: int, row: Array, mask: int) -> float:
    best = -1.0
    for card in range(5):
        bit = 1 << card
        held = (mask & bit) != 0
        if (effect == 1 and held) or (effect == 2 and not held):
            best = max(best, row[mask ^ bit])
    return row[mask] if best < 0 else best


@jit
def _weigh(seat: int, gap: int, places: Array, game: _Game, room: _Room) -> None:
    """Find the worths of skipping and of each card's points, by the mask that stays."""
    effect, points, points_first = game.cards.effect, game.cards.points, game.cards.points_first
    goal, between, last = game.goal, game.between, game.last
    by_points, skip = room.by_points, room.skip
    for lane in range(LANES):
        own, other, mask = places[0, lane], places[1, lane], places[2, lane]
        skip[0, lane] = 0.0 if gap else 1.0 - _most(2, between[1 - seat, other, own, 31], mask)
    for card in range(5):
        count = points_first[card + 1] - points_first[card]
        for entry in range(count):
            brought = points[points_first[card] + entry]
            for place in range(16):
                rest = spread(place, card)
                row = points_first[card] * 16 + place * count + entry
                for lane in range(LANES):
                    own, other, mask = places[0, lane], places[1, lane], places[2, lane]
                    after = own + brought
                    if gap:
                        worth = last_worth(effect[card], brought, gap, rest, mask)
                    elif after < goal:
                        worth = 1.0 - _most(effect[card], between[1 - seat, other, after, rest], mask)
                    elif seat == 1:
                        worth = 1.0
                    else:
                        lead = min(after - other, last.shape[0] - 1)
                        worth = 1.0 - _most(effect[card], last[lead, rest], mask)
                    by_points[row, lane] = worth


@jit
def _settle(seat: int, gap: int, places: Array, game: _Game, room: _Room, to: _Flow) -> None:
    """Spend the probability of the rolls on scores and skips: on the positions that follow, and in the tally."""
    effect, points, points_first = game.cards.effect, game.cards.points, game.cards.points_first
    offer_first, offer_start, offer_points = game.cards.offer_first, game.cards.offer_start, game.cards.offer_points
    offer, goal, between, last = game.cards.offer, game.goal, game.between, game.last
    by_points, by_offer, mass, by_shares, taken = room.by_points, room.by_offer, room.mass, room.by_shares, room.taken
    sums, choice, flow = room.sums, room.inside.choice, room.inside.flow
    masses, ends, tally = to.masses, to.ends, to.tally
    skipped = load(mass, 0)
    for mask in range(1, 32):
        for roll in range(462):
            row = mask * 462 + roll
            skipped = add(skipped, only(load(choice, row), SKIP, load(flow, row)))
        for card in range(5):
            if not mask >> card & 1:
                continue
            rest = mask ^ (1 << card)
            sacrificed = fill(0.0)
            for row in range(offer_first[card], offer_first[card + 1]):
                store(by_shares, row, fill(0.0))
            for roll in range(462):
                codes = load(choice, mask * 462 + roll)
                share = load(flow, mask * 462 + roll)
                sacrificed = add(sacrificed, only(codes, SKIP + 1 + card, share))
                row = offer[card, roll]
                store(by_shares, row, add(load(by_shares, row), only(codes, card, share)))
            store(sums, 0, sacrificed)
            tally[_SACRIFICED + seat * 5 + card] += sums[0].sum()
            count = points_first[card + 1] - points_first[card]
            source = points_first[card] * 16 + squeeze(rest, card) * count - points_first[card]
            base = (offer_first[card + 1] - offer_first[card]) * squeeze(rest, card) + 15 * offer_first[card]
            taken[points_first[card] : points_first[card + 1]] = 0.0
            for row in range(offer_first[card] + 1, offer_first[card + 1]):
                for lane in range(LANES):
                    if by_shares[row, lane] > 0:
                        entry = offer_start[row + 1] - 1
                        while by_points[source + offer_points[entry], lane] < by_offer[base + row, lane] - NEAR:
                            entry -= 1
                        taken[offer_points[entry], lane] += by_shares[row, lane]
            for row in range(points_first[card], points_first[card + 1]):
                for lane in range(LANES):
                    share = taken[row, lane]
                    if share == 0.0:
                        continue
                    own, other, theirs = places[0, lane], places[1, lane], places[2, lane]
                    after = own + points[row]
                    tally[_SCORED + seat * 5 + card] += share
                    if gap:
                        worth = last_worth(effect[card], points[row], gap, rest, theirs)
                        tally[_FINAL + 1] += share * points[row]
                        tally[_DECIDED + 5 + card] += share * worth
                        if worth == 0.5:
                            tally[_SHARED] += share
                    elif after < goal:
                        following = between[1 - seat, other, after, rest]
                        masses[1 - seat, other, after, rest, _affected(effect[card], following, theirs)] += share
                    else:
                        tally[_FINAL + seat] += share * after
                        tally[_FINAL + 1 - seat] += share * other
                        if seat == 1:
                            tally[_DECIDED + 5 + card] += share
                        else:
                            lead = min(after - other, last.shape[0] - 1)
                            reply = _affected(effect[card], last[lead, rest], theirs)
                            tally[_DECIDED + card] += share * (1.0 - last[lead, rest, reply])
                            ends[lead, rest, reply] += share
    store(sums, 0, skipped)
    for lane in range(LANES):
        share = sums[0, lane]
        if share > 0:
            own, other, theirs = places[0, lane], places[1, lane], places[2, lane]
            tally[_SKIPS + seat] += share
            if gap == 0:
                following = between[1 - seat, other, own, 31]
                masses[1 - seat, other, own, 31, _affected(2, following, theirs)] += share


@jit
def _visit(seat: int, gap: int, places: Array, game: _Game, room: _Room, to: _Flow) -> None:
    """Spend the probability of 32 places, by the mover's mask, on the places that follow."""
    cards = game.cards
    _weigh(seat, gap, places, game, room)
    best_offers(cards, room.by_points, room.by_offer)
    choose(cards, room.by_offer, room.skip, room.mass, game.chance, room.inside, room.sums)
    to.tally[_SWING] += room.sums[0].sum()
    run(cards, room.mass, game.way, game.chance, room.inside)
    _settle(seat, gap, places, game, room, to)


@jit
def _take(source: Array, mass: Array, lane: int, tally: Array, least: float) -> bool:
    """Move a place's probability into a lane; what is less than `least` is lost."""
    total = source.sum()
    if total < least or total == 0.0:
        tally[_LOST] += total
        mass[:, lane] = 0.0
        source[:] = 0.0
        return False
    mass[:, lane] = source
    source[:] = 0.0
    tally[_TURNS] += total
    return True


@jit
def _follow_total(total: int, game: _Game, room: _Room, to: _Flow, least: float) -> None:
    """Follow all positions between turns whose scores have this total."""
    goal, masses, mass, tally = game.goal, to.masses, room.mass, to.tally
    places = np.empty((3, LANES), np.int64)
    begin, end = max(0, total - goal + 1), min(goal, total + 1)
    # First the opponent's masks below 31, then mask 31 in rounds: a skip leads there, and from there once more.
    for first in range(begin, end):
        for seat in range(2):
            own = first if seat == 0 else total - first
            live = False
            for lane in range(LANES):
                places[0, lane], places[1, lane], places[2, lane] = own, total - own, lane
                if lane < 31:
                    live |= _take(masses[seat, own, total - own, lane], mass, lane, tally, least)
            mass[:, 31] = 0.0
            if live:
                _visit(seat, 0, places, game, room, to)
    for turn in range(6):
        seat = turn % 2
        for part in range(begin, end, LANES):
            live = False
            for lane in range(LANES):
                first = min(part + lane, end - 1)
                own = first if seat == 0 else total - first
                places[0, lane], places[1, lane], places[2, lane] = own, total - own, 31
                # A lane beyond the last pair repeats that pair, whose probability is taken already.
                live |= _take(masses[seat, own, total - own, 31], mass, lane, tally, least)
            if live:
                _visit(seat, 0, places, game, room, to)


@jit
def _follow_last(game: _Game, room: _Room, to: _Flow, least: float) -> None:
    """Follow the last turns."""
    places = np.zeros((3, LANES), np.int64)
    places[2] = np.arange(LANES)
    for gap in range(1, game.last.shape[0]):
        live = False
        for lane in range(LANES):
            live |= _take(to.ends[gap, lane], room.mass, lane, to.tally, least)
        if live:
            _visit(1, gap, places, game, room, to)


def follow(values: Values, least: float = LEAST) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Follow perfect play from the start: a row of tallies (see `atlas`), per game."""
    chosen, dice = numbered(values.cards, values.goal), lattice()
    points, offers = len(chosen.points), int(chosen.offer_first[5])
    between, last = np.asarray(values.between), np.asarray(values.last)
    game = _Game(cards_of(chosen), policy.ways(dice), dice.chance, values.goal, between, last)
    room = _Room(
        aligned(points * 16, LANES),
        aligned(offers * 16, LANES),
        aligned(1, LANES),
        aligned(32, LANES),
        aligned(offers, LANES),
        aligned(points, LANES),
        aligned(1, LANES),
        policy.scratch(),
    )
    tally = np.zeros(TALLIES)
    to = _Flow(np.zeros_like(between), np.zeros_like(last), tally)
    to.masses[0, 0, 0, 31, 31] = 1.0
    for total in range(2 * values.goal - 1):
        _follow_total(total, game, room, to, least)
    _follow_last(game, room, to, least)
    tally[_LOST] += to.masses.sum()
    return tally
