"""The report of `starfrost balance`: one HTML file with its charts, light and dark."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from starfrost.lab.balance import Balance

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2b3a;--soft:#5b6b7a;--paper:#fff;--line:#e4eaf0;--bar:#1769aa;--even:#c2410c}
@media(prefers-color-scheme:dark){:root{--ink:#e8eef4;--soft:#9fb0c0;--paper:#12181f;--line:#2a3642;--bar:#63b3ed;
--even:#fb923c}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:2rem auto;max-width:46rem;
padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}p,caption{color:var(--soft)}caption{text-align:left}
table{border-collapse:collapse;width:100%}
th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}svg{width:100%;height:auto;margin:.5rem 0}
text{fill:var(--soft);font-size:11px}rect{fill:var(--bar)}line{stroke:var(--line)}.even{stroke:var(--even);
stroke-dasharray:5 4}
"""


def _bars(rows: Sequence[tuple[str, float, str]], even: float | None = None) -> str:
    """Draw horizontal bars: label, length and the text at the end."""
    most = max([*(abs(value) for _, value, _ in rows), even or 0.0]) or 1.0
    parts = []
    for at, (label, value, text) in enumerate(rows):
        y, width = 24 * at, 420 * abs(value) / most
        parts.append(
            f'<text x="150" y="{y + 15}" text-anchor="end">{escape(label)}</text>'
            f'<rect x="158" y="{y + 3}" width="{width:.1f}" height="16" rx="3"/>'
            f'<text x="{164 + width:.1f}" y="{y + 15}">{escape(text)}</text>'
        )
    if even is not None:
        x = 158 + 420 * even / most
        parts.append(f'<line class="even" x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{24 * len(rows)}"/>')
    return f'<svg viewBox="0 0 700 {24 * len(rows)}" role="img" aria-hidden="true">{"".join(parts)}</svg>'


def _histogram(counts: Mapping[int, int], most: int = 60) -> str:
    """Draw upright bars of counts, at most so many."""
    low, high = min(counts), max(counts)
    width = max(1, -(-(high - low + 1) // most))
    bins: dict[int, int] = {}
    for value, count in counts.items():
        bins[(value - low) // width] = bins.get((value - low) // width, 0) + count
    number, tallest = max(bins) + 1, max(bins.values())
    step = 680 / number
    bars = "".join(
        f'<rect x="{10 + at * step:.1f}" y="{150 - 140 * count / tallest:.1f}" width="{max(step - 1, 1):.1f}" '
        f'height="{140 * count / tallest:.1f}"/>'
        for at, count in sorted(bins.items())
    )
    ends = f'<text x="10" y="166">{low}</text><text x="690" y="166" text-anchor="end">{high}</text>'
    return f'<svg viewBox="0 0 700 172" role="img" aria-hidden="true">{bars}{ends}</svg>'


def _facts(result: Balance) -> str:
    names = result.seats[0].facts
    groups: dict[str, list[tuple[str, float, str]]] = {}
    for name in names:
        what, _, kind = name.rpartition(" ")
        mean = sum(seat.facts[name] for seat in result.seats) / len(result.seats)
        groups.setdefault(kind, []).append((what or kind, mean, f"{mean:.2f}"))
    return "".join(f"<h3>{escape(kind)} per seat and game</h3>{_bars(rows)}" for kind, rows in groups.items())


def report(title: str, results: Sequence[Balance]) -> str:
    """Return the report as one HTML file without anything from elsewhere."""
    parts = [f"<h1>{escape(title)}</h1>"]
    for result in results:
        name = f"{result.players} players" + (f", {result.option}" if result.option else "")
        rows = "".join(
            f"<tr><td>seat {at}</td><td>{100 * seat.win_rate.mean:.2f} %</td><td>{100 * seat.win_rate.low:.2f} to "
            f"{100 * seat.win_rate.high:.2f} %</td><td>{seat.mean_score:.2f}</td></tr>"
            for at, seat in enumerate(result.seats, 1)
        )
        wins = [
            (f"seat {at}", seat.win_rate.mean, f"{100 * seat.win_rate.mean:.1f} %")
            for at, seat in enumerate(result.seats, 1)
        ]
        parts.append(
            f"<h2>{escape(name)}</h2><table><caption>{result.games:,} games, {result.mean_turns:.1f} turns a game"
            "</caption><tr><th>seat</th><th>wins</th><th>95 % interval</th><th>mean score</th></tr>"
            f"{rows}</table>{_bars(wins, 1 / result.players if result.players > 1 else None)}"
            f"<h3>final scores</h3>{_histogram(result.scores)}<h3>turns</h3>{_histogram(result.turns)}{_facts(result)}"
        )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style><body>{''.join(parts)}</body></html>\n"
    )
