"""Rounds of Dicy Cards on a device of JAX, for tables with bots that plan their turns.

A step plays one round in every game of a batch: every seat's whole turn, and the answers of those that it affects. So
the seat to move, and its bot, is the same in all of them. A game ends with a round; the next game that waits takes
its place in the batch.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from starfrost.batch.chance import Keys
from starfrost.batch.dicy_cards.device_ends import (
    Book,
    Exact,
    Table,
    book_of,
    exact_of,
    is_asked,
    perfect_answer,
    perfect_ends,
    planned_answer,
    planner_ends,
)
from starfrost.batch.dicy_cards.device_light import (
    FACTS,
    Played,
    Tables,
    greedy_answer,
    greedy_choice,
    random_answer,
    random_choice,
    tables_of,
)
from starfrost.batch.dicy_cards.device_master import Net, master_answer, master_ends, net_of
from starfrost.batch.dicy_cards.device_turns import (
    REROLL,
    SCORE,
    SKIP,
    Cards,
    Choice,
    cards_of,
    decide,
    solved,
    throw,
)
from starfrost.batch.on_device import filled_up, jax, lanes_for, luck_words
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, Change, DicyCards
from starfrost.players.dicy_cards.planner import NEAR
from starfrost.solver.on_demand import find
from starfrost.solver.shared import NEAR as EXACT
from starfrost.vector.arrays import U32, Array

jnp = jax.numpy

_CARDS = CARDS_IN_A_GAME
_LANES: Final = 4096
"""The games in a batch: a solved turn takes about 0.5 MB."""
_FEW_LANES: Final = 16
"""The same on a CPU, whose cache is small."""
_PARTS: Final = 4
"""The parts of a batch in which `master` chooses."""


class Minds(NamedTuple):
    """What the bots of a table know; parts that none of them needs are None."""

    cards: Cards
    light: Tables
    book: Book | None
    exact: Exact | None
    net: Net | None


def minds_of(game: DicyCards, bots: Sequence[str]) -> Minds:
    """Return what some bots know about a setup; the sets that they need are solved."""
    values = find(game.kinds, game.goal) if {"perfect", "master"} & set(bots) else None
    return Minds(
        cards_of(game),
        tables_of(game),
        book_of(game) if "planner" in bots else None,
        exact_of(game, values) if values is not None and "perfect" in bots else None,
        net_of(game, values) if values is not None and "master" in bots else None,
    )


class _Games(NamedTuple):
    """A batch of games; scores, cards, decisions and facts are by seat, and the games along the last axis."""

    number: Array
    """Which game it is; beyond the last one nothing is played."""
    scores: Array
    active: Array
    rounds: Array
    """The rounds that have begun."""
    decisions: Array
    facts: Array

    def table(self, seat: Array) -> Table:
        """Return the positions in the turn of a seat."""
        return Table(self.scores, self.active, seat)


class _Keys(NamedTuple):
    """The keys of all games, those that wait too, and who plays them."""

    bots: Array
    """Which of the different bots has each seat."""
    dice: Array
    luck: Array
    """By seat."""
    games: Array
    """The number of games."""


class _Asked(NamedTuple):
    """Where the seat to move has to choose, with its active cards, its roll and a word of its luck."""

    going: Array
    mask: Array
    roll: Array
    word: Array


Chooser = Callable[[_Asked], Choice]


def _chooser(minds: Minds, bot: str, table: Table) -> Chooser:
    """Return what chooses for a bot in a turn."""
    cards, light = minds.cards, minds.light

    def at_random(asked: _Asked) -> Choice:
        verb, card, number = random_choice(light, asked.mask.astype(U32), asked.roll, asked.word)
        return Choice(verb, card, cards.points[card, asked.roll, number], cards.kept[asked.roll, number])

    def greedily(asked: _Asked) -> Choice:
        card, scores = greedy_choice(light, asked.mask.astype(U32), asked.roll)
        points = cards.points[card, asked.roll, 0]
        return Choice(jnp.where(scores, SCORE, SKIP), card, points, jnp.zeros_like(asked.mask))

    if bot in ("random", "greedy"):
        return at_random if bot == "random" else greedily
    if bot == "master":
        assert minds.net is not None
        return partial(_by_network, cards, minds.net, table)
    # A plan is made once for the whole turn.
    if bot == "perfect":
        assert minds.exact is not None
        turn, near = solved(cards, *perfect_ends(cards, minds.exact, table)), EXACT
    else:
        assert minds.book is not None
        turn, near = solved(cards, *planner_ends(cards, minds.book, table)), NEAR
    return lambda asked: decide(cards, turn, asked.mask, asked.roll, near, bot == "perfect")


def _by_network(cards: Cards, net: Net, table: Table, asked: _Asked) -> Choice:
    """Choose for `master`, a part of the games at a time: those whose turn is over are left out.

    A turn is solved again after each reroll, as by the single bot: what the others are expected to choose depends on
    the cards that are left.
    """
    lanes = len(asked.mask)
    part = -(-lanes // _PARTS)
    order = jnp.argsort(~asked.going, stable=True).astype(np.int32)

    def choose(at: Array, found: Choice) -> Choice:
        games = jax.lax.dynamic_slice_in_dim(order, at * part, part)
        mask, roll = asked.mask[games], asked.roll[games]
        here = Table(table.scores[:, games], table.active[:, games].at[table.seat].set(mask), table.seat)
        chosen = decide(cards, solved(cards, *master_ends(cards, net, here)), mask, roll, NEAR, False)
        return Choice(*(to.at[games].set(new.astype(np.int32)) for to, new in zip(found, chosen, strict=True)))

    parts = -(-asked.going.sum(dtype=np.int32) // part)
    nothing = jnp.zeros(lanes, np.int32)
    found: Choice = jax.lax.fori_loop(np.int32(0), parts, choose, Choice(nothing, nothing, nothing, nothing))
    return found


class _Turn(NamedTuple):
    """A turn of the same seat in every game."""

    roll: Array
    """The rolls before this one."""
    going: Array
    mask: Array
    kept: Array
    points: Array
    row: Array
    """The card that was scored, or the row of the skip."""
    decisions: Array
    facts: Array


def _play_turn(minds: Minds, bot: str, keys: _Keys, seat: Array, games: _Games) -> tuple[_Games, Array]:
    """Play a bot's turn in every game; return the rows of the effects too, negative where no turn is played."""
    there = games.number < keys.games
    number = jnp.minimum(games.number, keys.games - 1)
    dice, luck = keys.dice[number], keys.luck[number, seat]
    choose = _chooser(minds, bot, games.table(seat))

    def decision(turn: _Turn) -> _Turn:
        word = luck_words(luck, turn.decisions)[0]
        roll = throw(minds.cards, dice, seat.astype(U32), games.rounds, turn.roll, turn.kept)
        found = choose(_Asked(turn.going & (turn.mask != 0), turn.mask, roll, word))
        # Without an active card no choice is left (T7).
        verb = jnp.where(turn.mask == 0, SKIP, found.verb)
        scores, rerolls = (turn.going & (verb == one) for one in (SCORE, REROLL))
        ends = turn.going & ~rerolls
        fact = jnp.where(scores, found.card, jnp.where(rerolls, 2 * _CARDS + found.card, 3 * _CARDS))
        counts = jnp.arange(FACTS)[:, None] == fact
        brought = jnp.arange(FACTS)[:, None] == jnp.where(scores, _CARDS + found.card, -1)
        mask = jnp.where(verb == SKIP, ALL_ACTIVE, turn.mask & ~(1 << found.card))
        return _Turn(
            turn.roll + U32(1),
            rerolls,
            jnp.where(turn.going, mask, turn.mask),
            jnp.where(rerolls, found.kept, turn.kept),
            jnp.where(scores, found.points, turn.points),
            jnp.where(ends, jnp.where(scores, found.card, _CARDS), turn.row),
            turn.decisions + turn.going.astype(U32),
            turn.facts + (counts & turn.going) + brought * found.points,
        )

    nothing = jnp.zeros_like(games.number)
    first = _Turn(
        jnp.zeros((), U32),
        there,
        games.active[seat],
        nothing,
        nothing,
        nothing - 1,
        games.decisions[seat],
        games.facts[seat],
    )
    turn = jax.lax.while_loop(lambda turn: turn.going.any(), decision, first)
    after = games._replace(
        scores=games.scores.at[seat].add(turn.points),
        active=games.active.at[seat].set(turn.mask),
        decisions=games.decisions.at[seat].set(turn.decisions),
        facts=games.facts.at[seat].set(turn.facts),
    )
    return after, turn.row


