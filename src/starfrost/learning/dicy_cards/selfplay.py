"""Whole turns of Dicy Cards in large batches, each played exactly for the chances that a network sees at its ends.

The recursion is the solver's (`starfrost.solver.turn`), for thousands of tables at once: arrays have the tables along
the last axis, so that every step of the lattice moves whole rows. JAX, on a GPU or with patience.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.dice.lattice import KEPT, ROLLS, lattice
from starfrost.learning.dicy_cards.network import Standing
from starfrost.learning.dicy_cards.turn_ends import Ends, Entries, chosen_entries
from starfrost.learning.with_jax import jax, jnp
from starfrost.vector.arrays import Array

__all__ = ["Cards", "Played", "pack", "play", "solve"]

POINTS, OFFERS, LONGEST = 120, 456, 20
"""The largest numbers of points, of offers and of points in an offer over all 792 sets."""


class Cards(NamedTuple):
    """A set of five cards for a number of seats, filled up to the same shapes for all sets."""

    entries: Entries
    """The set's points, filled up; the skip is the last entry."""
    rows: Array
    """`rows[offer]`: the entries that it consists of, filled up with one that nobody takes."""
    offer: Array
    """`offer[card, roll]`: what a roll offers on a card."""


def pack(cards: tuple[str, ...], goal: int, seats: int) -> Cards:
    """Lay a set out in the common shapes."""
    chosen, listed = chosen_entries(cards, goal, seats)
    missing = POINTS - len(chosen.points)

    def fill(values: Array) -> Array:
        nothing = np.zeros((missing, *values.shape[1:]), values.dtype)
        return jnp.asarray(np.concatenate([values[:-1], nothing, values[-1:]]))

    rows = np.full((OFFERS, LONGEST), POINTS + 1, np.int32)
    for at in range(len(chosen.offer_start) - 1):
        offered = chosen.offer_points[chosen.offer_start[at] : chosen.offer_start[at + 1]]
        rows[at, : len(offered)] = offered
    return Cards(Entries(*map(fill, listed)), jnp.asarray(rows), jnp.asarray(chosen.offer))


@cache
def _parts() -> NDArray[np.int32]:
    """For each roll, the multisets that a reroll may keep, filled up with the empty one."""
    dice = lattice()
    parts = np.zeros((ROLLS, 63), np.int32)
    for roll, text in enumerate(dice.dice[KEPT:]):
        counts = [range(text.count(face) + 1) for face in "654321"]
        texts = ("".join(face * many for face, many in zip("654321", each, strict=True)) for each in product(*counts))
        found = [dice.number[part] for part in texts if len(part) < 6]
        parts[roll, : len(found)] = found
    return parts


class Worths(NamedTuple):
    """The worths inside a turn for the mover, the tables along the last axis."""

    entry: Array
    """By entry and mask left active."""
    offer: Array
    """By offer and mask left active: its best entry."""
    kept: Array
    """By mask and kept dice."""
    again: Array
    """By mask left active and roll: the best reroll."""
    skip: Array


def solve(cards: Cards, entry: Array) -> Worths:
    """Solve a turn for every set of active cards, few cards first."""
    dice = lattice()
    tables = entry.shape[-1]
    skip = entry[POINTS, 31]
    padded = jnp.concatenate([entry, jnp.full((1, 32, tables), -1.0, entry.dtype)])
    offer = padded[cards.rows[:, 0]]
    for place in range(1, LONGEST):
        offer = jnp.maximum(offer, padded[cards.rows[:, place]])
    flat = jnp.broadcast_to(skip, (1, 462, tables))
    kept, again, order = [flat], [flat], [0]
    for level in range(1, 6):
        masks, cards_of, rests = _level(level)
        at_rest = np.searchsorted(_level(level - 1)[0], rests)
        scored = offer[cards.offer[cards_of], rests[..., None]]
        sizes = {6: jnp.maximum(scored, again[-1][at_rest]).max(axis=1)}
        for size in range(5, -1, -1):
            up = dice.up[dice.first[size] : dice.first[size + 1]] - dice.first[size + 1]
            sizes[size] = sizes[size + 1][:, up].sum(axis=2) / 6
        best = sizes[0]
        for size in range(1, 7):
            down = dice.down[dice.first[size] : dice.first[size + 1]] - dice.first[size - 1]
            fewer = best[:, down].max(axis=2)
            best = jnp.maximum(sizes[size], fewer) if size < 6 else fewer
        kept.append(jnp.concatenate([sizes[size] for size in range(6)], axis=1))
        again.append(best)
        order += masks
    back = np.argsort(order)
    return Worths(entry, offer, jnp.concatenate(kept)[back], jnp.concatenate(again)[back], skip)


