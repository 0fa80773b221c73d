"""The coach of Dicy Cards with three and four players: the values of `master`, confirmed by rollouts of a round.

`master` knows every seat's chance at every end of a turn, and solves the turn exactly for the chances of the seat whose
turn it is. A rollout plays some turns with given dice. What the dice brought is taken out again: instead of the chance
at the end of a turn, its expectation before the turn counts. What is left is the sum of the corrections that each
solved turn makes to the estimate before it, which needs few rollouts.
"""

from collections import defaultdict
from functools import lru_cache
from math import hypot, sqrt
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.coach.judge import SUSPECTED, Difference, Option, Part, Parts, Shares
from starfrost.coach.reasons import LATER, sorted_parts
from starfrost.games.core import OVER
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import ALL_ACTIVE, Action, DicyCards, Phase, State
from starfrost.games.dicy_cards.bots.master import Params, weights
from starfrost.games.dicy_cards.bots.network import Standing, logits, pairs_of, shares
from starfrost.games.dicy_cards.bots.turn_ends import Entries, ends, entries, possible_ends
from starfrost.games.dicy_cards.coach.reason_text import CARD
from starfrost.games.dicy_cards.coach.reasons import Turn, split
from starfrost.games.dicy_cards.solver.adviser import translated
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT, lattice, parts
from starfrost.games.dicy_cards.solver.turn import SolvedTurn, offers_of
from starfrost.games.dicy_cards.solver.values import Values

Floats = NDArray[np.float64]

STAGES: Final = (16, 32, 64)
"""Rollouts of each stage of a comparison."""
SURE: Final = 3.0
"""Standard errors that decide: more than 1.96, because a comparison is looked at several times."""
EQUAL: Final = 0.004
"""Two actions are equal if their difference is surely below this."""
OF_THE_VALUES: Final = 0.02
"""The standard error of a difference that no rollout of a round shows: that of the values at its end.

`python -m bench.cards_coach` measured it against games played to the end.
"""
THROWS: Final = 6
"""The most throws of a turn: every reroll freezes one of five cards."""
_PART: Final = 1e-4
"""How much another seat's chance counts beside the own one, where the turn is solved for both.

The value of the turn then grows by this part of the other's chance, whatever the best play is: that is how the chances
of the others are computed.
"""


class Position(NamedTuple):
    """The start of a turn: scores and active cards by seat; the cards are in the order in which they are solved."""

    seat: int
    scores: tuple[int, ...]
    masks: tuple[int, ...]


class End(NamedTuple):
    """The end of a turn: everybody's chances, and the next turn unless the game is over."""

    chances: Floats
    following: Position | None


