"""Weights of your own as a bot, for any command that plays games:

    PYTHONPATH=. starfrost simulate dice-stars --bots examples.trained_bot:Trained,strong --swap-seats --jobs 2

The weights are those that `starfrost train dice-stars --out FOLDER` writes. The environment variable TRAINING names the
folder; the default is `training`. On a cluster every machine needs it.
"""

import os
from pathlib import Path
from random import Random
from typing import Any

from starfrost.games.dice_stars.bots.network import read
from starfrost.games.dice_stars.bots.strong import DiceStarsStrong


class Trained(DiceStarsStrong):
    """`strong` with other weights, for the numbers of players that were trained."""

    name = "trained"

    def __init__(self) -> None:
        folder = Path(os.environ.get("TRAINING", "training"))
        self.trained = {int(path.stem[-1]): read(path) for path in folder.glob("dice-stars-[1-4].npz")}
        if not self.trained:
            raise FileNotFoundError(f"there are no weights in {folder}")
        super().__init__(self.trained)

    def choose(self, game: Any, state: Any, rng: Random) -> Any:
        """Return the action with the highest value."""
        if game.seats not in self.trained:
            raise FileNotFoundError(f"there are no weights for {game.seats} players")
        return super().choose(game, state, rng)
