"""The strength tables as Markdown (for the terminal and the docs) and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from starfrost.lab.statistics import Rating
from starfrost.lab.strength import Outcome, Variant


def strength_tables(
    outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str
) -> dict[str, str]:
    """Return for each game a table of the win rates of all duels and a table of the ratings."""
    games = dict.fromkeys(outcome.variant.game for outcome in outcomes)
    return {
        game: _tables([outcome for outcome in outcomes if outcome.variant.game == game], ratings, anchor)
        for game in games
    }


def _tables(outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str) -> str:
    game = outcomes[0].variant.game
    rows = list(dict.fromkeys(outcome.variant for outcome in outcomes))
    pairs = list(dict.fromkeys(outcome.bots for outcome in outcomes))
    cells = {(outcome.variant, outcome.bots): outcome for outcome in outcomes}
    # Bots are ordered by their first duel as the weaker one.
    names = list(dict.fromkeys(name for at in (1, 0) for outcome in outcomes for name in outcome.bots[at : at + 1]))
    return "\n".join(
        [
            f"**{game}: win rates** in percent, with 95 % intervals; bold where even odds are excluded",
            "",
            *_table(
                ["variant", "games", *(f"{one} – {other}" for one, other in pairs)],
                [
                    [
                        _variant(variant),
                        str(max(outcome.games for outcome in outcomes if outcome.variant == variant)),
                        *(_rate(cells.get((variant, pair))) for pair in pairs),
                    ]
                    for variant in rows
                ],
            ),
            "",
            f"**{game}: ratings**, {anchor} at 0, with 95 % intervals; 400 points are odds of ten to one",
            "",
            *_table(
                ["variant", *names],
                [[_variant(variant), *(_rating(ratings[variant].get(name)) for name in names)] for variant in rows],
            ),
        ]
    )


def strength_json(
    outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str
) -> dict[str, Any]:
    """Return the object that `--json` prints."""
    return {
        "anchor": anchor,
        "duels": [outcome.as_json() for outcome in outcomes],
        "ratings": [
            {**variant.as_json(), "bots": {name: rating._asdict() for name, rating in fitted.items()}}
            for variant, fitted in ratings.items()
        ],
    }


def _variant(variant: Variant) -> str:
    return str(variant).removeprefix(variant.game).strip()


def _rate(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    rate = outcome.win_rate
    text = f"{100 * rate.mean:.1f}"
    return f"{f'**{text}**' if outcome.decided else text} ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _rating(rating: Rating | None) -> str:
    if rating is None:
        return ""
    if rating.low == rating.high:
        return "0"
    return f"{rating.points:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in (head, *rows)
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [lines[0], rule, *lines[1:]]
