"""The strength tables as Markdown (for the terminal and the docs) and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from starfrost.lab.statistics import Rating
from starfrost.lab.strength import Outcome, Variant


def strength_tables(
    outcomes: Sequence[Outcome], ratings: Mapping[Variant, Mapping[str, Rating]], anchor: str
) -> dict[str, str]:
    """Return for each game a table of the win rates of all duels and a table of the ratings."""
    tables = {}
    for game in dict.fromkeys(outcome.variant.game for outcome in outcomes):
        here = [outcome for outcome in outcomes if outcome.variant.game == game]
        pairs = list(dict.fromkeys(outcome.bots for outcome in here))
        # Bots are ordered by their first duel as the weaker one.
        names = list(dict.fromkeys([outcome.bots[at] for at in (1, 0) for outcome in here]))
        rates = [["variant", "games", *(f"{one} – {other}" for one, other in pairs)]]
        points = [["variant", *names]]
        for variant in dict.fromkeys(outcome.variant for outcome in here):
            duels = {outcome.bots: outcome for outcome in here if outcome.variant == variant}
            title = str(variant).removeprefix(game).strip()
            most = max(outcome.games for outcome in duels.values())
            rates.append([title, str(most), *(_rate(duels.get(pair)) for pair in pairs)])
            points.append([title, *(_rating(ratings[variant].get(name)) for name in names)])
        # A game may have other bots than the anchor, and then another one is at 0.
        zero = dict.fromkeys(
            name
            for variant, fitted in ratings.items()
            if variant.game == game
            for name in fitted
            if _is_zero(fitted[name])
        )
        at_zero = anchor if anchor in zero else next(iter(zero), anchor)
        parts = (
            f"**{game}: win rates** in percent, with 95% intervals; bold where even odds are excluded",
            _table(rates),
            f"**{game}: ratings**, {at_zero} at 0, with 95% intervals; 400 points are odds of ten to one",
            _table(points),
        )
        tables[game] = "\n\n".join(parts)
    return tables


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


def _rate(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    rate = outcome.win_rate
    text = f"{100 * rate.mean:.1f}"
    return f"{f'**{text}**' if outcome.decided else text} ({100 * rate.low:.1f} to {100 * rate.high:.1f})"


def _rating(rating: Rating | None) -> str:
    if rating is None:
        return ""
    if _is_zero(rating):
        return "0"
    return f"{rating.points:+.0f} ({rating.low:+.0f} to {rating.high:+.0f})"


def _is_zero(rating: Rating) -> bool:
    """Return whether the other ratings count from this one."""
    return rating.low == rating.high


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in rows]
    return "\n".join([lines[0], rule, *lines[1:]])
