"""One turn at a table of several: every way to end it, what the others answer, and what it leaves to everybody.

An *entry* is a card with a number of points, or the skip; entries and the mover's 32 masks make all ends of a turn.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from starfrost.games.dicy_cards import CARDS, Effect
from starfrost.learning.dicy_cards.network import LEAST, Pairs, Standing, chances, logits, shares
from starfrost.solver.card_set import FREEZE, RESET, SetUp, set_up
from starfrost.vector.arrays import Array, module_of

__all__ = ["Ends", "Entries", "chosen_entries", "ends", "entries"]

SKIP_MASK: Final = 31


class Entries(NamedTuple):
    """The ways to end a turn: all cards' points as the set-up numbers them, then the skip."""

    points: Array
    effect: Array
    freezes: Array
    """The mover's cards that the entry itself leaves frozen, as bits to take away; the skip leaves none."""
    touched: Array
    """`touched[entry, place]`: whom an effect reaches; places in order of play, without the mover."""


def entries(chosen: SetUp, seats: int) -> Entries:
    """List the ways to end a turn."""
    effect, freezes, touched = [], [], []
    for card, name in enumerate(chosen.cards):
        count = int(chosen.points_first[card + 1] - chosen.points_first[card])
        others = CARDS[name].effect is Effect.OTHERS_FREEZE
        effect += [int(chosen.effect[card])] * count
        freezes += [1 << card] * count
        # Neighbours are the next seat and the one before (T9).
        touched += [
            [bool(chosen.effect[card]) and (others or place in (0, seats - 2)) for place in range(seats - 1)]
        ] * count
    return Entries(
        np.append(chosen.points, 0).astype(np.int32),
        np.array([*effect, RESET], np.int32),
        np.array([*freezes, 0], np.int32),
        np.array([*touched, [True] * (seats - 1)]),
    )


class Ends(NamedTuple):
    """What the ends of a turn leave."""

    shares: Array
    """By entry, mover's mask and place: chances to win."""
    masks: tuple[Array, ...]
    """By place, without the mover: the masks after the answers, by entry."""


def _answers(pairs: Pairs, standing: Standing, place: int, rules: Entries) -> Array:
    """Let an affected seat choose: the mask that leaves it the best product of chances against all others."""
    xp = module_of(standing.masks[place])
    mask = standing.masks[place][..., None]
    bits = xp.asarray(1 << np.arange(5))
    effect = xp.asarray(rules.effect)[:, None]
    active = (mask & bits) > 0
    allowed = xp.where(effect == FREEZE, active, ~active) & xp.asarray(rules.touched)[:, place, None]
    turned = mask ^ bits
    scores = tuple(score[..., None] for score in standing.scores)
    masks = tuple(turned if at == place else own[..., None] for at, own in enumerate(standing.masks))
    trial = Standing(scores, masks, standing.moved)
    worth = 0
    for other in range(standing.seats):
        if other != place:
            low, high = min(place, other), max(place, other)
            chance = chances(pairs, trial, low, high)
            worth = worth + xp.log(xp.maximum(chance if place < other else 1 - chance, LEAST))
    best = xp.where(allowed, worth, -xp.inf).argmax(axis=-1)
    chosen = xp.take_along_axis(xp.broadcast_to(turned, allowed.shape), best[..., None], axis=-1)[..., 0]
    return xp.where(allowed.any(axis=-1), chosen, standing.masks[place])


def ends(
    pairs: Pairs, params: Mapping[str, Array] | None, rules: Entries, scores: Array, masks: Array, seat: Array
) -> Ends:
    """Weigh all ends of a turn; `scores` and `masks` have the places along the last axis, the mover last."""
    xp = module_of(scores)
    seats = scores.shape[-1]
    points = xp.asarray(rules.points)
    after = tuple(scores[..., None, place] + (points if place == seats - 1 else 0 * points) for place in range(seats))
    # What is best to answer hardly depends on the cards that the mover burnt on the way: here, none.
    freezes = xp.asarray(rules.freezes)
    left = xp.where(freezes > 0, masks[..., None, seats - 1] & ~freezes, SKIP_MASK)
    before = (*(masks[..., None, place] + 0 * points for place in range(seats - 1)), left)
    standing = Standing(after, before, seat)
    answered = tuple(_answers(pairs, standing, place, rules) for place in range(seats - 1))
    own = xp.arange(32, dtype=points.dtype)
    full = Standing(tuple(score[..., None] for score in after), (*(mask[..., None] for mask in answered), own), seat)
    return Ends(shares(logits(pairs, full, params)), answered)


@lru_cache(maxsize=32)
def chosen_entries(cards: tuple[str, ...], goal: int, seats: int) -> tuple[SetUp, Entries]:
    """Number a set of cards and list the ways to end its turns."""
    chosen = set_up(cards, goal)
    return chosen, entries(chosen, seats)
