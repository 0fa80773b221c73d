"""Dicy Cards: freeze cards to reroll, score them, race to 100."""

from starfrost.games.dicy_cards.cards import CARDS, FACES, Card, Pattern, card_of, check_cards, in_order, options
from starfrost.games.dicy_cards.effects import (
    ALL_ACTIVE,
    CARDS_IN_A_GAME,
    MASKS,
    Change,
    Effect,
    affected_seats,
    rank,
    result,
    turned_over,
)
from starfrost.games.dicy_cards.modes import INTERGLACIAL, MODES, Mode, interglacial, mode_cards, mode_of, read_cards
from starfrost.games.dicy_cards.rules import GOAL, DicyCards
from starfrost.games.dicy_cards.state import Action, Phase, State

__all__ = [
    "ALL_ACTIVE",
    "CARDS",
    "CARDS_IN_A_GAME",
    "FACES",
    "GOAL",
    "INTERGLACIAL",
    "MASKS",
    "MODES",
    "Action",
    "Card",
    "Change",
    "DicyCards",
    "Effect",
    "Mode",
    "Pattern",
    "Phase",
    "State",
    "affected_seats",
    "card_of",
    "check_cards",
    "in_order",
    "interglacial",
    "mode_cards",
    "mode_of",
    "options",
    "rank",
    "read_cards",
    "result",
    "turned_over",
]
