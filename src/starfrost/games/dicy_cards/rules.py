"""The rules of Dicy Cards, clause by clause."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, NamedTuple

from starfrost.errors import IllegalAction, Phrase, UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice import dice_text, remove, rolls, subsets
from starfrost.games.dicy_cards import notation
from starfrost.games.dicy_cards.cards import DICE, FACES, card_of, check_cards, options
from starfrost.games.dicy_cards.effects import ALL_ACTIVE, Change, Effect, affected_seats, rank
from starfrost.games.dicy_cards.modes import MODES
from starfrost.games.dicy_cards.state import Action, Phase, State
from starfrost.games.dicy_cards.variant import MOST_GOAL, OFFICIAL, Rules

SEATS = (2, 3, 4)
GOAL = 100
"""The points that end a game, unless the host chooses another number (E1)."""

SKIP = Action("skip")
# Module-level names, because an enum attribute lookup costs more than the rest of a short step.
ROLL, ACT, REROLL, FREEZE, RESET, FINISHED = Phase
NO_EFFECT = Effect.NONE


class _CardActions(NamedTuple):
    """What one active card allows with six dice."""

    scores: tuple[Action, ...]
    rerolls: tuple[Action, ...]


@cache
def _card_actions(kind: str, dice: str) -> _CardActions:
    card = card_of(kind)
    return _CardActions(
        tuple(Action("score", card.id, chosen) for chosen, _ in options(kind, dice)),
        tuple(Action("reroll", card.id, chosen) for chosen in subsets(dice)),
    )


# A move is checked by itself: listing all that a card allows takes as long as the rest of an online move.


@cache
def _kept(dice: str) -> dict[str, str]:
    """Return what is kept of six dice, by the dice that are selected."""
    return {chosen: remove(dice, chosen) for chosen in subsets(dice)}


@cache
def _points(kind: str, dice: str, chosen: str) -> int | None:
    """Return the points that a card scores with a selection from six dice; None if it cannot."""
    card = card_of(kind)
    return card.points(chosen) if card.fits(chosen, dice) else None


@cache
def _roll_outcomes(number: int, faces: str = FACES) -> dict[Action, int]:
    return {Action("roll", "", dice): weight for dice, weight in rolls(number, faces)}


@cache
def _ordered_rolls(number: int, faces: str) -> tuple[Action, ...]:
    """List every outcome as often as its weight, so that one uniform index draws a roll."""
    return tuple(roll for roll, weight in _roll_outcomes(number, faces).items() for _ in range(weight))


@cache
def _together(kept_and_rolled: str) -> str:
    return dice_text(kept_and_rolled)


def _replaced(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


@dataclass(frozen=True)
class DicyCards:
    """A game of Dicy Cards: two to four seats (D1), five cards (D3), a goal (E1), rules. Raises UsageError."""

    seats: int = 2
    cards: tuple[str, ...] = MODES["glacial"].cards
    goal: int = GOAL
    rules: Rules = field(default=OFFICIAL, repr=False)
    kinds: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False)
    """The cards with their definitions (see `cards`), in the same order."""
    _legal: dict[tuple[str, int], tuple[Action, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _index: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    _kind: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)
    _effects: tuple[Effect, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seats not in SEATS:
            raise UsageError("Dicy Cards is for 2 to 4 players, not %(seats)s.", "players", seats=self.seats)
        if not 1 <= self.goal <= MOST_GOAL:
            raise UsageError(
                "The goal of Dicy Cards is 1 to %(most)s points, not %(goal)s.", "goal", most=MOST_GOAL, goal=self.goal
            )
        object.__setattr__(self, "kinds", check_cards(self.rules.kinds_of(self.cards)))
        object.__setattr__(self, "_effects", tuple(card_of(kind).effect for kind in self.kinds))
        self._index.update({card: index for index, card in enumerate(self.cards)})
        self._kind.update(zip(self.cards, self.kinds, strict=True))
        if max(self.rules.start(self.seats)) >= self.goal:
            raise UsageError("The handicap must be less than the goal of %(goal)s.", "goal", goal=self.goal)

    @property
    def name(self) -> str:
        """The name of the game in records."""
        return "dicy-cards"

    def headers(self) -> dict[str, str]:
        """Return the record headers `cards` and `goal`, and those of a variant."""
        headers = {"cards": " ".join(self.cards), "goal": str(self.goal)}
        return headers | self.rules.variant.headers() if self.rules.variant else headers

    def kind(self, card: str) -> str:
        """Return the definition of one of the game's cards (see `cards`)."""
        return self._kind[card]

    def extra_results(self, state: State) -> dict[str, int]:
        """Return nothing: this game has no results besides scores and winners."""
        return {}

    def start(self) -> State:
        """Return the first state: seat 1 rolls and every card is active (D1, D4)."""
        return State(ROLL, 0, "", self.rules.start(self.seats), (ALL_ACTIVE,) * self.seats)

    def actor(self, state: State) -> int:
        """Return the seat that acts (the one whose turn it is or the first affected one), `CHANCE` or `OVER`."""
        phase = state.phase
        if phase is ACT:
            return state.seat
        if phase is ROLL or phase is REROLL:
            return CHANCE
        return OVER if phase is FINISHED else state.affected[0]

    def starts_turn(self, state: State) -> bool:
        """Return whether a turn begins: with its first roll, or with the skip of a seat without active cards (T7)."""
        return state.phase is ROLL or (state.phase is ACT and not state.dice)

    def turn_of(self, state: State) -> int:
        """Return the seat whose turn it is."""
        return state.seat

    # Legal actions

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        """List scores card by card, the best selection first, then rerolls, then skip; or the cards to choose from."""
        phase = state.phase
        if phase is ACT:
            key = (state.dice, state.active[state.seat])
            legal = self._legal.get(key)
            if legal is None:
                legal = self._legal[key] = self._turn_actions(*key)
            return legal
        if phase is FREEZE or phase is RESET:
            return self._choices(state)
        return ()

    def _turn_actions(self, dice: str, active: int) -> tuple[Action, ...]:
        """List the actions of T2 to T7: freeze an active card to reroll, score an active card, or skip."""
        if not dice:
            return (SKIP,)
        cards = [_card_actions(kind, dice) for index, kind in enumerate(self.kinds) if active >> index & 1]
        scores = [action for card in cards for action in card.scores]
        rerolls = [action for card in cards for action in card.rerolls]
        return (*scores, *rerolls, SKIP)

    def _choices(self, state: State) -> tuple[Action, ...]:
        """List the choices of T8: the affected seat's active cards to freeze, or its frozen ones to reset."""
        active = state.active[state.affected[0]]
        if state.phase is FREEZE:
            return tuple(Action("freeze", card) for index, card in enumerate(self.cards) if active >> index & 1)
        return tuple(Action("reset", card) for index, card in enumerate(self.cards) if not active >> index & 1)

    # Chance

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, int], ...]:
        """List the rolls of all six dice (T1) or of the rerolled ones (T2)."""
        if state.phase is ROLL or state.phase is REROLL:
            return tuple(_roll_outcomes(DICE - len(state.dice), self.rules.faces).items())
        return ()

    def sample(self, state: State, rng: Random) -> Action:
        """Roll the dice that are due. Raises UsageError if chance does not act."""
        if state.phase is not ROLL and state.phase is not REROLL:
            raise UsageError("There is nothing to roll: chance does not act in this state.")
        ordered = _ordered_rolls(DICE - len(state.dice), self.rules.faces)
        return ordered[int(rng.random() * len(ordered))]

    # Transitions

    def apply(self, state: State, action: Action) -> State:
        """Return the position after a decision or a roll. Raises IllegalAction."""
        phase = state.phase
        if phase is ACT:
            return self._act(state, action)
        if phase is ROLL or phase is REROLL:
            if action not in _roll_outcomes(DICE - len(state.dice), self.rules.faces):
                raise self._refusal(state, action)
            return State(ACT, state.seat, _together(state.dice + action.dice), state.scores, state.active)
        if phase is FINISHED or action not in self._choices(state):
            raise self._refusal(state, action)
        return self._choose(state, action)

    def _act(self, state: State, action: Action) -> State:
        _, seat, dice, scores, active, _ = state
        verb, card, chosen = action
        if verb == "skip" and not card and not chosen:
            return self._skip(state)
        index = self._index.get(card, -1)
        if index < 0 or not dice or not active[seat] >> index & 1:
            raise self._refusal(state, action)
        kept = _kept(dice).get(chosen)
        if kept is None:
            raise self._refusal(state, action)
        after = _replaced(active, seat, active[seat] & ~(1 << index))
        if verb == "reroll":
            return State(REROLL, seat, kept, scores, after)
        points = _points(self.kinds[index], dice, chosen) if verb == "score" else None
        if points is None:
            raise self._refusal(state, action)
        scores = _replaced(scores, seat, scores[seat] + points)
        return self._affect(self._effects[index], State(ACT, seat, "", scores, after))

    def _skip(self, state: State) -> State:
        """Reset all cards of the seat; then every other seat with a frozen card resets one (T5)."""
        active = _replaced(state.active, state.seat, ALL_ACTIVE)
        return self._affect(Effect.OTHERS_RESET, state._replace(dice="", active=active))

    def _affect(self, effect: Effect, state: State) -> State:
        """Let every affected seat with a qualifying card choose one (T4, T5, T8, T9)."""
        if effect is NO_EFFECT:
            return self._end_turn(state)
        reached = affected_seats(effect, state.seat, self.seats)
        if effect.change is Change.RESET:
            return self._ask(RESET, tuple(seat for seat in reached if state.active[seat] != ALL_ACTIVE), state)
        return self._ask(FREEZE, tuple(seat for seat in reached if state.active[seat]), state)

    def _ask(self, phase: Phase, affected: tuple[int, ...], state: State) -> State:
        if not affected:
            return self._end_turn(state)
        return State(phase, state.seat, "", state.scores, state.active, affected)

    def _choose(self, state: State, action: Action) -> State:
        seat, *others = state.affected
        active = _replaced(state.active, seat, state.active[seat] ^ 1 << self._index[action.card])
        return self._ask(state.phase, tuple(others), state._replace(active=active))

    def _end_turn(self, state: State) -> State:
        """Start the next turn, or end the game after the round in which a seat reached the goal (E1)."""
        seat = state.seat + 1
        if seat == self.seats:
            if max(state.scores) >= self.goal:
                return State(FINISHED, state.seat, "", state.scores, state.active)
            seat = 0
        # T7: with all cards frozen no dice are rolled.
        phase = ROLL if state.active[seat] else ACT
        return State(phase, seat, "", state.scores, state.active)

    def _refusal(self, state: State, action: Action) -> IllegalAction:
        return IllegalAction(
            "'%(action)s' is not allowed here; expected %(expected)s (position: %(position)s).",
            action=action,
            expected=self.expected(state),
            position=self.position_text(state),
        )

    def expected(self, state: State) -> Phrase:
        """Describe in words the events that are possible next."""
        return notation.expected(state, self.cards)

    # The end

    def scores(self, state: State) -> tuple[int, ...]:
        """Return every seat's points."""
        return state.scores

    def winners(self, state: State) -> tuple[int, ...]:
        """List the winners (E2): by score, then by active cards; a tie is a shared victory."""
        if state.phase is not FINISHED:
            return ()
        ranks = [rank(score, active.bit_count()) for score, active in zip(state.scores, state.active, strict=True)]
        return tuple(seat for seat in range(self.seats) if ranks[seat] == max(ranks))

    # JSON and text

    def view(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Return the whole position, ready for JSON: everything is public (T9)."""
        actor = self.actor(state)
        return {
            "game": self.name,
            "phase": state.phase.name.lower(),
            "actor": "chance" if actor == CHANCE else None if actor == OVER else actor + 1,
            "turn": state.seat + 1,
            "dice": state.dice,
            "goal": self.goal,
            "cards": list(self.cards),
            "seats": [
                {"score": score, "active": [card for i, card in enumerate(self.cards) if active >> i & 1]}
                for score, active in zip(state.scores, state.active, strict=True)
            ],
            "affected": [other + 1 for other in state.affected],
            "winners": [winner + 1 for winner in self.winners(state)],
            "you": None if seat is None else seat + 1,
        }

    def parse_action(self, text: str) -> Action:
        """Parse a decision or a roll. Raises NotationError."""
        return notation.parse_action(text, self.rules.kinds)

    def position_text(self, state: State) -> str:
        """Return a position as one line of text."""
        return notation.position_text(state)

    def parse_position(self, text: str) -> State:
        """Parse a line written by `position_text`. Raises NotationError."""
        return notation.parse_position(text, self.seats, self.goal)
