"""The atlas: all 792 sets of five cards under perfect play, as a table that comes with the package.

One line of `data/atlas.csv` is one set. Figures are per game; lists follow the order of the set's cards; `_1` and
`_2` are the seats. `python -m starfrost.coach.atlas_compute` makes the file.
"""

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starfrost.errors import StarfrostError, UsageError
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS, CARDS_IN_A_GAME, INTERGLACIAL, MODES, read_cards
from starfrost.solver.shared import Tally

__all__ = ["Entry", "all_sets", "as_written", "atlas", "fixed_cards", "named_set", "read", "write"]

Five = tuple[float, ...]


@dataclass(frozen=True)
class Entry:
    """What perfect play by both makes of one set of cards."""

    cards: tuple[str, ...]
    goal: int
    first_player_wins: float
    """the probability that the first player wins, a shared victory counting one half"""
    shared: float
    """the probability of a shared victory"""
    turns: float
    """the expected number of turns, both players' together"""
    score_1: float
    score_2: float
    """the mean final scores"""
    swing: float
    """how far the first rolls of the turns move the winning chance, summed over a game"""
    skips_1: float
    skips_2: float
    """the expected number of skips"""
    left_out: float
    """the probability of positions too improbable to be followed"""
    scored_1: Five
    scored_2: Five
    """how often each card is scored"""
    sacrificed_1: Five
    sacrificed_2: Five
    """how often each card is frozen for a reroll"""
    decides_1: Five
    decides_2: Five
    """how often each card is the last that the winner scores; the ten numbers add up to 1"""
    frozen_1: Five
    frozen_2: Five
    """what it costs to start with that card frozen, in winning probability"""

    @classmethod
    def from_tally(
        cls, cards: tuple[str, ...], goal: int, tally: NDArray[np.float64], start: NDArray[np.float64]
    ) -> "Entry":
        """Read a row of tallies and the first seat's values at the start, by the other's mask and its own."""
        wins = float(start[ALL_ACTIVE, ALL_ACTIVE])
        without = [ALL_ACTIVE ^ (1 << card) for card in range(CARDS_IN_A_GAME)]

        def one(place: Tally, seat: int = 0) -> float:
            return float(tally[place + seat])

        def five(place: Tally, seat: int) -> Five:
            first = place + CARDS_IN_A_GAME * seat
            return tuple(float(value) for value in tally[first : first + CARDS_IN_A_GAME])

        return cls(
            cards,
            goal,
            wins,
            one(Tally.SHARED),
            one(Tally.TURNS),
            one(Tally.FINAL),
            one(Tally.FINAL, 1),
            one(Tally.SWING),
            one(Tally.SKIPS),
            one(Tally.SKIPS, 1),
            one(Tally.LOST),
            five(Tally.SCORED, 0),
            five(Tally.SCORED, 1),
            five(Tally.SACRIFICED, 0),
            five(Tally.SACRIFICED, 1),
            five(Tally.DECIDED, 0),
            five(Tally.DECIDED, 1),
            tuple(wins - float(start[ALL_ACTIVE, mask]) for mask in without),
            tuple(float(start[mask, ALL_ACTIVE]) - wins for mask in without),
        )

    def as_json(self) -> dict[str, Any]:
        """Give the entry ready for JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def all_sets() -> list[tuple[str, ...]]:
    """List the 792 sets, cards in the order of their clauses."""
    return list(combinations(CARDS, 5))


def fixed_cards(text: str) -> tuple[str, ...]:
    """Read five cards or the name of a mode whose cards are fixed. Raises UsageError."""
    if text.strip().lower() == INTERGLACIAL:
        raise UsageError(
            "Interglacial draws its cards at the table; name five cards, or a mode whose cards are fixed: %(modes)s.",
            modes=", ".join(MODES),
        )
    return read_cards(text, Random())


def named_set(text: str) -> tuple[str, ...]:
    """Give the set of the atlas that five cards or the name of a mode mean. Raises UsageError."""
    asked = fixed_cards(text)
    return tuple(card for card in CARDS if card in asked)


def _cell(name: str, value: Any) -> str:
    if name == "cards":
        return " ".join(value)
    if name == "first_player_wins":
        return f"{value:.14f}"
    if name == "left_out":
        return f"{value:.1e}"
    if isinstance(value, int):
        return str(value)
    return " ".join(f"{one:.6f}" for one in value) if isinstance(value, tuple) else f"{value:.6f}"


def as_written(entry: Entry) -> Entry:
    """Give an entry as a table holds it, with the digits that are written there."""
    cells = {field.name: _cell(field.name, getattr(entry, field.name)) for field in fields(Entry)}
    return Entry(*(_read_cell(field.name, field.type, cells[field.name]) for field in fields(Entry)))


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a table of entries."""
    names = [field.name for field in fields(Entry)]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(names)
        table.writerows([_cell(name, getattr(entry, name)) for name in names] for entry in entries)


def _read_cell(name: str, kind: Any, cell: str) -> Any:
    if name == "cards":
        return tuple(cell.split())
    return kind(cell) if kind in (int, float) else tuple(map(float, cell.split()))


def read(path: Path) -> list[Entry]:
    """Read a table of entries; a last line that was cut off is left out. Raises StarfrostError for another file."""
    kinds = {field.name: field.type for field in fields(Entry)}
    try:
        # Only a line that ends is whole: the last number of another may lack digits.
        lines = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        table = csv.DictReader(lines, strict=True)
        if table.fieldnames != list(kinds):
            raise StarfrostError("%(file)s is not an atlas of this version.", file=path)
        return [Entry(*(_read_cell(name, kind, row[name]) for name, kind in kinds.items())) for row in table]
    except (ValueError, TypeError, AttributeError, csv.Error) as error:
        raise StarfrostError(
            "%(file)s is damaged, or not an atlas: %(reason)s.", file=path, reason=str(error)
        ) from error


@lru_cache(maxsize=1)
def atlas() -> tuple[Entry, ...]:
    """Give the shipped atlas."""
    return tuple(read(Path(str(files("starfrost.coach") / "data" / "atlas.csv"))))
