"""Games of `random` and `greedy` in Dicy Cards on a device of JAX.

A step plays one action in every game of a batch, by the rules of the vector engine. The bots choose the n-th legal
action, so they look its dice up in the same tables as the compiled bots (`tables`). Where bots that plan are at the
table, `device_play` plays whole turns instead, with the choices made here.
"""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.dicy_cards.tables import reroll_masks, rules_of, score_masks
from starfrost.batch.on_device import below, dice_words, filled_up, jax, lanes_for, luck_words, nth_of
from starfrost.dice.lattice import KEPT
from starfrost.games.dicy_cards import CARDS_IN_A_GAME, DicyCards
from starfrost.vector.arrays import U32, Array, nth_bit, popcount, where
from starfrost.vector.dicy_cards.engine import (
    ACT,
    FREEZE,
    FREEZE_CARD,
    OVER,
    REROLL,
    RESET_CARD,
    SCORE,
    SKIP,
    DicyState,
    VectorDicy,
    dice_of,
    phase_of,
    seat_of,
    sorted_dice,
)
from starfrost.vector.game import choose

jnp = jax.numpy
_CARDS = CARDS_IN_A_GAME
FACTS = 3 * _CARDS + 1


class Tables(NamedTuple):
    """What the bots look up; by card, roll and number as in `Rules`."""

    up: Array
    subsets: Array
    scores: Array
    best: Array
    """`best[card, roll]`: the order in which `greedy` scores, the highest first; 0 if the card scores nothing."""
    reroll: Array
    """The dice of a selection as bits."""
    score: Array
    freeze: Array
    reset: Array
    """`freeze[cards]`, `reset[cards]`: the one of these cards that `greedy` freezes or resets."""


@lru_cache(maxsize=64)
def tables_of(game: DicyCards) -> Tables:
    """Return the tables of a setup."""
    rules = rules_of(game)
    worst = sorted(range(_CARDS), key=lambda card: rules.mean[card])
    best = sorted(range(_CARDS), key=lambda card: -rules.mean[card])
    # Of equal points the card with fewer mean points counts, then the first.
    preference = np.array([_CARDS - worst.index(card) for card in range(_CARDS)])[:, None]
    points = np.where(rules.scores > 0, rules.points[..., 0] * 8 + preference, 0)

    def first_of(order: list[int]) -> Array:
        return np.array([next((card for card in order if cards >> card & 1), 0) for cards in range(1 << _CARDS)], U32)

    return Tables(
        rules.up.astype(np.int32),
        rules.subsets.astype(U32),
        rules.scores.astype(U32),
        points.astype(np.int32),
        reroll_masks().astype(U32),
        np.stack([score_masks(kind) for kind in game.kinds]).astype(U32),
        first_of(worst),
        first_of(best),
    )


def _roll_number(tables: Tables, state: DicyState) -> Array:
    """Return the number of the roll on the table; any number if there are no dice."""
    kept = jnp.zeros(state.meta.shape, np.int32)
    for die in dice_of(state.meta):
        kept = tables.up[kept, jnp.maximum(die.astype(np.int32) - 1, 0)]
    return kept - KEPT


def random_choice(tables: Tables, active: Array, roll: Array, word: Array) -> tuple[Array, Array, Array]:
    """Return the n-th legal action: what it is (0 score, 1 reroll, 2 skip), its card, and its number there."""
    counts = [tables.scores[card, roll] for card in range(_CARDS)] + [tables.subsets[roll]] * _CARDS
    open_cards = (active[..., None] >> np.tile(np.arange(_CARDS, dtype=U32), 2)) & U32(1)
    # After all cards comes the skip.
    every = jnp.concatenate([jnp.stack(counts, axis=-1) * open_cards, jnp.ones_like(word)[..., None]], axis=-1)
    place, number = nth_of(every, below(word, every.sum(axis=-1, dtype=U32)))
    return place // _CARDS, place % _CARDS, number.astype(np.int32)


def greedy_choice(tables: Tables, active: Array, roll: Array) -> tuple[Array, Array]:
    """Return the card that scores the most points, and whether one scores at all."""
    open_cards = ((active[..., None] >> np.arange(_CARDS, dtype=U32)) & U32(1)) != 0
    worth = jnp.where(open_cards, jnp.stack([tables.best[card, roll] for card in range(_CARDS)], axis=-1), 0)
    return worth.argmax(axis=-1).astype(np.int32), worth.max(axis=-1) > 0


def random_answer(choices: Array, word: Array) -> Array:
    """Return one of some cards, by a word of luck."""
    return nth_bit(choices, below(word, popcount(choices)), 8)


def greedy_answer(tables: Tables, choices: Array, freezes: Array) -> Array:
    """Return the one of some cards to freeze or reset."""
    return where(freezes, tables.freeze[choices], tables.reset[choices])


def _random_action(tables: Tables, active: Array, roll: Array, word: Array) -> Array:
    verb, card, number = random_choice(tables, active, roll, word)
    score = U32(SCORE) + tables.score[card, roll, number]
    dice = where(verb == 0, score, U32(REROLL) + tables.reroll[roll, number])
    return where(verb == 2, U32(SKIP), dice + (card.astype(U32) << U32(6)))


def _greedy_action(tables: Tables, active: Array, roll: Array) -> Array:
    card, scores = greedy_choice(tables, active, roll)
    return where(scores, U32(SCORE) + (card.astype(U32) << U32(6)) + tables.score[card, roll, 0], U32(SKIP))


