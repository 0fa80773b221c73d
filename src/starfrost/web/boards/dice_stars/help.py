"""Explanations of what lies on a Dice Stars table, by clauses of the rules; a tap shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from starfrost.web.views.rules import clause_html
from starfrost.words import Words, mark

SPACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "space": (mark("How spaces are filled"), ("F1", "F2", "F4", "F5")),
    "star": (mark("How stars count"), ("F3", "G2")),
    "sum": (mark("How a row scores"), ("G2", "G3")),
    "bag": (mark("About the bag"), ("P2", "S1", "S2", "S3")),
    "pile": (mark("About the discard pile"), ("S6", "S1")),
    "penalty": (mark("About the penalty"), ("F6",)),
    "solo": (mark("About the solo grid"), ("L2", "L3", "L4")),
}
"""What lies on the table, each with the clauses of the rules that explain it."""


@dataclass(frozen=True)
class Help:
    """A title and clauses with their ids."""

    id: str
    title: str
    clauses: tuple[tuple[str, Markup], ...]


@lru_cache(maxsize=8)
def board_help(w: Words) -> tuple[Help, ...]:
    """Explain the spaces and places of the table."""
    return tuple(
        Help(kind, w(title), tuple((clause, clause_html("dice-stars", w.language, clause)) for clause in clauses))
        for kind, (title, clauses) in SPACES.items()
    )
