"""What `starfrost analyse` says about an analysis by estimates."""

from collections.abc import Mapping
from typing import Any

from starfrost.cli.registry import Judged
from starfrost.coach.curve import curve_svg
from starfrost.coach.estimate import Estimate
from starfrost.coach.estimate_report import estimate_report, estimate_sentences
from starfrost.games.record import Replay
from starfrost.words import Words


def judged(w: Words, played: Replay, found: Estimate, facts: Mapping[str, Any]) -> Judged:
    """Return the analysis as JSON data, as a report and as a picture."""
    names = played.record.players
    return Judged(
        {**facts, **found.as_json(names)},
        lambda: estimate_report(w, played, found),
        lambda: curve_svg(w, names[0], found, estimate_sentences(w, played, found)),
    )
