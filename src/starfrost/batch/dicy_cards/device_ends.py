"""What `planner` and `perfect` expect on a device of JAX: the values of the ways to end a turn, and their answers.

They are those of `ends` and `play`, for all games of a batch at once: arrays have the games along the last axis. The
seat whose turn it is, and the one that answers, is the same in all games.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from starfrost.batch.dicy_cards.device_turns import Cards, card_bits, first_of
from starfrost.batch.on_device import jax
from starfrost.dice.card_set import ANSWERS
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change, DicyCards, rank, result
from starfrost.players.dicy_cards.outlook import LATE, SWING
from starfrost.players.dicy_cards.prospects import prospects
from starfrost.solver.adviser import translated
from starfrost.solver.shared import NEAR as EXACT
from starfrost.solver.values import Values
from starfrost.vector.arrays import Array, popcount

jnp = jax.numpy

NEEDED, NEED = 192, 48
"""Room for the rows of the planner's tables, which differ from set to set."""


class Table(NamedTuple):
    """The points and cards of all seats, by seat and game, and the seat whose turn it is."""

    scores: Array
    active: Array
    seat: Array

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.scores.shape[0])

    def at(self, place: int) -> Array:
        """Return the seat at a place, counted from the one whose turn it is."""
        return (self.seat + place) % self.seats


class Book(NamedTuple):
    """What the planner knows about a set of cards (`players.dicy_cards.prospects`)."""

    needed: Array
    most: Array
    """The last row of `needed`; others fill it up."""
    lead: Array
    reach: Array
    points: Array
    pace: Array


@lru_cache(maxsize=64)
def book_of(game: DicyCards) -> Book:
    """Return the planner's tables of a setup."""
    found = prospects(game.kinds, game.seats)
    most, needs = len(found.needed) - 1, found.reach.shape[1]
    return Book(
        np.pad(found.needed, ((0, max(0, NEEDED - most - 1)), (0, 0)), "edge"),
        np.array(most, np.int32),
        found.lead,
        np.pad(found.reach, ((0, 0), (0, max(0, NEED - needs)))),
        found.points,
        np.array(found.pace),
    )


def _turns(book: Book, points: Array, mask: Array) -> Array:
    beyond = jnp.maximum(points, book.most) - book.most
    return book.needed[jnp.clip(points, 0, book.most), mask] + beyond / book.pace


def _passes(book: Book, mask: Array, need: Array) -> Array:
    """Return twice the chance to pass a score in one turn; of ties one half counts."""
    last = book.reach.shape[1] - 1
    return book.reach[mask, jnp.clip(need, 0, last)] + book.reach[mask, jnp.clip(need + 1, 0, last)]


def _lead(book: Book, rounds: Array, extra: Array, other: Array, own: Array) -> Array:
    length = (book.lead.shape[0] - extra + 1) // 2
    within = jnp.clip(rounds, 0.0, length - 1.001)
    whole = within.astype(np.int32)
    part, row = within - whole, extra + 2 * whole
    return book.lead[row, other, own] * (1 - part) + book.lead[row + 2, other, own] * part


def planned_answer(cards: Cards, book: Book, table: Table, seat: Array, mask: Array, change: Array) -> Array:
    """Return the card that the planner turns over for a seat (`play.planned_answer`)."""
    scores = table.scores
    to_play = (seat > table.seat).astype(np.int32)
    best = jnp.where(jnp.arange(table.seats)[:, None] == seat, -1, scores).max(axis=0)
    need = best - scores[seat]
    left = jnp.maximum(cards.goal - jnp.maximum(scores.max(axis=0), 0), 0)
    turns = jnp.minimum((left / book.pace).astype(np.int32) + to_play, book.points.shape[0] - 1)
    bits = card_bits().reshape(-1, *(1,) * mask.ndim)
    after = mask ^ bits
    late = (to_play == 1) & (best >= cards.goal)
    value = jnp.where(late, _passes(book, after, need), book.points[turns, after])
    return jnp.where(can_turn(mask, bits, change), value, -jnp.inf).argmax(axis=0).astype(np.int32)


def can_turn(mask: Array, bits: Array, change: Array) -> Array:
    """Return whether an affected seat can turn some cards over: active ones to freeze, others to reset (T8)."""
    return (mask & bits != 0) == (change == int(Change.FREEZE))


def is_asked(cards: Cards, row: Array, place: Array, mask: Array) -> Array:
    """Return whether the effect of a score or a skip lets a place choose a card (T5, T8, T9)."""
    change = cards.change[row]
    able = jnp.where(change == int(Change.FREEZE), mask != 0, mask != ALL_ACTIVE)
    return (change != int(Change.NONE)) & (cards.reach[row] >> place & 1 != 0) & able


def planner_ends(cards: Cards, book: Book, table: Table) -> tuple[Array, Array]:
    """Estimate the chance to win after scoring each entry, by entry and mask left, and after a skip."""
    rows = jnp.arange(CARDS_IN_A_GAME + 1)[:, None]
    expected = []
    for place in range(1, table.seats):
        seat = table.at(place)
        mask = jnp.broadcast_to(table.active[seat], (len(rows), table.active.shape[1]))
        card = planned_answer(cards, book, table, seat, mask, cards.change[rows])
        expected.append(jnp.where(is_asked(cards, rows, place, mask), mask ^ (1 << card), mask))
    own = table.scores[table.seat]
    totals = (own + cards.entries[:, None])[:, None]
    ends = _chance(cards, book, table, [mask[cards.card][:, None] for mask in expected], totals, _every_mask())
    skip = _chance(cards, book, table, [mask[-1] for mask in expected], own, jnp.int32(ALL_ACTIVE))
    return ends, skip