@cache
def _level(count: int) -> tuple[list[int], NDArray[np.int32], NDArray[np.int32]]:
    """List the masks of so many cards, with the cards in each and the masks without them."""
    masks = [mask for mask in range(32) if mask.bit_count() == count]
    cards = np.array([[card for card in range(5) if mask >> card & 1] for mask in masks], np.int32).reshape(
        len(masks), count
    )
    return masks, cards, np.array(masks, np.int32)[:, None] ^ (1 << cards)


class Played(NamedTuple):
    """What a turn led to: positions with the mover at the last place, and the chances seen there."""

    scores: Array
    masks: Array
    shares: Array


def _throw(key: Array, kept: Array) -> Array:
    """Fill kept dice up to six; give the number of the roll."""
    faces = jax.random.randint(key, (6, *kept.shape), 0, 6)
    up = jnp.asarray(lattice().up)
    for throw in range(6):
        kept = jnp.where(kept < KEPT, up[jnp.minimum(kept, KEPT - 1), faces[throw]], kept)
    return kept - KEPT


def _follow(cards: Cards, worths: Worths, mask: Array, key: Array) -> tuple[Array, Array]:
    """Roll and play a turn; give the entry that it ends with and the mask left active (before a skip's reset)."""
    table = jnp.arange(mask.shape[0])
    keys = jax.random.split(key, 6)
    roll = _throw(keys[0], jnp.zeros_like(mask))
    entry = jnp.full_like(mask, POINTS)
    going = mask > 0
    left = mask
    parts = jnp.asarray(_parts())
    for number in range(6):
        scored, rerolled = [], []
        for place in range(5):
            active, without = mask >> place & 1, mask & ~(1 << place)
            scored.append(jnp.where(active, worths.offer[cards.offer[place, roll], without, table], -1.0))
            rerolled.append(jnp.where(active, worths.again[without, roll, table], -1.0))
        score, again = jnp.stack(scored), jnp.stack(rerolled)
        card, burnt = score.argmax(axis=0), again.argmax(axis=0)
        scores = going & (score.max(axis=0) >= jnp.maximum(again.max(axis=0), worths.skip))
        rest = mask & ~(1 << card)
        row = cards.rows[cards.offer[card, roll]].T
        # The filler of a row stands beyond the entries; a clipped look at the skip must not be taken for it.
        offered = jnp.where(row <= POINTS, worths.entry[jnp.minimum(row, POINTS), rest, table], -2.0)
        taken = jnp.take_along_axis(row, offered.argmax(axis=0)[None], axis=0)[0]
        entry, left = jnp.where(scores, taken, entry), jnp.where(scores, rest, left)
        going = going & ~scores & (again.max(axis=0) > worths.skip)
        if number == 5:
            break
        rest = mask & ~(1 << burnt)
        part = parts[roll].T
        best = jnp.take_along_axis(part, worths.kept[rest, part, table].argmax(axis=0)[None], axis=0)[0]
        roll = jnp.where(going, _throw(keys[number + 1], best), roll)
        mask = jnp.where(going, rest, mask)
    return entry, left


def play(cards: Cards, seen: Ends, scores: Array, masks: Array, key: Array) -> Played:
    """Play one turn at every table for the mover (the last place) by the chances at its ends."""
    seats = scores.shape[-1]
    entry = jnp.moveaxis(seen.shares[..., seats - 1], 0, -1)
    taken, left = _follow(cards, solve(cards, entry), masks[:, -1], key)
    own = jnp.where(taken == POINTS, 31, left)
    table = jnp.arange(scores.shape[0])
    others = [answered[table, taken] for answered in seen.masks]
    after = scores.at[:, -1].add(cards.entries.points[taken])
    return Played(after, jnp.stack([*others, own], axis=-1), seen.shares[table, taken, own])


def standing_of(scores: Array, masks: Array, seat: Array) -> Standing:
    """Take arrays with the places along the last axis apart."""
    seats = scores.shape[-1]
    return Standing(
        tuple(scores[..., place] for place in range(seats)), tuple(masks[..., place] for place in range(seats)), seat
    )
