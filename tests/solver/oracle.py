"""Worths by value iteration over the reference engine: slow, plain, and no code shared with the solver.

Everything a turn can do is asked of the engine: what a reroll keeps and what chance makes of it, what a score brings
and whom it touches, what a skip resets. The iteration then enumerates every action, with the whole distribution of
every reroll in one matrix, and sweeps over all positions between turns until nothing moves. `python -m
tests.solver.oracle CARD CARD CARD CARD CARD GOAL` prints the greatest difference to the solver's worths.
"""

import sys
from functools import cache

import numpy as np

from starfrost.games.dicy_cards import Action, DicyCards, Phase, State
from starfrost.solver.sweep import solve
from starfrost.solver.values import Values

ALL = 31


class Oracle:
    """All positions between turns of a two-player set-up: `worth[seat, score 1, score 2, mask 1, mask 2]`."""

    def __init__(self, cards: tuple[str, ...], goal: int) -> None:
        self.game = DicyCards(2, cards, goal)
        start = self.game.start()
        self.rolls = [roll.dice for roll, _ in self.game.chance_outcomes(start)]
        self.number = {dice: place for place, dice in enumerate(self.rolls)}
        weights = np.array([weight for _, weight in self.game.chance_outcomes(start)], float)
        self.chance = weights / weights.sum()
        self._ask_about_rerolls()
        self.top = goal + max(points for card in range(5) for points in self._points(card))
        self._iterate()

    def _act(self, dice: str, active: tuple[int, int], scores: tuple[int, int] = (0, 0), seat: int = 0) -> State:
        return State(Phase.ACT, seat, dice, scores, active)

    def _ask_about_rerolls(self) -> None:
        """Find, for every roll, the dice that a reroll may keep, and what every kept set becomes."""
        self.kept: dict[str, int] = {}
        rows, keeps = [], []
        for dice in self.rolls:
            state = self._act(dice, (1, ALL))
            own = set()
            for action in self.game.legal_actions(state):
                if action.verb != "reroll":
                    continue
                rolling = self.game.apply(state, action)
                assert rolling.active[0] == 0
                if rolling.dice not in self.kept:
                    self.kept[rolling.dice] = len(rows)
                    row = np.zeros(len(self.rolls))
                    for roll, weight in self.game.chance_outcomes(rolling):
                        row[self.number[self.game.apply(rolling, roll).dice]] += weight
                    rows.append(row / row.sum())
                own.add(self.kept[rolling.dice])
            keeps.append(sorted(own))
        self.matrix = np.array(rows)
        most = max(map(len, keeps))
        self.keeps = np.array([(own * most)[:most] for own in keeps])

    @cache  # noqa: B019
    def _points(self, card: int) -> dict[int, list[int]]:
        """List the points that a card can bring, each with the rolls that offer them."""
        found: dict[int, list[int]] = {}
        for place, dice in enumerate(self.rolls):
            state = self._act(dice, (1 << card, ALL))
            offered = {
                self.game.apply(state, action).scores[0]
                for action in self.game.legal_actions(state)
                if action.verb == "score"
            }
            for points in offered:
                found.setdefault(points, []).append(place)
        return found

    @cache  # noqa: B019
    def _score(self, card: int, points: int) -> tuple[str, Action]:
        """Find a roll and a score with a card that brings these points."""
        dice = self.rolls[self._points(card)[points][0]]
        state = self._act(dice, (1 << card, ALL))
        for action in self.game.legal_actions(state):
            if action.verb == "score" and self.game.apply(state, action).scores[0] == points:
                return dice, action
        raise AssertionError("no such score")

    def _after(self, state: State, action: Action) -> float:
        """Ask the engine what follows an action and let the other seat choose in its own interest."""
        after = self.game.apply(state, action)
        if not after.affected:
            return self._value(after, state.seat)
        choices = [self.game.apply(after, choice) for choice in self.game.legal_actions(after)]
        return min(self._value(choice, state.seat) for choice in choices)

    def _value(self, state: State, seat: int) -> float:
        if state.phase is Phase.OVER:
            winners = self.game.winners(state)
            return 0.0 if seat not in winners else 1 / len(winners)
        worth = float(self.worth[(state.seat, *state.scores, *state.active)])
        return worth if state.seat == seat else 1 - worth

    def _iterate(self) -> None:
        goal, top = self.game.goal, self.top
        self.worth = np.full((2, top, top, 32, 32), 0.5)
        for gap in range(1, top):
            # A last turn is about the gap alone (E2): one pair of scores stands for all of its gap.
            scores = (max(goal, gap), max(goal, gap) - gap)
            self._improve(1, scores, self._scoring(1, scores))
            for first in range(goal, top):
                if 0 <= first - gap < goal:
                    self.worth[1, first, first - gap] = self.worth[(1, *scores)]
        pairs = [(first, second) for first in range(goal) for second in range(goal)]
        for scores in sorted(pairs, key=sum, reverse=True):
            scoring = [self._scoring(seat, scores) for seat in range(2)]
            while max(self._improve(seat, scores, scoring[seat]) for seat in range(2)) > 1e-16:
                pass

    def _scoring(self, seat: int, scores: tuple[int, int]) -> np.ndarray:
        """Give the best worth of scoring by own mask, roll and other's mask; -1 where nothing can be scored."""
        best = np.full((32, len(self.rolls), 32), -1.0)
        for own in range(1, 32):
            for card in range(5):
                if not own >> card & 1:
                    continue
                for points, rolls in self._points(card).items():
                    dice, action = self._score(card, points)
                    worths = []
                    for other in range(32):
                        active = (own, other) if seat == 0 else (other, own)
                        worths.append(self._after(self._act(dice, active, scores, seat), action))
                    best[own, rolls] = np.maximum(best[own, rolls], worths)
        return best

    def _improve(self, seat: int, scores: tuple[int, int], scoring: np.ndarray) -> float:
        """Improve all worths of a seat at a pair of scores; give the greatest change."""
        skip = np.empty(32)
        for other in range(32):
            state = self._act("", (0, other) if seat == 0 else (other, 0), scores, seat)
            skip[other] = self._after(state, self.game.legal_actions(state)[0])
        new = np.empty((32, 32))
        new[0] = skip
        again = {0: np.tile(skip, (len(self.rolls), 1))}
        for own in range(1, 32):
            best = np.maximum(scoring[own], skip)
            for card in range(5):
                if own >> card & 1:
                    best = np.maximum(best, again[own ^ (1 << card)])
            again[own] = (self.matrix @ best)[self.keeps].max(axis=1)
            new[own] = self.chance @ best
        if seat == 1:
            new = new.T
        moved = float(np.abs(new - self.worth[(seat, *scores)]).max())
        self.worth[(seat, *scores)] = new
        return moved

    def difference(self, values: Values) -> float:
        """Give the greatest difference to solved worths, over every position between turns."""
        goal, found = self.game.goal, 0.0
        for first in range(self.top):
            for second in range(goal):
                here = [self.worth[1, first, second] - values.block(1, (first, second))]
                if first < goal:
                    here.append(self.worth[0, first, second].T - values.block(0, (first, second)))
                found = max(found, *(float(np.abs(part).max()) for part in here))
        return found


if __name__ == "__main__":
    *cards, goal = sys.argv[1:]
    print(Oracle(tuple(cards), int(goal)).difference(solve(cards, int(goal))))
