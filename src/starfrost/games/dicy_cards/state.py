"""Positions and actions of Dicy Cards: small immutable values."""

from enum import IntEnum
from typing import NamedTuple


class Phase(IntEnum):
    """The event that a position waits for."""

    ROLL = 0
    """chance: the first roll of a turn (T1)"""
    ACT = 1
    """the seat whose turn it is: reroll, score or skip (T2, T3)"""
    REROLL = 2
    """chance: the dice being rolled again (T2)"""
    FREEZE = 3
    """an affected seat freezes one active card (T8)"""
    RESET = 4
    """an affected seat resets one frozen card (T5, T8)"""
    OVER = 5


class State(NamedTuple):
    """A position. Two equal positions have the same future."""

    phase: Phase
    seat: int
    """the seat whose turn it is"""
    dice: str
    """the dice on the table, highest first; during a reroll only the kept ones; empty between turns"""
    scores: tuple[int, ...]
    active: tuple[int, ...]
    """the active cards of each seat: bit i stands for the game's i-th card"""
    affected: tuple[int, ...] = ()
    """the seats still to freeze or reset a card; the first one acts (T9)"""


class Action(NamedTuple):
    """A decision or a roll; the verbs are those of the records."""

    verb: str
    card: str = ""
    dice: str = ""

    def __str__(self) -> str:
        """Return the record notation."""
        if self.verb == "reroll":
            return f"reroll {self.dice} freeze {self.card}"
        if self.verb == "roll":
            return self.dice
        return " ".join(filter(None, self))
