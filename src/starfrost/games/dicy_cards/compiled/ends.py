"""The values of the ways to end a turn, for 32 games: the planner's estimates and the exact values.

They are those of `bots.outlook` and `solver.values`, computed only for the cards that can stay active.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.compiling import Array, lean
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change
from starfrost.games.dicy_cards.bots.outlook import LATE, SWING
from starfrost.games.dicy_cards.compiled.play import BotData, Games, planned_answer
from starfrost.games.dicy_cards.compiled.tables import Rules
from starfrost.games.dicy_cards.compiled.turns import Turns
from starfrost.games.dicy_cards.solver.card_set import ANSWERS

_CARDS, _MASKS, _ALL = CARDS_IN_A_GAME, MASKS, ALL_ACTIVE
_FREEZE, _RESET = int(Change.FREEZE), int(Change.RESET)
_COUNT = np.array([mask.bit_count() for mask in range(MASKS)])


class Book(NamedTuple):
    """What the planner knows about a set of cards (`bots.prospects`)."""

    turns: Array
    """The turns in which a seat alone can expect a number of points, by points and mask."""
    gains: Array
    """What a seat gains on another one, by turns and mask."""
    reach: Array
    """The best chance of some points in one turn, by mask and points."""
    pace: float
    entries: Array
    """The points of each entry."""


@lean
def _turns(book: Book, points: int, mask: int) -> Any:
    most = book.turns.shape[0] - 1
    return book.turns[min(max(points, 0), most), mask] + (max(points, most) - most) / book.pace


@lean
def _reaches(book: Book, mask: int, need: int) -> Any:
    return book.reach[mask, min(max(need, 0), book.reach.shape[1] - 1)]


@lean
def _gain(book: Book, turns: float, mask: int) -> Any:
    row = min(int(turns), book.gains.shape[0] - 2)
    part = turns - row
    return book.gains[row, mask] * (1 - part) + book.gains[row + 1, mask] * part


@lean
def _lead(book: Book, rounds: float, extra: int, own: int, other: int) -> Any:
    at = min(rounds, book.gains.shape[0] - 2.0)
    return _gain(book, at, own) - _gain(book, at + extra, other)


@lean
def _last_round(rules: Rules, book: Book, seat: int, scores: Array, active: Array, total: int, own: int) -> float:
    chance, shared = 1.0, 1.0
    for other in range(seat):
        lead = (total - scores[other]) * (_CARDS + 1) + _COUNT[own] - _COUNT[active[other]]
        if lead < 0:
            chance = 0.0
        elif lead == 0:
            shared += 1.0
    for other in range(seat + 1, rules.seats):
        need = total - scores[other]
        beaten = (_reaches(book, active[other], need) + _reaches(book, active[other], need + 1)) / 2
        chance *= 1 - beaten
    return chance / shared


@lean
def _running(
    rules: Rules, book: Book, seat: int, scores: Array, active: Array, fewest: float, total: int, own: int
) -> float:
    rounds = min(_turns(book, rules.goal - total, own), fewest) + LATE
    chance = 1.0
    for other in range(rules.seats):
        if other != seat:
            extra = 1 if other > seat else 0
            scatter = SWING * book.pace * np.sqrt(2 * rounds + extra)
            lead = total - scores[other] + _lead(book, rounds, extra, own, active[other])
            chance /= 1 + np.exp(-1.7 * lead / scatter)
    return chance


@lean
def _fewest(rules: Rules, book: Book, seat: int, scores: Array, active: Array) -> float:
    """Return the rounds after which another seat reaches the goal."""
    fewest = np.inf
    for other in range(rules.seats):
        if other != seat:
            needed = _turns(book, rules.goal - scores[other], active[other])
            fewest = min(fewest, max(needed - (1 if other > seat else 0), 0.0))
    return fewest


@lean
def _answered(rules: Rules, data: BotData, games: Games, game: int, row: int, active: Array) -> None:
    """Fill in every seat's cards after the answers that the planner expects."""
    seat = games.seat[game]
    change = rules.change[row]
    for other in range(rules.seats):
        active[other] = games.active[game, other]
    for place in range(1, rules.seats):
        other = (seat + place) % rules.seats
        mask = active[other]
        if rules.reach[row] >> place & 1 and ((mask != 0) if change == _FREEZE else (mask != _ALL)):
            card = planned_answer(rules, data, games.scores[game], seat, other, mask, change)
            active[other] = mask ^ (1 << card)


@lean
def planner_ends(
    rules: Rules, data: BotData, games: Games, book: Book, turns: Turns, lane: int, game: int, active: Array
) -> None:
    """Estimate the chance to win after every way to end a turn; `active` is room for the cards of all seats."""
    seat, scores = games.seat[game], games.scores[game]
    held = games.active[game, seat]
    best = -1
    for other in range(rules.seats):
        if other != seat:
            best = max(best, scores[other])
    for card in range(_CARDS + 1):
        if card < _CARDS and not held >> card & 1:
            continue
        _answered(rules, data, games, game, card, active)
        fewest = _fewest(rules, book, seat, scores, active)
        if card == _CARDS:
            total = scores[seat]
            if max(total, best) >= rules.goal:
                turns.skip[0, lane] = _last_round(rules, book, seat, scores, active, total, _ALL)
            else:
                turns.skip[0, lane] = _running(rules, book, seat, scores, active, fewest, total, _ALL)
            break
        others = held ^ (1 << card)
        for entry in range(turns.points_first[card], turns.points_first[card + 1]):
            total = scores[seat] + book.entries[entry]
            late = max(total, best) >= rules.goal
            for mask in range(_MASKS):
                if mask & ~others:
                    continue
                if late:
                    value = _last_round(rules, book, seat, scores, active, total, mask)
                else:
                    value = _running(rules, book, seat, scores, active, fewest, total, mask)
                turns.ends[entry * _MASKS + mask, lane] = value


@lean
def _most(following: Array, data: BotData, change: int, mask: int, own: int) -> float:
    """Return the greatest value that the affected opponent can choose."""
    best = -1.0
    for number in range(_CARDS if change else 1):
        best = max(best, following[data.translated[own], data.translated[ANSWERS[change, mask, number]]])
    return best


@lean
def perfect_ends(rules: Rules, data: BotData, games: Games, entries: Array, turns: Turns, lane: int, game: int) -> None:
    """Look up the exact value of every way to end a turn."""
    seat = games.seat[game]
    own, other = games.scores[game, seat], games.scores[game, 1 - seat]
    held, theirs = games.active[game, seat], games.active[game, 1 - seat]
    gaps = data.last.shape[0] - 1
    last = other >= rules.goal
    for card in range(_CARDS):
        if not held >> card & 1:
            continue
        others, change = held ^ (1 << card), rules.change[card]
        for entry in range(turns.points_first[card], turns.points_first[card + 1]):
            after = own + entries[entry]
            for mask in range(_MASKS):
                if mask & ~others:
                    continue
                if last:
                    lead = (after - other) * (_CARDS + 1) + _COUNT[mask] - _COUNT[ANSWERS[change, theirs, 0]]
                    value = 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
                elif after < rules.goal:
                    value = 1.0 - _most(data.between[1 - seat, other, after], data, change, theirs, mask)
                elif seat == 0:
                    value = 1.0 - _most(data.last[min(after - other, gaps)], data, change, theirs, mask)
                else:
                    value = 1.0
                turns.ends[entry * _MASKS + mask, lane] = value
    if last:
        turns.skip[0, lane] = 0.0
    else:
        turns.skip[0, lane] = 1.0 - _most(data.between[1 - seat, other, own], data, _RESET, theirs, _ALL)
