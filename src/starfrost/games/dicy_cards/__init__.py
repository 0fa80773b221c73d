"""Dicy Cards: freeze cards to reroll, score them, race to 100."""

from starfrost.games.dicy_cards.cards import CARDS, Card, Effect, check_cards, options
from starfrost.games.dicy_cards.modes import INTERGLACIAL, MODES, Mode, interglacial, mode_cards, mode_of, read_cards
from starfrost.games.dicy_cards.rules import ALL_ACTIVE, GOAL, DicyCards
from starfrost.games.dicy_cards.state import Action, Phase, State

__all__ = [
    "ALL_ACTIVE",
    "CARDS",
    "GOAL",
    "INTERGLACIAL",
    "MODES",
    "Action",
    "Card",
    "DicyCards",
    "Effect",
    "Mode",
    "Phase",
    "State",
    "check_cards",
    "interglacial",
    "mode_cards",
    "mode_of",
    "options",
    "read_cards",
]
