"""How seats answer an effect: which of its own cards an affected seat gives up or takes back (T4, T5, T8, T9).

Everybody is taken to keep the cards with the most points to come, or, with one last turn to play, the best chance
to pass the leader in it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS, DicyCards, Effect, affected_seats, turned_over
from starfrost.players.dicy_cards.prospects import prospects

__all__ = ["Table", "after_score", "after_skip", "best_answer"]


class Table(NamedTuple):
    """The cards and points at a table as a turn ends."""

    game: DicyCards
    seat: int
    """Whose turn it is."""
    scores: tuple[int, ...]
    active: tuple[int, ...]


def best_answer(table: Table, seat: int, choices: Sequence[int]) -> int:
    """Choose, of some sets of active cards, the one that a seat would rather have."""
    game, turn, scores, _ = table
    if len(choices) == 1:
        return choices[0]
    book = prospects(game.cards, game.seats)
    to_play = seat > turn
    best = max(score for other, score in enumerate(scores) if other != seat)
    if to_play and best >= game.goal:
        need = best - scores[seat]
        return max(choices, key=lambda cards: float(book.reaches(cards, need) + book.reaches(cards, need + 1)))
    turns = min(int(max(game.goal - max(scores), 0) / book.pace) + to_play, len(book.points) - 1)
    return max(choices, key=lambda cards: float(book.points[turns, cards]))


def after_score(table: Table, card: str) -> tuple[int, ...]:
    """Return every seat's active cards after a card's effect, the acting seat's own unchanged."""
    return _answered(table, CARDS[card].effect)


def after_skip(table: Table) -> tuple[int, ...]:
    """Return every seat's active cards after a skip: all of the acting seat's, one more of each other seat (T5)."""
    active = list(_answered(table, Effect.OTHERS_RESET))
    active[table.seat] = ALL_ACTIVE
    return tuple(active)


def _answered(table: Table, effect: Effect) -> tuple[int, ...]:
    """Let the affected seats freeze or reset one card each, where they have one."""
    active = list(table.active)
    for seat in affected_seats(effect, table.seat, len(table.scores)):
        active[seat] = best_answer(table, seat, turned_over(active[seat], effect.change))
    return tuple(active)