def _answer(minds: Minds, bot: str, table: Table, seat: Array, change: Array, word: Array) -> Array:
    """Return the card that an affected seat's bot turns over."""
    mask = table.active[seat]
    if bot == "planner":
        assert minds.book is not None
        return planned_answer(minds.cards, minds.book, table, seat, mask, change)
    if bot == "perfect":
        assert minds.exact is not None
        return perfect_answer(minds.cards, minds.exact, table, seat, change)
    if bot == "master":
        assert minds.net is not None
        return master_answer(minds.net, table, seat, change)
    freezes = change == int(Change.FREEZE)
    choices = jnp.where(freezes, mask, ALL_ACTIVE ^ mask).astype(U32)
    found = random_answer(choices, word) if bot == "random" else greedy_answer(minds.light, choices, freezes)
    return found.astype(np.int32)


def _play_seat(minds: Minds, bots: tuple[str, ...], keys: _Keys, seat: Array, games: _Games) -> _Games:
    """Play a seat's turn and let the seats that it affects answer, in order (T4, T5, T8, T9)."""
    seats = len(keys.bots)

    def of_bot(function: Callable[..., Any], seat: Array, *arguments: Any) -> Any:
        """Call a function for the bot of a seat."""
        return jax.lax.switch(keys.bots[seat], [partial(function, minds, bot) for bot in bots], *arguments)

    games, row = of_bot(_play_turn, seat, keys, seat, games)
    number = jnp.minimum(games.number, keys.games - 1)

    def answer(place: Array, games: _Games) -> _Games:
        other = (seat + place) % seats
        mask = games.active[other]
        asked = (row >= 0) & is_asked(minds.cards, row, place, mask)
        word = luck_words(keys.luck[number, other], games.decisions[other])[0]
        change = minds.cards.change[row]
        card = jax.lax.cond(
            asked.any(),
            lambda: of_bot(_answer, other, games.table(seat), other, change, word),
            lambda: jnp.zeros_like(row),
        )
        return games._replace(
            active=games.active.at[other].set(jnp.where(asked, mask ^ (1 << card), mask)),
            decisions=games.decisions.at[other].add(asked.astype(U32)),
        )

    answered: _Games = jax.lax.fori_loop(np.int32(1), np.int32(seats), answer, games)
    return answered


