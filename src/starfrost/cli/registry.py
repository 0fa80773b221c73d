"""The commands; some belong to one game."""

from typing import Final

from starfrost.errors import mark

COMMANDS: Final = {
    "analyse": (
        "dicy_cards.analyse",
        mark("Judge a game: every decision's loss, every roll's luck, the three costliest decisions, the curve."),
    ),
    "atlas": (
        "dicy_cards.atlas",
        mark("Browse the solved sets: who wins, how long a game lasts, what each card is for."),
    ),
    "play": (
        "play",
        mark("Play in the terminal, against bots or with friends; every game is saved and can be resumed."),
    ),
    "puzzle": (
        "dicy_cards.puzzle",
        mark("Solve a puzzle: choose the best action, then see how good each choice is."),
    ),
    "replay": ("replay", mark("Read records and check every event; exit status 1 if any record is faulty.")),
    "serve": ("serve", mark("Open tables for people and bots, in the browser and through the JSON interface.")),
    "simulate": (
        "simulate",
        mark("Play many games between bots: wins, shared wins, scores and turns, with 95 % intervals."),
    ),
    "solve": (
        "dicy_cards.solve",
        mark("Solve two-player Dicy Cards for a set of cards and keep the result in the cache folder."),
    ),
    "strength": (
        "strength",
        mark("Play all bots against each other, in every variant and at every size of table: win rates and ratings."),
    ),
    "train": ("train", mark("Train by self-play, on a GPU where JAX finds one.")),
    "verify": ("verify", mark("Prove that no die was rigged; exit status 1 if any record does not prove it.")),
}
"""The module of each command, which defines a function of the command's name, and its help text."""
