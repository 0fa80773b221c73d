"""A puzzle of any game as text: the choices with their values, and why the answer is best."""

from collections.abc import Sequence

from starfrost.coach.columns import wrapped
from starfrost.coach.puzzles import Puzzle, PuzzleSet
from starfrost.words import Words
from starfrost.words.numbers import percent
from starfrost.words.story import tell


def choice_lines(w: Words, puzzle: Puzzle, order: Sequence[int], values: bool = False) -> list[str]:
    """List the choices in an order, numbered from 1, with their values if wanted."""
    lines = []
    for number, place in enumerate(order, 1):
        action, value = puzzle.choices[place]
        shown = f"{percent(w, value):>7}  " if values else ""
        text = tell(w, puzzle.game, puzzle.state, action, puzzle.players)
        lines += wrapped(f"  {number}. {shown}{text}", " " * (5 + len(shown)))
    return lines


def best_sentence(w: Words, puzzle: Puzzle) -> str:
    """Describe the answer of a puzzle, and how much better it is."""
    return w(
        "Best: %(best)s That wins %(worth)s of all games, the next best choice %(next)s.",
        best=tell(w, puzzle.game, puzzle.state, puzzle.answer, puzzle.players),
        worth=percent(w, puzzle.choices[0].value),
        next=percent(w, max(choice.value for choice in puzzle.choices[1:])),
    )


def solution(w: Words, kit: PuzzleSet, puzzle: Puzzle) -> list[str]:
    """Describe the answer of a puzzle: how much better it is, what it teaches, how it is known."""
    lessons = [
        w("Theme: %(theme)s. %(lesson)s", theme=w(kit.themes[theme]), lesson=kit.lesson(w, puzzle, theme))
        for theme in puzzle.themes
    ]
    return [line for text in (best_sentence(w, puzzle), *lessons, w(kit.source)) for line in wrapped(text)]
