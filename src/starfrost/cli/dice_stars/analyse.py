"""The estimated analysis of a game of Dice Stars, for `starfrost analyse`."""

from pathlib import Path

from starfrost.cli.registry import Judged, official_only
from starfrost.games.record import Replay
from starfrost.pool import one_thread
from starfrost.words import Words


def judge(w: Words, file: Path, played: Replay, quiet: bool) -> Judged:
    """Judge a game by the network of `strong` and rollouts. Raises UsageError for a variant."""
    official_only(played)
    one_thread()
    from starfrost.cli.estimates import judged
    from starfrost.coach.dice_stars import analyse

    return judged(w, played, analyse(played), {})
