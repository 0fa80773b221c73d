"""The atlas: all 792 sets of five cards under perfect play.

Each line of `data/atlas.csv` is a set. Numbers are per game; lists follow the order of the set's cards; `_1` and
`_2` are the seats. `python -m research.dicy_cards.atlas`, in a checkout, computes the file.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final

from starfrost.errors import StarfrostError, UsageError
from starfrost.games.dicy_cards import CARDS, INTERGLACIAL, MODES, read_cards

Five = tuple[float, ...]


@dataclass(frozen=True)
class Entry:
    """The results of perfect play by both players with a set of cards."""

    cards: tuple[str, ...]
    goal: int
    first_player_wins: float
    """the probability that the first player wins, a shared victory counting one half"""
    shared: float
    """the probability of a shared victory"""
    turns: float
    """the expected number of turns of both players together"""
    score_1: float
    score_2: float
    """the mean final scores"""
    swing: float
    """how much the first rolls of the turns change the winning chance, summed over a game"""
    skips_1: float
    skips_2: float
    """the expected number of skips"""
    left_out: float
    """the probability of the positions that were too improbable to follow"""
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
    """how much winning probability it costs to start with the card frozen"""


_FIELDS: Final = {field.name: field.type for field in fields(Entry)}
_FORMATS: Final = {"cards": "", "goal": "", "first_player_wins": ".14f", "left_out": ".1e"}


def all_sets() -> list[tuple[str, ...]]:
    """List the 792 sets, cards in the order of their clauses."""
    return list(combinations(CARDS, 5))


def fixed_cards(text: str) -> tuple[str, ...]:
    """Read five cards, or the name of a mode with fixed cards. Raises UsageError."""
    if text.strip().lower() == INTERGLACIAL:
        raise UsageError(
            "Interglacial draws its cards at the table; name five cards, or a mode whose cards are fixed: %(modes)s.",
            modes=", ".join(MODES),
        )
    return read_cards(text, Random())


def named_set(text: str) -> tuple[str, ...]:
    """Return the set of the atlas for five cards or the name of a mode. Raises UsageError."""
    chosen = fixed_cards(text)
    return tuple(card for card in CARDS if card in chosen)


def card_means(entries: Sequence[Entry], field: str) -> dict[str, float]:
    """Return the mean of a field per card, over both seats and all sets with the card; `field` is without the seat."""
    values: dict[str, list[float]] = {card: [] for card in CARDS}
    for entry in entries:
        for seat in (1, 2):
            for card, value in zip(entry.cards, getattr(entry, f"{field}_{seat}"), strict=True):
                values[card].append(value)
    return {card: mean(found) for card, found in values.items() if found}


def _cells(entry: Entry) -> list[str]:
    return [
        " ".join(format(part, _FORMATS.get(name, ".6f")) for part in (value if isinstance(value, tuple) else [value]))
        for name, value in vars(entry).items()
    ]


def _entry(cells: Sequence[str]) -> Entry:
    cards, goal, *numbers = cells
    values: list[Any] = [
        kind(cell) if kind is float else tuple(map(float, cell.split()))
        for kind, cell in zip(list(_FIELDS.values())[2:], numbers, strict=True)
    ]
    return Entry(tuple(cards.split()), int(goal), *values)


def as_written(entry: Entry) -> Entry:
    """Return an entry with its numbers rounded as in a file."""
    return _entry(_cells(entry))


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write a table of entries."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([_FIELDS, *map(_cells, entries)])


def read(path: Path) -> list[Entry]:
    """Read a table of entries, without an incomplete last line. Raises StarfrostError if the file is not an atlas."""
    try:
        # Without its line end, the last number of a line may lack digits.
        lines = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]
        names, *rows = csv.reader(lines, strict=True)
        if names != list(_FIELDS):
            raise StarfrostError("%(file)s is not an atlas of this version.", file=path)
        return [_entry(row) for row in rows]
    except (ValueError, csv.Error) as error:
        raise StarfrostError(
            "%(file)s is damaged, or not an atlas: %(reason)s.", file=path, reason=str(error)
        ) from error


@lru_cache(maxsize=1)
def atlas() -> tuple[Entry, ...]:
    """Return the shipped atlas."""
    return tuple(read(Path(__file__).with_name("atlas.csv")))
