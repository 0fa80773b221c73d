"""The commands; some belong to one game."""

from typing import Final

COMMANDS: Final = {
    "analyse": "dicy_cards.analyse",
    "atlas": "dicy_cards.atlas",
    "play": "play",
    "puzzle": "dicy_cards.puzzle",
    "replay": "replay",
    "serve": "serve",
    "simulate": "simulate",
    "solve": "dicy_cards.solve",
    "strength": "strength",
    "train": "train",
    "verify": "verify",
}
"""The module of each command; it defines a function of the command's name."""