def _action(rules: VectorDicy, greedy: tuple[bool, ...], tables: Tables, state: DicyState, word: Array) -> Array:
    """Return the action of the acting seat; each seat's bot is `greedy` or `random`."""
    phase, actor = phase_of(state), rules.actor(state)
    turn, roll = state.active & U32(31), _roll_number(tables, state)
    cards = (state.active >> (U32(5) * rules.wrap(actor + U32(rules.seats) - seat_of(state)))) & U32(31)
    choices = where(phase == U32(FREEZE), cards, U32(31) ^ cards)
    first = where(phase == U32(FREEZE), U32(FREEZE_CARD), U32(RESET_CARD))
    found = []
    if not all(greedy):
        answer = random_answer(choices, word)
        found.append(where(phase == U32(ACT), _random_action(tables, turn, roll, word), first + answer))
    if any(greedy):
        answer = greedy_answer(tables, choices, phase == U32(FREEZE))
        found.append(where(phase == U32(ACT), _greedy_action(tables, turn, roll), first + answer))
    return where(jnp.array(greedy)[actor.astype(np.int32)], found[-1], found[0])


def _dice(keys: Array, turn: Array, seats: int, roll: Array, places: Array) -> Array:
    """Roll dice in some places, in their order, by the words of a roll."""
    chance = dice_words(keys, turn % U32(seats), turn // U32(seats) + U32(1), roll)[:6]
    faces = [below(word, U32(6)) + U32(1) for word in chance]
    word = U32(0)
    for place in range(6):
        rank = popcount(places & U32((1 << place) - 1))
        shown = faces[0]
        for number in range(1, place + 1):
            shown = where(rank == U32(number), faces[number], shown)
        word = word | (shown << U32(3 * place))
    return word


class _Games(NamedTuple):
    """A batch of games."""

    state: DicyState
    turns: Array
    """The turns that have ended."""
    rolls: Array
    """The rerolls of this turn."""
    decisions: Array
    """By seat."""
    facts: Array
    """By seat and fact (`kit`)."""


def _step(
    rules: VectorDicy, greedy: tuple[bool, ...], tables: Tables, dice: Array, luck: Array, games: _Games
) -> _Games:
    """Play one action in every game that is not over."""
    state, going = games.state, ~rules.over(games.state)
    actor = rules.actor(state).astype(np.int32)
    every = jnp.arange(len(actor))
    word = luck_words(luck[every, actor], games.decisions[every, actor])[0]
    action = _action(rules, greedy, tables, state, word)
    is_reroll, is_score = action < U32(SCORE), (action >= U32(SCORE)) & (action < U32(SKIP))
    # A reroll is the next one of this turn; otherwise the dice are those of the next turn, if it comes to that.
    turn, rolls = where(is_reroll, games.turns, games.turns + U32(1)), where(is_reroll, games.rolls + U32(1), U32(0))
    places = where(is_reroll, action & U32(63), U32(63))
    after = choose(going, rules.step_with(state, action, _dice(dice, turn, rules.seats, rolls, places)), state)
    phase = phase_of(after)
    ends = going & ~is_reroll & ((phase == U32(ACT)) | (phase == U32(OVER)))
    points: Array = sum(after.scores) - sum(state.scores)
    card = (where(is_score, action - U32(SCORE), action) >> U32(6)).astype(np.int32)
    fact = jnp.where(is_score, card, jnp.where(is_reroll, 2 * _CARDS + card, 3 * _CARDS))
    counts = going & (action <= U32(SKIP))
    facts = games.facts.at[every, actor, fact].add(counts.astype(np.int32))
    facts = facts.at[every, actor, _CARDS + jnp.where(is_score, card, 0)].add(
        jnp.where(counts & is_score, points.astype(np.int32), 0)
    )
    return _Games(
        after,
        games.turns + ends,
        where(going, rolls, games.rolls),
        games.decisions.at[every, actor].add(going.astype(U32)),
        facts,
    )


@partial(jax.jit, static_argnames=("rules", "greedy"))
def _play_all(
    rules: VectorDicy, greedy: tuple[bool, ...], tables: Tables, dice: Array, luck: Array, real: Array
) -> _Games:
    """Play games to the end; those that are not `real` only fill up the batch."""
    nothing = jnp.zeros(len(real), U32)
    first = _dice(dice, nothing, rules.seats, nothing, nothing | U32(63))
    start = rules.start_with(sorted_dice(list(dice_of(first))))
    start = start._replace(meta=where(real, start.meta, U32(OVER << 18)))
    seats = rules.seats
    games = _Games(
        start, nothing, nothing, jnp.zeros((len(real), seats), U32), jnp.zeros((len(real), seats, FACTS), np.int32)
    )
    step = partial(_step, rules, greedy, tables, dice, luck)
    return jax.lax.while_loop(lambda games: (~rules.over(games.state)).any(), step, games)


class Played(NamedTuple):
    """The last positions of games, in seat order, with the turns and facts of each."""

    scores: Array
    active: Array
    turns: Array
    facts: Array


def play_light(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Keys, device: object) -> Played:
    """Play games with `random` and `greedy` to the end; the luck is by game and seat."""
    number = len(dice)
    rules, lanes = VectorDicy(game.seats, game.cards, game.goal, game.rules), lanes_for(number)
    keys = (filled_up(dice, lanes), filled_up(luck, lanes), np.arange(lanes) < number)
    found = _play_all(rules, tuple(bot == "greedy" for bot in bots), *jax.device_put((tables_of(game), *keys), device))
    state, turns, facts = jax.tree.map(lambda part: np.asarray(part)[:number], (found.state, found.turns, found.facts))
    cards = [(state.active >> U32(5 * seat)) & U32(31) for seat in range(game.seats)]
    scores, active = (
        np.stack(rules.in_seat_order(list(parts), seat_of(state)), axis=1).astype(np.int64)
        for parts in (state.scores, cards)
    )
    return Played(scores, active, turns.astype(np.int64), facts.astype(np.int64))
