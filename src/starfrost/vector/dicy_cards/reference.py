"""Conversion between the packed and the reference engine of Dicy Cards: states and actions, both ways."""

from collections.abc import Sequence

import numpy as np

from starfrost.games.dicy_cards import Action, DicyCards, Phase, State
from starfrost.vector.arrays import U32
from starfrost.vector.dicy_cards.engine import FREEZE_CARD, REROLL, RESET_CARD, SCORE, SKIP, DicyState


def selection_mask(dice: str, chosen: str) -> int:
    """Return the plain mask of a selection (of equal dice the earliest)."""
    mask, left = 0, list(chosen)
    for i, die in enumerate(dice):
        if die in left:
            left.remove(die)
            mask |= 1 << i
    return mask


def _selection(dice: str, mask: int) -> str:
    return "".join(die for i, die in enumerate(dice) if mask >> i & 1)


def action_number(cards: tuple[str, ...], dice: str, action: Action) -> int:
    """Return the number of an action in a state with these dice (highest first)."""
    if action.verb == "skip":
        return SKIP
    place = cards.index(action.card)
    if action.verb in ("freeze", "reset"):
        return (FREEZE_CARD if action.verb == "freeze" else RESET_CARD) + place
    return (REROLL if action.verb == "reroll" else SCORE) + 64 * place + selection_mask(dice, action.dice)


def reference_action(cards: tuple[str, ...], dice: str, number: int) -> Action:
    """Return the reference action of a number in a state with these dice (highest first)."""
    if number == SKIP:
        return Action("skip")
    if number > SKIP:
        verb = "freeze" if number < RESET_CARD else "reset"
        return Action(verb, cards[(number - FREEZE_CARD) % 5])
    verb = "reroll" if number < SCORE else "score"
    return Action(verb, cards[number % SCORE >> 6], _selection(dice, number & 63))


def pack(states: Sequence[State]) -> DicyState:
    """Pack states of the reference engine with the same number of seats; none may wait for chance."""
    seats = len(states[0].scores)
    table = np.zeros((len(states), 2 + seats), dtype=U32)
    for row, state in zip(table, states, strict=True):
        if state.phase in (Phase.ROLL, Phase.REROLL):
            raise ValueError("A packed state never waits for chance: rolls happen inside a step.")
        dice = sum(int(die) << (3 * i) for i, die in enumerate(state.dice))
        affected = sum(1 << ((seat - state.seat) % seats - 1) for seat in state.affected)
        row[0] = dice | state.phase << 18 | state.seat << 21 | affected << 23
        for i in range(seats):
            seat = (state.seat + i) % seats
            row[1] |= U32(state.active[seat] << (5 * i))
            row[2 + i] = state.scores[seat]
    column = [np.ascontiguousarray(table[:, i]) for i in range(2 + seats)]
    return DicyState(column[0], column[1], tuple(column[2:]))


def unpack(game: DicyCards, packed: DicyState) -> list[State]:
    """Return the states of the reference engine for packed ones, in NumPy arrays."""
    seats = game.seats
    found = []
    for word, active, *scores in zip(*(part.tolist() for part in (packed[0], packed[1], *packed[2])), strict=True):
        seat = word >> 21 & 3
        order = [(place - seat) % seats for place in range(seats)]
        affected = [(seat + 1 + i) % seats for i in range(seats - 1) if word >> (23 + i) & 1]
        found.append(
            State(
                Phase(word >> 18 & 7),
                seat,
                "".join(str(word >> (3 * i) & 7) for i in range(6) if word >> (3 * i) & 7),
                tuple(scores[i] for i in order),
                tuple(active >> (5 * i) & 31 for i in order),
                tuple(affected),
            )
        )
    return found
