"""The puzzles of Dicy Cards, for `starfrost puzzle`."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final

from starfrost.cli.bars import bar
from starfrost.cli.registry import PuzzleKit
from starfrost.coach.puzzles import Puzzle
from starfrost.errors import require
from starfrost.games.dicy_cards.coach.puzzle_text import question
from starfrost.games.dicy_cards.coach.puzzles import verify
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.words import Words


def _solved(w: Words, game: Any, quiet: bool) -> Values:
    """Return the values of a set of cards; one that is not in the cache is solved and not kept.

    A file has 164 MB, and the puzzles use a dozen sets.
    """
    found = on_demand.find(game.cards, game.goal)
    if found is not None:
        return found
    require("Solving needs Numba: pip install 'starfrost[solver]'.", "numba", "filelock")
    from starfrost.games.dicy_cards.solver.sweep import solve

    with bar(w("solving"), quiet=quiet) as show:
        return solve(on_demand.in_order(game.cards), game.goal, progress=show)


def _verify(w: Words, puzzles: Sequence[Puzzle], quiet: bool) -> Sequence[bool]:
    """Check puzzles; each set of cards is solved once."""
    right: dict[int, bool] = {}
    by_set = sorted(range(len(puzzles)), key=lambda place: sorted(puzzles[place].game.headers().items()))
    for _, places in groupby(by_set, key=lambda place: sorted(puzzles[place].game.headers().items())):
        adviser: Adviser | None = None
        for place in places:
            puzzle = puzzles[place]
            adviser = adviser or Adviser(puzzle.game, _solved(w, puzzle.game, quiet))
            right[place] = verify(puzzle, adviser)
    return [right[place] for place in range(len(puzzles))]


KIT: Final = PuzzleKit(question, _verify)
