"""A turn with three or four players: the ways to end it, the choices of affected seats, and everyone's chances then.

An *entry* is a card with a number of points, or the skip. An end of a turn is an entry and one of the 32 masks of the
mover, the player whose turn it is.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS, CARDS_IN_A_GAME, MASKS, Change, Effect, affected_seats
from starfrost.games.dicy_cards.bots.network import Pairs, Standing, chances, log, logits, shares
from starfrost.games.dicy_cards.solver.card_set import card_set
from starfrost.vector.arrays import Array, module_of


class Entries(NamedTuple):
    """The ways to end a turn: all cards' points as in `CardSet`, then the skip."""

    points: Array
    change: Array
    """The `Change` that affected seats make."""
    freezes: Array
    """The mover's cards that the entry freezes, as bits to clear; none for the skip."""
    affected: Array
    """`affected[entry, place]`: the seats that an effect reaches; places in order of play, without the mover."""


@lru_cache(maxsize=64)
def entries(cards: tuple[str, ...], seats: int) -> Entries:
    """List the ways to end a turn."""
    chosen = card_set(cards)
    counts = [*np.diff(chosen.points_first), 1]
    effects = [*(CARDS[card].effect for card in cards), Effect.OTHERS_RESET]
    # The mover is the last place, so the others are the seats 0 to `seats` - 2.
    affected = [[place in affected_seats(effect, seats - 1, seats) for place in range(seats - 1)] for effect in effects]
    return Entries(
        np.append(chosen.points, 0).astype(np.int32),
        np.repeat(np.array([effect.change for effect in effects], np.int32), counts),
        np.repeat(np.array([*(1 << card for card in range(len(cards))), 0], np.int32), counts),
        np.repeat(np.array(affected), counts, axis=0),
    )


class Ends(NamedTuple):
    """The chances and cards at the ends of a turn."""

    shares: Array
    """The chances to win by entry, mover's mask and place."""
    masks: tuple[Array, ...]
    """For each place except the mover's, the masks after the choices, by entry."""


def _answers(pairs: Pairs, standing: Standing, place: int, rules: Entries) -> Array:
    """Return the masks that an affected seat chooses, with the best product of chances against all others."""
    xp = module_of(standing.masks[place])
    mask = standing.masks[place][..., None]
    bits = xp.asarray(1 << np.arange(CARDS_IN_A_GAME))
    change = xp.asarray(rules.change)[:, None]
    active = (mask & bits) > 0
    allowed = xp.where(change == Change.FREEZE, active, ~active) & xp.asarray(rules.affected)[:, place, None]
    turned = mask ^ bits
    scores = tuple(score[..., None] for score in standing.scores)
    masks = tuple(turned if at == place else own[..., None] for at, own in enumerate(standing.masks))
    trial = Standing(scores, masks, standing.moved)
    value = 0
    for other in range(standing.seats):
        if other != place:
            low, high = min(place, other), max(place, other)
            chance = chances(pairs, trial, low, high)
            value = value + log(chance, place > other)
    best = xp.where(allowed, value, -xp.inf).argmax(axis=-1)
    chosen = xp.take_along_axis(xp.broadcast_to(turned, allowed.shape), best[..., None], axis=-1)[..., 0]
    return xp.where(allowed.any(axis=-1), chosen, standing.masks[place])


def answered(
    pairs: Pairs, rules: Entries, scores: Array, masks: Array, seat: Array
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Return the scores of all places and the masks of all but the mover's after every entry of a turn.

    `scores` and `masks` have the places along the last axis, the mover last.
    """
    xp = module_of(scores)
    seats = scores.shape[-1]
    points = xp.asarray(rules.points)
    after = tuple(scores[..., None, place] + (points if place == seats - 1 else 0 * points) for place in range(seats))
    # The best choice hardly depends on the cards that the mover froze for rerolls, so assume none.
    freezes = xp.asarray(rules.freezes)
    left = xp.where(freezes > 0, masks[..., None, seats - 1] & ~freezes, ALL_ACTIVE)
    before = (*(masks[..., None, place] + 0 * points for place in range(seats - 1)), left)
    standing = Standing(after, before, seat)
    return after, tuple(_answers(pairs, standing, place, rules) for place in range(seats - 1))


def ends(
    pairs: Pairs, params: Mapping[str, Array] | None, rules: Entries, scores: Array, masks: Array, seat: Array
) -> Ends:
    """Evaluate all ends of a turn; arguments as for `answered`."""
    after, chosen = answered(pairs, rules, scores, masks, seat)
    own = module_of(scores).arange(MASKS, dtype=rules.points.dtype)
    full = Standing(tuple(score[..., None] for score in after), (*(mask[..., None] for mask in chosen), own), seat)
    return Ends(shares(logits(pairs, full, params)), chosen)


def possible_ends(
    pairs: Pairs, params: Mapping[str, Array] | None, rules: Entries, scores: Array, masks: Array, seat: Array
) -> Ends:
    """Evaluate the ends that one turn can have (`ends`); those that it cannot have are 0."""
    after, chosen = answered(pairs, rules, scores, masks, seat)
    own = np.arange(MASKS, dtype=np.int32)
    # Scoring a card leaves some of the others; a skip leaves all cards (T5).
    left = masks[-1] & ~rules.freezes[:, None]
    possible = ((rules.freezes & masks[-1]) > 0)[:, None] & ((own & ~left) == 0)
    possible[-1, ALL_ACTIVE] = True
    entry, mask = np.nonzero(possible)
    standing = Standing(
        tuple(score[entry] for score in after), (*(answer[entry] for answer in chosen), own[mask]), seat
    )
    found = np.zeros((*possible.shape, scores.shape[-1]))
    found[entry, mask] = shares(logits(pairs, standing, params))
    return Ends(found, chosen)