def _fresh(cards: Cards, number: Array) -> _Games:
    """Return the start of games."""
    seats, lanes = len(cards.start), len(number)
    return _Games(
        number,
        jnp.tile(cards.start[:, None], (1, lanes)),
        jnp.full((seats, lanes), ALL_ACTIVE, np.int32),
        jnp.zeros(lanes, U32),
        jnp.zeros((seats, lanes), U32),
        jnp.zeros((seats, FACTS, lanes), np.int32),
    )


@partial(jax.jit, static_argnames=("bots", "lanes"))
def _play_all(minds: Minds, bots: tuple[str, ...], keys: _Keys, lanes: int) -> Played:
    """Play all games with some different bots, so many at a time; results have the games along the last axis."""
    seats, waiting = len(keys.bots), len(keys.dice)

    def play_round(carry: tuple[_Games, Played, Array]) -> tuple[_Games, Played, Array]:
        games, played, following = carry
        games = games._replace(rounds=games.rounds + U32(1))
        games = jax.lax.fori_loop(np.int32(0), np.int32(seats), partial(_play_seat, minds, bots, keys), games)
        over = (games.number < keys.games) & (games.scores.max(axis=0) >= minds.cards.goal)
        # Numbers beyond the last game are not written.
        where = jnp.where(over, games.number, waiting)
        results = Played(games.scores, games.active, (games.rounds * U32(seats)).astype(np.int32), games.facts)
        played = jax.tree.map(lambda to, found: to.at[..., where].set(found, mode="drop"), played, results)
        number = jnp.where(over, following + jnp.cumsum(over, dtype=np.int32) - 1, games.number)
        fresh = _fresh(minds.cards, number)
        games = jax.tree.map(lambda new, old: jnp.where(over, new, old), fresh, games)
        return games, played, following + over.sum(dtype=np.int32)

    shapes = (seats,), (seats,), (), (seats, FACTS)
    nothing = Played(*(jnp.zeros((*shape, waiting), np.int32) for shape in shapes))
    first = _fresh(minds.cards, jnp.arange(lanes, dtype=np.int32)), nothing, jnp.int32(lanes)
    played: Played = jax.lax.while_loop(lambda carry: (carry[0].number < keys.games).any(), play_round, first)[1]
    return played


def play_planned(game: DicyCards, bots: Sequence[str], dice: Keys, luck: Keys, device: Any) -> Played:
    """Play games to the end on a device; the luck is by game and seat."""
    number, room = len(dice), lanes_for(len(dice))
    lanes = _FEW_LANES if device.platform == "cpu" else min(_LANES, room)
    # One program plays the same bots in any order of seats.
    kinds = tuple(sorted(set(bots)))
    order = np.array([kinds.index(bot) for bot in bots], np.int32)
    with jax.enable_x64(True):
        keys = _Keys(order, filled_up(dice, room), filled_up(luck, room), np.int32(number))
        minds, keys = jax.device_put((minds_of(game, bots), keys), device)
        found = _play_all(minds, kinds, keys, lanes)
        scores, active, turns, facts = (np.asarray(part)[..., :number].astype(np.int64) for part in found)
    return Played(scores.T, active.T, turns, np.moveaxis(facts, -1, 0))
