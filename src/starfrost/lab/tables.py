"""The strength tables: as Markdown, read in a terminal as it is and shown by the docs, and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from starfrost.lab.statistics import Rating
from starfrost.lab.strength import Outcome, Variant

__all__ = ["strength_json", "strength_tables"]


def strength_tables(outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str) -> str:
    """Write, for each game, the win rates of all duels and the ratings fitted to them."""
    parts = []
    for game in dict.fromkeys(outcome.variant.game for outcome in outcomes):
        here = [outcome for outcome in outcomes if outcome.variant.game == game]
        rows = list(dict.fromkeys(outcome.variant for outcome in here))
        pairs = list(dict.fromkeys(outcome.bots for outcome in here))
        cells = {(outcome.variant, outcome.bots): _rate(outcome) for outcome in here}
        parts += [f"**{game}: win rates**, in percent, with 95 % intervals; bold where even odds are excluded", ""]
        parts += _table(
            ["variant", "games", *(f"{one} – {other}" for one, other in pairs)],
            [
                [
                    _variant(variant),
                    str(max(outcome.games for outcome in here if outcome.variant == variant)),
                    *(cells.get((variant, pair), "") for pair in pairs),
                ]
                for variant in rows
            ],
        )
        names = sorted({name for variant in rows for name in ratings[variant]}, key=_order(here).index)
        parts += ["", f"**{game}: ratings**, {anchor} at 0, with 95 % intervals; 400 points are odds of ten to one", ""]
        parts += _table(
            ["variant", *names],
            [
                [_variant(variant), *(_rating(ratings[variant].get(name), name == anchor) for name in names)]
                for variant in rows
            ],
        )
        parts.append("")
    return "\n".join(parts).rstrip()


def strength_json(
    outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str
) -> dict[str, Any]:
    """Give the object that `--json` prints."""
    return {
        "anchor": anchor,
        "duels": [outcome.as_json() for outcome in outcomes],
        "ratings": [
            {**variant.as_json(), "bots": {name: rating._asdict() for name, rating in fitted.items()}}
            for variant, fitted in ratings.items()
        ],
    }


def _order(outcomes: Sequence[Outcome]) -> list[str]:
    """List the bots from the weakest to the strongest, as the duels pair them."""
    weaker = [outcome.bots[1] for outcome in outcomes]
    stronger = [outcome.bots[0] for outcome in outcomes]
    return list(dict.fromkeys((*weaker, *stronger)))


def _variant(variant: Variant) -> str:
    return str(variant).removeprefix(variant.game).strip()


def _rate(outcome: Outcome) -> str:
    rate = outcome.win_rate
    text = f"{100 * rate.mean:.1f}"
    return f"{f'**{text}**' if outcome.decided else text} ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _rating(rating: Rating | None, anchor: bool) -> str:
    if rating is None:
        return ""
    return "0" if anchor else f"{rating.points:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in (head, *rows)
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]
