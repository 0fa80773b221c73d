"""An estimate of the chance to win for a seat that ends its turn.

Before a seat reaches the goal, every seat's total is projected to the end (points now, and expected gains with its
active cards in the turns that are probably left), and the leads over the others give a chance to win, which is surer
with fewer turns left. In the last round, seats that have played have their final total, and the others count with
their exact chance to pass it in one turn.
"""

from math import exp, inf, sqrt
from typing import Final

from starfrost.games.dicy_cards import rank
from starfrost.games.dicy_cards.bots.answers import EndOfTurn
from starfrost.games.dicy_cards.bots.prospects import prospects

SWING: Final = 0.35
"""The spread of one turn's points, relative to the pace."""
LATE: Final = 0.5
"""The rounds beyond an even pace of the leader, who passes the goal somewhere inside a round."""


class Outlook:
    """The end of a turn from the view of its seat, for every total and set of active cards it can have."""

    def __init__(self, end: EndOfTurn) -> None:
        game, seat, scores, active = end
        self.goal = game.goal
        self.book = prospects(game.kinds, game.seats)
        self.before = [(scores[other], active[other]) for other in range(seat)]
        self.after = [(scores[other], active[other]) for other in range(seat + 1, game.seats)]
        self._best = max(score for score, _ in self.before + self.after)
        self._fewest = inf
        """The rounds after which another seat reaches the goal."""
        for extra, others in ((0, self.before), (1, self.after)):
            for score, cards in others:
                self._fewest = min(self._fewest, max(self.book.turns(self.goal - score, cards) - extra, 0.0))

    def value(self, total: int, own: int) -> float:
        """Estimate the chance to win with a total and a set of active cards."""
        return self._last_round(total, own) if max(total, self._best) >= self.goal else self._running(total, own)

    def _last_round(self, total: int, own: int) -> float:
        """Return the chance in the last round, from final totals and the seats that still have a turn (E1, E2)."""
        chance, shared = 1.0, 1
        for score, active in self.before:
            lead = rank(total, own.bit_count()) - rank(score, active.bit_count())
            if lead < 0:
                return 0.0
            shared += lead == 0
        for score, active in self.after:
            need = total - score
            # A tie goes to the seat with more active cards; both are taken as equally likely.
            chance *= 1 - (self.book.reach(active, need) + self.book.reach(active, need + 1)) / 2
        return chance / shared

    def _running(self, total: int, own: int) -> float:
        """Return the chance to win from projected leads, before the last round."""
        book = self.book
        rounds = min(book.turns(self.goal - total, own), self._fewest) + LATE
        chance = 1.0
        for extra, others in ((0, self.before), (1, self.after)):
            scatter = SWING * book.pace * sqrt(2 * rounds + extra)
            for score, active in others:
                lead = total - score + book.lead(rounds, extra, own, active)
                chance /= 1 + exp(-1.7 * lead / scatter)
        return chance
