"""The map of the atlas: a scatter plot with a dot for every set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor, log10

from starfrost.games.dicy_cards.board.atlas import FIGURES, PATH, Figure, Question, modes, numbers
from starfrost.games.dicy_cards.coach.atlas import Entry, atlas
from starfrost.games.dicy_cards.words import mode_name
from starfrost.words import Words
from starfrost.words.numbers import decimal, percent


@dataclass(frozen=True)
class Tick:
    """A line of the map's grid."""

    at: int
    text: str


@dataclass(frozen=True)
class Spot:
    """A named set on the map."""

    x: int
    y: int
    name: str
    end: bool
    """Whether the name is at the left of the spot."""


@dataclass(frozen=True)
class Map:
    """The scatter plot: a dot for every set."""

    x: tuple[Tick, ...]
    y: tuple[Tick, ...]
    dots: str
    """The sets that pass the filter, as links."""
    others: str
    """The others, as one path."""
    spots: tuple[Spot, ...]

    width = 720
    height = 540
    left, right, top, bottom = 92, 700, 18, 474


@lru_cache(maxsize=64)
def drawn_map(w: Words, x: str, y: str, held: tuple[str, ...], missing: tuple[str, ...]) -> Map:
    """Lay out the map; it is the same for every reader of a language."""
    entries, question = atlas(), Question(held=held, missing=missing)
    across = _Scale(FIGURES[x], entries, Map.left, Map.right)
    up = _Scale(FIGURES[y], entries, Map.bottom, Map.top)
    places = [(across.at(entry), up.at(entry)) for entry in entries]
    inside = [question.fits(entry) for entry in entries]
    spots = [
        Spot(
            *places[numbers()[cards] - 1], mode_name(w, mode).partition("(")[2].rstrip(")") or mode_name(w, mode), False
        )
        for cards, mode in modes().items()
    ]
    return Map(
        across.ticks(w),
        up.ticks(w),
        "".join(
            f'<a href="{PATH}/{number}" tabindex="-1"><circle cx="{px}" cy="{py}" r="4"/></a>'
            for number, ((px, py), fits) in enumerate(zip(places, inside, strict=True), start=1)
            if fits
        ),
        "".join(f"M{px} {py}h0" for (px, py), fits in zip(places, inside, strict=True) if not fits),
        tuple(replace(spot, end=spot.x > (Map.left + Map.right) / 2) for spot in spots),
    )


class _Scale:
    """An axis of the map."""

    def __init__(self, figure: Figure, entries: Sequence[Entry], start: float, end: float) -> None:
        values = [figure.value(entry) for entry in entries]
        self._figure, self._start, self._end = figure, start, end
        spread = max(values) - min(values)
        self._low, self._high = min(values) - spread * 0.03, max(values) + spread * 0.03

    def _place(self, value: float) -> int:
        share = (value - self._low) / (self._high - self._low)
        return round(self._start + share * (self._end - self._start))

    def at(self, entry: Entry) -> int:
        return self._place(self._figure.value(entry))

    def ticks(self, w: Words) -> tuple[Tick, ...]:
        rough = (self._high - self._low) / 7
        power = 10.0 ** floor(log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
        first = floor(self._low / step) + 1
        values = [step * number for number in range(first, first + 12) if step * number < self._high]
        places = max(0, -floor(log10(step * (100 if self._figure.share else 1)) + 1e-9))
        write = percent if self._figure.share else decimal
        return tuple(Tick(self._place(value), write(w, value, places)) for value in values)
