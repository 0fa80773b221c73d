"""The twelve cards (C1 to C12): their selections, their points and the seats they affect."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from starfrost.errors import UsageError, quoted
from starfrost.games.dice import subsets
from starfrost.games.dicy_cards.effects import CARDS_IN_A_GAME, Effect

DICE = 6


@dataclass(frozen=True)
class Card:
    """One kind of card. `fits(selection, dice)` tells whether a selection from the six dice satisfies it."""

    id: str
    clause: str
    fits: Callable[[str, str], bool]
    points: Callable[[str], int]
    effect: Effect = Effect.NONE


def _sum(selection: str) -> int:
    return sum(map(int, selection))


def _distinct(selection: str) -> bool:
    return len(set(selection)) == len(selection)


def _alike(selection: str) -> bool:
    return len(set(selection)) == 1


def _consecutive(selection: str) -> bool:
    return len(selection) >= 2 and _distinct(selection) and int(selection[0]) - int(selection[-1]) == len(selection) - 1


def _two_pairs(selection: str) -> bool:
    return len(selection) == 4 and selection[0] == selection[1] != selection[2] == selection[3]


CARDS: dict[str, Card] = {
    card.id: card
    for card in (
        Card("any-two", "C1", lambda chosen, _: len(chosen) == 2, _sum, Effect.NEIGHBOURS_FREEZE),
        Card("no-sixes", "C2", lambda chosen, _: len(chosen) == 6 and "6" not in chosen, _sum),
        Card("odds", "C3", lambda chosen, _: set(chosen) <= set("135"), _sum),
        Card("straight", "C4", lambda chosen, _: _consecutive(chosen), _sum),
        Card("two-pairs", "C5", lambda chosen, _: _two_pairs(chosen), _sum),
        Card("sixes", "C6", lambda chosen, _: set(chosen) == {"6"}, _sum, Effect.NEIGHBOURS_RESET),
        Card(
            "double-pair", "C7", lambda chosen, _: len(chosen) == 2 and _alike(chosen), lambda chosen: 2 * _sum(chosen)
        ),
        Card("three-lowest", "C8", lambda chosen, dice: chosen == dice[-3:], _sum, Effect.OTHERS_FREEZE),
        Card("distinct-fours", "C9", lambda chosen, _: _distinct(chosen), lambda chosen: 4 * len(chosen)),
        Card("distinct-sum", "C10", lambda chosen, _: len(chosen) <= 5 and _distinct(chosen), _sum),
        Card("forty-minus", "C11", lambda chosen, _: len(chosen) == 6, lambda chosen: 40 - _sum(chosen)),
        Card("same-fives", "C12", lambda chosen, _: _alike(chosen), lambda chosen: 5 * len(chosen)),
    )
}
"""The cards by id, in the order of their clauses."""


@cache
def options(card_id: str, dice: str) -> tuple[tuple[str, int], ...]:
    """List the selections from six dice (highest first) that satisfy a card, with their points, the best first."""
    card = CARDS[card_id]
    found = [(chosen, card.points(chosen)) for chosen in subsets(dice) if card.fits(chosen, dice)]
    return tuple(sorted(found, key=lambda option: -option[1]))


def check_cards(cards: tuple[str, ...]) -> tuple[str, ...]:
    """Return the five cards unchanged (D3, D8). Raises UsageError unless they are five different existing cards."""
    for card in cards:
        if card not in CARDS:
            raise UsageError(
                "There is no card %(card)s; expected five of %(cards)s.",
                "cards",
                card=quoted(card),
                cards=", ".join(CARDS),
            )
    if len(cards) != CARDS_IN_A_GAME or len(set(cards)) != len(cards):
        different = len(set(cards))
        raise UsageError(
            "Expected five different cards, not %(different)s: %(cards)s.",
            "cards",
            different=different,
            cards=quoted(" ".join(cards)),
        )
    return cards
