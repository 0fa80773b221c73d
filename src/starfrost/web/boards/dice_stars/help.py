"""Explanations of what lies on a Dice Stars table, by clauses of the rules; a tap shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from starfrost.web.views.rules import RulesClause, rules_clause
from starfrost.words import Words, mark

SPACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "space": (mark("How spaces are filled"), ("F1", "F2", "F4", "F5")),
    "star": (mark("How stars count"), ("F3", "G2")),
    "sum": (mark("How a row scores"), ("G2", "G3", "G1")),
    "bag": (mark("About the bag"), ("P2", "S1", "S2", "S3", "S4")),
    "pile": (mark("About the discard pile"), ("S6", "S1")),
    "penalty": (mark("About the penalty"), ("F6", "G1")),
    "solo": (mark("About the solo grid"), ("L2", "L3", "L4", "L5")),
}
"""What lies on the table, each with the clauses of the rules that explain it."""


@dataclass(frozen=True)
class Help:
    """A title and clauses."""

    id: str
    title: str
    clauses: tuple[RulesClause, ...]


@lru_cache(maxsize=8)
def board_help(w: Words) -> tuple[Help, ...]:
    """Explain the spaces and places of the table."""
    return tuple(
        Help(kind, w(title), tuple(rules_clause("dice-stars", w.language, clause) for clause in clauses))
        for kind, (title, clauses) in SPACES.items()
    )
