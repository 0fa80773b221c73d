"""The packed engine of Dicy Cards: 2 to 4 seats, any five cards, any goal, elementwise over any batch shape.

A state is 2 + seats uint32 words. Actions are fixed numbers (see `docs/vector.md`), for a card's place k (0-4) in the
game and a choice of dice m (1-63, bit i for the i-th highest die, of equal dice the earliest):

0 + 64 k + m    freeze the card and reroll those dice
320 + 64 k + m  score the card with those dice
640             skip
641 + k, 646 + k  freeze, reset a card as an affected seat
"""

from functools import reduce
from typing import NamedTuple

from starfrost.games.dicy_cards import FACES, GOAL, MODES, Change, DicyCards, affected_seats, card_of, rank
from starfrost.games.dicy_cards.variant import OFFICIAL, Rules
from starfrost.games.dicy_cards.vector.choices import Choices, Dice, fitting, is_looked_up, plain, points_of
from starfrost.vector.arrays import U32, Array, nth_bit, nth_bit_of_pair, popcount, where
from starfrost.vector.chance import CHANCE, POLICY, below, words
from starfrost.vector.game import Outcome, VectorGame, choose, stack, victory_shares

REROLL, SCORE, SKIP, FREEZE_CARD, RESET_CARD = 0, 320, 640, 641, 646
"""The first action of each kind."""

ACT, FREEZE, RESET, OVER = 1, 3, 4, 5
"""The phases between steps, numbered as in the reference engine; a step includes the roll."""

_NETWORK = ((0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4))


class DicyState(NamedTuple):
    """A position; seats count from the one whose turn it is."""

    meta: Array
    """Bits 0-17: six dice, three bits each, highest first, 0 without dice; 18-20: the phase; 21-22: the seat whose turn
    it is; 23-25: the following seats that have yet to choose a card."""
    active: Array
    """The active cards, five bits per seat, from the seat whose turn it is."""
    scores: tuple[Array, ...]
    """The points, from the seat whose turn it is."""


def phase_of(state: DicyState) -> Array:
    """Return the phase."""
    return (state.meta >> U32(18)) & U32(7)


def seat_of(state: DicyState) -> Array:
    """Return the seat whose turn it is."""
    return (state.meta >> U32(21)) & U32(3)


def dice_of(word: Array) -> tuple[Array, ...]:
    """Return the six dice in a word, three bits each."""
    return tuple((word >> U32(3 * i)) & U32(7) for i in range(6))


def sorted_dice(shown: list[Array]) -> Array:
    """Return six dice, sorted from the highest, as a word."""
    for i, j in _NETWORK:
        swap = shown[i] < shown[j]
        shown[i], shown[j] = where(swap, shown[j], shown[i]), where(swap, shown[i], shown[j])
    word = shown[0]
    for i in range(1, 6):
        word = word | (shown[i] << U32(3 * i))
    return word


