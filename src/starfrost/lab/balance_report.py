"""The report of `starfrost balance`: one HTML file with its charts, light and dark, in the reader's language."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from math import floor, gcd, log10
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from starfrost import __version__
from starfrost.games.registry import GAMES
from starfrost.games.variants import RULES
from starfrost.lab.balance import Balance
from starfrost.lab.verdict import is_unfair, names_of, values_of, verdicts
from starfrost.words import Words
from starfrost.words.numbers import count, decimal, percent
from starfrost.words.registry import PLAIN, WORDS

BARS: Final = 48
"""The most bars of a histogram."""
MANY: Final = 100_000
"""From so many games on, results have two decimal places."""
_WIDE, _HIGH, _LEFT, _BASE = 720, 250, 72, 214


def title_of(w: Words, result: Balance) -> str:
    """Return the name of a table: its players and the tried values."""
    players = w.plural("%(n)s player", "%(n)s players", result.players)
    return f"{players}, {result.option}" if result.option else players


def facts_of(w: Words, result: Balance) -> dict[str, list[tuple[str, float, float]]]:
    """Return what the seats did, by kind: the label, the average of a seat and that of the winners."""
    named = WORDS.get(result.setup.game, PLAIN).fact
    groups: dict[str, list[tuple[str, float, float]]] = {}
    for name, winners in result.winners.items():
        kind, label = named(w, name)
        mean = sum(seat.facts[name] for seat in result.seats) / len(result.seats)
        groups.setdefault(kind, []).append((label, mean, winners))
    return groups


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; its cells are HTML."""
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'


def _bar(value: float, most: float, mark: float | None = None) -> str:
    """Return a cell with a bar and a mark across it."""
    most = most or 1.0
    line = "" if mark is None else f'<b style="left:min({100 * mark / most:.1f}%,100% - 7px)"></b>'
    return f'<span class="bar" aria-hidden="true"><i style="width:{100 * value / most:.1f}%"></i>{line}</span>'


def _wins(w: Words, result: Balance) -> str:
    even = 1 / result.players if result.players > 1 else None
    places = 2 if result.games >= MANY else 1
    rows = (
        (
            str(at),
            percent(w, seat.win_rate.mean, places),
            f"{decimal(w, 100 * seat.win_rate.low, places)} – {percent(w, seat.win_rate.high, places)}",
            decimal(w, seat.mean_score, places),
            _bar(seat.win_rate.mean, 1.0, even),
        )
        for at, seat in enumerate(result.seats, 1)
    )
    heads = [*map(escape, (w("seat"), w("win rate"), w("95% interval"), w("mean score"))), ""]
    said = w("The mark in a bar is an equal share of the victories.")
    note = f"<p>{escape(said)}</p>" if even else ""
    return _table(heads, rows).replace('<th scope="col"></th>', '<td class="track"></td>') + note


def _facts(w: Words, result: Balance) -> str:
    parts = []
    for kind, rows in facts_of(w, result).items():
        most = max(max(mean, winners) for _, mean, winners in rows)
        heads = ("", *map(escape, (w("every seat"), w("winners"))), "")
        cells = (
            (escape(label), decimal(w, mean, 2), decimal(w, winners, 2), _bar(mean, most, winners))
            for label, mean, winners in rows
        )
        table = _table(heads, cells).replace('<th scope="col"></th></tr>', '<td class="track"></td></tr>')
        parts.append(f"<h3>{escape(kind)}</h3>{table}" if len(rows) > 1 else f'<div class="alone">{table}</div>')
    if parts:
        note = w("Per game. The bar is the average of all seats, the mark that of the winners.")
        parts.append(f"<p>{escape(note)}</p>")
    return "".join(parts)


def _axis(top: float, form: Callable[[float, int], str]) -> tuple[float, str]:
    """Return the height of a chart for values up to `top`, and the lines and numbers at its left."""
    scale = 10.0 ** floor(log10(top))
    step = next(scale * part for part in (0.25, 0.5, 1, 2.5) if scale * part * 4 >= top)
    places = 0 if step >= 0.01 and round(100 * step, 6).is_integer() else 1 if step >= 0.001 else 2
    parts = []
    for at in range(5):
        y = _BASE - (_BASE - 14) * at / 4
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{_WIDE}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 5:.1f}" text-anchor="end">{escape(form(step * at, places))}</text>'
        )
    return 4 * step, "".join(parts)


class Bins(NamedTuple):
    """The bars of a histogram."""

    low: int
    """The first value of the first bar."""
    width: int
    counts: list[int]
    single: bool
    """Whether every bar stands for one value, such as every second number of turns for two players."""


