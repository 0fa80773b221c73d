"""Collect puzzles: `python -m research.dicy_cards.puzzles FOLDER [--count N] [--seed N] [--modes a,b | --cards …]`.

Themes and difficulties are spread evenly, with one puzzle per game, and the sets of cards alternate. `--goal N` plays
to another goal; `starfrost puzzle --folder FOLDER` asks the puzzles of a folder. The puzzles that come with Starfrost
are made with `--more` and a name that ends in .jsonl in place of the folder; `research.puzzle_files` says why.
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

from research.puzzle_files import kept, write_all
from starfrost.coach.puzzles import Choice
from starfrost.errors import StarfrostError, UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import GOAL, MODES, DicyCards
from starfrost.games.dicy_cards.coach.atlas import fixed_cards
from starfrost.games.dicy_cards.coach.puzzles import DicyPuzzle, by_kind, themes_of
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.record import Event
from starfrost.workers import Workers, map_ordered

GAP: Final = (0.04, 0.25)
"""The least and the greatest gap: the answer is clearly best, but not obvious."""

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


def _choices(ranked: Sequence[Choice]) -> tuple[Choice, ...]:
    """Choose what to ask about: the best, the next best, then actions that differ in verb or card.

    Values are rounded as a record writes them, so that a puzzle reads back equal.
    """
    choices = list(ranked[:2])
    while len(choices) < min(4, len(ranked)):
        rest = [choice for choice in ranked if choice not in choices]
        fresh = [choice for choice in rest if all(choice.action[:2] != taken.action[:2] for taken in choices)]
        choices.append((fresh or rest)[0])
    return tuple(Choice(choice.action, round(choice.value, 6)) for choice in choices)


def _is_interesting(ranked: Sequence[Choice]) -> bool:
    """Return whether the best action is clearly best, in an undecided game, with at least three kinds to choose from.

    A skip is best only with the last active card: before that, a reroll has at least the same value, since a skip also
    resets the card frozen for it (T5). The skip then competes with that card's scores alone, which must be tempting and
    differ from each other.
    """
    if len(ranked) < 3:
        return False
    best, second, third = (choice.value for choice in ranked[:3])
    if not 0.08 < best < 0.92 or not GAP[0] <= round(best - second, 6) <= GAP[1]:
        return False
    return ranked[0].action.verb != "skip" or (second >= best / 2 and second - third >= 0.02)


def find_puzzles(adviser: Adviser, rng: Random, names: tuple[str, str] = ("Anna", "Ben")) -> Iterator[DicyPuzzle]:
    """Play a game, mostly with the best actions, and yield its positions that make a puzzle."""
    game = adviser.game
    state, events = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            values = adviser.action_values(state)
            ranked = by_kind(game, state, values)
            if _is_interesting(ranked) and (themes := themes_of(game, state, ranked)):
                yield DicyPuzzle(
                    game,
                    state,
                    names,
                    ranked[0].action,
                    round(ranked[0].value - ranked[1].value, 6),
                    themes,
                    _choices(ranked),
                    tuple(choice.value for choice in values),
                    tuple(events),
                )
            best_first = sorted(values, key=lambda choice: -choice.value)
            action = adviser.best(state).action if rng.random() < 0.85 else rng.choice(best_first[:12]).action
        events.append(Event(actor, action))
        state = game.apply(state, action)


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
    workers: Workers | int = 1,
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
        return map_ordered(partial(_of_set, goal, each, seed), sets[known:], workers, most=1)

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
    parser = argparse.ArgumentParser(prog="python -m research.dicy_cards.puzzles", description="Find puzzles.")
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
            Workers(chosen.jobs, chosen.cluster),
            chosen.resume,
        )
    except StarfrostError as error:
        parser.error(str(error))
    print(f"{count} puzzles in {chosen.folder}")


if __name__ == "__main__":
    main()
