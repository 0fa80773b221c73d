"""A model of the choices of affected seats: which card a seat freezes or resets (T4, T5, T8, T9).

Every seat is assumed to keep the cards with the most expected points or, before its last turn, the best chance to pass
the leader in it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from starfrost.games.dicy_cards import ALL_ACTIVE, DicyCards, Effect, affected_seats, card_of, turned_over
from starfrost.games.dicy_cards.bots.prospects import prospects


class EndOfTurn(NamedTuple):
    """The cards and points of all seats at the end of a turn."""

    game: DicyCards
    seat: int
    """The seat whose turn it is."""
    scores: tuple[int, ...]
    active: tuple[int, ...]


def best_answer(end: EndOfTurn, seat: int, choices: Sequence[int]) -> int:
    """Return the best of some sets of active cards for a seat."""
    game, turn, scores, _ = end
    if len(choices) == 1:
        return choices[0]
    book = prospects(game.kinds, game.seats)
    to_play = seat > turn
    best = max(score for other, score in enumerate(scores) if other != seat)
    if to_play and best >= game.goal:
        need = best - scores[seat]
        return max(choices, key=lambda cards: book.reach(cards, need) + book.reach(cards, need + 1))
    turns = min(int(max(game.goal - max(scores), 0) / book.pace) + to_play, len(book.points) - 1)
    return max(choices, key=lambda cards: book.points[turns][cards])


def after_score(end: EndOfTurn, kind: str) -> tuple[int, ...]:
    """Return every seat's active cards after a card's effect; the acting seat's own are unchanged."""
    return _answered(end, card_of(kind).effect)


def after_skip(end: EndOfTurn) -> tuple[int, ...]:
    """Return every seat's active cards after a skip: all for the acting seat, one more for each other seat (T5)."""
    active = list(_answered(end, Effect.OTHERS_RESET))
    active[end.seat] = ALL_ACTIVE
    return tuple(active)


def _answered(end: EndOfTurn, effect: Effect) -> tuple[int, ...]:
    """Return the active cards after each affected seat froze or reset one card, if it has one."""
    active = list(end.active)
    for seat in affected_seats(effect, end.seat, len(end.scores)):
        active[seat] = best_answer(end, seat, turned_over(active[seat], effect.change))
    return tuple(active)
