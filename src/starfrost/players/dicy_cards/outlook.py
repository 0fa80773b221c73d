"""How good a position is for a seat that ends its turn: an estimate of its chance to win.

While nobody has the goal, every seat's total is projected to the end (points now, and points to come with its
active cards in the turns that are probably left), and the leads over the others become a chance to win: the surer,
the fewer turns are left. Once somebody has the goal, seats that have played their last turn have their final total,
and seats still to play count with their exact chance to pass it in one turn.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dicy_cards import MASKS, rank
from starfrost.players.dicy_cards.answers import Table
from starfrost.players.dicy_cards.prospects import Floats, Ints, prospects

__all__ = ["Outlook"]

SWING: Final = 0.35
"""How far one turn's points scatter, in parts of the pace."""
LATE: Final = 0.5
"""Rounds that the game lasts beyond an even pace of its leader, who passes the goal somewhere inside a round."""


class Outlook:
    """A table seen by one seat as its turn ends, for every total and every set of active cards it may end with."""

    def __init__(self, table: Table) -> None:
        game, seat, scores, active = table
        self.goal = game.goal
        self.book = prospects(game.cards, game.seats)
        self.held = np.array([cards.bit_count() for cards in range(MASKS)])
        self.before = [(scores[other], active[other]) for other in range(seat)]
        self.after = [(scores[other], active[other]) for other in range(seat + 1, game.seats)]

    def value(self, totals: Ints) -> Floats:
        """Estimate the chance to win, [total, own active cards]."""
        best = max(score for score, _ in self.before + self.after)
        last: NDArray[np.bool_] = np.maximum(totals, best) >= self.goal
        if last.all():
            return self._last_round(totals)
        if last.any():
            return np.where(last[:, None], self._last_round(totals), self._running(totals))
        return self._running(totals)

    def _last_round(self, totals: Ints) -> Floats:
        """Count final totals as they stand, and the chances of those who still have a turn (E1, E2)."""
        chance = np.ones((len(totals), len(self.held)))
        shared = np.ones_like(chance)
        for score, active in self.before:
            lead = rank(totals[:, None], self.held) - rank(score, active.bit_count())
            chance[lead < 0] = 0
            shared[lead == 0] += 1
        for score, active in self.after:
            need = totals - score
            # A tie goes to the seat with more active cards, which is as often one as the other.
            beaten = (self.book.reaches(active, need) + self.book.reaches(active, need + 1)) / 2
            chance *= 1 - beaten[:, None]
        return chance / shared

    def _running(self, totals: Ints) -> Floats:
        """Turn projected leads into a chance to win."""
        rounds = self.rounds_left(totals)
        chance = np.ones((len(totals), len(self.held)))
        for turns, others in ((0, self.before), (1, self.after)):
            scatter = SWING * self.book.pace * np.sqrt(2 * rounds + turns)
            for score, active in others:
                lead = totals[:, None] - score - self.book.leads(rounds, turns, active)
                chance /= 1 + np.exp(-1.7 * lead / scatter)
        return chance

    def rounds_left(self, totals: Ints) -> Floats:
        """Estimate how many rounds follow the one being played, [total, own active cards]."""
        rounds = self.book.turns(self.goal - totals)
        for turns, others in ((0, self.before), (1, self.after)):
            for score, active in others:
                needed = self.book.turns(np.array([self.goal - score]))[0, active]
                np.minimum(rounds, max(needed - turns, 0.0), out=rounds)
        return rounds + LATE
