"""Turns of Dicy Cards that a bot plans: 32 games at a time, compiled by Numba.

The games of a group have the same active cards, so that one program (that of `dice.turn`) solves all their turns side
by side, for the sets of cards that the turn can reach. Then every game plays its turn by these values: of actions whose
values are near the best, the first in the bot's order of preference.
"""

from typing import Any, NamedTuple

import numpy as np

from starfrost.compiling import Array, inlined, lean
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, MASKS
from starfrost.games.dicy_cards.compiled.play import (
    PERFECT,
    BotData,
    Games,
    freeze_card,
    roll_dice,
    score_card,
    settle,
    skip_turn,
)
from starfrost.games.dicy_cards.compiled.tables import Rules
from starfrost.games.dicy_cards.solver.card_set import CardSet
from starfrost.games.dicy_cards.solver.kernels import LANES, aligned
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice
from starfrost.games.dicy_cards.solver.simd import add, fill, load, maximum, store, times

_CARDS, _MASKS, _ROLLS, _KEPT, _LANES = CARDS_IN_A_GAME, MASKS, ROLLS, KEPT, LANES


class Turns(NamedTuple):
    """The numbers of a set of cards, and tables for 32 turns; the last axis is the lanes."""

    points_first: Array
    offer_first: Array
    offer_start: Array
    offer_points: Array
    offer: Array
    up: Array
    down: Array
    down_count: Array
    ends: Array
    """The value of scoring an entry, by entry and by the mask that stays."""
    skip: Array
    by_offer: Array
    """The best of each offer, by offer and by the mask that stays."""
    dice: Array
    """Values by multiset, for one mask."""
    kept: Array
    """The value of keeping fewer than six dice, by mask and multiset."""
    again: Array
    """The value of the best reroll, by the mask that stays and the roll."""


class DecisionBatch(NamedTuple):
    """Single decisions in place of turns, one in each game; empty where turns are played."""

    place: Array
    """The acting seat, counted from the one whose turn it is; an affected seat is not 0."""
    change: Array
    """What an affected seat does."""
    roll: Array
    """The number of the roll; negative without dice."""
    action: Array
    """The answer: verb (0 score, 1 reroll, 2 skip), card and number in the order of the legal actions."""


_NONE = np.zeros(0, np.int64)
NOTHING = DecisionBatch(_NONE, _NONE, _NONE, np.zeros((0, 3), np.int64))


def turns_of(chosen: CardSet) -> Turns:
    """Return the tables for a set of cards, not filled."""
    dice = lattice()
    return Turns(
        chosen.points_first,
        chosen.offer_first,
        chosen.offer_start,
        chosen.offer_points,
        chosen.offer,
        dice.up,
        dice.down,
        dice.down_count,
        aligned(len(chosen.points) * MASKS, LANES),
        aligned(1, LANES),
        aligned(int(chosen.offer_first[-1]) * MASKS, LANES),
        aligned(MULTISETS, LANES),
        aligned(MASKS * KEPT, LANES),
        aligned(MASKS * ROLLS, LANES),
    )


@lean
def _best_offers(turns: Turns, held: int) -> None:
    """Find each offer's best points, for each card and each mask that can stay."""
    start, rows = turns.offer_start, turns.offer_points
    ends, by_offer = turns.ends, turns.by_offer
    for card in range(_CARDS):
        if not held >> card & 1:
            continue
        others = held ^ (1 << card)
        for mask in range(_MASKS):
            if mask & ~others:
                continue
            for offer in range(turns.offer_first[card], turns.offer_first[card + 1]):
                best = fill(-1.0)
                for entry in range(start[offer], start[offer + 1]):
                    best = maximum(best, load(ends, rows[entry] * _MASKS + mask))
                store(by_offer, offer * _MASKS + mask, best)


@lean
def solve(turns: Turns, held: int) -> None:
    """Solve the turns for every set of cards that they can reach with a reroll."""
    _best_offers(turns, held)
    dice, again, kept_values, by_offer = turns.dice, turns.again, turns.kept, turns.by_offer
    offer, up, down, down_count = turns.offer, turns.up, turns.down, turns.down_count
    nothing = load(turns.skip, 0)
    for row in range(_ROLLS):
        store(again, row, nothing)
    for row in range(_KEPT):
        store(kept_values, row, nothing)
    sixth = fill(1.0 / 6.0)
    for mask in range(1, held):
        if mask & ~held:
            continue
        for roll in range(_ROLLS):
            best = nothing
            for card in range(_CARDS):
                if mask >> card & 1:
                    rest = mask ^ (1 << card)
                    best = maximum(best, load(again, rest * _ROLLS + roll))
                    best = maximum(best, load(by_offer, offer[card, roll] * _MASKS + rest))
            store(dice, _KEPT + roll, best)
        base = mask * _KEPT
        for kept in range(_KEPT - 1, -1, -1):
            low = add(load(dice, up[kept, 0]), load(dice, up[kept, 1]))
            middle = add(load(dice, up[kept, 2]), load(dice, up[kept, 3]))
            high = add(load(dice, up[kept, 4]), load(dice, up[kept, 5]))
            mean = times(add(add(low, middle), high), sixth)
            store(dice, kept, mean)
            store(kept_values, base + kept, mean)
        for kept in range(1, _KEPT):
            best = load(dice, kept)
            for step in range(down_count[kept]):
                best = maximum(best, load(dice, down[kept, step]))
            store(dice, kept, best)
        for roll in range(_ROLLS):
            best = load(dice, down[_KEPT + roll, 0])
            for step in range(1, down_count[_KEPT + roll]):
                best = maximum(best, load(dice, down[_KEPT + roll, step]))
            store(again, mask * _ROLLS + roll, best)


