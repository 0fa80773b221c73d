"""Follows perfect play forwards through a solved set: how probable every position is, and what happens there.

The same two passes as `cuda/forward.cu`, compiled by Numba: the turn is solved again with its policy written down,
then the probability runs through it the other way. Of actions whose worths differ by less than 1e-12 a score is taken
before a skip before a reroll; the earlier card; the most points; the more dice kept; the lower die rerolled.
"""

from typing import Any

import numpy as np

from starfrost.solver.gpu import LEAST
from starfrost.solver.kernels import jit
from starfrost.solver.lattice import lattice
from starfrost.solver.setup import set_up
from starfrost.solver.values import Values

__all__ = ["TALLIES", "follow"]

Array = Any
TALLIES = 40
_TURNS, _LOST, _SWING, _FINAL, _SHARED, _SKIPS, _SCORED, _SACRIFICED, _DECIDED = 0, 1, 2, 3, 5, 6, 8, 18, 28
_STOP, _SKIP, _NEAR = 6, 5, 1e-12
_ORDER = np.array(sorted(range(32), key=lambda mask: (mask.bit_count(), mask)), np.int64)


@jit
def _affected(effect: int, row: Array, mask: int) -> int:
    chosen = mask
    best = -1.0
    for card in range(5):
        bit = 1 << card
        held = (mask & bit) != 0
        if (effect == 1 and held) or (effect == 2 and not held):
            worth = row[mask ^ bit]
            if best < 0 or worth > best + _NEAR:
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
def _last_worth(effect: int, points: int, gap: int, rest: int, mask: int) -> float:
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
def _visit(
    seat: int,
    own: int,
    other: int,
    mask: int,
    gap: int,
    mass: Array,
    goal: int,
    between: Array,
    last: Array,
    tables: Any,
    room: Any,
    masses: Array,
    last_masses: Array,
    tally: Array,
) -> None:
    """Spend the probability of one place, by the mover's mask, on the places that follow."""
    effect, points, points_first, offer_first, offer_start, offer_points, offer, up, down, down_count, chance, order = (
        tables
    )
    by_points, by_offer, best_points, dice, again, choice, step, flow, kept_flow = room
    skip = 0.0
    if gap == 0:
        skip = 1.0 - _most(2, between[1 - seat, other, own, 31], mask)
    again[0, :] = skip
    for at in range(1, 32):
        now = order[at]
        for card in range(5):
            if not now >> card & 1:
                continue
            rest = now ^ (1 << card)
            for row in range(points_first[card], points_first[card + 1]):
                after = own + points[row]
                if gap:
                    by_points[row] = _last_worth(effect[card], points[row], gap, rest, mask)
                elif after >= goal:
                    if seat == 1:
                        by_points[row] = 1.0
                    else:
                        lead = min(after - other, last.shape[0] - 1)
                        by_points[row] = 1.0 - _most(effect[card], last[lead, rest], mask)
                else:
                    by_points[row] = 1.0 - _most(effect[card], between[1 - seat, other, after, rest], mask)
            for row in range(offer_first[card], offer_first[card + 1]):
                best = -1.0
                for entry in range(offer_start[row], offer_start[row + 1]):
                    best = max(best, by_points[offer_points[entry]])
                by_offer[row] = best
                for entry in range(offer_start[row], offer_start[row + 1]):
                    if by_points[offer_points[entry]] >= best - _NEAR:
                        best_points[now, row] = offer_points[entry]
        expected = 0.0
        for roll in range(462):
            best = -1.0
            for card in range(5):
                if now >> card & 1:
                    best = max(best, by_offer[offer[card, roll]], again[now ^ (1 << card), roll])
            chosen = -1
            for card in range(5):
                if chosen < 0 and now >> card & 1 and by_offer[offer[card, roll]] >= best - _NEAR:
                    chosen = card
            if chosen < 0 and skip >= best - _NEAR:
                chosen = _SKIP
            for card in range(5):
                if chosen < 0 and now >> card & 1 and again[now ^ (1 << card), roll] >= best - _NEAR:
                    chosen = _SKIP + 1 + card
            choice[now, roll] = chosen
            dice[462 + roll] = best
        for kept in range(461, -1, -1):
            total = 0.0
            for face in range(6):
                total += dice[up[kept, face]]
            dice[kept] = total / 6
        expected = dice[0]
        if mass[now] > 0:
            for roll in range(462):
                tally[_SWING] += mass[now] * chance[roll] * abs(dice[462 + roll] - expected)
        for held in range(924):
            stay = dice[held] if held < 462 else -1.0
            best = stay
            for entry in range(down_count[held]):
                best = max(best, dice[down[held, entry]])
            way = _STOP
            if stay < best - _NEAR:
                way = 0
                while dice[down[held, way]] < best - _NEAR:
                    way += 1
            step[now, held] = way
            if held < 462:
                dice[held] = best
            else:
                again[now, held - 462] = best
    skipped = mass[0]
    for at in range(31, 0, -1):
        now = order[at]
        for roll in range(462):
            arrived = 0.0
            for card in range(5):
                above = now | (1 << card)
                if above != now and choice[above, roll] == _SKIP + 1 + card:
                    arrived += flow[above, roll]
            dice[462 + roll] = arrived
        for kept in range(461, -1, -1):
            arrived = 0.0
            for face in range(6):
                above = up[kept, face]
                if step[now, above] != _STOP and down[above, step[now, above]] == kept:
                    arrived += dice[above]
            dice[kept] = arrived
        for held in range(924):
            arrived = 0.0
            for entry in range(down_count[held]):
                arrived += kept_flow[down[held, entry]]
            arrived /= 6
            if held < 462:
                kept_flow[held] = arrived + (dice[held] if step[now, held] == _STOP else 0.0)
            else:
                flow[now, held - 462] = arrived + mass[now] * chance[held - 462]
        by_points[:] = 0.0
        for roll in range(462):
            share = flow[now, roll]
            chosen = choice[now, roll]
            if chosen < _SKIP:
                by_points[best_points[now, offer[chosen, roll]]] += share
            elif chosen == _SKIP:
                skipped += share
            else:
                tally[_SACRIFICED + seat * 5 + chosen - _SKIP - 1] += share
        for card in range(5):
            rest = now ^ (1 << card)
            for row in range(points_first[card], points_first[card + 1]):
                share = by_points[row]
                if share == 0.0:
                    continue
                after = own + points[row]
                tally[_SCORED + seat * 5 + card] += share
                if gap:
                    worth = _last_worth(effect[card], points[row], gap, rest, mask)
                    tally[_FINAL + 1] += share * points[row]
                    tally[_DECIDED + 5 + card] += share * worth
                    if worth == 0.5:
                        tally[_SHARED] += share
                    continue
                if after < goal:
                    following = between[1 - seat, other, after, rest]
                    masses[1 - seat, other, after, rest, _affected(effect[card], following, mask)] += share
                    continue
                tally[_FINAL + seat] += share * after
                tally[_FINAL + 1 - seat] += share * other
                if seat == 1:
                    tally[_DECIDED + 5 + card] += share
                    continue
                lead = min(after - other, last.shape[0] - 1)
                reply = _affected(effect[card], last[lead, rest], mask)
                tally[_DECIDED + card] += share * (1.0 - last[lead, rest, reply])
                last_masses[lead, rest, reply] += share
    if skipped > 0:
        tally[_SKIPS + seat] += skipped
        if gap == 0:
            masses[1 - seat, other, own, 31, _affected(2, between[1 - seat, other, own, 31], mask)] += skipped


