"""Single decisions in many games of Dicy Cards at once, for positions of the vector engine."""

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Keys
from starfrost.compiling import lean
from starfrost.games.dicy_cards import Change, DicyCards
from starfrost.games.dicy_cards.compiled.batch import play_groups
from starfrost.games.dicy_cards.compiled.ends import Book
from starfrost.games.dicy_cards.compiled.master import play_masters
from starfrost.games.dicy_cards.compiled.network import Net
from starfrost.games.dicy_cards.compiled.play import GREEDY, MASTER, BotData, Games, light_action, light_answer
from starfrost.games.dicy_cards.compiled.tables import Rules, reroll_masks, rules_of, score_masks
from starfrost.games.dicy_cards.compiled.turns import DecisionBatch, turns_of
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.games.dicy_cards.solver.lattice import KEPT
from starfrost.games.dicy_cards.vector.engine import FREEZE, FREEZE_CARD, REROLL, RESET_CARD, SCORE, SKIP, DicyState

Numbers = NDArray[np.int64]


@lean
def _choose_light(rules: Rules, data: BotData, games: Games, asked: DecisionBatch) -> None:
    """Choose in every game where no plan is needed."""
    counts, subsets, points, mean = rules.scores, rules.subsets, rules.points, rules.mean
    for game in range(games.seat.shape[0]):
        seat = (games.seat[game] + asked.place[game]) % rules.seats
        bot = data.bots[seat]
        if asked.place[game]:
            if bot != MASTER:
                asked.action[game, 1] = light_answer(rules, data, games, game, seat, asked.change[game])
        elif bot <= GREEDY and games.active[game, seat]:
            own = games.luck[game, seat, 0], games.luck[game, seat, 1], games.decisions[game, seat]
            asked.action[game, 0], asked.action[game, 1], asked.action[game, 2] = light_action(
                bot, games.active[game, seat], asked.roll[game], own, counts, subsets, points, mean
            )


class Chooser:
    """The bots of a table, each in its seat; `data` are what they know."""

    def __init__(self, game: DicyCards, data: tuple[BotData, Book, Net | None], near: float) -> None:
        self.rules = rules_of(game)
        self.data, self.book, self.net = data
        self.near = near
        chosen = card_set(game.kinds)
        self.turns, self.entries = turns_of(chosen), chosen.points.astype(np.int64)
        self.scores = np.stack([score_masks(kind) for kind in game.kinds])

    def __call__(self, positions: DicyState, luck: Keys, decisions: Numbers) -> Numbers:
        """Return the number of the action that the acting seat's bot chooses in each position."""
        games, asked = self._read(positions, luck, decisions)
        _choose_light(self.rules, self.data, games, asked)
        seats = games.seat
        bots, held = self.data.bots[seats], games.active[np.arange(len(seats)), seats]
        order = np.lexsort((games.scores[np.arange(len(seats)), seats], held, bots))
        plans = order[((asked.place == 0) & (bots > GREEDY) & (held > 0))[order]]
        others, masters = plans[bots[plans] != MASTER], plans[bots[plans] == MASTER]
        if len(others):
            play_groups(self.rules, self.data, games, self.book, self.turns, others, self.entries, self.near, asked)
        if self.net is not None:
            acting = (seats + asked.place) % self.rules.seats
            games.asked[:, 0] = np.where(self.data.bots[acting] == MASTER, asked.place, 0)
            play_masters(self.rules, self.data, games, self.net, self.turns, masters, self.entries, self.near, asked)
        return self._numbers(asked)

    def _read(self, positions: DicyState, luck: Keys, decisions: Numbers) -> tuple[Games, DecisionBatch]:
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
        asked = DecisionBatch(
            place, np.where(phase == FREEZE, int(Change.FREEZE), int(Change.RESET)), kept - KEPT, action
        )
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
        return games, asked

    def _numbers(self, asked: DecisionBatch) -> Numbers:
        verb, card, nth = asked.action.T
        roll = np.maximum(asked.roll, 0)
        reroll = REROLL + 64 * card + reroll_masks()[roll, nth]
        score = SCORE + 64 * card + self.scores[card, roll, nth]
        own = np.where(verb == 2, SKIP, np.where(verb == 1, reroll, score))
        answer = np.where(asked.change == int(Change.FREEZE), FREEZE_CARD, RESET_CARD) + card
        return np.asarray(np.where(asked.place > 0, answer, own), np.int64)