@lean
def _best(rules: Rules, turns: Turns, lane: int, mask: int, roll: int) -> Any:
    """Return the value of the best action."""
    best = turns.skip[0, lane]
    for card in range(_CARDS):
        if mask >> card & 1:
            rest = mask ^ (1 << card)
            best = max(best, turns.again[rest * _ROLLS + roll, lane])
            best = max(best, turns.by_offer[turns.offer[card, roll] * _MASKS + rest, lane])
    return best


@lean
def _score(rules: Rules, turns: Turns, lane: int, mask: int, roll: int, enough: float) -> Any:
    """Return the first score whose value is enough, as card and number; -1 if there is none."""
    for card in range(_CARDS):
        if mask >> card & 1:
            rest = mask ^ (1 << card)
            if turns.by_offer[turns.offer[card, roll] * _MASKS + rest, lane] < enough:
                continue
            for number in range(rules.scores[card, roll]):
                if turns.ends[rules.entry[card, roll, number] * _MASKS + rest, lane] >= enough:
                    return card, number
    return -1, 0


@lean
def _reroll(rules: Rules, turns: Turns, lane: int, mask: int, roll: int, enough: float) -> Any:
    """Return the first reroll whose value is enough, as card and number; -1 if there is none."""
    for card in range(_CARDS):
        if mask >> card & 1:
            rest = mask ^ (1 << card)
            if turns.again[rest * _ROLLS + roll, lane] < enough:
                continue
            for number in range(rules.subsets[roll]):
                if turns.kept[rest * _KEPT + rules.kept[roll, number], lane] >= enough:
                    return card, number
    return -1, 0


@lean
def decide(rules: Rules, turns: Turns, lane: int, mask: int, roll: int, near: float, skip_first: bool) -> Any:
    """Return an action as verb (0 score, 1 reroll, 2 skip), card and number in the order of the legal actions.

    Scores come before rerolls; a skip comes before rerolls or after them.
    """
    enough = _best(rules, turns, lane, mask, roll) - near
    card, number = _score(rules, turns, lane, mask, roll, enough)
    if card >= 0:
        return 0, card, number
    if skip_first and turns.skip[0, lane] >= enough:
        return 2, -1, 0
    card, number = _reroll(rules, turns, lane, mask, roll, enough)
    return (1, card, number) if card >= 0 else (2, -1, 0)


@lean
def play_solved(rules: Rules, data: BotData, games: Games, turns: Turns, lane: int, game: int, near: float) -> int:
    """Play a solved turn and return the row of its effect."""
    seat = games.seat[game]
    skip_first = data.bots[seat] == PERFECT
    kept, number = 0, 0
    while True:
        mask = games.active[game, seat]
        games.decisions[game, seat] += 1
        verb, card, nth, roll = 2, -1, 0, 0
        if mask:
            roll = roll_dice(rules, games, game, kept, number)
            verb, card, nth = decide(rules, turns, lane, mask, roll, near, skip_first)
        elif number:
            # The dice are rolled, though no card is left to use them.
            roll_dice(rules, games, game, kept, number)
        number += 1
        if verb == 0:
            score_card(games, game, card, rules.points[card, roll, nth])
            return card
        if verb == 2:
            skip_turn(games, game)
            return _CARDS
        freeze_card(games, game, card)
        kept = rules.kept[roll, nth]


@inlined
def group_end(data: BotData, games: Games, order: Array, first: int) -> int:
    """Return where the games end that have the same bot and cards as the first, at most so many as there are lanes."""
    seat = games.seat[order[first]]
    bot, held = data.bots[seat], games.active[order[first], seat]
    end = first + 1
    while end < len(order) and end - first < _LANES:
        seat = games.seat[order[end]]
        if data.bots[seat] != bot or games.active[order[end], seat] != held:
            break
        end += 1
    return end


@inlined
def play_group(
    rules: Rules, data: BotData, games: Games, turns: Turns, order: Array, first: int, end: int, near: float
) -> None:
    """Play the solved turns of a group."""
    for lane in range(end - first):
        game = order[first + lane]
        games.turns[game, games.seat[game]] += 1
        row = play_solved(rules, data, games, turns, lane, game, near)
        settle(rules, data, games, game, row, 0)


@inlined
def choose_group(
    rules: Rules,
    data: BotData,
    games: Games,
    turns: Turns,
    order: Array,
    first: int,
    end: int,
    near: float,
    asked: DecisionBatch,
) -> None:
    """Choose one action in each solved turn of a group."""
    for lane in range(end - first):
        game = order[first + lane]
        seat = games.seat[game]
        asked.action[game, 0], asked.action[game, 1], asked.action[game, 2] = decide(
            rules, turns, lane, games.active[game, seat], asked.roll[game], near, data.bots[seat] == PERFECT
        )
