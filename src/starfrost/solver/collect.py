"""Collects puzzles: `python -m starfrost.solver.collect FOLDER [--count N] [--seed N] [--modes a,b] [--goal N]`.

Takes the positions with the widest gaps, as many of each theme as there are, one a game and mode in turn.
"""

import argparse
from collections import Counter
from pathlib import Path
from random import Random

from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.record import Event
from starfrost.solver import service
from starfrost.solver.adviser import Adviser
from starfrost.solver.puzzles import Puzzle, find_puzzles

__all__ = ["collect", "main"]


def collect(adviser: Adviser, rng: Random, count: int, candidates: int) -> list[Puzzle]:
    """Choose puzzles from many candidates so that themes are spread and openings differ."""
    found: dict[tuple[Event, ...], Puzzle] = {}
    for puzzle in find_puzzles(adviser, rng):
        # One a game: its first roll names the game well enough.
        best = found.setdefault(puzzle.record.events[:3], puzzle)
        if len(best.themes) < len(puzzle.themes):
            found[puzzle.record.events[:3]] = puzzle
        if len(found) >= candidates:
            break
    chosen: list[Puzzle] = []
    seen: Counter[str] = Counter()
    rest = sorted(found.values(), key=lambda puzzle: -puzzle.gap)
    while rest and len(chosen) < count:
        best = min(rest, key=lambda puzzle: (min(seen[theme] for theme in puzzle.themes), -puzzle.gap))
        seen.update(best.themes)
        chosen.append(best)
        rest.remove(best)
    return chosen


def main() -> None:
    """Write puzzles into a folder."""
    parser = argparse.ArgumentParser(prog="python -m starfrost.solver.collect", description="Find puzzles.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goal", type=int, default=100)
    parser.add_argument("--modes", default=",".join(MODES))
    chosen = parser.parse_args()
    modes = chosen.modes.split(",")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    found = []
    for mode in modes:
        game = DicyCards(2, MODES[mode].cards, chosen.goal)
        adviser = Adviser(game, service.ensure_solved(game.cards, game.goal))
        found.append(collect(adviser, Random(chosen.seed), chosen.count // len(modes), 25 * chosen.count // len(modes)))
    for number, puzzle in enumerate((puzzle for row in zip(*found, strict=False) for puzzle in row), 1):
        (chosen.folder / f"{number:03}.sfr").write_text(puzzle.text(), encoding="utf-8")


if __name__ == "__main__":
    main()