class TableTurn(SolvedTurn):
    """A turn solved for the seat whose turn it is, with the chances of all seats, in seat order."""

    def __init__(self, values: Values, params: Params, at: Position) -> None:
        seats = len(at.scores)
        self._at, self._goal = at, values.goal
        self._order = [(at.seat + 1 + place) % seats for place in range(seats)]
        self._entries = entries(values.cards, seats)
        scores, masks = (np.array([row[one] for one in self._order], np.int32) for row in (at.scores, at.masks))
        found = possible_ends(pairs_of(values), params, self._entries, scores, masks, np.int32(at.seat))
        self._shares: Floats = found.shares
        self._answers = found.masks
        own = self._shares[..., -1:]
        blended = np.concatenate([own, own + _PART * self._shares[..., :-1]], axis=-1)
        self.active = at.masks[at.seat]
        self._skipped: Floats = blended[-1, ALL_ACTIVE]
        if self.active:
            self._places = [place for place in range(len(values.cards)) if self.active >> place & 1]
            by_card = card_set(values.cards).by_card(blended[:-1])
            super().__init__(values.cards, self.active, [by_card[place] for place in self._places], self._skipped)
            first = card_set(values.cards).points_first
            self._numbers = np.concatenate([np.arange(first[place], first[place + 1]) for place in self._places])
            self._rows = offers_of(tuple(values.cards[place] for place in self._places)).rows

    def _everybody(self, blended: Floats) -> Floats:
        """Return the chances of all seats by those of the own seat and of the blends with each other one."""
        own = min(1.0, max(0.0, blended[0]))
        others = np.maximum(blended[1:] - blended[0], 0) / _PART
        found = np.zeros(len(blended))
        # Where nothing matters to the own seat, each blend may assume other play: together they fill the rest.
        found[self._order[:-1]] = others * (1 - own) / max(others.sum(), 1e-12)
        found[self._at.seat] = own
        return found

    def chances_kept(self, dice: str, active: int) -> Floats:
        """Return the chances of all seats before a roll of the dice that are missing."""
        if not active:
            return self._everybody(self._skipped)
        return self._everybody(self._values.kept[lattice().number[dice], self._column[active]])

    def chances_after(self, action: Action, active: int, dice: str) -> Floats:
        """Return the chances of all seats after an action of the seat whose turn it is."""
        if action.verb == "skip":
            return self._everybody(self._skipped)
        place, bit = self._place[action.card]
        if action.verb == "reroll":
            return self.chances_kept(remove(dice, action.dice), active ^ bit)
        return self._everybody(self._ends[self._entry(place, action, dice), self._column[active ^ bit]])

    def play(self, dice: str, active: int, throws: NDArray[np.int64]) -> End:
        """Play the turn on with kept dice and given throws."""
        entry, left = self._follow(lattice().number[dice], active, throws) if active else (-1, ALL_ACTIVE)
        chances = np.zeros(len(self._order))
        chances[self._order] = self._shares[entry, left]
        at, points = self._at, int(self._entries.points[entry])
        scores, masks = list(at.scores), list(at.masks)
        scores[at.seat] += points
        masks[at.seat] = left
        for seat, answered in zip(self._order, self._answers, strict=False):
            masks[seat] = int(answered[entry])
        seat = at.seat + 1
        if seat == len(scores):
            seat = 0
            if max(scores) >= self._goal:
                return End(chances, None)
        return End(chances, Position(seat, tuple(scores), tuple(masks)))

    def _follow(self, kept: int, active: int, throws: NDArray[np.int64]) -> tuple[int, int]:
        """Return the entry that the turn ends with, the last one for a skip, and the cards left active."""
        up = lattice().up
        offers, again, stay = self._values.offers[..., 0], self._values.again[..., 0], self._values.kept[..., 0]
        for throw in throws:
            if not active:
                break
            for face in throw:
                if kept < KEPT:
                    kept = int(up[kept, face])
            roll = kept - KEPT
            held = [(place, active ^ bit) for place, bit in self._place.values() if active & bit]
            scores = [offers[self._cards.offer[place, roll], self._column[left]] for place, left in held]
            rerolls = [again[roll, self._column[left]] for _, left in held]
            if max(scores) >= max(*rerolls, self._skipped[0]):
                place, left = held[int(np.argmax(scores))]
                rows = self._rows[:, self._cards.offer[place, roll]]
                best = rows[int(self._ends[rows, self._column[left], 0].argmax())]
                return int(self._numbers[best]), left
            if max(rerolls) <= self._skipped[0]:
                break
            active = held[int(np.argmax(rerolls))][1]
            choices = parts()[roll]
            kept = int(choices[stay[choices, self._column[active]].argmax()])
        return -1, ALL_ACTIVE


