"""A guest's level beside the bots on one ladder, and charts of the last games; each chart also says it in words."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Final

from starfrost.bots.registry import entries
from starfrost.table.history import Point
from starfrost.words import Words
from starfrost.words.bots import bot_name
from starfrost.words.numbers import count, percent, short_date, whole_percent
from starfrost.words.registry import PLAIN, WORDS

WIDTH: Final = 640
HEIGHT: Final = 220
LEFT: Final = 66
EDGE: Final = 12
BOTTOM: Final = 16

SURE: Final = 10
"""Games after which a level is more than a first guess."""
_SMOOTH: Final = 10
"""Games whose mean a line shows."""
_LEAST: Final = 2
"""Games that a chart needs."""
_TREND_LEAST: Final = 6
"""Judged games of which the newer half is compared with the older one."""
_NOTICED: Final = 0.15
"""The least change of a cost that is told."""
_FAR: Final = 400.0
"""A bot this much weaker than the next is drawn at the edge of the ladder: the room is for the others."""


@dataclass(frozen=True)
class Rung:
    """A bot or the reader on the ladder; places are per cent of its width."""

    name: str
    level: str
    at: float
    you: bool = False
    low: float = 0.0
    high: float = 0.0
    beyond: bool = False
    """Whether the place is left of what the ladder shows."""


@dataclass(frozen=True)
class Ladder:
    """The reader's level between the bots, the strongest first."""

    rungs: tuple[Rung, ...]
    says: str
    rests: str
    """How many games the level rests on."""


def ladder(w: Words, game: str, level: float | None, deviation: float | None, games: int) -> Ladder:
    """Return the ladder of a game; without the reader if there is no level yet."""
    bots = sorted(((entry.rating, bot_name(w, bot)) for bot, entry in entries(game).items()), reverse=True)
    ratings = [rating for rating, _ in bots]
    high, low = float(ratings[0]), float(ratings[-1])
    if len(ratings) > 1 and ratings[-2] - low > _FAR:
        low = ratings[-2] - _FAR
    half = 2 * deviation if deviation is not None else 0.0
    if level is not None:
        high, low = max(high, level + half), max(ratings[-1], min(low, level - half))
    low, high = low - 30, high + 30

    def place(value: float) -> float:
        return round(100 * min(1.0, max(0.0, (value - low) / (high - low))), 1)

    rungs = [(float(rating), Rung(name, count(w, rating), place(rating), beyond=rating < low)) for rating, name in bots]
    if level is None:
        return Ladder(
            tuple(rung for _, rung in rungs), w("Finish a game against others, and your level appears here."), ""
        )
    mine = Rung(
        w("You"),
        f"{count(w, round(level))} ± {count(w, round(half))}",
        place(level),
        True,
        place(level - half),
        place(level + half),
    )
    rungs.append((level, mine))
    rungs.sort(key=lambda pair: -pair[0])
    rests = w.plural("Your level rests on one game.", "Your level rests on %(n)s games.", games)
    if games < SURE:
        rests += " " + w("That is a first guess: every game makes it more reliable.")
    says = w(
        "Your level is %(level)s, most likely between %(low)s and %(high)s.",
        level=count(w, round(level)),
        low=count(w, round(level - half)),
        high=count(w, round(level + half)),
    )
    return Ladder(tuple(rung for _, rung in rungs), f"{says} {_between(w, bots, level)}".rstrip(), rests)


def _between(w: Words, bots: Sequence[tuple[int, str]], level: float) -> str:
    """Return a sentence on the bots next to a level."""
    if level >= bots[0][0]:
        return w("That is above %(bot)s.", bot=bots[0][1])
    if level < bots[-1][0]:
        return w("That is below %(bot)s.", bot=bots[-1][1])
    above, below = next((one, two) for one, two in pairwise(bots) if one[0] > level >= two[0])
    return w(
        "That is between %(below)s and %(above)s; %(above)s is %(points)s points away.",
        below=below[1],
        above=above[1],
        points=count(w, max(1, round(above[0] - level))),
    )


@dataclass(frozen=True)
class Dot:
    """A value of a chart."""

    x: float
    y: float
    label: str
    value: str
    table: str


