"""Collect puzzles: `python -m starfrost.coach.puzzle_mining FOLDER [--count N] [--seed N] [--modes a,b | --cards …]`.

Themes are spread evenly, with the widest gaps first, one puzzle per game, and the modes alternate. `--goal N` plays to
another goal; `starfrost puzzle --folder FOLDER` asks the puzzles of a folder.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

from starfrost.coach.atlas import fixed_cards
from starfrost.coach.puzzles import Puzzle, find_puzzles
from starfrost.errors import StarfrostError, UsageError
from starfrost.games.dicy_cards import GOAL, MODES, DicyCards
from starfrost.solver import on_demand
from starfrost.solver.adviser import Adviser

_GAMES: Final = 40
"""Games to search per puzzle: enough to find rare themes."""


def collect(adviser: Adviser, rng: Random, count: int) -> list[Puzzle]:
    """Choose puzzles from many games, at most one per game, so that themes are spread and openings differ."""
    rest = [(game, puzzle) for game in range(_GAMES * count) for puzzle in find_puzzles(adviser, rng)]
    chosen: list[Puzzle] = []
    seen: Counter[str] = Counter()
    common = Counter(theme for _, puzzle in rest for theme in puzzle.themes)

    def rank(found: tuple[int, Puzzle]) -> tuple[tuple[int, int], float]:
        """Order by the theme chosen least often, then by the rarest theme, then by the widest gap."""
        return min((seen[theme], common[theme]) for theme in found[1].themes), -found[1].gap

    while rest and len(chosen) < count:
        taken, best = min(rest, key=rank)
        seen.update(best.themes)
        chosen.append(best)
        rest = [(game, puzzle) for game, puzzle in rest if game != taken]
    return chosen


def _collect_into(folder: Path, sets: Sequence[tuple[str, ...]], goal: int, count: int, seed: int) -> int:
    """Write puzzles of several sets of cards into a folder, the sets alternating, and return how many."""
    if count < 1:
        raise UsageError("Collect at least one puzzle, not %(count)s.", count=count)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        found = []
        for cards in sets:
            print(f"Looking for puzzles with {' '.join(cards)}…", file=sys.stderr, flush=True)
            adviser = Adviser(DicyCards(2, cards, goal), on_demand.ensure_solved(cards, goal))
            found.append(collect(adviser, Random(seed), -(-count // len(sets))))
        in_turn = [puzzle for row in zip_longest(*found) for puzzle in row if puzzle is not None][:count]
        for number, puzzle in enumerate(in_turn, 1):
            (folder / f"{number:03}.sfr").write_text(puzzle.text(), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            "Puzzles cannot be saved in %(folder)s: %(reason)s.", folder=folder, reason=error.strerror
        ) from None
    return len(in_turn)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m starfrost.coach.puzzle_mining", description="Find puzzles.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=48)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goal", type=int, default=GOAL)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--modes", default=",".join(MODES), help="names of modes, separated by commas")
    which.add_argument("--cards", help="only this set: five cards, or the name of a mode")
    chosen = parser.parse_args(arguments)
    try:
        sets = [fixed_cards(name) for name in (chosen.modes.split(",") if chosen.cards is None else [chosen.cards])]
        count = _collect_into(chosen.folder, sets, chosen.goal, chosen.count, chosen.seed)
    except StarfrostError as error:
        parser.error(str(error))
    print(f"{count} puzzles in {chosen.folder}")


if __name__ == "__main__":
    main()
