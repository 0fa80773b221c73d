"""Follow perfect play forwards through a solved set: the probability of every position, and the events there.

It has the same two passes as `cuda/forward.cu`, compiled by Numba: `kernels.turn` solves the turn again and records its
decisions, then the probability runs through it in the other direction, 32 positions at a time. In most turns a lane is
one set of the opponent's active cards; if the opponent has them all, it is one pair of scores.
"""

from typing import Any, NamedTuple

import numpy as np

from research.dicy_cards.tally import LEAST, TALLIES, Tally
from starfrost.compiling import jit
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.kernels import (
    HALF,
    LANES,
    Cards,
    Game,
    Record,
    Scratch,
    aligned,
    answer,
    best_answer,
    cards_of,
    end_values,
    last_value,
    scratch,
    squeeze,
    turn,
)
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, Lattice, lattice
from starfrost.games.dicy_cards.solver.shared import NEAR, REROLL, SKIP, STOP
from starfrost.games.dicy_cards.solver.simd import add, fill, load, only, store, times
from starfrost.games.dicy_cards.solver.values import Values

Array = Any
_TURNS, _LOST, _SWING, _FINAL, _SHARED, _SKIPS, _SCORED, _SACRIFICED, _DECIDED = map(int, Tally)
_RESET = int(Change.RESET)


class _Tables(NamedTuple):
    """Scratch tables for 32 positions."""

    turn: Scratch
    record: Record
    way: Array
    """`way[kept, face]`: the step down that leads to a kept multiset from the one with this face more"""
    flow: Array
    """the probability of a roll, by mask"""
    kept_flow: Array
    """the probability of rolling from kept dice"""
    by_shares: Array
    """the probability that an offer of one card is taken"""
    taken: Array
    """the probability that points are scored with one card"""
    sums: Array


class _Flow(NamedTuple):
    """The probabilities between turns and before last turns, and the tallies."""

    masses: Array
    ends: Array
    tally: Array


def _ways(dice: Lattice) -> Array:
    below = [list(row[:count]) for row, count in zip(dice.down, dice.down_count, strict=True)]
    return np.array([[below[more].index(kept) for more in dice.up[kept]] for kept in range(KEPT)])


@jit
def _run(cards: Cards, tables: _Tables) -> None:
    """Compute from the probability of the mover's masks that of each roll with each mask left."""
    dice, flow, kept_flow, way = tables.turn.dice, tables.flow, tables.kept_flow, tables.way
    choice, step, mass, chance = tables.record.choice, tables.record.step, tables.record.mass, tables.record.chance
    up, down, down_count = cards.up, cards.down, cards.down_count
    for mask in range(ALL_ACTIVE, 0, -1):
        begun = load(mass, mask)
        if mask == ALL_ACTIVE:
            for roll in range(ROLLS):
                store(flow, mask * ROLLS + roll, times(begun, fill(chance[roll])))
            continue
        for roll in range(ROLLS):
            arrived = fill(0.0)
            for card in range(CARDS_IN_A_GAME):
                above = (mask | (1 << card)) * ROLLS + roll
                if not mask >> card & 1:
                    arrived = add(arrived, only(load(choice, above), REROLL + card, load(flow, above)))
            store(dice, KEPT + roll, arrived)
        for kept in range(KEPT - 1, -1, -1):
            arrived = fill(0.0)
            for face in range(6):
                above = up[kept, face]
                arrived = add(arrived, only(load(step, mask * MULTISETS + above), way[kept, face], load(dice, above)))
            store(dice, kept, arrived)
        for held in range(MULTISETS):
            arrived = fill(0.0)
            for entry in range(down_count[held]):
                arrived = add(arrived, load(kept_flow, down[held, entry]))
            arrived = times(arrived, fill(1 / 6))
            if held < KEPT:
                stayed = only(load(step, mask * MULTISETS + held), STOP, load(dice, held))
                store(kept_flow, held, add(arrived, stayed))
            else:
                store(flow, mask * ROLLS + held - KEPT, add(arrived, times(begun, fill(chance[held - KEPT]))))


