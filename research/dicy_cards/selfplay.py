"""Whole turns of Dicy Cards in large batches, each played optimally for the network's chances at its ends.

`solver.turn` solves the turns of thousands of tables at once: arrays have the tables along the last axis, so
every step of the lattice works on whole rows. It runs on JAX, best on a GPU.
"""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from research.with_jax import in_layout, jax, jnp
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME
from starfrost.games.dicy_cards.bots.network import Pairs, Standing
from starfrost.games.dicy_cards.bots.turn_ends import Ends, Entries, ends, entries
from starfrost.games.dicy_cards.solver.lattice import KEPT, lattice
from starfrost.games.dicy_cards.solver.lattice import parts as all_parts
from starfrost.games.dicy_cards.solver.turn import Offers, TurnValues, offers_of, solve_turn
from starfrost.vector.arrays import Array

POINTS, OFFERS, LONGEST = 120, 456, 20
"""The largest numbers of entries, of offers and of entries in an offer over all 792 sets."""


class Cards(NamedTuple):
    """A set of five cards for a number of seats, padded to the same shapes for all sets."""

    entries: Entries
    """The points of the set, padded; the skip is the last entry."""
    offers: Offers
    """The offers of the rolls, padded."""


def pack(cards: tuple[str, ...], seats: int) -> Cards:
    """Return a set in the common shapes."""
    listed, found = entries(cards, seats), offers_of(cards)
    known = len(listed.points) - 1

    def fill(values: Array) -> Array:
        nothing = np.zeros((POINTS - known, *values.shape[1:]), values.dtype)
        return jnp.asarray(np.concatenate([values[:-1], nothing, values[-1:]]))

    # An empty offer points to the row after all entries, whose number changed by the padding.
    rows = np.where(found.rows == known, POINTS, found.rows)
    longest, offers = rows.shape
    rows = np.pad(rows, ((LONGEST - longest, 0), (0, 0)), "edge")
    rows = np.pad(rows, ((0, 0), (0, OFFERS - offers)), constant_values=POINTS)
    return Cards(Entries(*map(fill, listed)), jax.tree.map(jnp.asarray, found._replace(rows=rows)))


class Start(NamedTuple):
    """Where rollouts start: scores and masks by seat."""

    scores: Array
    masks: Array
    seat: Array
    """The seat whose turn it is."""
    ended: Array
    """Whether its turn is over, so that the next seat begins."""
    kept: Array
    """If not, the number of the dice that it kept for a reroll; 0 before the first roll."""


class Played(NamedTuple):
    """The result of a turn: positions with the seat that moved at the last place, and their chances."""

    scores: Array
    masks: Array
    shares: Array


def _throw(key: Array, kept: Array) -> Array:
    """Roll the missing dice and return the number of the roll."""
    faces = jax.random.randint(key, (6, *kept.shape), 0, 6)
    up = jnp.asarray(lattice().up)
    for throw in range(6):
        kept = jnp.where(kept < KEPT, up[jnp.minimum(kept, KEPT - 1), faces[throw]], kept)
    return kept - KEPT


def _follow(cards: Cards, ends: Array, skip: Array, mask: Array, kept: Array, key: Array) -> tuple[Array, Array]:
    """Roll and play a turn; return the entry that it ends with and the mask left active (before a skip's reset)."""
    rows, offer, _ = cards.offers
    values: TurnValues = solve_turn(cards.offers, ends, skip)
    table = jnp.arange(mask.shape[0])
    keys = jax.random.split(key, 6)
    roll = _throw(keys[0], kept)
    entry = jnp.full_like(mask, POINTS)
    going = mask > 0
    left = mask
    parts = jnp.asarray(all_parts())
    for number in range(6):
        scored, rerolled = [], []
        for place in range(CARDS_IN_A_GAME):
            active, without = mask >> place & 1, mask & ~(1 << place)
            scored.append(jnp.where(active, values.offers[offer[place, roll], without, table], -1.0))
            rerolled.append(jnp.where(active, values.again[roll, without, table], -1.0))
        score, again = jnp.stack(scored), jnp.stack(rerolled)
        card, burnt = score.argmax(axis=0), again.argmax(axis=0)
        scores = going & (score.max(axis=0) >= jnp.maximum(again.max(axis=0), skip))
        rest = mask & ~(1 << card)
        row = rows[:, offer[card, roll]]
        # An empty offer is beyond the entries; the clipped index must not select the last one instead.
        offered = jnp.where(row < POINTS, ends[jnp.minimum(row, POINTS - 1), rest, table], -2.0)
        taken = jnp.take_along_axis(row, offered.argmax(axis=0)[None], axis=0)[0]
        entry, left = jnp.where(scores, taken, entry), jnp.where(scores, rest, left)
        going = going & ~scores & (again.max(axis=0) > skip)
        if number == 5:
            break
        rest = mask & ~(1 << burnt)
        part = parts[roll].T
        best = jnp.take_along_axis(part, values.kept[part, rest, table].argmax(axis=0)[None], axis=0)[0]
        roll = jnp.where(going, _throw(keys[number + 1], best), roll)
        mask = jnp.where(going, rest, mask)
    return entry, left


