"""The puzzles of Dice Stars, for `starfrost puzzle`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starfrost.pool import one_thread

one_thread()

from starfrost.cli.registry import PuzzleKit  # noqa: E402
from starfrost.coach.columns import wrapped  # noqa: E402
from starfrost.coach.dice_stars_puzzles import THEMES, StarsPuzzle, puzzles, read_puzzle, verify  # noqa: E402
from starfrost.coach.puzzle_text import best_sentence  # noqa: E402
from starfrost.coach.puzzles import read_folder  # noqa: E402
from starfrost.terminal.dice_stars import DiceStarsBoard  # noqa: E402
from starfrost.terminal.screen import Screen  # noqa: E402
from starfrost.words import Words  # noqa: E402


def _read(folder: Path | None) -> tuple[StarsPuzzle, ...]:
    return puzzles() if folder is None else read_folder(folder, read_puzzle)


def _themes() -> Mapping[str, str]:
    return THEMES


def _question(w: Words, puzzle: StarsPuzzle) -> list[str]:
    """Draw the reserve and all sheets, and ask."""
    state, names = puzzle.state, puzzle.record.players
    board = DiceStarsBoard(Screen(w.language, colour=False), puzzle.game, names)
    standings, reserve, own = board.parts(state, puzzle.seat)
    lines = [board.title(state), *(text.plain.rstrip() for text in (*standings, *reserve))]
    for seat, name in enumerate(names):
        sheet = own if seat == puzzle.seat else board.sheet(state.sheets[seat])
        lines += ["", f" {name}", *(text.plain.rstrip() for text in sheet)]
    return [*lines, "", w("%(name)s is to play. What is best?", name=names[puzzle.seat])]


def _solution(w: Words, puzzle: StarsPuzzle) -> list[str]:
    """Describe the answer: how much better it is, and where the values come from."""
    lesson = w("The values are estimates: a network's, and for the other choices games played on with the same dice.")
    themes = (w("Theme: %(theme)s. %(lesson)s", theme=w(THEMES[theme]), lesson=lesson) for theme in puzzle.themes)
    return [line for text in (best_sentence(w, puzzle), *themes) for line in wrapped(text)]


def _verify(w: Words, puzzle: StarsPuzzle, quiet: bool) -> bool:
    return verify(puzzle)


KIT: Final = PuzzleKit(_themes, _read, _question, _solution, _verify)