def _every_mask() -> Array:
    return jnp.arange(MASKS, dtype=np.int32)[:, None]


def _chance(cards: Cards, book: Book, table: Table, masks: list[Array], total: Array, own: Array) -> Array:
    """Estimate the chance to win with some total and cards left, if the places after have these cards (`ends`)."""
    best, fewest = jnp.int32(-1), jnp.float64(np.inf)
    for place, mask in enumerate(masks, 1):
        seat = table.at(place)
        best = jnp.maximum(best, table.scores[seat])
        needed = _turns(book, cards.goal - table.scores[seat], mask)
        fewest = jnp.minimum(fewest, jnp.maximum(needed - (seat > table.seat), 0.0))
    rounds = jnp.minimum(_turns(book, cards.goal - total, own), fewest) + LATE
    running = last = shared = jnp.float64(1)
    for place, mask in enumerate(masks, 1):
        seat = table.at(place)
        later, score = seat > table.seat, table.scores[seat]
        extra = later.astype(np.int32)
        scatter = SWING * book.pace * jnp.sqrt(2 * rounds + extra)
        running = running / (1 + jnp.exp(-1.7 * (total - score - _lead(book, rounds, extra, mask, own)) / scatter))
        lead = rank(total, popcount(own)) - rank(score, popcount(mask))
        last = last * jnp.where(later, 1 - _passes(book, mask, total - score) / 2, lead >= 0)
        shared = shared + (~later & (lead == 0))
    return jnp.where(jnp.maximum(total, best) >= cards.goal, last / shared, running)


class Exact(NamedTuple):
    """The exact values of a set (`solver.values`), and the masks of the game's cards in the order of that set."""

    between: Array
    last: Array
    translated: Array


def exact_of(game: DicyCards, values: Values) -> Exact:
    """Return the solved values for a setup."""
    order = np.array(translated(game.kinds, values.cards), np.int32)
    return Exact(np.asarray(values.between), np.asarray(values.last), order)


def _following(cards: Cards, exact: Exact, seat: Array, scores: Array, masks: Array) -> Array:
    """Return the value of positions between turns for the seat to move; scores and masks are its own, the other's."""
    (own, other), (mine, theirs) = scores, (exact.translated[mask] for mask in masks)
    gap = jnp.clip(other - own, 0, exact.last.shape[0] - 1)
    top = exact.between.shape[1] - 1
    between = exact.between[seat, jnp.minimum(own, top), jnp.minimum(other, top), theirs, mine]
    return jnp.where(other < cards.goal, between, exact.last[gap, theirs, mine])


def perfect_ends(cards: Cards, exact: Exact, table: Table) -> tuple[Array, Array]:
    """Look up the exact value of scoring each entry, by entry and mask left, and of a skip (`ends.perfect_ends`)."""
    other = table.at(1)
    own, opposed = table.scores[table.seat], table.scores[other]
    theirs, answers = table.active[other], jnp.asarray(ANSWERS.astype(np.int32))

    def value(change: Array, total: Array, mask: Array) -> Array:
        def best(number: int, found: Array) -> Array:
            answer = answers[change, theirs, number]
            return jnp.maximum(found, _following(cards, exact, other, (opposed, total), (answer, mask)))

        shape = np.broadcast_shapes(total.shape, mask.shape)
        most = jax.lax.fori_loop(0, CARDS_IN_A_GAME, best, jnp.full(shape, -1.0))
        compared = result(rank(total, popcount(mask)) - rank(opposed, popcount(answers[change, theirs, 0])))
        # The second seat that reaches the goal before the first one wins.
        open_game = jnp.where((total >= cards.goal) & (table.seat == 1), 1.0, 1.0 - most)
        return jnp.where(opposed >= cards.goal, compared, open_game)

    totals = (own + cards.entries[:, None])[:, None]
    ends = value(cards.change[cards.card][:, None, None], totals, _every_mask())
    skip = value(jnp.int32(Change.RESET), own, jnp.full_like(own, ALL_ACTIVE))
    # In its last turn a seat that skips is behind, since the other one reached the goal before it.
    return ends, jnp.where(opposed >= cards.goal, 0.0, skip)


def perfect_answer(cards: Cards, exact: Exact, table: Table, seat: Array, change: Array) -> Array:
    """Return the card that leaves the answering seat the highest value; it is the next to move."""
    mask, other = table.active[seat], table.active[table.seat]
    after = mask ^ card_bits()
    own, opposed = table.scores[seat], table.scores[table.seat]
    compared = result(rank(own, popcount(after)) - rank(opposed, popcount(other)))
    ended = (table.seat == 1) & (jnp.maximum(own, opposed) >= cards.goal)
    value = jnp.where(ended, compared, _following(cards, exact, seat, (own, opposed), (after, other)))
    allowed = can_turn(mask, card_bits(), change)
    best = jnp.where(allowed, value, -2.0).max(axis=0)
    return first_of(allowed & (value >= best - EXACT))
