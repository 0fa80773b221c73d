"""Collect puzzles: `python -m starfrost.coach.puzzle_mining FOLDER [--count N] [--seed N] [--modes a,b | --cards …]`.

Themes and difficulties are spread evenly, with one puzzle per game, and the sets of cards alternate. `--goal N` plays
to another goal; `starfrost puzzle --folder FOLDER` asks the puzzles of a folder. The puzzles that come with Starfrost
are made with `--more` and a name that ends in .jsonl in place of the folder.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Final

from starfrost.coach.atlas import fixed_cards
from starfrost.coach.dicy_cards_puzzles import DicyPuzzle, find_puzzles
from starfrost.coach.puzzles import kept, write_all
from starfrost.errors import StarfrostError, UsageError
from starfrost.games.dicy_cards import GOAL, MODES, DicyCards
from starfrost.pool import Crew, spread
from starfrost.solver import on_demand
from starfrost.solver.adviser import Adviser

_GAMES: Final = 10
"""Games to search per puzzle: enough to find rare themes."""

MORE: Final = (
    "odds sixes double-pair distinct-sum same-fives",
    "no-sixes two-pairs sixes three-lowest forty-minus",
    "any-two straight two-pairs distinct-fours same-fives",
    "odds straight double-pair three-lowest distinct-sum",
    "any-two no-sixes sixes distinct-sum forty-minus",
    "odds two-pairs three-lowest distinct-fours forty-minus",
    "no-sixes odds straight two-pairs same-fives",
    "any-two straight sixes distinct-sum same-fives",
)
"""Sets besides the modes for the puzzles that come with Starfrost; with them every card is in several sets."""


def collect(adviser: Adviser, rng: Random, count: int) -> list[DicyPuzzle]:
    """Choose puzzles from many games, at most one per game, so that themes and difficulties are spread."""
    rest = [(game, puzzle) for game in range(_GAMES * count) for puzzle in find_puzzles(adviser, rng)]
    rng.shuffle(rest)
    chosen: list[DicyPuzzle] = []
    seen: Counter[str] = Counter()
    widths: Counter[int] = Counter()
    common = Counter(theme for _, puzzle in rest for theme in puzzle.themes)

    def rank(found: tuple[int, DicyPuzzle]) -> tuple[tuple[int, int], int]:
        """Order by the theme chosen least often, then by the rarest theme, then by the gap chosen least often."""
        puzzle = found[1]
        return min((seen[theme], common[theme]) for theme in puzzle.themes), widths[_width(puzzle)]

    while rest and len(chosen) < count:
        taken, best = min(rest, key=rank)
        seen.update(best.themes)
        widths[_width(best)] += 1
        chosen.append(best)
        rest = [(game, puzzle) for game, puzzle in rest if game != taken and puzzle.state != best.state]
    return chosen


def _width(puzzle: DicyPuzzle) -> int:
    """Return the class of a gap: a narrow one makes a hard puzzle."""
    return int(puzzle.gap / 0.03)


def _of_set(goal: int, count: int, seed: int, cards: tuple[str, ...]) -> list[DicyPuzzle]:
    """Choose puzzles of one set of cards."""
    adviser = Adviser(DicyCards(2, cards, goal), on_demand.ensure_solved(cards, goal))
    return collect(adviser, Random(seed), count)


def _collect_into(
    target: Path,
    sets: Sequence[tuple[str, ...]],
    goal: int,
    count: int,
    seed: int,
    crew: Crew | int = 1,
    resume: Path | None = None,
) -> int:
    """Write puzzles of several sets of cards into a folder or a file, the sets alternating, and return how many.

    The file `resume` keeps what was found, and an interrupted search continues there.
    """
    if count < 1:
        raise UsageError("Collect at least one puzzle, not %(count)s.", count=count)
    found = []
    each = -(-count // len(sets))
    about = {"goal": goal, "count": each, "seed": seed, "sets": [list(cards) for cards in sets]}

    def search(known: int) -> Iterator[list[DicyPuzzle]]:
        return spread(partial(_of_set, goal, each, seed), sets[known:], crew, most=1)

    for cards, puzzles in zip(sets, kept(resume, about, DicyPuzzle, search), strict=True):
        print(f"{len(puzzles)} puzzles with {' '.join(cards)}", file=sys.stderr, flush=True)
        found.append(puzzles)
    in_turn = [puzzle for row in zip_longest(*found) for puzzle in row if puzzle is not None][:count]
    try:
        write_all(target, in_turn)
    except OSError as error:
        raise UsageError(
            "Puzzles cannot be saved in %(folder)s: %(reason)s.", folder=target, reason=error.strerror
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
    parser.add_argument("--more", action="store_true", help="eight more sets of cards")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cluster", default="", metavar="ADDRESS", help="search on a Ray cluster")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep what is found, and continue where it ends")
    chosen = parser.parse_args(arguments)
    try:
        names = chosen.modes.split(",") if chosen.cards is None else [chosen.cards]
        sets = [fixed_cards(name) for name in (*names, *(MORE if chosen.more else ()))]
        count = _collect_into(
            chosen.folder,
            sets,
            chosen.goal,
            chosen.count,
            chosen.seed,
            Crew(chosen.jobs, chosen.cluster),
            chosen.resume,
        )
    except StarfrostError as error:
        parser.error(str(error))
    print(f"{count} puzzles in {chosen.folder}")


if __name__ == "__main__":
    main()
