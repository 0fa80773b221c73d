"""Pictures of the atlas, drawn with Altair and saved as SVG."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from starfrost.coach.atlas import Entry
from starfrost.errors import require
from starfrost.games.dicy_cards import CARDS, MODES

__all__ = ["FIGURES", "card_means", "draw"]

_BLUE, _ORANGE, _PALE, _INK, _SOFT, _LINE = "#1769aa", "#c2410c", "#a9c8e2", "#1d2b3a", "#5b6b7a", "#e4eaf0"


def card_means(entries: Sequence[Entry], field: str) -> dict[str, float]:
    """Average a figure by card over both seats and all sets that hold the card; `field` is without the seat."""
    sums: dict[str, list[float]] = {card: [] for card in CARDS}
    for entry in entries:
        for seat in (1, 2):
            for card, value in zip(entry.cards, getattr(entry, f"{field}_{seat}"), strict=True):
                sums[card].append(value)
    return {card: mean(values) for card, values in sums.items() if values}


def _falling(means: dict[str, float]) -> list[str]:
    return sorted(means, key=lambda card: -means[card])


def _sets(entries: Sequence[Entry]) -> str:
    return f"{len(entries)} sets of five cards" if len(entries) != 1 else " ".join(entries[0].cards)


def _titled(altair: Any, chart: Any, title: str, subtitle: str, height: int = 320) -> Any:
    return chart.properties(width=640, height=height, title=altair.Title(title, subtitle=subtitle))


def _base(altair: Any, rows: list[dict[str, Any]]) -> Any:
    return altair.Chart(altair.Data(values=rows))


def _fairness(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [{"wins": 100 * entry.first_player_wins} for entry in entries]
    behind = sum(entry.first_player_wins < 0.5 for entry in entries)
    # An even number below the least fair set, and room for the word beside the line.
    low, high = 2 * int(min(row["wins"] for row in rows) // 2), max(52.5, *(row["wins"] + 2.5 for row in rows))
    scale = altair.Scale(domain=[low, high], nice=False)
    bars = (
        _base(altair, rows)
        .mark_bar(color=_BLUE, binSpacing=1)
        .encode(
            altair.X("wins:Q", scale=scale)
            .bin(step=0.5)
            .axis(values=list(range(low, int(high), 2)), grid=False, labelExpr="format(datum.value, 'd') + ' %'")
            .title(None),
            altair.Y("count()").title("number of sets"),
        )
    )
    even = _base(altair, [{"even": 50, "text": "an even game"}])
    rule = even.mark_rule(color=_ORANGE, strokeDash=[5, 4], strokeWidth=1.5).encode(altair.X("even:Q", scale=scale))
    label = even.mark_text(color=_ORANGE, align="left", dx=7, y=8).encode(altair.X("even:Q"), altair.Text("text:N"))
    share = f"all {behind} sets" if behind == len(entries) else f"{behind} of {len(entries)} sets"
    title = f"Going first is a disadvantage in {share if len(rows) > 1 or not behind else 'this set'}"
    return _titled(altair, bars + rule + label, title, "how often the first player wins under perfect play by both")


def _swing(altair: Any, entries: Sequence[Entry]) -> Any:
    modes = {frozenset(mode.cards): mode.id for mode in MODES.values()}
    rows = [
        {
            "turns": entry.turns,
            "swing": entry.swing,
            "wins": 100 * entry.first_player_wins,
            "mode": modes.get(frozenset(entry.cards), ""),
        }
        for entry in entries
    ]
    named = [{**row, "mode": str(row["mode"]).capitalize()} for row in rows if row["mode"]]
    x = (
        altair.X("turns:Q", scale=altair.Scale(zero=False))
        .axis(tickCount=7, labelFlush=False)
        .title("expected turns, both players together")
    )
    y = altair.Y("swing:Q", scale=altair.Scale(zero=False)).title("swing of the first rolls, per game")
    colours = altair.Scale(domain=[32, 43, 50], range=[_ORANGE, "#e8c49c", _BLUE], interpolate="rgb")
    dots = (
        _base(altair, rows)
        .mark_circle(opacity=0.65, size=42)
        .encode(x, y, altair.Color("wins:Q", scale=colours).title("first player wins, %"))
    )
    rings = _base(altair, named).mark_point(color=_INK, size=110, strokeWidth=1.6).encode(x, y)
    label = (
        _base(altair, named)
        .mark_text(
            align="right", dx=-10, dy=-8, fontSize=13, fontWeight="bold", color=_INK, stroke="#fff", strokeWidth=0.4
        )
        .encode(x, y, altair.Text("mode:N"))
    )
    return _titled(
        altair,
        dots + rings + label,
        "Length, swing and fairness",
        "one dot a set of five cards; the modes by name",
        360,
    )


def _cards(altair: Any, entries: Sequence[Entry]) -> Any:
    kinds = {"sacrificed": ("frozen for a reroll", -1), "scored": ("scored", 1)}
    scored = card_means(entries, "scored")
    rows: list[dict[str, Any]] = [
        {"card": card, "times": sign * value, "use": label, "said": f"{value:.2f}"}
        for field, (label, sign) in kinds.items()
        for card, value in card_means(entries, field).items()
    ]
    colours = altair.Scale(domain=[label for label, _ in kinds.values()], range=[_ORANGE, _BLUE])
    y = altair.Y("card:N").sort(_falling(scored)).title(None)
    x = altair.X("times:Q", scale=altair.Scale(domain=[-2, 2.4], nice=False)).axis(None)
    bars = (
        _base(altair, rows)
        .mark_bar(height=17)
        .encode(y, x, altair.Color("use:N", scale=colours).title(None).legend(orient="top", offset=2))
    )
    right = _base(altair, [row for row in rows if row["times"] >= 0]).mark_text(align="left", dx=5, color=_SOFT)
    left = _base(altair, [row for row in rows if row["times"] < 0]).mark_text(align="right", dx=-5, color=_SOFT)
    labels = [side.encode(y, x, altair.Text("said:N")) for side in (right, left)]
    subtitle = f"times per game and player under perfect play, mean over {_sets(entries)}"
    return _titled(altair, altair.layer(bars, *labels), "What perfect play does with a card", subtitle, 340)


def _freezing(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [
        {"card": card, "cost": 100 * value}
        for entry in entries
        for costs in (entry.frozen_1, entry.frozen_2)
        for card, value in zip(entry.cards, costs, strict=True)
    ]
    order = _falling(card_means(entries, "frozen"))
    boxes = (
        _base(altair, rows)
        .mark_boxplot(
            extent="min-max",
            size=15,
            box={"color": _PALE},
            median={"color": _BLUE, "strokeWidth": 2.5},
            rule={"color": _SOFT},
        )
        .encode(
            altair.Y("card:N").sort(order).title(None),
            altair.X("cost:Q", scale=altair.Scale(domainMin=0))
            .axis(tickCount=8)
            .title("points of a hundred of winning chance"),
        )
    )
    subtitle = f"both seats, {_sets(entries)}: all, the middle half, the median"
    return _titled(altair, boxes, "What it costs to start with a card frozen", subtitle, 340)


def _deciding(altair: Any, entries: Sequence[Entry]) -> Any:
    # Both players' share: the mean is over the seats.
    shares = {card: 200 * value for card, value in card_means(entries, "decides").items()}
    rows = [{"card": card, "share": share, "said": f"{share:.1f} %"} for card, share in shares.items()]
    y = altair.Y("card:N").sort(_falling(shares)).title(None)
    x = altair.X("share:Q").axis(None)
    bars = _base(altair, rows).mark_bar(color=_BLUE, height=17).encode(y, x)
    label = _base(altair, rows).mark_text(align="left", dx=5, color=_SOFT).encode(y, x, altair.Text("said:N"))
    subtitle = f"share of the games in which the card is on the table, {_sets(entries)}"
    return _titled(altair, bars + label, "The last card that the winner scores", subtitle, 340)


FIGURES: dict[str, Callable[[Any, Sequence[Entry]], Any]] = {
    "fairness": _fairness,
    "swing": _swing,
    "cards": _cards,
    "freezing": _freezing,
    "deciding": _deciding,
}


def _dressed(chart: Any) -> Any:
    """Give a picture the look of all: quiet lines, titles at the left, room around."""
    axis = {
        "domain": False,
        "ticks": False,
        "gridColor": _LINE,
        "labelColor": _INK,
        "labelFontSize": 12,
        "labelPadding": 6,
        "titleColor": _SOFT,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 10,
    }
    title = {
        "anchor": "start",
        "frame": "group",
        "color": _INK,
        "fontSize": 16,
        "offset": 14,
        "subtitleColor": _SOFT,
        "subtitleFontSize": 12.5,
        "subtitlePadding": 5,
    }
    legend = {
        "titleColor": _SOFT,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelColor": _INK,
        "labelFontSize": 12,
    }
    return (
        chart.configure(font="DejaVu Sans, sans-serif", background="#ffffff", padding=16)
        .configure_axis(**axis)
        .configure_title(**title)
        .configure_legend(**legend)
        .configure_view(stroke=None)
        .configure_text(fontSize=11.5)
    )


def draw(entries: Sequence[Entry], folder: Path) -> list[Path]:
    """Save every picture of the atlas in a folder. Raises MissingExtra without Altair."""
    require("Pictures need Altair and vl-convert: pip install 'starfrost[plots]'.", "altair", "vl_convert")
    import altair
    import vl_convert

    folder.mkdir(parents=True, exist_ok=True)
    saved = []
    for name, build in FIGURES.items():
        path = folder / f"atlas-{name}.svg"
        path.write_text(vl_convert.vegalite_to_svg(_dressed(build(altair, entries)).to_json()), encoding="utf-8")
        saved.append(path)
    return saved
