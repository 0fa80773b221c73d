"""The estimated analysis of a game of Dice Stars, for `starfrost analyse`."""

from pathlib import Path

from starfrost.cli.registry import Judged
from starfrost.games.record import Replay
from starfrost.pool import one_thread
from starfrost.words import Words


def judge(w: Words, file: Path, played: Replay, quiet: bool) -> Judged:
    """Judge a game by the network of `strong` and rollouts."""
    one_thread()
    from starfrost.coach.curve import curve_svg
    from starfrost.coach.dice_stars import analyse
    from starfrost.coach.estimate_report import estimate_report, estimate_sentences

    found = analyse(played)
    return Judged(
        found.as_json(played.record.players),
        lambda: estimate_report(w, played, found),
        lambda: curve_svg(w, played.record.players[0], found, estimate_sentences(w, played, found)),
    )
