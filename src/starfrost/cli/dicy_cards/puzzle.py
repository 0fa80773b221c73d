"""The puzzles of Dicy Cards, for `starfrost puzzle`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starfrost.cli.dicy_cards.solve import solved
from starfrost.cli.registry import PuzzleKit
from starfrost.coach.puzzle_text import question, solution
from starfrost.coach.puzzles import THEMES, Puzzle, puzzles, read_folder, verify
from starfrost.solver.adviser import Adviser
from starfrost.words import Words


def _read(folder: Path | None) -> tuple[Puzzle, ...]:
    return puzzles() if folder is None else read_folder(folder)


def _verify(w: Words, puzzle: Puzzle, quiet: bool) -> bool:
    """Check a puzzle, after solving its set of cards if necessary."""
    return verify(puzzle, Adviser(puzzle.game, solved(w, puzzle.game.cards, puzzle.game.goal, quiet=quiet)))


def _themes() -> Mapping[str, str]:
    return THEMES


KIT: Final = PuzzleKit(_themes, _read, question, solution, _verify)
