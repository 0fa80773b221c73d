"""What `master` expects on a device of JAX: its chances at the ends of a turn, and its answers.

They are those of `master` and `network`, by the whole numbers of `learning.dicy_cards.whole`, for all games of a batch
at once. Places are in the order of play, the mover last; masks are those of the cards in the order in which they are
solved, entries those of the game's cards.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from starfrost.batch.dicy_cards.device_ends import Table, can_turn
from starfrost.batch.dicy_cards.device_turns import Cards, card_bits
from starfrost.batch.on_device import jax
from starfrost.dice.card_set import card_set
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, DicyCards
from starfrost.learning.dicy_cards import whole
from starfrost.learning.dicy_cards.network import Pairs, Standing, pairs_of
from starfrost.learning.dicy_cards.turn_ends import Entries, answered, entries
from starfrost.players.dicy_cards.master import weights
from starfrost.solver.adviser import translated
from starfrost.solver.values import Values
from starfrost.vector.arrays import Array

jnp = jax.numpy

_AT_ONCE: Final = 8
"""The entries that the network sees at once: enough to keep a GPU busy, in some hundred megabytes."""
_LEFT: Final = MASKS // 2
"""The masks that scoring a card can leave."""


class Net(NamedTuple):
    """The solved pairs of a set, the network, and the ways to end a turn."""

    pairs: Pairs
    params: Any
    tables: whole.Tables
    entries: Entries
    """In the order of the game's cards, the skip last."""
    translated: Array
    """The masks of the game's cards in the order in which they are solved."""
    left: Array
    """`left[entry, n]`: the masks that scoring an entry can leave."""
    column: Array
    """`column[entry, mask]`: which of them is a mask of the game's cards."""


def net_of(game: DicyCards, values: Values) -> Net:
    """Return the network with the solved set of a setup."""
    chosen, first = card_set(game.kinds), card_set(values.cards).points_first
    places = [values.cards.index(kind) for kind in game.kinds]
    order = np.concatenate([*(np.arange(first[place], first[place + 1]) for place in places), [first[-1]]])
    # The last group of entries is filled up by skips.
    order = np.pad(order, (0, -len(chosen.points) % _AT_ONCE), "edge")
    masks, own = np.array(translated(game.kinds, values.cards), np.int32), np.arange(MASKS)
    card = np.repeat(np.arange(CARDS_IN_A_GAME), np.diff(chosen.points_first))
    card = np.pad(card, (0, len(order) - 1 - len(card)), "edge")
    left = np.stack([masks[own >> place & 1 == 0] for place in range(CARDS_IN_A_GAME)])
    # Without the bit of the card the masks are in order.
    column = np.stack([own >> place + 1 << place | own & (1 << place) - 1 for place in range(CARDS_IN_A_GAME)])
    return Net(
        pairs_of(values),
        dict(weights(game.seats)),
        whole.tables(),
        Entries(*(part[order] for part in entries(values.cards, game.seats))),
        masks,
        left[card],
        column[card].astype(np.int32),
    )


def _shares(net: Net, scores: tuple[Array, ...], masks: tuple[Array, ...], moved: Array) -> Array:
    return whole.shares(whole.logits(net.pairs, Standing(scores, masks, moved), net.params, net.tables), net.tables)


def _places(table: Table) -> list[Array]:
    return [table.at(place) for place in range(1, table.seats + 1)]


def master_ends(cards: Cards, net: Net, table: Table) -> tuple[Array, Array]:
    """Evaluate the chance to win after scoring each entry, by entry and mask left, and after a skip."""
    seats = _places(table)
    after, chosen = answered(
        net.pairs,
        net.entries,
        jnp.stack([table.scores[seat] for seat in seats], axis=-1),
        jnp.stack([net.translated[table.active[seat]] for seat in seats], axis=-1),
        table.seat,
        net.tables.logarithm,
    )
    # The games along the last axis.
    after, chosen = (tuple(part.T.astype(np.int32) for part in parts) for parts in (after, chosen))
    games = table.scores.shape[1]

    def evaluate(group: Array, ends: Array) -> Array:
        def part(values: Array) -> Array:
            return jax.lax.dynamic_slice_in_dim(values, group * _AT_ONCE, _AT_ONCE)

        scores = tuple(part(score)[:, None] for score in after)
        masks = (*(part(mask)[:, None] for mask in chosen), part(net.left)[..., None])
        found = _shares(net, scores, masks, table.seat)[..., -1]
        column = jnp.broadcast_to(part(net.column)[..., None], (_AT_ONCE, MASKS, games))
        every = jnp.take_along_axis(found, column, axis=1)
        return jax.lax.dynamic_update_slice_in_dim(ends, every, group * _AT_ONCE, axis=0)

    known = len(net.left)
    room = max(known, len(cards.entries))
    groups = np.int32(known // _AT_ONCE)
    ends = jax.lax.fori_loop(np.int32(0), groups, evaluate, jnp.zeros((room, MASKS, games)))
    skipped = tuple(score[-1] for score in after), (*(mask[-1] for mask in chosen), jnp.int32(ALL_ACTIVE))
    return ends[: len(cards.entries)], _shares(net, *skipped, table.seat)[..., -1]


def master_answer(net: Net, table: Table, seat: Array, change: Array) -> Array:
    """Return the card that leaves an affected seat the best chance to win, if those after it do nothing."""
    mask = table.active[seat]
    after = mask ^ card_bits()
    masks = (jnp.where(other == seat, after, table.active[other]) for other in _places(table))
    scores = tuple(table.scores[other] for other in _places(table))
    found = _shares(net, scores, tuple(net.translated[own] for own in masks), table.seat)
    own = jnp.take(found, (seat - table.seat - 1) % table.seats, axis=-1)
    return jnp.where(can_turn(mask, card_bits(), change), own, -1.0).argmax(axis=0).astype(np.int32)
