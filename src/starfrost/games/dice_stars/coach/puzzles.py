"""Puzzles of Dice Stars: positions in which one action is clearly best, by the network and by rollouts.

Values are estimates: the answer's is the network's, and each other choice is lower by what the rollouts on the same
dice show. Actions that are no choice have the network's value.
`research.dice_stars.puzzles`, in a checkout, finds new ones by self-play.
"""

from pathlib import Path
from typing import Any, Final

from starfrost.coach.puzzles import SAME, Puzzle, PuzzleSet
from starfrost.errors import NotationError
from starfrost.games.core import Game
from starfrost.games.dice_stars import Action, DiceStars, Phase, State
from starfrost.words import Words, mark

TOLERANCE: Final = 0.02
"""How much a difference may be another one than the puzzle says, besides the error of the rollouts."""

THEMES: Final = {
    "take-the-stars": mark("take the stars"),
    "leave-the-stars": mark("leave the stars"),
    "choose-the-line": mark("choose a colour or a number"),
    "how-many-dice": mark("how many dice"),
    "keep-or-return": mark("keep or return the reserve"),
}


class StarsPuzzle(Puzzle):
    """A position of Dice Stars; its values are estimates."""

    @classmethod
    def is_game(cls, game: Game[Any, Any]) -> bool:
        """Return whether this is Dice Stars."""
        return isinstance(game, DiceStars)

    @classmethod
    def refusal(cls) -> NotationError:
        """Return the error for a record that is no puzzle of this game."""
        return NotationError("This record is no puzzle: expected Dice Stars, and answer, gap, themes and choices.")

    def found_themes(self) -> tuple[str, ...]:
        """Return the themes that the position and the answer have."""
        return themes_of(self.game, self.state, self.answer)

    def facts(self) -> dict[str, Any]:
        """Say that the values are estimates."""
        return {"estimate": True}


def themes_of(game: DiceStars, state: State, answer: Action) -> tuple[str, ...]:
    """Return the themes of a position with its best action."""
    if state.phase is Phase.REFILL:
        return ("keep-or-return",)
    if state.phase is not Phase.TAKE:
        return ("how-many-dice",)
    if str(answer).startswith("take stars"):
        return ("take-the-stars",)
    stars = any(str(action).startswith("take stars") for action in game.legal_actions(state))
    return ("leave-the-stars",) if stars else ("choose-the-line",)


def verify(puzzle: Puzzle) -> bool:
    """Return whether rollouts prove the answer better than every other choice, by what the puzzle says."""
    from starfrost.games.dice_stars.coach.judge import StarsJudge

    judge = StarsJudge(puzzle.game)
    for choice in puzzle.choices[1:]:
        found = judge.compare(puzzle.state, puzzle.answer, choice.action)
        said = puzzle.choices[0].value - choice.value
        if not found.proved or abs(found.mean[puzzle.seat] - said) > TOLERANCE + found.error:
            return False
    # Of all other actions none may look as good by the network.
    shares = {option.action: option.shares[puzzle.seat] for option in judge.options(puzzle.state)}
    answer = shares[puzzle.answer]
    for choice in puzzle.choices:
        shares.pop(choice.action, None)
    return answer - max(shares.values(), default=0.0) > SAME and puzzle.themes == puzzle.found_themes()


LESSONS: Final = {
    "take-the-stars": mark(
        "A row with all its stars ticked is doubled. Here the stars are worth more than the points you leave behind."
    ),
    "leave-the-stars": mark(
        "A row with only some of its stars ticked scores nothing until the others are ticked. Here the numbers are "
        "worth more."
    ),
    "choose-the-line": mark(
        "What counts is not only the points now, but also which spaces stay open and which dice the next turn finds."
    ),
    "how-many-dice": mark(
        "More dice mean more to choose from, but also more that stays in the reserve after the take."
    ),
    "keep-or-return": mark(
        "Dice that are kept can be taken right away; dice that are returned go into the bag and may come back better."
    ),
}
"""Why the answer is best, by theme."""


def _lesson(w: Words, puzzle: Any, theme: str) -> str:
    return w(LESSONS[theme])


PUZZLES: Final = PuzzleSet(
    "dice-stars",
    StarsPuzzle,
    THEMES,
    _lesson,
    mark(
        "The values are estimates. That of the best choice comes from a neural network; how much worse the other "
        "choices are was measured by playing on with the same dice."
    ),
    Path(__file__).with_name("puzzles.jsonl"),
)
