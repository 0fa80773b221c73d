"""The trainer of `strong` for `learning.registry`."""

from pathlib import Path
from typing import Final

from starfrost.errors import mark
from starfrost.learning.registry import Trainer


def _run(players: str, minutes: str, out: Path, resume: bool, seed: int, hidden: str = "") -> None:
    from starfrost.learning.dice_stars.train import run

    run(players or "1,2,3,4", minutes, out, resume, seed, hidden)


def _draw(out: Path) -> Path:
    from starfrost.learning.curves import draw

    return draw(out)


KIT: Final = Trainer(_run, {"hidden": (str, mark("sizes of the two hidden layers, such as 512,128"))}, _draw)