@jit
def _take(source: Array, mass: Array, tally: Array, least: float) -> bool:
    total = source.sum()
    mass[:] = source
    source[:] = 0.0
    if total < least or total == 0.0:
        tally[_LOST] += total
        return False
    tally[_TURNS] += total
    return True


@jit
def _follow_total(
    total: int,
    goal: int,
    between: Array,
    last: Array,
    tables: Any,
    room: Any,
    masses: Array,
    ends: Array,
    tally: Array,
    least: float,
) -> None:
    mass = np.empty(32)
    for kind in range(8):
        # First the opponent's masks below 31, then mask 31 in rounds: a skip leads there, and from there once more.
        for first in range(max(0, total - goal + 1), min(goal, total + 1)):
            for seat in range(2):
                own = first if seat == 0 else total - first
                other = total - own
                if kind >= 2 and seat != kind % 2:
                    continue
                for mask in range(31 if kind >= 2 else 0, 32 if kind >= 2 else 31):
                    if kind != 1 and _take(masses[seat, own, other, mask], mass, tally, least):
                        _visit(seat, own, other, mask, 0, mass, goal, between, last, tables, room, masses, ends, tally)


@jit
def _follow_last(
    goal: int,
    between: Array,
    last: Array,
    tables: Any,
    room: Any,
    masses: Array,
    ends: Array,
    tally: Array,
    least: float,
) -> None:
    mass = np.empty(32)
    for gap in range(1, last.shape[0]):
        for mask in range(32):
            if _take(ends[gap, mask], mass, tally, least):
                _visit(1, 0, 0, mask, gap, mass, goal, between, last, tables, room, masses, ends, tally)


def follow(values: Values, least: float = LEAST) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Follow perfect play from the start: a row of tallies (see `atlas`), per game."""
    chosen, dice = set_up(values.cards, values.goal), lattice()
    tables = (
        chosen.effect,
        chosen.points,
        chosen.points_first,
        chosen.offer_first,
        chosen.offer_start,
        chosen.offer_points,
        chosen.offer,
        dice.up,
        dice.down,
        dice.down_count,
        dice.chance,
        _ORDER,
    )
    offers = int(chosen.offer_first[5])
    room = (
        np.empty(len(chosen.points)),
        np.empty(offers),
        np.zeros((32, offers), np.uint8),
        np.empty(924),
        np.empty((32, 462)),
        np.zeros((32, 462), np.uint8),
        np.zeros((32, 924), np.uint8),
        np.zeros((32, 462)),
        np.zeros(924),
    )
    between, last = np.asarray(values.between), np.asarray(values.last)
    masses, ends, tally = np.zeros_like(between), np.zeros_like(last), np.zeros(TALLIES)
    masses[0, 0, 0, 31, 31] = 1.0
    for total in range(2 * values.goal - 1):
        _follow_total(total, values.goal, between, last, tables, room, masses, ends, tally, least)
    _follow_last(values.goal, between, last, tables, room, masses, ends, tally, least)
    tally[_LOST] += masses.sum()
    return tally