def bins_of(counts: Mapping[int, int], most: int = BARS) -> Bins:
    """Return the bars of a histogram, at most so many."""
    low, high = min(counts), max(counts)
    apart = gcd(*(value - low for value in counts)) or 1
    width = apart * max(1, -(-((high - low) // apart + 1) // most))
    bins = [0] * ((high - low) // width + 1)
    for value, number in counts.items():
        bins[(value - low) // width] += number
    return Bins(low, width, bins, width == apart)


def _histogram(w: Words, title: str, counts: Mapping[int, int]) -> str:
    low, width, bins, single = bins_of(counts)
    every = sum(bins)
    top, axis = _axis(max(bins) / every, lambda share, places: percent(w, share, places))
    step = (_WIDE - _LEFT) / len(bins)
    bars, ticks = [], []
    apart = max(1, -(-len(bins) // 8))
    for at, number in enumerate(bins):
        first, x, high = low + at * width, _LEFT + at * step, (_BASE - 14) * number / every / top
        label = str(first) if single else f"{first} – {first + width - 1}"
        bars.append(
            f'<rect x="{x + 0.5:.1f}" y="{_BASE - high:.1f}" width="{max(step - 1, 1):.1f}" height="{high:.1f}">'
            f"<title>{label}: {escape(percent(w, number / every, 2))}</title></rect>"
        )
        if at % apart == 0:
            ticks.append(f'<text x="{x + step / 2:.1f}" y="{_BASE + 22}" text-anchor="middle">{first}</text>')
    mean = sum(value * number for value, number in counts.items()) / every
    said = w(
        "%(title)s: from %(low)s to %(high)s, on average %(mean)s",
        title=title,
        low=low,
        high=max(counts),
        mean=decimal(w, mean, 1),
    )
    return (
        f"<h3>{escape(title)}</h3><p>{escape(said.removeprefix(f'{title}: '))}</p>"
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{escape(said)}">{axis}{"".join(bars + ticks)}</svg>'
    )


def _curves(w: Words, results: Sequence[Balance]) -> str:
    """Draw the win rate of every seat against the tried value."""
    values = [result.value or 0 for result in results]
    highest = max(seat.win_rate.high for result in results for seat in result.seats)
    top, axis = _axis(highest, lambda share, places: percent(w, share, places))
    players = results[0].players

    def place(value: float, share: float) -> tuple[float, float]:
        across = (value - values[0]) / (values[-1] - values[0])
        return _LEFT + 14 + (_WIDE - _LEFT - 30) * across, _BASE - (_BASE - 14) * share / top

    parts = [axis]
    for value in values[:: max(1, -(-len(values) // 8))]:
        x, _ = place(value, 0)
        parts.append(f'<text x="{x:.1f}" y="{_BASE + 22}" text-anchor="middle">{value}</text>')
    if players > 1:
        _, y = place(values[0], 1 / players)
        parts.append(f'<line class="even" x1="{_LEFT}" x2="{_WIDE}" y1="{y:.1f}" y2="{y:.1f}"/>')
    for seat in range(players):
        dots, line = [], []
        for result in results:
            rate = result.seats[seat].win_rate
            (x, y), (_, low), (_, high) = (
                place(result.value or 0, share) for share in (rate.mean, rate.low, rate.high)
            )
            line.append(f"{x:.1f} {y:.1f}")
            dots.append(
                f'<line class="span" x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}"/>'
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{result.value}: {escape(percent(w, rate.mean, 1))}'
                "</title></circle>"
            )
        parts.append(f'<g class="s{seat + 1}"><path d="M{" L".join(line)}"/>{"".join(dots)}</g>')
    said = w("The win rate of each seat for every tried value; the table has the same numbers.")
    names = (escape(w("seat %(seat)s", seat=seat)) for seat in range(1, players + 1))
    keys = "".join(f'<li class="s{seat}">{name}</li>' for seat, name in enumerate(names, 1))
    return (
        f'<svg viewBox="0 0 {_WIDE} {_HIGH}" role="img" aria-label="{escape(said)}">{"".join(parts)}</svg>'
        f'<ul class="key">{keys}</ul>'
    )


def _overview(w: Words, results: Sequence[Balance]) -> str:
    """Compare the tried values at tables of one size."""
    players = results[0].players
    names = names_of(results)
    heads = (
        ", ".join(names),
        *(w("seat %(seat)s", seat=seat) for seat in range(1, players + 1)),
        w("mean score"),
        w("turns"),
    )
    rows = (
        (
            escape(", ".join(values_of(names, result.option))),
            *(
                f"{percent(w, seat.win_rate.mean, 1)} ± {decimal(w, 50 * (seat.win_rate.high - seat.win_rate.low), 1)}"
                for seat in result.seats
            ),
            decimal(w, sum(seat.mean_score for seat in result.seats) / players, 1),
            decimal(w, result.mean_turns, 1),
        )
        for result in results
    )
    name = w.plural("%(n)s player", "%(n)s players", players)
    # Several swept numbers have no common line.
    numbers = {result.value for result in results}
    drawn = _curves(w, results) if None not in numbers and len(numbers) == len(results) else _heat_map(w, results)
    return f"<section><h2>{escape(name)}</h2>{drawn}{_table(map(escape, heads), rows)}</section>"


def _heat_map(w: Words, results: Sequence[Balance]) -> str:
    """Draw two sweeps as a table of the first seat's win rates, coloured by how far they are from an equal share."""
    names = names_of(results)
    if len(names) != 2 or results[0].players < 2:
        return ""
    cells = {tuple(values_of(names, result.option)): result for result in results}
    across, down = (list(dict.fromkeys(key[at] for key in cells)) for at in (0, 1))
    even = 1 / results[0].players
    rows = []
    for value in down:
        row = [f'<th scope="row">{escape(value)}</th>']
        for other in across:
            result = cells[other, value]
            share = result.seats[0].win_rate.mean
            strength = min(55, round(70 * abs(share - even) / even))
            colour = "--s1" if share > even else "--s2"
            sign = "" if is_unfair(result) else " ="
            row.append(
                f'<td style="background:color-mix(in srgb,var({colour}) {strength}%,var(--panel))">'
                f"{escape(percent(w, share, 1))}{sign}</td>"
            )
        rows.append(f"<tr>{''.join(row)}</tr>")
    head = "".join(f'<th scope="col">{escape(value)}</th>' for value in ("", *across))
    said = w(
        "The win rate of seat 1: %(one)s across, %(other)s down; = marks values that are not proved unfair.",
        one=names[0],
        other=names[1],
    )
    return f'<p>{escape(said)}</p><div class="wide"><table class="heat"><tr>{head}</tr>{"".join(rows)}</table></div>'


def _rules(w: Words, result: Balance) -> str:
    """Return the rules of a variant: what it says of itself, and its file."""
    variant = result.variant
    if variant is None:
        return ""
    game = result.setup.make_exactly(Random(0))
    own = WORDS.get(result.setup.game, PLAIN).own_rules(w, game)
    told = "".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in own)
    file = escape(json.dumps(json.loads(variant.text), indent=1, ensure_ascii=False))
    heading = w("In this game")
    return f"<details><summary>{escape(heading)}</summary><ul>{told}</ul><pre>{file}</pre></details>"


def _section(w: Words, at: int, result: Balance) -> str:
    about = w(
        "%(games)s games, %(turns)s turns a game",
        games=count(w, result.games),
        turns=decimal(w, result.mean_turns, 1),
    )
    variant = result.variant
    if variant is not None:
        about += "; " + w("variant “%(name)s” (%(digest)s)", **variant.as_json())
    scores, turns = _histogram(w, w("final scores"), result.scores), _histogram(w, w("turns"), result.turns)
    return (
        f'<section id="t{at}"><h2>{escape(title_of(w, result))}</h2><p>{escape(about)}</p>{_wins(w, result)}'
        f"{scores}{turns}{_facts(w, result)}{_rules(w, result)}</section>"
    )


def report(w: Words, game: str, bot: str, seed: int, results: Sequence[Balance], command: str) -> str:
    """Return the report as one HTML file without anything from elsewhere; `command` is what it was made with."""
    variants = list(dict.fromkeys(result.variant.name for result in results if result.variant))
    title = " · ".join([f"{GAMES[game].title}: {bot}", *variants[:1]])
    about = w("The same bot in every seat, with the seed %(seed)s.", seed=seed)
    shared = set.intersection(*(set(result.setup.options.items()) for result in results))
    chosen = "; ".join(f"{name} {value}" for name, value in sorted(shared) if name != RULES)
    parts = [f"<h1>{escape(title)}</h1><p>{escape(' · '.join(filter(None, (about, chosen))))}</p>"]
    said = "".join(f"<li>{escape(sentence)}</li>" for sentence in verdicts(w, results))
    made = f"<p><code>{escape(command)}</code> · Starfrost {__version__}</p>"
    heading = w("Verdict")
    parts.append(f"<section><h2>{escape(heading)}</h2><ul>{said}</ul>{made}</section>")
    sizes = dict.fromkeys(result.players for result in results)
    by_size = [[result for result in results if result.players == size] for size in sizes]
    parts += [_overview(w, same) for same in by_size if len(same) > 1]
    if len(results) > 2:
        links = "".join(
            f'<li><a href="#t{at}">{escape(title_of(w, result))}</a></li>' for at, result in enumerate(results)
        )
        label = escape(w("All tables"))
        parts.append(f'<nav aria-label="{label}"><ul>{links}</ul></nav>')
    parts += [_section(w, at, result) for at, result in enumerate(results)]
    style = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="{w.language}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style><body><main>{''.join(parts)}</main></body></html>\n"
    )
