"""Why one action of a two-player game is better than another: the difference of their values, split into parts.

A turn ends with four ingredients: the points, the cards that were spent in it, whether all frozen cards came back by a
skip, and what the other player does with a card. Scoring and skipping lead to one end, a reroll to many, each with its
probability under perfect play. Any mixture of the ingredients of two ends has a value, so the difference of the ends is
split by Shapley values: each ingredient gets the mean of what its replacement changes, over all orders of replacing
them. The parts of a reroll are the means over its ends.

Two rerolls differ in the dice that are kept and in the card that is frozen; two choices of an affected player only in
the card.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.coach.judge import Part, Parts
from starfrost.coach.reasons import shapley, sorted_parts
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import ALL_ACTIVE, Action, State
from starfrost.games.dicy_cards.coach.reason_text import BACK, CARD, DICE, GOAL, OTHER, POINTS
from starfrost.games.dicy_cards.solver.turn import SolvedTurn

_INGREDIENTS: Final = (POINTS, CARD, BACK, OTHER)

Ints = NDArray[np.int64]


class Turn(NamedTuple):
    """The turn of a position, as its values know it; masks are in the order in which the cards are solved."""

    state: State
    cards: tuple[str, ...]
    """The ids of the cards, in that order."""
    goal: int
    active: int
    """The mask of the acting seat."""
    solved: SolvedTurn
    kept: Callable[[str, int], float]
    """Return the value of keeping some dice with these cards left."""
    ends: Callable[[Ints, Ints], NDArray[np.float64]]
    """Return the values, by mask, of ending the turn with these points and these cards' effects; -1 is a skip."""


class _Ends(NamedTuple):
    """The ends of a turn after an action, one element each."""

    chance: NDArray[np.float64]
    points: Ints
    spent: Ints
    """The mask of the active cards that are frozen then."""
    card: Ints
    """The place of the card that scores, whose effect follows; -1 for a skip."""


def split(turn: Turn, better: Action, worse: Action) -> Parts:
    """Split the difference of the values of two actions in a turn."""
    place = {card: number for number, card in enumerate(turn.cards)}
    if better.verb == worse.verb == "reroll":

        def of_reroll(some: frozenset[str]) -> float:
            kept, frozen = (better if name in some else worse for name in (DICE, CARD))
            return turn.kept(remove(turn.state.dice, kept.dice), turn.active ^ 1 << place[frozen.card])

        found = shapley(of_reroll, (DICE, CARD))
        likely = _likely(turn, _ends(turn, better))
        return sorted_parts([Part(DICE, found[DICE], thing=likely), Part(CARD, found[CARD], thing=better.card)])
    return _split_ends(turn, _ends(turn, better), _ends(turn, worse))


def _ends(turn: Turn, action: Action) -> _Ends:
    """List the ends of the turn after an action."""
    if action.verb == "skip":
        found = {(-1, 0, ALL_ACTIVE): 1.0}
    else:
        place, dice = turn.cards.index(action.card), turn.state.dice
        left = turn.active ^ 1 << place
        if action.verb == "score":
            found = {(place, turn.solved.points(action, dice), left): 1.0}
        else:
            found = turn.solved.outcomes(remove(dice, action.dice), left)
    card, points, mask = np.array(list(found), np.int64).T
    return _Ends(np.array(list(found.values())), points, turn.active & ~mask, card)


def _split_ends(turn: Turn, better: _Ends, worse: _Ends) -> Parts:
    """Split the difference of actions of which at most one is a reroll."""
    cards = len(turn.cards) + 1
    most = int(max(better.points.max(), worse.points.max()))
    points, card = np.divmod(np.arange((most + 1) * cards), cards)
    table = turn.ends(points, card - 1)

    def of_ends(some: frozenset[str]) -> NDArray[np.float64]:
        taken = {name: better if name in some else worse for name in _INGREDIENTS}
        mask = np.where(taken[BACK].card < 0, ALL_ACTIVE, turn.active) & ~taken[CARD].spent
        found: NDArray[np.float64] = table[taken[POINTS].points * cards + taken[OTHER].card + 1, mask]
        return found

    found = shapley(of_ends, _INGREDIENTS)
    chance = better.chance * worse.chance
    more = better.points - worse.points
    scores, seat = turn.state.scores, turn.state.seat
    # Once somebody has reached the goal this is the last round, and only the points count.
    open_goal = max(scores) < turn.goal
    reached = (scores[seat] + better.points >= turn.goal) != (scores[seat] + worse.points >= turn.goal)
    goal = chance * (reached & open_goal)

    def mean(what: Any, weight: Any = chance) -> float:
        return float((weight * what).sum())

    spent = np.bitwise_count(better.spent).astype(int) - np.bitwise_count(worse.spent)
    skips = (better.card < 0).astype(int) - (worse.card < 0)
    return sorted_parts(
        [
            Part(POINTS, mean(found[POINTS], chance - goal), mean(more)),
            Part(GOAL, mean(found[POINTS], goal), mean(np.sign(more), goal)),
            Part(CARD, mean(found[CARD]), mean(spent), _likely(turn, better)),
            Part(BACK, mean(found[BACK]), mean(skips)),
            Part(OTHER, mean(found[OTHER])),
        ]
    )


def _likely(turn: Turn, ends: _Ends) -> str:
    """Return the card that scores most often; empty if that is a skip."""
    often = np.bincount(ends.card + 1, ends.chance, len(turn.cards) + 1)
    return ["", *turn.cards][int(often.argmax())]
