"""Turns of Dicy Cards on a device of JAX: what a set of cards offers, solved turns, and the best choice in one.

A turn is solved for all games of a batch at once (`dice.turn`), the games along the last axis. Tables have the same
shapes for all official sets, so that JAX compiles one program for them.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from starfrost.batch.dicy_cards.tables import rules_of
from starfrost.batch.on_device import below, dice_words, jax
from starfrost.dice.card_set import card_set
from starfrost.dice.lattice import KEPT
from starfrost.dice.turn import Offers, offers_of, solve_turn
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, DicyCards
from starfrost.vector.arrays import U32, Array

jnp = jax.numpy

SCORE, REROLL, SKIP = range(3)
"""The verbs of a choice."""
ENTRIES, OFFERS, LONGEST = 120, 456, 20
"""The most entries, offers and entries in an offer of the official sets; a variant can have more."""


class Cards(NamedTuple):
    """A set of cards and the rules of a setup; rolls and selections are numbered as in `tables.Rules`."""

    goal: Array
    start: Array
    """The points that the seats start with."""
    entries: Array
    """The points of each entry (`CardSet`), filled up with zeros."""
    card: Array
    """The card of each entry."""
    offers: Offers
    up: Array
    """`up[kept, face]`: the dice with one more."""
    subsets: Array
    """`subsets[roll]`: the number of selections to reroll."""
    kept: Array
    """`kept[roll, n]`: the dice that stay after the n-th selection is rerolled."""
    scores: Array
    """`scores[card, roll]`: the number of selections that a card scores."""
    points: Array
    """`points[card, roll, n]`: their points, the most first."""
    change: Array
    """`change[row]`: what affected seats do after a score of a card; the last row is the skip."""
    reach: Array
    """`reach[row]`: the affected seats as bits, counted from the one whose turn it is."""


@lru_cache(maxsize=64)
def cards_of(game: DicyCards) -> Cards:
    """Return the tables of a setup."""
    rules, chosen, found = rules_of(game), card_set(game.kinds), offers_of(game.kinds)
    known = len(chosen.points)
    room = max(known, ENTRIES)
    # An empty offer points to the row after all entries, whose number changes by the padding.
    rows = np.where(found.rows == known, room, found.rows)
    longest, offers = (max(0, most - size) for most, size in zip((LONGEST, OFFERS), rows.shape, strict=True))
    rows = np.pad(np.pad(rows, ((longest, 0), (0, 0)), "edge"), ((0, 0), (0, offers)), constant_values=room)
    card = np.repeat(np.arange(CARDS_IN_A_GAME), np.diff(chosen.points_first))
    numbers = Cards(
        np.array(game.goal),
        np.array(game.start().scores),
        np.pad(chosen.points, (0, room - known)),
        np.pad(card, (0, room - known)),
        Offers(rows, found.offer, found.scores),
        rules.up,
        rules.subsets,
        rules.kept,
        rules.scores,
        rules.points,
        rules.change,
        rules.reach,
    )
    packed: Cards = jax.tree.map(lambda part: np.asarray(part, np.int32), numbers)
    return packed


def throw(cards: Cards, keys: Array, seat: Array, turn: Array, roll: Array, kept: Array) -> Array:
    """Roll the missing dice of a seat by the words of the games' keys and return the number of the roll."""
    for word in dice_words(keys, seat, turn, roll)[:6]:
        face = below(word, U32(6)).astype(np.int32)
        kept = jnp.where(kept < KEPT, cards.up[jnp.minimum(kept, KEPT - 1), face], kept)
    return kept - KEPT


class Choice(NamedTuple):
    """What a seat does with its dice."""

    verb: Array
    card: Array
    points: Array
    """The points of a score."""
    kept: Array
    """The dice that stay after a reroll."""


class Solved(NamedTuple):
    """A turn with the value of everything in it, by multiset or entry, mask left and game."""

    ends: Array
    skip: Array
    offers: Array
    kept: Array
    again: Array


def solved(cards: Cards, ends: Array, skip: Array) -> Solved:
    """Solve the turns of all games by the values of scoring each entry with each mask left, and of skipping."""
    values = solve_turn(cards.offers, ends, skip)
    return Solved(ends, skip, values.offers, values.kept, values.again)


def card_bits() -> Array:
    """Return the cards as bits, one row a card."""
    return 1 << jnp.arange(CARDS_IN_A_GAME, dtype=np.int32)[:, None]


def first_of(allowed: Array) -> Array:
    """Return the first row of each column that is true; 0 if there is none."""
    return allowed.argmax(axis=0).astype(np.int32)


def decide(cards: Cards, turn: Solved, mask: Array, roll: Array, near: float, skip_first: bool) -> Choice:
    """Choose the first action whose value is near the best (`turns.decide`).

    Scores come before rerolls; a skip comes before rerolls or after them.
    """
    games = jnp.arange(len(mask))
    active, rest = mask & card_bits() != 0, mask & ~card_bits()
    offer = cards.offers.offer[:, roll]
    score = jnp.where(active, turn.offers[offer, rest, games], -jnp.inf)
    again = jnp.where(active, turn.again[roll, rest, games], -jnp.inf)
    enough = jnp.maximum(jnp.maximum(score.max(axis=0), again.max(axis=0)), turn.skip) - near
    scores, rerolls = (score >= enough).any(axis=0), (again >= enough).any(axis=0)
    if skip_first:
        rerolls = rerolls & (turn.skip < enough)
    card = jnp.where(scores, first_of(score >= enough), first_of(again >= enough))
    left = rest[card, games]
    # The entries of an offer rise, and the legal actions start with the most points.
    rows = cards.offers.rows[::-1, offer[card, games]]
    last = len(cards.entries) - 1
    good = (rows <= last) & (turn.ends[jnp.minimum(rows, last), left, games] >= enough)
    entry = rows[first_of(good), games]
    kept = cards.kept[roll].T
    there = jnp.arange(len(kept))[:, None] < cards.subsets[roll]
    good = there & (turn.kept[kept, left, games] >= enough)
    return Choice(
        jnp.where(scores, SCORE, jnp.where(rerolls, REROLL, SKIP)),
        card,
        cards.entries[jnp.minimum(entry, last)],
        kept[first_of(good), games],
    )