class CardsJudge:
    """Estimates for one game of Dicy Cards with three or four players."""

    error = SUSPECTED

    def __init__(self, game: DicyCards, values: Values) -> None:
        self.game, self.values, self.params = game, values, weights(game.seats)
        self._mask = translated(game.cards, values.cards)
        self._turn = lru_cache(maxsize=4)(lambda at: TableTurn(values, self.params, at))

    def position(self, state: State) -> Position:
        """Return the start of a turn with the scores and active cards of a position."""
        return Position(state.seat, state.scores, tuple(self._mask[active] for active in state.active))

    def value(self, state: State) -> Shares:
        """Return the value of a position before a roll, or of an end."""
        if self.game.actor(state) == OVER:
            winners = self.game.winners(state)
            return tuple((seat in winners) / len(winners) for seat in range(self.game.seats))
        at = self.position(state)
        return tuple(map(float, self._turn(at).chances_kept(state.dice, at.masks[at.seat])))

    def options(self, state: State) -> list[Option]:
        """Return every action with its value, the best for the acting seat first."""
        seat = self.game.actor(state)
        if state.phase is Phase.ACT:
            at = self.position(state)
            turn, active = self._turn(at), at.masks[at.seat]
            found = [
                Option(action, tuple(map(float, turn.chances_after(action, active, state.dice))))
                for action in self.game.legal_actions(state)
            ]
        else:
            found = self._answers(state)
        return sorted(found, key=lambda option: -option.shares[seat])

    def _answers(self, state: State) -> list[Option]:
        """Return the choices of an affected seat with their values; the seats after it choose their best."""
        seats = self.game.seats
        leaves: list[State] = []

        def grow(at: State) -> Any:
            """Return the tree of choices, with the numbers of leaves at its ends."""
            if at.phase in (Phase.FREEZE, Phase.RESET):
                return {action: grow(self.game.apply(at, action)) for action in self.game.legal_actions(at)}
            leaves.append(at)
            return len(leaves) - 1

        tree = grow(state)
        order = [(state.seat + 1 + place) % seats for place in range(seats)]
        standing = Standing(
            tuple(np.full(len(leaves), state.scores[one], np.int32) for one in order),
            tuple(np.array([self._mask[leaf.active[one]] for leaf in leaves], np.int32) for one in order),
            np.int32(state.seat),
        )
        found = np.zeros((len(leaves), seats))
        found[:, order] = shares(logits(pairs_of(self.values), standing, self.params))

        def best(branch: Any, affected: tuple[int, ...]) -> Shares:
            if not isinstance(branch, dict):
                return tuple(map(float, found[branch]))
            later = [best(after, affected[1:]) for after in branch.values()]
            return max(later, key=lambda chances: chances[affected[0]])

        return [Option(action, best(branch, state.affected[1:])) for action, branch in tree.items()]

    def compare(self, state: State, one: Action, other: Action) -> Difference:
        """Play two actions on for a round with the same dice and compare everybody's chances."""
        seat, seats = self.game.actor(state), self.game.seats
        rng = Random(f"{self.game.position_text(state)} {one} {other}")
        found = np.zeros((0, seats))
        mean = error = 0.0
        for rolls in STAGES:
            dice = np.array([rng.randrange(6) for _ in range(rolls * seats * THROWS * 6)])
            dice = dice.reshape(rolls, seats, THROWS, 6)
            sides = [self.rollouts(state, action, dice) for action in (one, other)]
            found = np.concatenate([found, sides[0] - sides[1]])
            mean, error = float(found[:, seat].mean()), float(found[:, seat].std(ddof=1)) / sqrt(len(found))
            if abs(mean) > SURE * error or abs(mean) + SURE * error < EQUAL:
                break
        whole = 1.96 * hypot(error, OF_THE_VALUES)
        return Difference(tuple(map(float, found.mean(axis=0))), whole, mean > max(SURE * error, whole))

    def parts(self, state: State, better: Action, worse: Action, difference: float) -> Parts:
        """Split the estimated difference of two actions; what the values do not know of it is the part `later`."""
        if state.phase is Phase.ACT:
            found = list(split(self._reasons(state), better, worse))
        else:
            shares = {option.action: option.shares[self.game.actor(state)] for option in self.options(state)}
            found = [Part(CARD, shares[better] - shares[worse], thing=better.card)]
        return sorted_parts([*found, Part(LATER, difference - sum(part.value for part in found))])

    def _reasons(self, state: State) -> Turn:
        """Return the turn of a position for its reasons."""
        seats, at, cards = self.game.seats, self.position(state), self.values.cards
        turn, rows = self._turn(at), entries(cards, seats)
        order = [(at.seat + 1 + place) % seats for place in range(seats)]
        scores, masks = (np.array([row[one] for one in order], np.int32) for row in (at.scores, at.masks))
        # An entry of each card, and the last one of all for the skip, which is the card -1.
        entry = np.append(card_set(cards).points_first[:-1], -1)

        def ends_of(points: NDArray[Any], card: NDArray[Any]) -> Floats:
            alike = Entries(points.astype(np.int32), *(field[entry[card]] for field in rows[1:]))
            found: Floats = ends(pairs_of(self.values), self.params, alike, scores, masks, np.int32(at.seat)).shares
            return found[..., -1]

        def kept(dice: str, active: int) -> float:
            return float(turn.chances_kept(dice, active)[at.seat])

        return Turn(state, cards, self.game.goal, at.masks[at.seat], turn, kept, ends_of)

    def rollouts(self, state: State, action: Action, dice: NDArray[np.int64]) -> Floats:
        """Play an action on for a round with given dice; return everybody's chances, without the luck of the dice."""
        after = self.game.apply(state, action)
        number, turns = dice.shape[:2]
        total = np.zeros((number, self.game.seats))
        known = np.zeros_like(total)
        following: list[Position | None]
        if after.phase is Phase.REROLL:
            turn, active = self._turn(self.position(state)), self.position(after).masks[state.seat]
            total += turn.chances_kept(after.dice, active)
            played = [turn.play(after.dice, active, throws[0]) for throws in dice]
            known[:] = [end.chances for end in played]
            following = [end.following for end in played]
        else:
            while after.phase in (Phase.FREEZE, Phase.RESET):
                after = self.game.apply(after, self.options(after)[0].action)
            if after.phase is Phase.OVER:
                return total + self.value(after)
            following = [self.position(after)] * number
        for place in range(1, turns):
            tables: dict[Position, list[int]] = defaultdict(list)
            for table, at in enumerate(following):
                if at is not None:
                    tables[at].append(table)
            for at, members in tables.items():
                turn = self._turn(at)
                total[members] += turn.chances_kept("", turn.active) - known[members]
                for table in members:
                    # The last turn is not played: its expectation is enough.
                    if place < turns - 1:
                        known[table], following[table] = turn.play("", turn.active, dice[table, place])
        return total