@jit
def _settle(seat: int, gap: int, places: Array, game: Game, tables: _Tables, to: _Flow) -> None:
    """Add the probability of the rolls to the positions after scores and skips, and to the tallies."""
    change, points, points_first = game.cards.change, game.cards.points, game.cards.points_first
    offer_first, offer_start, offer_points = game.cards.offer_first, game.cards.offer_start, game.cards.offer_points
    offer, goal, between, last = game.cards.offer, game.goal, game.between, game.last
    by_points, by_offer, mass = tables.turn.by_points, tables.turn.by_offer, tables.record.mass
    by_shares, taken, sums, choice, flow = (
        tables.by_shares,
        tables.taken,
        tables.sums,
        tables.record.choice,
        tables.flow,
    )
    masses, ends, tally = to.masses, to.ends, to.tally
    skipped = load(mass, 0)
    for mask in range(1, MASKS):
        for roll in range(ROLLS):
            row = mask * ROLLS + roll
            skipped = add(skipped, only(load(choice, row), SKIP, load(flow, row)))
        for card in range(CARDS_IN_A_GAME):
            if not mask >> card & 1:
                continue
            rest = mask ^ (1 << card)
            sacrificed = fill(0.0)
            for row in range(offer_first[card], offer_first[card + 1]):
                store(by_shares, row, fill(0.0))
            for roll in range(ROLLS):
                codes = load(choice, mask * ROLLS + roll)
                share = load(flow, mask * ROLLS + roll)
                sacrificed = add(sacrificed, only(codes, REROLL + card, share))
                row = offer[card, roll]
                store(by_shares, row, add(load(by_shares, row), only(codes, card, share)))
            store(sums, 0, sacrificed)
            tally[_SACRIFICED + seat * CARDS_IN_A_GAME + card] += sums[0].sum()
            count = points_first[card + 1] - points_first[card]
            source = points_first[card] * HALF + squeeze(rest, card) * count - points_first[card]
            base = (offer_first[card + 1] - offer_first[card]) * squeeze(rest, card) + (HALF - 1) * offer_first[card]
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
                    tally[_SCORED + seat * CARDS_IN_A_GAME + card] += share
                    if gap:
                        value = last_value(change[card], points[row], gap, rest, theirs)
                        tally[_FINAL + 1] += share * points[row]
                        tally[_DECIDED + CARDS_IN_A_GAME + card] += share * value
                        if value == 0.5:
                            tally[_SHARED] += share
                    elif after < goal:
                        following = between[1 - seat, other, after, rest]
                        masses[1 - seat, other, after, rest, answer(change[card], following, theirs)] += share
                    else:
                        tally[_FINAL + seat] += share * after
                        tally[_FINAL + 1 - seat] += share * other
                        if seat == 1:
                            tally[_DECIDED + CARDS_IN_A_GAME + card] += share
                        else:
                            lead = min(after - other, last.shape[0] - 1)
                            reply = answer(change[card], last[lead, rest], theirs)
                            tally[_DECIDED + card] += share * (1.0 - last[lead, rest, reply])
                            ends[lead, rest, reply] += share
    store(sums, 0, skipped)
    for lane in range(LANES):
        share = sums[0, lane]
        if share > 0:
            own, other, theirs = places[0, lane], places[1, lane], places[2, lane]
            tally[_SKIPS + seat] += share
            if gap == 0:
                following = between[1 - seat, other, own, ALL_ACTIVE]
                masses[1 - seat, other, own, ALL_ACTIVE, answer(_RESET, following, theirs)] += share


