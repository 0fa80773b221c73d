"""The trainer of `master` for `learning.registry`."""

from pathlib import Path
from typing import Final

from starfrost.errors import mark
from starfrost.learning.registry import Trainer


def _run(players: str, minutes: str, out: Path, resume: bool, seed: int, sets: int = 48) -> None:
    from starfrost.learning.dicy_cards.train import run

    run(players or "3,4", minutes, out, resume, seed, sets)


KIT: Final = Trainer(_run, {"sets": (int, mark("sets of cards to learn with, the modes first; default: 48"))})
