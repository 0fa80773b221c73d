"""Dice Stars as a `Game`: 2 to 4 seats, or one seat and a solo grid (P1, L1 to L5)."""

from collections.abc import Mapping
from functools import lru_cache
from random import Random
from typing import Any, Final

from starfrost.errors import Phrase, UsageError
from starfrost.games.core import CHANCE
from starfrost.games.core import OVER as NOBODY
from starfrost.games.dice_stars import actions, position, turn
from starfrost.games.dice_stars import view as views
from starfrost.games.dice_stars.actions import Action
from starfrost.games.dice_stars.components import Bag, Faces, rolls
from starfrost.games.dice_stars.sheet import blank, total
from starfrost.games.dice_stars.turn import Phase, State
from starfrost.games.dice_stars.variant import MOST_SOLO_BOXES, OFFICIAL, Rules

SEATS: Final = (1, 2, 3, 4)

SOLO_BOXES: Final = 30
"""The size of the solo grid (L5, a ruling)."""

_ROLL: Final = Phase.ROLL
_OVER: Final = Phase.OVER


class DiceStars:
    """A setup of Dice Stars: the number of seats and, for one seat, the size of the solo grid; its rules."""

    name: Final = "dice-stars"

    def __init__(self, seats: int = 2, solo_boxes: int = SOLO_BOXES, rules: Rules = OFFICIAL) -> None:
        if seats not in SEATS:
            raise UsageError("Dice Stars is for 1 to 4 players, not %(seats)s.", "players", seats=seats)
        if not 1 <= solo_boxes <= MOST_SOLO_BOXES:
            raise UsageError(
                "The solo grid has 1 to %(most)s boxes, not %(boxes)s.",
                "solo-boxes",
                most=MOST_SOLO_BOXES,
                boxes=solo_boxes,
            )
        self.seats: Final = seats
        self.solo_boxes: Final = solo_boxes if seats == 1 else 0
        self.rules: Final = rules
        self.layouts: Final = rules.layouts(seats)
        """What is printed on the seats' sheets."""

    @property
    def _setup(self) -> tuple[int, int, Rules]:
        return self.seats, self.solo_boxes, self.rules

    def __repr__(self) -> str:
        shown = f"solo_boxes={self.solo_boxes}" if self.seats == 1 else f"seats={self.seats}"
        return f"DiceStars({shown})" if self.rules == OFFICIAL else f"DiceStars({shown}, rules={self.rules})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DiceStars) and self._setup == other._setup

    def __hash__(self) -> int:
        return hash(self._setup)

    def headers(self) -> Mapping[str, str]:
        """Return the record headers of this setup: `solo-boxes` for the solo game, and those of a variant."""
        headers = {"solo-boxes": str(self.solo_boxes)} if self.solo_boxes else {}
        return headers | self.rules.variant.headers() if self.rules.variant else headers

    def start(self) -> State:
        """Return the state before the first event: all dice in the bag (P4), all sheets blank."""
        return State(Phase.DRAW, 0, self.rules.dice, (), tuple(map(blank, self.layouts)), 0, 0)

    def actor(self, state: State) -> int:
        """Return the seat that acts (from 0), `CHANCE` or `OVER`."""
        phase = state.phase
        if phase is _ROLL:
            return CHANCE
        return NOBODY if phase is _OVER else state.seat

    def legal_actions(self, state: State) -> tuple[Action, ...]:
        """List the acting seat's actions in a stable order; empty when no seat acts."""
        return turn.legal_actions(state)

    def chance_outcomes(self, state: State) -> tuple[tuple[Action, int], ...]:
        """List the rolls with exact integer weights, in a stable order; empty when chance does not act."""
        return _rolls(state.bag, state.draw, self.rules.faces) if state.phase is _ROLL else ()

    def sample(self, state: State, rng: Random) -> Action:
        """Draw dice from the bag, one by one, and roll them. Raises UsageError if chance does not act."""
        if state.phase is not _ROLL:
            raise UsageError("There is nothing to roll: chance does not act in this state.")
        bag = state.bag
        draw = self.layouts[0].draw
        dice = []
        for _ in range(state.draw):
            shown, after = draw(bag)
            drawn = shown[int(rng.random() * len(shown))]
            dice.append(drawn)
            bag = after[drawn]
        dice.sort()
        return Action("roll", "", 0, (), tuple(dice))

    def apply(self, state: State, action: Action) -> State:
        """Return the state after an action or a roll.

        Raises IllegalAction, naming the action and what was expected, if the rules do not allow it here.
        """
        return turn.apply(state, action, self.solo_boxes)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the current points of every seat (G2, G3)."""
        return tuple([total(sheet) for sheet in state.sheets])

    def winners(self, state: State) -> tuple[int, ...]:
        """List the winning seats: the highest totals (G3), or the solo player who beats the grid (L3, L4)."""
        if state.phase is not _OVER:
            return ()
        scores = self.scores(state)
        if self.solo_boxes:
            return (0,) if state.solo < self.solo_boxes and scores[0] > self.rules.box_points * state.solo else ()
        best = max(scores)
        return tuple([seat for seat, score in enumerate(scores) if score == best])

    def extra_results(self, state: State) -> Mapping[str, int]:
        """Return the result in solo records besides scores and winners: `solo`, the ticked boxes of the solo grid."""
        return {"solo": state.solo} if self.solo_boxes else {}

    def expected(self, state: State) -> Phrase:
        """Describe in words the events that are possible next."""
        return turn.expected(state)

    def starts_turn(self, state: State) -> bool:
        """Return whether the next event is the first of a turn."""
        return state.phase in (Phase.REFILL, Phase.DRAW)

    def turn_of(self, state: State) -> int:
        """Return the seat whose turn it is, also while the dice roll; after the game, the last to play."""
        return state.seat

    def view(self, state: State, seat: int | None) -> Mapping[str, Any]:
        """Return what a seat (None: a watcher) can see, ready for JSON: everything."""
        return views.view(state, self.solo_boxes)

    def parse_action(self, text: str) -> Action:
        """Parse an action or a roll, with dice and rows in any order. Raises NotationError."""
        return actions.parse_action(text, self.rules.stars, self.rules.faces)

    def position_text(self, state: State) -> str:
        """Return a state as one line of text."""
        return position.position_text(state)

    def parse_position(self, text: str) -> State:
        """Parse a line written by `position_text`. Raises NotationError."""
        return position.parse_position(text, self.seats, self.solo_boxes, self.layouts)


def preview(game: DiceStars, state: State, action: Action) -> Mapping[str, Any]:
    """Return the spaces that a take would fill, with their values, and the row scores then. Raises IllegalAction."""
    return views.preview(state, action, game.solo_boxes)


@lru_cache(maxsize=64)
def _rolls(bag: Bag, count: int, faces: Faces) -> tuple[tuple[Action, int], ...]:
    return tuple((Action("roll", dice=dice), weight) for dice, weight in rolls(bag, count, faces))
