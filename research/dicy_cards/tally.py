"""The counts of perfect play, which the code for CPUs (`forward`) and for GPUs (`gpu`, `cuda/`) share."""

from enum import IntEnum
from typing import Final

LEAST: Final = 1e-12
"""Positions less probable than this are not followed; their sum is counted."""

TALLIES: Final = 40
"""The length of a row of tallies."""


class Tally(IntEnum):
    """The counts per game while perfect play is followed: the place of each, or of its first number, in a row."""

    TURNS = 0
    LOST = 1
    """the probability that was not followed"""
    SWING = 2
    """how far the first rolls of the turns move the winning probability"""
    FINAL = 3
    """final scores, by seat"""
    SHARED = 5
    SKIPS = 6
    """by seat"""
    SCORED = 8
    """by seat and card"""
    SACRIFICED = 18
    """frozen for a reroll, by seat and card"""
    DECIDED = 28
    """won with this card as the last score, by seat and card"""
