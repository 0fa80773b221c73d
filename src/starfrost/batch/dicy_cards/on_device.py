"""Games of Dicy Cards on a device of JAX, with the results of the compiled ones."""

from collections.abc import Sequence

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.dicy_cards.device_light import Played, play_light
from starfrost.batch.dicy_cards.device_play import play_planned
from starfrost.batch.on_device import device_of
from starfrost.games.dicy_cards import DicyCards


def play_all(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Sequence[Keys], name: str) -> Played:
    """Play games to the end on the device of this name."""
    play = play_light if {"random", "greedy"} >= set(bots) else play_planned
    return play(game, bots, dice, np.stack(luck, axis=1), device_of(name))