class VectorDicy(VectorGame[DicyState]):
    """Dicy Cards for batches."""

    name = "dicy-cards"
    actions = RESET_CARD + 5

    def __init__(
        self,
        seats: int = 2,
        cards: tuple[str, ...] = MODES["glacial"].cards,
        goal: int = GOAL,
        rules: Rules = OFFICIAL,
    ) -> None:
        game = DicyCards(seats, tuple(cards), goal, rules)  # Raises UsageError.
        self.seats, self.cards, self.goal, self.rules = game.seats, game.cards, game.goal, game.rules
        self.kinds = game.kinds
        self.observation_size = 13 + 7 * seats
        # For each card, the other seats that freeze or reset, as bits.
        effects = [card_of(kind).effect for kind in self.kinds]
        points = [card_of(kind) for kind in self.kinds]
        self._points = [[getattr(card, part) for card in points] for part in ("times", "per_die", "fixed")]
        self._start = rules.start(seats)
        self._frozen_by, self._reset_by = (
            [
                sum(1 << (other - 1) for other in affected_seats(effect, 0, seats)) if effect.change is change else 0
                for effect in effects
            ]
            for change in (Change.FREEZE, Change.RESET)
        )

    def __repr__(self) -> str:
        variant = f", rules={self.rules}" if self.rules != OFFICIAL else ""
        return f"VectorDicy(seats={self.seats}, cards={self.cards}, goal={self.goal}{variant})"

    def roll(self, state: DicyState, key: Array) -> Array:
        """Roll six dice into a word, three bits each."""
        return self.six(key)

    def six(self, key: Array) -> Array:
        """Roll six dice with a key."""
        first, second, _, _ = words(key, CHANCE)
        one = U32(1)
        word = U32(0)
        for i, die in enumerate((*below(first, 6, 6, 6), *below(second, 6, 6, 6))):
            word = word | (self._face(die + one) << U32(3 * i))
        return word

    def _face(self, die: Array) -> Array:
        """Return what a die shows on its n-th face, counted from 1."""
        if self.rules.faces == FACES:
            return die
        packed = U32(sum(int(face) << (3 * place) for place, face in enumerate(self.rules.faces)))
        return (packed >> (U32(3) * (die - U32(1)))) & U32(7)

    def init(self, key: Array) -> DicyState:
        """Return the start of a game, after the first roll."""
        return self.start_with(sorted_dice(list(dice_of(self.six(key)))))

    def start_with(self, dice: Array) -> DicyState:
        """Return the start of a game after a given first roll (sorted)."""
        nothing = dice & U32(0)
        every = sum(31 << (5 * seat) for seat in range(self.seats))
        scores = tuple(nothing | U32(points) if points else nothing for points in self._start)
        return DicyState(dice | U32(ACT << 18), nothing | U32(every), scores)

    def step_with(self, state: DicyState, action: Array, dice: Array) -> DicyState:
        """Return the state after a legal action; a reroll takes its new dice from the same places of `dice`."""
        return self._step(state, action, dice)[0]

    def step_auto(self, state: DicyState, action: Array, key: Array) -> tuple[DicyState, Outcome]:
        """Step; a finished game is reported and replaced by a new one, which starts with the dice of this key."""
        after, dice = self._step(state, action, self.six(key))
        over = self.over(after)
        return choose(over, self.start_with(dice), after), Outcome(self.rewards(after), over)

    def _step(self, state: DicyState, action: Array, dice: Array) -> tuple[DicyState, Array]:
        action = action.astype(U32)
        seats, zero = self.seats, U32(0)
        is_reroll, is_score = action < U32(SCORE), (action >= U32(SCORE)) & (action < U32(SKIP))
        is_skip, is_choice = action == U32(SKIP), action > U32(SKIP)
        card = where(
            is_choice,
            where(action >= U32(RESET_CARD), action - U32(RESET_CARD), action - U32(FREEZE_CARD)),
            where(is_score, action - U32(SCORE), action) >> U32(6),
        )
        bit = U32(1) << (card & U32(7))
        subset = action & U32(63)
        shown = dice_of(state.meta)

        # T2, T4, T5: the seat's own cards and points.
        times, per_die, fixed = (self._by_card(card, values) for values in self._points)
        total = zero
        for i in range(6):
            total = total + where(((subset >> U32(i)) & U32(1)) != 0, shown[i], zero)
        points = times * total + per_die * popcount(subset) + fixed
        for k, kind in enumerate(self.kinds):
            if is_looked_up(kind):
                points = where(card == U32(k), points_of(kind, shown, subset), points)
        scores = (state.scores[0] + where(is_score, points, zero), *state.scores[1:])
        own = state.active & U32(31)
        own = where(is_skip, U32(31), where(is_choice, own, own & ~bit))
        active = (state.active & U32(0xFFFE0)) | own

        # T8, T9: a choice changes the first affected seat's card; a score or a skip makes others affected.
        waiting = (state.meta >> U32(23)) & U32(7)
        first = where((waiting & U32(1)) != 0, U32(5), where((waiting & U32(2)) != 0, U32(10), U32(15)))
        active = where(is_choice, active ^ (bit << first), active)
        freezes = where(is_score, self._by_card(card, self._frozen_by), zero)
        resets = where(is_skip, U32((1 << (seats - 1)) - 1), where(is_score, self._by_card(card, self._reset_by), zero))
        affected = waiting & (waiting - U32(1))
        new = zero
        for other in range(1, seats):
            cards = (active >> U32(5 * other)) & U32(31)
            here = where(cards != 0, freezes, zero) | where(cards != U32(31), resets, zero)
            new = new | (here & U32(1 << (other - 1)))
        affected = where(is_choice, affected, new)
        asking = where(is_choice, phase_of(state), where(freezes != 0, U32(FREEZE), U32(RESET)))

        # E1, T1, T7: the end of the turn.
        seat = seat_of(state)
        ends = ~is_reroll & (affected == 0)
        last = seat == U32(seats - 1)
        best = reduce(lambda highest, score: where(score > highest, score, highest), scores)
        over = ends & last & (best >= U32(self.goal))
        turns = ends & ~over
        rotated = (active >> U32(5)) | ((active & U32(31)) << U32(5 * (seats - 1)))
        active = where(turns, rotated, active)
        scores = choose(turns, (*scores[1:], scores[0]), scores)
        seat = where(turns, where(last, zero, seat + U32(1)), seat)
        rolled = where(is_reroll, subset, U32(63))
        fresh = dice_of(dice)
        mixed = [where(((rolled >> U32(i)) & U32(1)) != 0, fresh[i], shown[i]) for i in range(6)]
        on_table = sorted_dice(mixed)
        shows = is_reroll | (turns & ((active & U32(31)) != 0))
        phase = where(over, U32(OVER), where(is_reroll | turns, U32(ACT), asking))
        affected = where(is_reroll | ends, zero, affected)
        meta = where(shows, on_table, zero) | (phase << U32(18)) | (seat << U32(21)) | (affected << U32(23))
        return DicyState(meta, active, scores), on_table

    def _by_card(self, card: Array, values: list[int]) -> Array:
        """Return the value at a card's place."""
        chosen = card & U32(0) | U32(values[0] & 0xFFFFFFFF)
        for i, value in enumerate(values[1:], 1):
            if value != values[0]:
                chosen = where(card == U32(i), U32(value & 0xFFFFFFFF), chosen)
        return chosen

    def over(self, state: DicyState) -> Array:
        return phase_of(state) == U32(OVER)

    def _seats_to_actor(self, state: DicyState) -> Array:
        """Return the number of seats from the one whose turn it is to the acting one."""
        waiting = (state.meta >> U32(23)) & U32(7)
        first = where((waiting & U32(1)) != 0, U32(1), where((waiting & U32(2)) != 0, U32(2), U32(3)))
        return where(waiting == 0, U32(0), first)

    def actor(self, state: DicyState) -> Array:
        return self.wrap(seat_of(state) + self._seats_to_actor(state))

    def choices(self, state: DicyState) -> tuple[Choices, list[Choices]]:
        """Return the selections that can be rerolled and, for each card, those that it scores; empty without dice."""
        dice = Dice(dice_of(state.meta))
        none = (state.meta & U32(0x3FFFF)) == 0
        low, high = plain(dice)
        allowed = where(none, U32(0), low), where(none, U32(0), high)
        return allowed, [fitting(kind, dice, allowed) for kind in self.kinds]

    def legal_words(self, state: DicyState) -> Array:
        phase, active = phase_of(state), state.active & U32(31)
        rerolls, scores = self.choices(state)
        parts = []
        for kind in ([rerolls] * 5, scores):
            for k, choices in enumerate(kind):
                on = ((active >> U32(k)) & U32(1)) != 0
                parts += [where(on, word, U32(0)) for word in choices]
        cards_of_actor = (state.active >> (U32(5) * self._seats_to_actor(state))) & U32(31)
        tail = where(phase == U32(ACT), U32(1), U32(0))
        tail = where(phase == U32(FREEZE), cards_of_actor << U32(FREEZE_CARD - SKIP), tail)
        tail = where(phase == U32(RESET), (cards_of_actor ^ U32(31)) << U32(RESET_CARD - SKIP), tail)
        return stack([*parts, tail])

    def observe(self, state: DicyState, seat: Array | None = None) -> Array:
        """Return a seat's view: phase, own seat, seats until the turn and the actor, six dice, 7 numbers per seat."""
        phase, turn = phase_of(state), seat_of(state)
        actor = self.actor(state)
        seat = actor if seat is None else seat.astype(U32)
        ahead = self.wrap(seat + U32(self.seats) - turn)
        parts = [where(phase == U32(p), U32(1), U32(0)) for p in (ACT, FREEZE, RESET, OVER)]
        parts += [seat, self.wrap(U32(self.seats) - ahead), self.wrap(actor + U32(self.seats) - seat)]
        parts += dice_of(state.meta)
        cards = self.rotate([(state.active >> U32(5 * other)) & U32(31) for other in range(self.seats)], ahead)
        for active, score in zip(cards, self.rotate(list(state.scores), ahead), strict=True):
            parts += [(active >> U32(k)) & U32(1) for k in range(5)]
            parts += [score & U32(0xFF), (score >> U32(8)) & U32(0xFF)]
        return stack(parts).astype("uint8")

    def scores(self, state: DicyState) -> Array:
        return stack(self.in_seat_order(list(state.scores), seat_of(state))).astype("int32")

    def rewards(self, state: DicyState) -> Array:
        """Return the shares of victory: by score, then by active cards (E2)."""
        ranks = [
            rank(score, popcount((state.active >> U32(5 * seat)) & U32(31))) for seat, score in enumerate(state.scores)
        ]
        return stack(self.in_seat_order(victory_shares(self.over(state), ranks), seat_of(state)))

    def random_action(self, state: DicyState, key: Array) -> Array:
        """Return a random action: an active card, then score (5 in 8), reroll (2 in 8) or skip, then the dice."""
        first, second, third, _ = words(key, POLICY)
        phase, active = phase_of(state), state.active & U32(31)
        cards_of_actor = (state.active >> (U32(5) * self._seats_to_actor(state))) & U32(31)
        cards = where(phase == U32(ACT), active, where(phase == U32(FREEZE), cards_of_actor, U32(31) & ~cards_of_actor))
        (nth,) = below(first, popcount(cards))
        card = nth_bit(cards, nth, 8)
        rerolls, scores = self.choices(state)
        verb = second >> U32(29)
        low, high = scores[0]
        for k in range(1, 5):
            low, high = where(card == U32(k), scores[k][0], low), where(card == U32(k), scores[k][1], high)
        score = (verb >= U32(3)) & ((low | high) != 0)
        low, high = where(score, low, rerolls[0]), where(score, high, rerolls[1])
        # 24 random bits for at most 63 choices.
        number = popcount(low) + popcount(high)
        subset = nth_bit_of_pair(low, high, ((third >> U32(8)) * number) >> U32(24))
        act = where(score, U32(SCORE), U32(REROLL)) + (card << U32(6)) + subset
        act = where((verb == 0) | (active == 0), U32(SKIP), act)
        return where(phase == U32(ACT), act, where(phase == U32(FREEZE), U32(FREEZE_CARD), U32(RESET_CARD)) + card)