def play(cards: Cards, seen: Ends, scores: Array, masks: Array, key: Array, kept: Array | None = None) -> Played:
    """Play one turn at every table for the seat at the last place, by the chances at its ends.

    `kept` are the numbers of dice kept for a reroll, where the turn has begun.
    """
    seats = scores.shape[-1]
    # Without a layout the compiler leaves the tables along the first axis in memory, which makes the turn slower
    # (7.7 instead of 1.6 ms for 4,096 tables on an H200).
    value = in_layout(jnp.moveaxis(seen.shares[..., seats - 1], 0, -1), (0, 1, 2))
    begun = jnp.zeros_like(masks[:, -1]) if kept is None else kept
    taken, left = _follow(cards, value[:POINTS], value[POINTS, ALL_ACTIVE], masks[:, -1], begun, key)
    own = jnp.where(taken == POINTS, ALL_ACTIVE, left)
    table = jnp.arange(scores.shape[0])
    others = [answered[table, taken] for answered in seen.masks]
    after = scores.at[:, -1].add(cards.entries.points[taken])
    return Played(after, jnp.stack([*others, own], axis=-1), seen.shares[table, taken, own])


@partial(jax.jit, static_argnames=("tables", "turns"))
def rollouts(
    pairs: Pairs, cards: Cards, params: Mapping[str, Array], start: Start, key: Array, tables: int, turns: int = 240
) -> Array:
    """Play a position to the end at many tables; return the shares of victory in seat order. Equal keys, equal dice."""
    seats = len(start.scores)

    def going(carry: tuple[Array, ...]) -> Array:
        return ~carry[3].all() & (carry[0] < turns)

    def turn(carry: tuple[Array, ...]) -> tuple[Array, ...]:
        number, scores, masks, over, won = carry
        seat = (start.seat + number) % seats
        seen = ends(pairs, params, cards.entries, scores, masks, seat)
        kept = jnp.where(number == 0, start.kept, 0)
        after = play(cards, seen, scores, masks, jax.random.fold_in(key, number), jnp.full(tables, kept))
        still = (number == 0) & start.ended
        scores, masks = jnp.where(still, scores, after.scores), jnp.where(still, masks, after.masks)
        ends_now = ~over & ~still & (seat == seats - 1) & (scores.max(axis=-1) >= pairs.goal)
        won = jnp.where(ends_now[:, None], jnp.roll(after.shares, seat + 1, axis=-1), won)
        return number + 1, jnp.roll(scores, -1, axis=-1), jnp.roll(masks, -1, axis=-1), over | ends_now, won

    places = (start.seat + 1 + jnp.arange(seats)) % seats
    first = (jnp.broadcast_to(row[places], (tables, seats)) for row in (start.scores, start.masks))
    state = (jnp.int32(0), *first, jnp.zeros(tables, bool), jnp.zeros((tables, seats)))
    found: Array = jax.lax.while_loop(going, turn, state)[4]
    return found


def standing_of(scores: Array, masks: Array, seat: Array) -> Standing:
    """Split arrays with the places along the last axis into a `Standing`."""
    seats = scores.shape[-1]
    return Standing(
        tuple(scores[..., place] for place in range(seats)), tuple(masks[..., place] for place in range(seats)), seat
    )