@dataclass(frozen=True)
class Chart:
    """A value for each of the last games, drawn in a box of `width` by `height`."""

    id: str
    title: str
    says: str
    """The chart in words."""
    unit: str
    """The heading of the column of values."""
    dots: tuple[Dot, ...]
    line: str = ""
    """The line, as SVG writes points; empty for bars."""
    band: str = ""
    """The outline of the uncertainty around the line, as SVG writes points; empty if there is none."""
    rows: tuple[tuple[float, str], ...] = ()
    """Heights and labels of the grid."""
    zero: float = 0.0
    """Where bars begin."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - EDGE


@dataclass(frozen=True)
class _Plot:
    """Where values are drawn."""

    many: int
    grid: Sequence[tuple[float, str]]

    def x(self, number: int) -> float:
        return round(LEFT + (WIDTH - LEFT - EDGE) * (number + 0.5) / self.many, 1)

    def y(self, value: float) -> float:
        low, high = self.grid[0][0], self.grid[-1][0]
        share = (min(high, max(low, value)) - low) / (high - low)
        return round(EDGE + (HEIGHT - EDGE - BOTTOM) * (1 - share), 1)

    def points(self, values: Sequence[float]) -> list[str]:
        return [f"{self.x(i)},{self.y(value)}" for i, value in enumerate(values)]

    def rows(self) -> tuple[tuple[float, str], ...]:
        return tuple((self.y(value), text) for value, text in self.grid)


def _steps(low: float, high: float) -> list[float]:
    """Return a few round numbers, from below the lowest value to above the highest."""
    step = next(step for step in (10, 20, 25, 50, 100, 200, 250, 500, 1000, 10**9) if (high - low) / step <= 4)
    found = [float(int(low // step) * step)]
    while found[-1] < high:
        found.append(found[-1] + step)
    return found if len(found) > 1 else [found[0], found[0] + step]


def _dots(w: Words, plot: _Plot, points: Sequence[Point], values: Sequence[tuple[float, str]]) -> tuple[Dot, ...]:
    return tuple(
        Dot(plot.x(i), plot.y(value), short_date(w, point.at), text, point.table_id)
        for i, (point, (value, text)) in enumerate(zip(points, values, strict=True))
    )


def level_chart(w: Words, points: Sequence[Point]) -> Chart | None:
    """Return the chart of the level after each game; None if there are too few."""
    rated = [(point, point.level, point.deviation or 0.0) for point in points if point.level is not None]
    if len(rated) < _LEAST:
        return None
    spread = [(level - 2 * half, level + 2 * half) for _, level, half in rated]
    grid = [(n, count(w, round(n))) for n in _steps(min(low for low, _ in spread), max(high for _, high in spread))]
    plot = _Plot(len(rated), grid)
    values = [(level, f"{count(w, round(level))} ± {count(w, round(2 * half))}") for _, level, half in rated]
    says = w(
        "From %(first)s to %(last)s in %(games)s games. The band is where your level most likely lies.",
        first=count(w, round(rated[0][1])),
        last=count(w, round(rated[-1][1])),
        games=len(rated),
    )
    band = [*plot.points([high for _, high in spread]), *reversed(plot.points([low for low, _ in spread]))]
    return Chart(
        "level-chart",
        w("Your level, game by game"),
        says,
        w("Level"),
        _dots(w, plot, [point for point, _, _ in rated], values),
        " ".join(plot.points([level for _, level, _ in rated])),
        " ".join(band),
        plot.rows(),
    )


def accuracy_chart(w: Words, points: Sequence[Point]) -> Chart | None:
    """Return the chart of the accuracy in each judged game; None if there are too few."""
    judged = [(point, point.accuracy) for point in points if point.accuracy is not None]
    if len(judged) < _LEAST:
        return None
    shares = [share for _, share in judged]
    low = min(0.8, int(5 * min(shares)) / 5)
    plot = _Plot(len(judged), [(low + (1 - low) * n / 4, whole_percent(w, low + (1 - low) * n / 4)) for n in range(5)])
    means = [sum(last) / len(last) for i in range(len(shares)) if (last := shares[max(0, i + 1 - _SMOOTH) : i + 1])]
    says = w(
        "On average your decisions kept %(share)s of what was at stake. The line is the mean of ten games.",
        share=whole_percent(w, sum(shares) / len(shares)),
    )
    return Chart(
        "accuracy-chart",
        w("Accuracy"),
        _estimated(w, says, points),
        w("Accuracy"),
        _dots(w, plot, [point for point, _ in judged], [(share, whole_percent(w, share)) for share in shares]),
        " ".join(plot.points(means)),
        rows=plot.rows(),
    )


def luck_chart(w: Words, points: Sequence[Point]) -> Chart | None:
    """Return the chart of the luck in each judged game; None if there are too few."""
    judged = [(point, point.luck) for point in points if point.luck is not None]
    if len(judged) < _LEAST:
        return None
    luck = [share for _, share in judged]
    values = [(share, whole_percent(w, share, signed=True)) for share in luck]
    most = ceil(5 * max(map(abs, luck)) or 1) / 5
    plot = _Plot(len(judged), [(n, whole_percent(w, n, signed=True)) for n in (-most, -most / 2, 0.0, most / 2, most)])
    says = w(
        "Your dice changed your chance to win by %(luck)s a game on average. Over many games luck evens out.",
        luck=whole_percent(w, sum(luck) / len(luck), signed=True),
    )
    return Chart(
        "luck-chart",
        w("Luck"),
        _estimated(w, says, points),
        w("Luck"),
        _dots(w, plot, [point for point, _ in judged], values),
        rows=plot.rows(),
        zero=plot.y(0.0),
    )


def _estimated(w: Words, says: str, points: Sequence[Point]) -> str:
    """Add that some values are estimates, if they are."""
    estimates = any(point.judged == "estimate" for point in points)
    return says + " " + w("Estimated, not exact.") if estimates else says


@dataclass(frozen=True)
class Cost:
    """A kind of decision and what it cost."""

    what: str
    says: str
    share: float
    """The length of its bar, 0 to 100."""
    theme: str
    """The theme of the puzzles that train it; empty if there is none."""
    trend: str = ""
    """Whether it has fallen; empty with too few games to say so."""
    way: str = ""
    """`down`, `up` or `level`."""


def average_cost(w: Words, points: Sequence[Point]) -> str:
    """Say what a decision cost on average in the judged games; nothing without any."""
    found = [cost for point in points if point.judged for cost in point.costs.values()]
    decisions = sum(number for number, _ in found)
    if not decisions:
        return ""
    loss = percent(w, sum(lost for _, lost in found) / decisions).replace(" %", "\u00a0%")
    return w("On average a decision cost you %(loss)s.", loss=loss)


def costs(w: Words, game: str, points: Sequence[Point], most: int = 3) -> list[Cost]:
    """Return the kinds of decision that cost most in the judged games, the most expensive first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0.0])
    judged = [point for point in points if point.judged]
    for point in judged:
        for kind, (number, loss) in point.costs.items():
            sums[kind][0] += number
            sums[kind][1] += loss
    worst = sorted(((loss, number, kind) for kind, (number, loss) in sums.items() if loss >= 0.005), reverse=True)[
        :most
    ]
    texts = WORDS.get(game, PLAIN).decisions
    return [
        _with_trend(
            w,
            judged,
            kind,
            Cost(
                w(texts[kind][0]) if kind in texts else kind,
                w(
                    "%(loss)s of winning chance a game, in %(decisions)s decisions.",
                    loss=whole_percent(w, loss / len(judged)),
                    decisions=count(w, int(number)),
                ),
                round(100 * loss / worst[0][0], 1),
                texts[kind][1] if kind in texts else "",
            ),
        )
        for loss, number, kind in worst
    ]


def _with_trend(w: Words, judged: Sequence[Point], kind: str, cost: Cost) -> Cost:
    """Compare what a kind of decision cost in the older half of the judged games and in the newer one."""
    if len(judged) < _TREND_LEAST:
        return cost
    half = len(judged) // 2
    before, lately = (
        sum(point.costs.get(kind, (0, 0.0))[1] for point in some) / len(some) for some in (judged[:half], judged[half:])
    )
    facts = {name: percent(w, loss) for name, loss in (("before", before), ("lately", lately))}
    if lately < before * (1 - _NOTICED):
        return replace(cost, trend=w("It falls: from %(before)s to %(lately)s a game.", **facts), way="down")
    if lately > before * (1 + _NOTICED):
        return replace(cost, trend=w("It rises: from %(before)s to %(lately)s a game.", **facts), way="up")
    return replace(cost, trend=w("It stays about the same."), way="level")
