"""Single decisions in many games of Dicy Cards at once, for positions of the vector engine."""

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.batch.dicy_cards.batch import play_groups
from starfrost.batch.dicy_cards.ends import Book
from starfrost.batch.dicy_cards.master import play_masters
from starfrost.batch.dicy_cards.network import Net
from starfrost.batch.dicy_cards.play import GREEDY, MASTER, Games, Minds, light_action, light_answer
from starfrost.batch.dicy_cards.tables import Rules, reroll_masks, rules_of, score_masks
from starfrost.batch.dicy_cards.turns import Asks, turns_of
from starfrost.dice.card_set import card_set
from starfrost.dice.lattice import KEPT
from starfrost.games.dicy_cards import Change, DicyCards
from starfrost.solver.kernels import lean
from starfrost.vector.dicy_cards.engine import FREEZE, FREEZE_CARD, REROLL, RESET_CARD, SCORE, SKIP, DicyState

Numbers = NDArray[np.int64]


@lean
def _choose_light(rules: Rules, minds: Minds, games: Games, asks: Asks) -> None:
    """Choose in every game where no plan is needed."""
    counts, subsets, points, mean = rules.scores, rules.subsets, rules.points, rules.mean
    for game in range(games.seat.shape[0]):
        seat = (games.seat[game] + asks.place[game]) % rules.seats
        bot = minds.bots[seat]
        if asks.place[game]:
            if bot != MASTER:
                asks.action[game, 1] = light_answer(rules, minds, games, game, seat, asks.change[game])
        elif bot <= GREEDY and games.active[game, seat]:
            own = games.luck[game, seat, 0], games.luck[game, seat, 1], games.decisions[game, seat]
            asks.action[game, 0], asks.action[game, 1], asks.action[game, 2] = light_action(
                bot, games.active[game, seat], asks.roll[game], own, counts, subsets, points, mean
            )


class Chooser:
    """The bots of a table, each in its seat; `minds` are what they know."""

    def __init__(self, game: DicyCards, minds: tuple[Minds, Book, Net | None], near: float) -> None:
        self.rules = rules_of(game)
        self.minds, self.book, self.net = minds
        self.near = near
        chosen = card_set(game.kinds)
        self.turns, self.entries = turns_of(chosen), chosen.points.astype(np.int64)
        self.scores = np.stack([score_masks(kind) for kind in game.kinds])

    def __call__(self, positions: DicyState, luck: Keys, decisions: Numbers) -> Numbers:
        """Return the number of the action that the acting seat's bot chooses in each position."""
        games, asks = self._read(positions, luck, decisions)
        _choose_light(self.rules, self.minds, games, asks)
        seats = games.seat
        bots, held = self.minds.bots[seats], games.active[np.arange(len(seats)), seats]
        order = np.lexsort((games.scores[np.arange(len(seats)), seats], held, bots))
        plans = order[((asks.place == 0) & (bots > GREEDY) & (held > 0))[order]]
        others, masters = plans[bots[plans] != MASTER], plans[bots[plans] == MASTER]
        if len(others):
            play_groups(self.rules, self.minds, games, self.book, self.turns, others, self.entries, self.near, asks)
        if self.net is not None:
            acting = (seats + asks.place) % self.rules.seats
            games.asked[:, 0] = np.where(self.minds.bots[acting] == MASTER, asks.place, 0)
            play_masters(self.rules, self.minds, games, self.net, self.turns, masters, self.entries, self.near, asks)
        return self._numbers(asks)

    def _read(self, positions: DicyState, luck: Keys, decisions: Numbers) -> tuple[Games, Asks]:
        """Return packed positions for the compiled functions."""
        meta, cards = positions.meta.astype(np.int64), positions.active.astype(np.int64)
        number, seats = len(meta), self.rules.seats
        seat, waiting = meta >> 21 & 3, meta >> 23 & 7
        order = (np.arange(seats) - seat[:, None]) % seats
        scores = np.take_along_axis(np.stack(positions.scores, axis=1).astype(np.int64), order, axis=1)
        kept = np.zeros(number, np.int64)
        for die in range(6):
            shown = meta >> (3 * die) & 7
            kept = np.where(shown > 0, self.rules.up[np.minimum(kept, KEPT - 1), shown - 1], kept)
        place = np.where(waiting & 1, 1, np.where(waiting & 2, 2, np.where(waiting & 4, 3, 0)))
        phase = meta >> 18 & 7
        action = np.zeros((number, 3), np.int64)
        action[:, 0] = 2
        asks = Asks(place, np.where(phase == FREEZE, int(Change.FREEZE), int(Change.RESET)), kept - KEPT, action)
        games = Games(
            scores,
            cards[:, None] >> (5 * order) & 31,
            seat,
            np.zeros((number, seats), np.int64),
            np.repeat(decisions[:, None], seats, axis=1),
            luck,
            np.repeat(luck[:, None], seats, axis=1),
            np.zeros((number, seats, 1), np.int64),
            np.zeros((number, 2), np.int64),
            np.zeros((number, 2), np.int64),
        )
        return games, asks

    def _numbers(self, asks: Asks) -> Numbers:
        verb, card, nth = asks.action.T
        roll = np.maximum(asks.roll, 0)
        reroll = REROLL + 64 * card + reroll_masks()[roll, nth]
        score = SCORE + 64 * card + self.scores[card, roll, nth]
        own = np.where(verb == 2, SKIP, np.where(verb == 1, reroll, score))
        answer = np.where(asks.change == int(Change.FREEZE), FREEZE_CARD, RESET_CARD) + card
        return np.asarray(np.where(asks.place > 0, answer, own), np.int64)
