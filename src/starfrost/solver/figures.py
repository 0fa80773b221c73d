"""Pictures of the atlas, drawn with Altair and saved as SVG."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from starfrost.errors import MissingExtra
from starfrost.games.dicy_cards import CARDS
from starfrost.solver.atlas import Entry

__all__ = ["FIGURES", "card_means", "draw"]

_BLUE, _ORANGE, _GREY = "#1769aa", "#c2410c", "#5b6b7a"


def card_means(entries: Sequence[Entry], field: str) -> dict[str, float]:
    """Average a figure by card over both seats and all sets that hold the card; `field` is without the seat."""
    sums: dict[str, list[float]] = {card: [] for card in CARDS}
    for entry in entries:
        for seat in (1, 2):
            for card, value in zip(entry.cards, getattr(entry, f"{field}_{seat}"), strict=True):
                sums[card].append(value)
    return {card: mean(values) for card, values in sums.items() if values}


def _chart(altair: Any, rows: list[dict[str, Any]], title: str, height: int = 300) -> Any:
    return altair.Chart(altair.Data(values=rows), title=title, width=620, height=height)


def _fairness(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [{"wins": 100 * entry.first_player_wins} for entry in entries]
    return (
        _chart(altair, rows, "How often the first player wins, over the 792 sets")
        .mark_bar(color=_BLUE)
        .encode(
            altair.X("wins:Q").bin(step=0.5).title("first player wins, in per cent"),
            altair.Y("count()").title("number of sets"),
        )
    )


def _swing(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [{"turns": entry.turns, "swing": entry.swing, "wins": 100 * entry.first_player_wins} for entry in entries]
    scale = altair.Scale(zero=False)
    return (
        _chart(altair, rows, "The length of a game, its swing, and how fair it is: one dot a set")
        .mark_circle(opacity=0.7, size=38)
        .encode(
            altair.X("turns:Q", scale=scale).title("expected turns"),
            altair.Y("swing:Q", scale=scale).title("swing of the first rolls, per game"),
            altair.Color("wins:Q").scale(scheme="blueorange", reverse=True).title("first player wins, %"),
        )
    )


def _cards(altair: Any, entries: Sequence[Entry]) -> Any:
    kinds = {"scored": "scored", "sacrificed": "frozen for a reroll"}
    rows = [
        {"card": card, "times": value, "use": label}
        for field, label in kinds.items()
        for card, value in card_means(entries, field).items()
    ]
    colours = altair.Scale(domain=list(kinds.values()), range=[_BLUE, _ORANGE])
    return (
        _chart(altair, rows, "What perfect play does with a card, times per game and player")
        .mark_bar()
        .encode(
            altair.Y("card:N").sort("-x").title(None),
            altair.X("times:Q").title("times per game and player"),
            altair.Color("use:N", scale=colours).title(None),
        )
    )


def _freezing(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [
        {"card": card, "cost": 100 * value}
        for entry in entries
        for card, value in zip(entry.cards, entry.frozen_1, strict=True)
    ]
    means = card_means(entries, "frozen")
    return (
        _chart(altair, rows, "What a frozen card costs the first player at the start of the game")
        .mark_boxplot(color=_BLUE, extent="min-max")
        .encode(
            altair.Y("card:N").sort(sorted(CARDS, key=lambda card: -means.get(card, 0.0))).title(None),
            altair.X("cost:Q").title("winning chance lost, in points of a hundred; each box is the 330 sets of a card"),
        )
    )


def _deciding(altair: Any, entries: Sequence[Entry]) -> Any:
    rows = [{"card": card, "share": 200 * value} for card, value in card_means(entries, "decides").items()]
    return (
        _chart(altair, rows, "The last card that the winner scores")
        .mark_bar(color=_GREY)
        .encode(
            altair.Y("card:N").sort("-x").title(None),
            altair.X("share:Q").title("per cent of the games in which the card is on the table"),
        )
    )


FIGURES: dict[str, Callable[[Any, Sequence[Entry]], Any]] = {
    "fairness": _fairness,
    "swing": _swing,
    "cards": _cards,
    "freezing": _freezing,
    "deciding": _deciding,
}


def draw(entries: Sequence[Entry], folder: Path) -> list[Path]:
    """Save every picture of the atlas in a folder. Raises MissingExtra without Altair."""
    try:
        import altair
        import vl_convert
    except ModuleNotFoundError as error:
        raise MissingExtra("Pictures need Altair and vl-convert: pip install 'starfrost[plots]'.") from error
    folder.mkdir(parents=True, exist_ok=True)
    saved = []
    for name, build in FIGURES.items():
        chart = build(altair, entries).configure(font="DejaVu Sans, sans-serif", background="#ffffff")
        path = folder / f"atlas-{name}.svg"
        path.write_text(vl_convert.vegalite_to_svg(chart.to_json()), encoding="utf-8")
        saved.append(path)
    return saved
