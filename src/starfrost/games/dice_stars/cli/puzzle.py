"""The puzzles of Dice Stars, for `starfrost puzzle`."""

from collections.abc import Sequence
from typing import Final

from starfrost.workers import one_thread

one_thread()

from starfrost.cli.bars import bar  # noqa: E402
from starfrost.cli.registry import PuzzleKit  # noqa: E402
from starfrost.coach.puzzles import Puzzle  # noqa: E402
from starfrost.games.dice_stars.coach.puzzles import verify  # noqa: E402
from starfrost.games.dice_stars.terminal import DiceStarsBoard  # noqa: E402
from starfrost.terminal.screen import Screen  # noqa: E402
from starfrost.words import Words  # noqa: E402


def _question(w: Words, puzzle: Puzzle) -> list[str]:
    """Draw the reserve and all sheets, and ask."""
    state, names = puzzle.state, puzzle.players
    board = DiceStarsBoard(Screen(w.language, colour=False), puzzle.game, names)
    standings, reserve, own = board.parts(state, puzzle.seat)
    lines = [board.title(state), *(text.plain.rstrip() for text in (*standings, *reserve))]
    for seat, name in enumerate(names):
        sheet = own if seat == puzzle.seat else board.sheet(state.sheets[seat])
        lines += ["", f" {name}", *(text.plain.rstrip() for text in sheet)]
    return [*lines, "", w("%(name)s is to play. What is best?", name=names[puzzle.seat])]


def _verify(w: Words, puzzles: Sequence[Puzzle], quiet: bool) -> Sequence[bool]:
    """Check puzzles by rollouts."""
    right = []
    with bar(w("checking"), len(puzzles), quiet=quiet) as show:
        for number, puzzle in enumerate(puzzles, 1):
            right.append(verify(puzzle))
            show(number)
    return right


KIT: Final = PuzzleKit(_question, _verify)
