"""Conversion between the packed and the reference engine of Dicy Cards: states and actions, both ways."""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dice import subsets
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.games.dicy_cards.vector.choices import plain_mask
from starfrost.games.dicy_cards.vector.engine import FREEZE_CARD, REROLL, RESET_CARD, SCORE, SKIP, DicyState, VectorDicy
from starfrost.vector.arrays import U32


def _selection(dice: str, mask: int) -> str:
    return "".join(die for i, die in enumerate(dice) if mask >> i & 1)


def action_number(cards: tuple[str, ...], dice: str, action: Action) -> int:
    """Return the number of an action in a state with these dice (highest first)."""
    if action.verb == "skip":
        return SKIP
    place = cards.index(action.card)
    if action.verb in ("freeze", "reset"):
        return (FREEZE_CARD if action.verb == "freeze" else RESET_CARD) + place
    return (REROLL if action.verb == "reroll" else SCORE) + 64 * place + plain_mask(dice, action.dice)


def reference_action(cards: tuple[str, ...], dice: str, number: int) -> Action:
    """Return the reference action of a number in a state with these dice (highest first)."""
    if number == SKIP:
        return Action("skip")
    if number > SKIP:
        verb = "freeze" if number < RESET_CARD else "reset"
        return Action(verb, cards[(number - FREEZE_CARD) % 5])
    verb = "reroll" if number < SCORE else "score"
    return Action(verb, cards[number % SCORE >> 6], _selection(dice, number & 63))


# One game is played by the rules themselves, so its masks and views are made from their states: a call of the vector
# engine for one state would take longer than the move.


@cache
def _places(kind: str, dice: str) -> tuple[list[int], list[int]]:
    """Return the selections from six dice that a card rerolls and that it scores."""
    scored = {plain_mask(dice, chosen) for chosen, _ in options(kind, dice)}
    return sorted({plain_mask(dice, chosen) for chosen in subsets(dice)}), sorted(scored)


@lru_cache(maxsize=1 << 14)
def _turn_mask(kinds: tuple[str, ...], dice: str, active: int) -> NDArray[np.int8]:
    """Return the legal actions of the seat whose turn it is."""
    mask = np.zeros(VectorDicy.actions, np.int8)
    mask[SKIP] = 1
    for card, kind in enumerate(kinds):
        if dice and active >> card & 1:
            for first, chosen in zip((REROLL, SCORE), _places(kind, dice), strict=True):
                mask[first + 64 * card :][chosen] = 1
    return mask


def mask(game: DicyCards, state: State) -> NDArray[np.int8]:
    """Return the legal actions in a state, as the vector engine does."""
    if state.phase is Phase.ACT:
        return _turn_mask(game.kinds, state.dice, state.active[state.seat])
    found = np.zeros(VectorDicy.actions, np.int8)
    if state.phase in (Phase.FREEZE, Phase.RESET):
        freezes = state.phase is Phase.FREEZE
        for card in range(len(game.cards)):
            if bool(state.active[state.affected[0]] >> card & 1) is freezes:
                found[(FREEZE_CARD if freezes else RESET_CARD) + card] = 1
    return found


_PHASES = (Phase.ACT, Phase.FREEZE, Phase.RESET, Phase.OVER)
_FLAGS = {phase: [int(phase is one) for one in _PHASES] for phase in Phase}


def observe(game: DicyCards, state: State, seat: int) -> NDArray[np.uint8]:
    """Return a seat's view of a state, as the vector engine does."""
    seats, turn = game.seats, state.seat
    actor = state.affected[0] if state.affected else turn
    row = _FLAGS[state.phase].copy()
    row += (seat, (turn - seat) % seats, (actor - seat) % seats)
    row += map(int, state.dice) if state.dice else (0,) * 6
    for place in range(seat, seat + seats):
        active, score = state.active[place % seats], state.scores[place % seats]
        row += (active & 1, active >> 1 & 1, active >> 2 & 1, active >> 3 & 1, active >> 4)
        row += (score & 255, score >> 8 & 255)
    return np.frombuffer(bytearray(row), np.uint8)


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
