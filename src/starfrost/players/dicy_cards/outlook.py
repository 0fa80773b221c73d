"""An estimate of the chance to win for a seat that ends its turn.

Before a seat reaches the goal, every seat's total is projected to the end (points now, and expected points with its
active cards in the turns that are probably left), and the leads over the others give a chance to win, which is surer
with fewer turns left. In the last round, seats that have played have their final total, and the others count with
their exact chance to pass it in one turn.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from starfrost.games.dicy_cards import MASKS, rank
from starfrost.players.dicy_cards.answers import Table
from starfrost.players.dicy_cards.prospects import Floats, Ints, prospects

SWING: Final = 0.35
"""The spread of one turn's points, relative to the pace."""
LATE: Final = 0.5
"""The rounds beyond an even pace of the leader, who passes the goal somewhere inside a round."""


class Outlook:
    """A table from the view of one seat at the end of its turn, for every total and set of active cards it can have."""

    def __init__(self, table: Table) -> None:
        game, seat, scores, active = table
        self.goal = game.goal
        self.book = prospects(game.kinds, game.seats)
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
        """Return the chance in the last round, from final totals and the seats that still have a turn (E1, E2)."""
        chance = np.ones((len(totals), len(self.held)))
        shared = np.ones_like(chance)
        for score, active in self.before:
            lead = rank(totals[:, None], self.held) - rank(score, active.bit_count())
            chance[lead < 0] = 0
            shared[lead == 0] += 1
        for score, active in self.after:
            need = totals - score
            # A tie goes to the seat with more active cards; both are taken as equally likely.
            beaten = (self.book.reaches(active, need) + self.book.reaches(active, need + 1)) / 2
            chance *= 1 - beaten[:, None]
        return chance / shared

    def _running(self, totals: Ints) -> Floats:
        """Return the chance to win from projected leads, before the last round."""
        rounds = self.rounds_left(totals)
        chance = np.ones((len(totals), len(self.held)))
        for turns, others in ((0, self.before), (1, self.after)):
            scatter = SWING * self.book.pace * np.sqrt(2 * rounds + turns)
            for score, active in others:
                lead = totals[:, None] - score - self.book.leads(rounds, turns, active)
                chance /= 1 + np.exp(-1.7 * lead / scatter)
        return chance

    def rounds_left(self, totals: Ints) -> Floats:
        """Estimate the number of rounds after the current one, [total, own active cards]."""
        rounds = self.book.turns(self.goal - totals)
        for turns, others in ((0, self.before), (1, self.after)):
            for score, active in others:
                needed = self.book.turns(np.array([self.goal - score]))[0, active]
                np.minimum(rounds, max(needed - turns, 0.0), out=rounds)
        return rounds + LATE
