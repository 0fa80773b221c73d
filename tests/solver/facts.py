"""What a turn of two-player Dicy Cards can do, asked of the reference engine once and kept as arrays.

Nothing here states a rule. Rolls, what a reroll keeps and costs, what a score brings, whom it touches, what a skip
resets, when the game is over and who has won: each is an answer of `legal_actions`, `apply`, `chance_outcomes` or
`winners`. What is asked only of sample states (an ending of every pair of card sets, but not with every roll) is
checked by `expectimax`, which asks about everything.
"""

from itertools import groupby
from typing import Any

import numpy as np

from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State

__all__ = ["ALL", "CARDS", "SKIP", "Facts"]

ALL, CARDS = 31, 5
SKIP = CARDS
"""Stands behind the five cards as a way to end a turn, bringing no points."""


class Facts:
    """The answers of one game."""

    def __init__(self, game: DicyCards) -> None:
        self.game = game
        self._ask_about_rerolls()
        self._ask_about_points()
        self._ask_about_endings()

    def _act(self, seat: int, own: int, other: int, dice: str) -> State:
        return State(Phase.ACT, seat, dice, (0, 0), (own, other) if seat == 0 else (other, own))

    def _ask_about_rerolls(self) -> None:
        """Ask what every roll may keep, what every kept set becomes, and which cards are left after a reroll."""
        first = self.game.chance_outcomes(self.game.start())
        kept = {roll.dice: self._kept(roll.dice) for roll, _ in first}
        self.rolls = sorted(kept, key=lambda dice: len(kept[dice]))
        number = {dice: place for place, dice in enumerate(self.rolls)}
        self.chance = np.zeros(len(self.rolls))
        for roll, weight in first:
            self.chance[number[roll.dice]] = weight
        self.chance /= self.chance.sum()
        states = {dice: state for ways in kept.values() for dice, state in ways.items()}
        places = {dice: place for place, dice in enumerate(states)}
        self.becomes = np.zeros((len(states), len(self.rolls)))
        """The distribution of the roll that follows each kept set."""
        for dice, state in states.items():
            for roll, weight in self.game.chance_outcomes(state):
                self.becomes[places[dice], number[self.game.apply(state, roll).dice]] += weight
        self.becomes /= self.becomes.sum(axis=1, keepdims=True)
        ways = groupby(([places[dice] for dice in kept[roll]] for roll in self.rolls), key=len)
        self.ways = [np.array(list(group)) for _, group in ways]
        """What every roll may keep: one table for all rolls with equally many ways, in the order of the rolls."""

    def _kept(self, dice: str) -> dict[str, State]:
        """Ask what a reroll of these dice may keep; it must be the same whichever card is frozen for it."""
        state = self._act(0, ALL, ALL, dice)
        found: dict[str, dict[str, State]] = {}
        for action in self.game.legal_actions(state):
            if action.verb == "reroll":
                rolling = self.game.apply(state, action)
                assert self.game.actor(rolling) == CHANCE
                found.setdefault(action.card, {})[rolling.dice] = rolling
        assert len(found) == CARDS
        assert len({tuple(sorted(ways)) for ways in found.values()}) == 1
        return found[self.game.cards[0]]

    def _ask_about_points(self) -> None:
        """Ask which points every roll offers on every card."""
        offers: list[list[frozenset[int]]] = [[] for _ in range(CARDS)]
        self._sample: dict[int, tuple[str, Action]] = {}
        for dice in self.rolls:
            state = self._act(0, ALL, 0, dice)
            found: list[set[int]] = [set() for _ in range(CARDS)]
            for action in self.game.legal_actions(state):
                if action.verb == "score":
                    card = self.game.cards.index(action.card)
                    found[card].add(self.game.apply(state, action).scores[0])
                    self._sample.setdefault(card, (dice, action))
            for card in range(CARDS):
                offers[card].append(frozenset(found[card]))
        self.points = [np.array(sorted(frozenset().union(*offers[card]))) for card in range(CARDS)]
        """For each card, all the points that it can ever bring."""
        self.most = max(int(points.max()) for points in self.points)
        # Rolls that offer the same points on a card are alike to it.
        alike = [sorted(set(offers[card]), key=sorted) for card in range(CARDS)]
        self.offered = [
            [np.searchsorted(self.points[card], sorted(offer)) for offer in alike[card]] for card in range(CARDS)
        ]
        """For each card and each kind of roll, the places in `points` of what is offered."""
        self.kind = [np.array([alike[card].index(offer) for offer in offers[card]]) for card in range(CARDS)]
        """For each card, the kind of every roll."""

    def _ask_about_endings(self) -> None:
        """Ask for both seats which cards are active after each way to end a turn, whatever the other seat chooses.

        `endings[way][seat]` are two arrays by own cards, other's cards and choice: own and other's cards afterwards.
        A turn cannot be ended by scoring a frozen card: those rows stay 0 and are never looked at.
        """
        self.left = np.zeros((ALL + 1, CARDS), int)
        """Own cards after one of them was frozen for a reroll."""
        self.endings: list[list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]] = []
        for own in range(ALL + 1):
            state = self._act(0, own, ALL, self.rolls[0])
            for action in self.game.legal_actions(state):
                if action.verb == "reroll":
                    self.left[own, self.game.cards.index(action.card)] = self.game.apply(state, action).active[0]
        for way in range(CARDS + 1):
            self.endings.append([])
            for seat in range(2):
                found = {}
                for own in range(ALL + 1):
                    if way == SKIP:
                        dice, action = self.rolls[0] if own else "", Action("skip")
                    elif own >> way & 1:
                        dice, action = self._sample[way]
                    else:
                        continue
                    for other in range(ALL + 1):
                        found[own, other] = self._ended(self._act(seat, own, other, dice), action)
                most = max(map(len, found.values()))
                after = np.zeros((ALL + 1, ALL + 1, most, 2), int)
                for (own, other), choices in found.items():
                    after[own, other] = (choices * most)[:most]
                self.endings[way].append((after[..., 0], after[..., 1]))

    def _ended(self, state: State, action: Action) -> list[tuple[int, int]]:
        """Ask for own and other's cards after a turn's last action and each of the other seat's choices."""
        assert action in self.game.legal_actions(state)
        after = self.game.apply(state, action)
        ends = [after]
        if after.affected:
            assert self.game.actor(after) == 1 - state.seat
            ends = [self.game.apply(after, choice) for choice in self.game.legal_actions(after)]
        assert all(end.phase is Phase.OVER or self.game.starts_turn(end) for end in ends)
        assert all(end.phase is Phase.OVER or end.seat == 1 - state.seat for end in ends)
        return [(end.active[state.seat], end.active[1 - state.seat]) for end in ends]

    def over(self, seat: int, scores: tuple[int, int]) -> bool:
        """Ask whether a turn that ends with these scores ends the game."""
        state = State(Phase.ACT, seat, self.rolls[0], scores, (ALL, ALL))
        return self.game.apply(state, Action("skip")).phase is Phase.OVER

    def won(self, seat: int, scores: tuple[int, int]) -> np.ndarray[Any, Any]:
        """Ask for a seat's share of the victory at the end of a game, by own and other's cards."""
        share = np.zeros((ALL + 1, ALL + 1))
        for own in range(ALL + 1):
            for other in range(ALL + 1):
                active = (own, other) if seat == 0 else (other, own)
                winners = self.game.winners(State(Phase.OVER, 1, "", scores, active))
                share[own, other] = (seat in winners) / len(winners)
        return share
