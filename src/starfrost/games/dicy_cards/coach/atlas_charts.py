"""Pictures of the atlas, drawn with Altair and saved as SVG."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from starfrost.errors import require
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.coach.atlas import Entry, card_means

_BLUE, _ORANGE, _PALE, _INK, _SOFT, _LINE = "#1769aa", "#c2410c", "#a9c8e2", "#1d2b3a", "#5b6b7a", "#e4eaf0"

_TEXTS: Final = {
    "titleColor": _SOFT,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "labelColor": _INK,
    "labelFontSize": 12,
}
_AXIS: Final = {**_TEXTS, "domain": False, "ticks": False, "gridColor": _LINE, "labelPadding": 6, "titlePadding": 10}
_TITLE: Final = {"anchor": "start", "frame": "group", "color": _INK, "fontSize": 16, "offset": 14}
_SUBTITLE: Final = {"subtitleColor": _SOFT, "subtitleFontSize": 12.5, "subtitlePadding": 5}


def _falling(means: dict[str, float]) -> list[str]:
    return sorted(means, key=lambda card: -means[card])


def _sets(entries: Sequence[Entry]) -> str:
    return f"{len(entries)} sets of five cards" if len(entries) != 1 else " ".join(entries[0].cards)


def _titled(alt: Any, chart: Any, title: str, subtitle: str, height: int = 340) -> Any:
    return chart.properties(width=640, height=height, title=alt.Title(title, subtitle=subtitle))


def _base(alt: Any, rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.Data(values=rows))


def _fairness(alt: Any, entries: Sequence[Entry]) -> Any:
    rows = [{"wins": 100 * entry.first_player_wins} for entry in entries]
    behind = sum(entry.first_player_wins < 0.5 for entry in entries)
    # An even number below the least fair set, and space for the text beside the line.
    low, high = 2 * int(min(row["wins"] for row in rows) // 2), max(52.5, *(row["wins"] + 2.5 for row in rows))
    scale = alt.Scale(domain=[low, high], nice=False)
    ticks = {"values": list(range(low, int(high), 2)), "labelExpr": "format(datum.value, 'd') + ' %'"}
    x = alt.X("wins:Q", scale=scale).bin(step=0.5).axis(grid=False, **ticks).title(None)
    bars = _base(alt, rows).mark_bar(color=_BLUE, binSpacing=1).encode(x, alt.Y("count()").title("number of sets"))
    even = _base(alt, [{"even": 50, "text": "an even game"}])
    rule = even.mark_rule(color=_ORANGE, strokeDash=[5, 4], strokeWidth=1.5).encode(alt.X("even:Q", scale=scale))
    label = even.mark_text(color=_ORANGE, align="left", dx=7, y=8).encode(alt.X("even:Q"), alt.Text("text:N"))
    share = f"all {behind} sets" if behind == len(entries) else f"{behind} of {len(entries)} sets"
    title = f"Going first is a disadvantage in {share if len(rows) > 1 or not behind else 'this set'}"
    subtitle = "how often the first player wins under perfect play by both"
    return _titled(alt, bars + rule + label, title, subtitle, 320)


def _swing(alt: Any, entries: Sequence[Entry]) -> Any:
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
    named = _base(alt, [{**row, "mode": str(row["mode"]).capitalize()} for row in rows if row["mode"]])
    scale = alt.Scale(zero=False)
    turns = alt.X("turns:Q", scale=scale).axis(tickCount=7, labelFlush=False)
    x = turns.title("expected turns, both players together")
    y = alt.Y("swing:Q", scale=scale).title("swing of the first rolls, per game")
    colours = alt.Scale(domain=[32, 43, 50], range=[_ORANGE, "#e8c49c", _BLUE], interpolate="rgb")
    wins = alt.Color("wins:Q", scale=colours).title("first player wins, %")
    dots = _base(alt, rows).mark_circle(opacity=0.65, size=42).encode(x, y, wins)
    rings = named.mark_point(color=_INK, size=110, strokeWidth=1.6).encode(x, y)
    bold = {"fontSize": 13, "fontWeight": "bold", "color": _INK, "stroke": "#fff", "strokeWidth": 0.4}
    label = named.mark_text(align="right", dx=-10, dy=-8, **bold).encode(x, y, alt.Text("mode:N"))
    subtitle = "one dot a set of five cards; the modes by name"
    return _titled(alt, dots + rings + label, "Length, swing and fairness", subtitle, 360)


def _cards(alt: Any, entries: Sequence[Entry]) -> Any:
    kinds = {"sacrificed": ("frozen for a reroll", -1), "scored": ("scored", 1)}
    rows: list[dict[str, Any]] = [
        {"card": card, "times": sign * value, "use": label, "said": f"{value:.2f}"}
        for field, (label, sign) in kinds.items()
        for card, value in card_means(entries, field).items()
    ]
    colours = alt.Scale(domain=[label for label, _ in kinds.values()], range=[_ORANGE, _BLUE])
    y = alt.Y("card:N").sort(_falling(card_means(entries, "scored"))).title(None)
    x = alt.X("times:Q", scale=alt.Scale(domain=[-2, 2.4], nice=False)).axis(None)
    use = alt.Color("use:N", scale=colours).title(None).legend(orient="top", offset=2)
    bars = _base(alt, rows).mark_bar(height=17).encode(y, x, use)
    right = _base(alt, [row for row in rows if row["times"] >= 0]).mark_text(align="left", dx=5, color=_SOFT)
    left = _base(alt, [row for row in rows if row["times"] < 0]).mark_text(align="right", dx=-5, color=_SOFT)
    labels = [side.encode(y, x, alt.Text("said:N")) for side in (right, left)]
    subtitle = f"times per game and player under perfect play, mean over {_sets(entries)}"
    return _titled(alt, alt.layer(bars, *labels), "What perfect play does with a card", subtitle)


def _freezing(alt: Any, entries: Sequence[Entry]) -> Any:
    rows = [
        {"card": card, "cost": 100 * value}
        for entry in entries
        for costs in (entry.frozen_1, entry.frozen_2)
        for card, value in zip(entry.cards, costs, strict=True)
    ]
    y = alt.Y("card:N").sort(_falling(card_means(entries, "frozen"))).title(None)
    cost = alt.X("cost:Q", scale=alt.Scale(domainMin=0)).axis(tickCount=8)
    x = cost.title("points of a hundred of winning chance")
    parts = {"box": {"color": _PALE}, "median": {"color": _BLUE, "strokeWidth": 2.5}, "rule": {"color": _SOFT}}
    boxes = _base(alt, rows).mark_boxplot(extent="min-max", size=15, **parts).encode(y, x)
    subtitle = f"both seats, {_sets(entries)}: all, the middle half, the median"
    return _titled(alt, boxes, "What it costs to start with a card frozen", subtitle)


def _deciding(alt: Any, entries: Sequence[Entry]) -> Any:
    # The mean is per seat; the share is that of both players.
    shares = {card: 200 * value for card, value in card_means(entries, "decides").items()}
    base = _base(alt, [{"card": card, "share": share, "said": f"{share:.1f}%"} for card, share in shares.items()])
    y = alt.Y("card:N").sort(_falling(shares)).title(None)
    x = alt.X("share:Q").axis(None)
    bars = base.mark_bar(color=_BLUE, height=17).encode(y, x)
    label = base.mark_text(align="left", dx=5, color=_SOFT).encode(y, x, alt.Text("said:N"))
    subtitle = f"share of the games in which the card is on the table, {_sets(entries)}"
    return _titled(alt, bars + label, "The last card that the winner scores", subtitle)


FIGURES: Final[dict[str, Callable[[Any, Sequence[Entry]], Any]]] = {
    "fairness": _fairness,
    "swing": _swing,
    "cards": _cards,
    "freezing": _freezing,
    "deciding": _deciding,
}


def _styled(chart: Any) -> Any:
    return (
        chart.configure(font="DejaVu Sans, sans-serif", background="#ffffff", padding=16)
        .configure_axis(**_AXIS)
        .configure_title(**_TITLE, **_SUBTITLE)
        .configure_legend(**_TEXTS)
        .configure_view(stroke=None)
        .configure_text(fontSize=11.5)
    )


def draw(entries: Sequence[Entry], folder: Path) -> list[Path]:
    """Save every picture of the atlas in a folder. Raises MissingExtra without Altair."""
    require("Pictures need Altair and vl-convert: pip install 'starfrost[plots]'.", "altair", "vl_convert")
    import altair
    import vl_convert

    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"atlas-{name}.svg" for name in FIGURES}
    for name, path in paths.items():
        chart = _styled(FIGURES[name](altair, entries))
        path.write_text(vl_convert.vegalite_to_svg(chart.to_json()), encoding="utf-8")
    return list(paths.values())