@jit
def _visit(seat: int, gap: int, places: Array, game: Game, tables: _Tables, to: _Flow) -> None:
    """Move the probability of 32 places, by the mover's mask, to the places that follow."""
    for lane in range(LANES):
        following = game.between[1 - seat, places[1, lane], places[0, lane]]
        tables.turn.skip[0, lane] = 0.0 if gap else 1.0 - best_answer(_RESET, following, ALL_ACTIVE, places[2, lane])
    end_values(game, seat, gap, places, tables.turn)
    turn(game.cards, tables.turn, tables.record)
    to.tally[_SWING] += tables.record.swing[0].sum()
    _run(game.cards, tables)
    _settle(seat, gap, places, game, tables, to)


@jit
def _take(source: Array, mass: Array, lane: int, tally: Array, least: float) -> bool:
    """Move a place's probability into a lane and return True; a total below `least` is not followed."""
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
def _follow_total(total: int, game: Game, tables: _Tables, to: _Flow, least: float) -> None:
    """Follow all positions between turns whose scores have this total."""
    goal, masses, mass, tally = game.goal, to.masses, tables.record.mass, to.tally
    places = np.empty((3, LANES), np.int64)
    begin, end = max(0, total - goal + 1), min(goal, total + 1)
    # First the opponent's masks below 31, then mask 31 in rounds: a skip leads there, also from mask 31 itself.
    for first in range(begin, end):
        for seat in range(2):
            own = first if seat == 0 else total - first
            live = False
            for lane in range(LANES):
                places[0, lane], places[1, lane], places[2, lane] = own, total - own, lane
                if lane < ALL_ACTIVE:
                    live |= _take(masses[seat, own, total - own, lane], mass, lane, tally, least)
            mass[:, ALL_ACTIVE] = 0.0
            if live:
                _visit(seat, 0, places, game, tables, to)
    for number in range(6):
        seat = number % 2
        for part in range(begin, end, LANES):
            live = False
            for lane in range(LANES):
                first = min(part + lane, end - 1)
                own = first if seat == 0 else total - first
                places[0, lane], places[1, lane], places[2, lane] = own, total - own, ALL_ACTIVE
                # A lane beyond the last pair repeats that pair, whose probability has already been moved.
                live |= _take(masses[seat, own, total - own, ALL_ACTIVE], mass, lane, tally, least)
            if live:
                _visit(seat, 0, places, game, tables, to)


@jit
def _follow_last(game: Game, tables: _Tables, to: _Flow, least: float) -> None:
    """Follow the last turns."""
    places = np.zeros((3, LANES), np.int64)
    places[2] = np.arange(LANES)
    for gap in range(1, game.last.shape[0]):
        live = False
        for lane in range(LANES):
            live |= _take(to.ends[gap, lane], tables.record.mass, lane, to.tally, least)
        if live:
            _visit(1, gap, places, game, tables, to)


def follow(values: Values, least: float = LEAST) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Follow perfect play from the start and return a row of tallies (see `Tally`), per game."""
    chosen, dice = card_set(values.cards), lattice()
    between, last = np.asarray(values.between), np.asarray(values.last)
    game = Game(cards_of(chosen), values.goal, between, last)
    # The step of the empty multiset is never recorded: nothing can be taken away from it.
    step = np.full((MASKS * MULTISETS, LANES), STOP, np.uint8)
    choice = np.zeros((MASKS * ROLLS, LANES), np.uint8)
    tables = _Tables(
        scratch(chosen),
        Record(choice, step, aligned(MASKS, LANES), dice.chance, aligned(1, LANES)),
        _ways(dice),
        aligned(MASKS * ROLLS, LANES),
        aligned(KEPT, LANES),
        aligned(int(chosen.offer_first[-1]), LANES),
        aligned(len(chosen.points), LANES),
        aligned(1, LANES),
    )
    tally = np.zeros(TALLIES)
    to = _Flow(np.zeros_like(between), np.zeros_like(last), tally)
    to.masses[0, 0, 0, ALL_ACTIVE, ALL_ACTIVE] = 1.0
    for total in range(2 * values.goal - 1):
        _follow_total(total, game, tables, to, least)
    _follow_last(game, tables, to, least)
    tally[_LOST] += to.masses.sum()
    return tally
