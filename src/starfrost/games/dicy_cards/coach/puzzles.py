"""Puzzles of Dicy Cards: positions of two-player games in which the solver proves one action clearly best.

`research.dicy_cards.puzzles`, in a checkout, finds new ones.
"""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from starfrost.coach.puzzles import Choice, Puzzle, PuzzleSet
from starfrost.errors import NotationError
from starfrost.games.core import Game
from starfrost.games.dice import remove
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State, options
from starfrost.words import Words, mark

if TYPE_CHECKING:
    from starfrost.games.dicy_cards.solver.adviser import ActionValue, Adviser

PAIR_CARDS: Final = ("two-pairs", "double-pair", "same-fives")
"""The cards that equal dice serve."""

THEMES: Final = {
    "skip-now": mark("skip now"),
    "freeze-the-odd-one": mark("freeze the card you can spare"),
    "wake-the-right-card": mark("reset the right card"),
    "keep-for-the-straight": mark("keep for the straight"),
    "keep-the-pairs": mark("keep the pairs"),
    "score-now": mark("score now"),
    "score-the-last-card": mark("score the last card"),
    "roll-on": mark("keep rolling"),
    "save-the-big-card": mark("save the big card"),
    "last-turn": mark("the last turn"),
}


class DicyPuzzle(Puzzle):
    """A position of a two-player game."""

    @classmethod
    def is_game(cls, game: Game[Any, Any]) -> bool:
        """Return whether a game has two players, for whom values are exact."""
        return isinstance(game, DicyCards) and game.seats == 2

    @classmethod
    def refusal(cls) -> NotationError:
        """Return the error for a record that is no puzzle of this game."""
        return NotationError(
            "This record is no puzzle: expected Dicy Cards with two players, and answer, gap, themes and choices."
        )

    def kind(self, action: Any) -> Hashable:
        """Return the kind of an action."""
        return _kind(self.game, self.state, action)

    def found_themes(self) -> tuple[str, ...]:
        """Return the themes that the position and the choices have."""
        return themes_of(self.game, self.state, self.choices)

    def facts(self) -> dict[str, Any]:
        """Return the cards and the goal."""
        return {"cards": list(self.game.cards), "goal": self.game.goal}


def _kind(game: DicyCards, state: State, action: Action) -> tuple[str, ...]:
    """Return the kind of an action.

    Selections of a card with the same points are of one kind; so are a skip and a reroll with the last active card,
    after which only a skip is left.
    """
    if action.verb == "score":
        return ("score", action.card, str(dict(options(action.card, state.dice))[action.dice]))
    if action.verb == "reroll" and state.active[state.seat].bit_count() == 1:
        return ("skip", "", "")
    return tuple(action)


def by_kind(game: DicyCards, state: State, values: "Sequence[ActionValue]") -> list[Choice]:
    """List one action of each kind, the best first."""
    kinds: dict[tuple[str, ...], Choice] = {}
    # The engine lists the skip last; here it represents its kind.
    for choice in sorted(values, key=lambda choice: choice.action.verb != "skip"):
        kinds.setdefault(_kind(game, state, choice.action), Choice(*choice))
    return sorted(kinds.values(), key=lambda choice: -choice.value)


def active_cards(game: DicyCards, state: State, seat: int) -> list[str]:
    """List the active cards of a seat."""
    return [card for place, card in enumerate(game.cards) if state.active[seat] >> place & 1]


def most_points(cards: Sequence[str], dice: str) -> tuple[int, str]:
    """Return the most points that cards score with these dice, and the card that does."""
    return max(((points, card) for card in cards for _, points in options(card, dice)), default=(0, ""))


def _is_run(kept: str) -> bool:
    faces = sorted({int(die) for die in kept})
    return len(faces) == len(kept) >= 3 and faces[-1] - faces[0] <= len(faces)


def themes_of(game: DicyCards, state: State, choices: Sequence[Choice]) -> tuple[str, ...]:
    """Return the themes of a position, given its best choice first and the next best second."""
    action, found = choices[0].action, []
    active = active_cards(game, state, state.seat)
    others = [card for card in active if card != action.card]
    if state.phase is Phase.FREEZE:
        found.append("freeze-the-odd-one")
    elif state.phase is Phase.RESET:
        found.append("wake-the-right-card")
    elif action.verb == "skip":
        found.append("skip-now")
    elif action.verb == "reroll":
        kept = remove(state.dice, action.dice)
        if "straight" in others and _is_run(kept):
            found.append("keep-for-the-straight")
        if len(set(kept)) < len(kept) and any(card in PAIR_CARDS for card in others):
            found.append("keep-the-pairs")
        if most_points(active, state.dice)[0] >= 12:
            found.append("roll-on")
    else:
        points = dict(options(action.card, state.dice))[action.dice]
        if points < most_points(others, state.dice)[0]:
            found.append("save-the-big-card")
        if choices[1].action.verb == "reroll":
            found.append("score-now")
        # The opposite of skip-now, while there are turns to come.
        elif (
            len(active) == 1
            and choices[1].action.verb == "skip"
            and max(*state.scores, state.scores[state.seat] + points) < game.goal
        ):
            found.append("score-the-last-card")
    if max(state.scores) >= game.goal and state.phase is Phase.ACT:
        found.append("last-turn")
    return tuple(found)


def verify(puzzle: Puzzle, adviser: "Adviser") -> bool:
    """Return whether a puzzle's answer, gap and values agree with the solved game."""
    found = adviser.action_values(puzzle.state)
    ranked = by_kind(puzzle.game, puzzle.state, found)
    values = {choice.action: choice.value for choice in found}
    return (
        puzzle.kind(puzzle.answer) == puzzle.kind(ranked[0].action)
        and puzzle.themes == puzzle.found_themes()
        and abs(ranked[0].value - ranked[1].value - puzzle.gap) < 1e-6
        and all(abs(values[choice.action] - choice.value) < 1e-6 for choice in puzzle.choices)
        and all(abs(values[action] - value) < 1e-4 for action, value in puzzle.worths.items())
    )


def _lesson(w: Words, puzzle: Any, theme: str) -> str:
    # The texts need the words of the game, which a list of puzzles does not.
    from starfrost.games.dicy_cards.coach.puzzle_text import lesson

    return lesson(w, puzzle, theme)


PUZZLES: Final = PuzzleSet(
    "dicy-cards",
    DicyPuzzle,
    THEMES,
    _lesson,
    mark("The values are exact: the solver has worked out the whole game."),
    Path(__file__).with_name("puzzles.jsonl"),
)
