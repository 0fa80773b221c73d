"""Puzzles for readers: which there are, today's, the next one that fits a reader, and the explanation of an answer."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from hashlib import sha256
from random import Random
from typing import Any, Final

from starfrost.coach.puzzles import Entry, Puzzle, PuzzleSet
from starfrost.coach.registry import PUZZLES
from starfrost.errors import Refused
from starfrost.table.puzzle_book import PuzzleRating
from starfrost.words import Words, mark
from starfrost.words.numbers import percent
from starfrost.words.story import tell

LEVELS: Final[Mapping[str, tuple[str, float, float]]] = {
    "easy": (mark("easy"), 0.0, 1300.0),
    "medium": (mark("medium"), 1300.0, 1500.0),
    "hard": (mark("hard"), 1500.0, 9999.0),
}
"""The difficulties: their names, and the ratings from and below which they are."""

NEAR: Final = 8
"""The next puzzle is drawn from this many whose ratings are nearest to the reader's."""


def sets() -> Mapping[str, PuzzleSet]:
    """Return the puzzles of every game that has some; the first call reads the files."""
    return {game: kit for game, kit in PUZZLES.items() if kit.entries}


def find(puzzle_id: str) -> tuple[PuzzleSet, Entry, Puzzle]:
    """Return a puzzle by its id. Raises Refused."""
    for kit in sets().values():
        if puzzle_id in kit.entries:
            entry = kit.entries[puzzle_id]
            return kit, entry, kit[entry.number]
    raise Refused("no-puzzle", "There is no such puzzle.", 404)


@dataclass(frozen=True)
class Wanted:
    """Which puzzles a reader wants; empty texts want all."""

    game: str = ""
    theme: str = ""
    level: str = ""

    def check(self) -> "Wanted":
        """Return this unless a game, theme or difficulty does not exist. Raises Refused."""
        games = [self.game] if self.game else list(sets())
        if not (
            all(game in sets() for game in games)
            and (not self.theme or any(self.theme in sets()[game].themes for game in games))
            and (not self.level or self.level in LEVELS)
        ):
            raise Refused("no-puzzle", "There is no such puzzle.", 404)
        return self

    def entries(self, ratings: Mapping[str, PuzzleRating]) -> list[Entry]:
        """List the puzzles that fit, by number."""
        return [
            entry
            for game, kit in sets().items()
            if self.game in ("", game)
            for entry in kit.entries.values()
            if (not self.theme or self.theme in entry.themes)
            and (not self.level or level_of(rating_of(entry, ratings)) == self.level)
        ]

    def query(self, **change: str) -> str:
        """Return the end of an address that asks for this, with some change."""
        fields = {"game": self.game, "theme": self.theme, "level": self.level, **change}
        return "&".join(f"{name}={value}" for name, value in fields.items() if value)


def rating_of(entry: Entry, ratings: Mapping[str, PuzzleRating]) -> float:
    """Return the rating of a puzzle: as answers have made it, or as it was shipped."""
    return ratings[entry.id].rating if entry.id in ratings else entry.rating


def level_of(rating: float) -> str:
    """Return the difficulty of a puzzle with a rating."""
    return next(level for level, (_, low, high) in LEVELS.items() if low <= rating < high)


def of_the_day(kit: PuzzleSet, day: date) -> Entry:
    """Return the puzzle of a day, the same for everybody; none comes again before all others have."""
    order = _shuffled(tuple(kit.entries))
    return kit.entries[order[day.toordinal() % len(order)]]


@lru_cache(maxsize=8)
def _shuffled(ids: tuple[str, ...]) -> Sequence[str]:
    return sorted(ids, key=lambda one: sha256(f"day {one}".encode()).digest())


def next_one(
    entries: Sequence[Entry], ratings: Mapping[str, PuzzleRating], known: Collection[str], rating: float, rng: Random
) -> Entry | None:
    """Return a puzzle that fits a rating and is not known yet; a known one if all are; None if there is none."""
    fresh = [entry for entry in entries if entry.id not in known] or list(entries)
    nearest = sorted(fresh, key=lambda entry: abs(rating_of(entry, ratings) - rating))[:NEAR]
    return rng.choice(nearest) if nearest else None


@dataclass(frozen=True)
class Alternative:
    """An action in words and its value."""

    text: str
    worth: str
    share: float
    """The value as a share of the best one, for a bar, in per cent."""
    right: bool
    yours: bool


@dataclass(frozen=True)
class Explained:
    """Why the answer is best, and what everything else is worth."""

    right: bool
    best: str
    lessons: Sequence[tuple[str, str]]
    """The meaning of each theme and what it teaches here."""
    choices: Sequence[Alternative]
    """The answer, a few other actions and the reader's own, the best first."""
    others: Sequence[Alternative]
    """All other actions, the best first."""
    source: str


def explain(w: Words, kit: PuzzleSet, puzzle: Puzzle, names: Sequence[str], action: Any) -> Explained:
    """Explain a puzzle after an answer; the players have these names."""
    puzzle = replace(puzzle, players=tuple(names))
    yours = puzzle.kind(action)
    asked = {puzzle.kind(choice.action) for choice in puzzle.choices} | {yours}
    shown = list(_told(w, puzzle, yours))
    few = [one for kind, one in shown if kind in asked]
    return Explained(
        puzzle.is_right(action),
        tell(w, puzzle.game, puzzle.state, puzzle.answer, names),
        [(w(kit.themes[theme]), kit.lesson(w, puzzle, theme)) for theme in puzzle.themes],
        few,
        [one for kind, one in shown if kind not in asked],
        w(kit.source),
    )


def _told(w: Words, puzzle: Puzzle, yours: Any) -> Iterator[tuple[Any, Alternative]]:
    best = puzzle.worths[puzzle.answer]
    for action, value in puzzle.alternatives():
        kind = puzzle.kind(action)
        yield (
            kind,
            Alternative(
                tell(w, puzzle.game, puzzle.state, action, puzzle.players),
                percent(w, value),
                round(100 * max(value, 0.0) / best, 1),
                puzzle.is_right(action),
                kind == yours,
            ),
        )
