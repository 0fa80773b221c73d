"""A deal: one setup and all its dice, so that different players can play with the same dice.

Every turn of every seat has its own dice (`batch.chance`). They do not depend on the actions or the rerolls of others,
and are the same on every machine and in every process. Bots that can play many games at once do so; the results are
those of single games.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import BotRandom, Roll, game_key, game_keys, luck_key, luck_keys
from starfrost.batch.registry import BATCHES
from starfrost.bots import progress as tables
from starfrost.bots.core import Bot
from starfrost.bots.registry import make_bot
from starfrost.errors import Forfeit, UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup

FEWEST: Final = 64
"""A run of fewer games plays them one by one: loading the compiled code would take longer, except for slow bots."""


def stream(*names: object) -> Random:
    """Return the source of randomness for these names."""
    digest = blake2b("/".join(map(str, names)).encode(), digest_size=8).digest()
    return Random(int.from_bytes(digest, "big"))


def deal(setup: Setup, seed: int, number: int) -> Game[Any, Any]:
    """Return the game of a deal."""
    return setup.make(stream(seed, number, "cards"))


def make_ready(setup: Setup, bots: Sequence[str], progress: Callable[[float], None]) -> None:
    """Solve the tables that one of the bots needs, so that the same seed gives the same games.

    `progress` is called with the finished share. Raises UsageError if every deal would need its own tables, because
    solving takes minutes.
    """
    game = deal(setup, 0, 0)
    bot = tables.waiting(game, bots)
    if bot is not None and setup.drawn:
        raise UsageError(
            "%(bot)s must have its tables solved first; choose another mode than %(mode)s.", bot=bot, mode=setup.mode
        )
    tables.solve(game, bots, progress)


_ready: set[tuple[Any, ...]] = set()


def ready_here(setup: Setup, bots: Sequence[str]) -> None:
    """Solve the tables of the bots once in this process; another machine of a cluster has a cache of its own."""
    key = (setup.game, setup.seats, *sorted(setup.options.items()), *bots)
    if key not in _ready and not setup.drawn:
        tables.solve(deal(setup, 0, 0), bots, lambda share: None)
        _ready.add(key)


class Player(NamedTuple):
    """A bot in a seat, and the names of its luck."""

    bot: str
    luck: tuple[object, ...]


class Result(NamedTuple):
    """The result of a game, by seats."""

    scores: tuple[int, ...]
    credits: tuple[float, ...]
    """1 for a win, 1/k for a victory shared by k."""
    turns: int
    forfeit: str = ""
    """Why a bot from outside lost by failing; empty if none did."""
    failed: int = -1
    """Its seat."""
    facts: Sequence[Sequence[int]] = ()
    """What each seat did, by the names of `BatchKit.facts`."""


_told: set[tuple[str, str]] = set()


def _tell(bot: str, fault: Forfeit) -> None:
    """Tell the bot's author what happened, once for each kind of fault; a thousand games fail in the same way."""
    if (bot, fault.sentence) not in _told:
        _told.add((bot, fault.sentence))
        print(f"{bot}: {fault} ({fault.detail})", file=sys.stderr, flush=True)


def play(game: Game[Any, Any], bots: Sequence[Bot], luck: Sequence[BotRandom], key: tuple[int, int]) -> Result:
    """Play one game with bots and their luck in seat order; the key of the deal decides the dice.

    A bot from outside that fails loses, and the others share the victory.
    """
    state = game.start()
    outcome = GAMES[game.name].outcome
    kit = BATCHES.get(game.name)
    made: list[tuple[Any, Any]] = []
    turns = [0] * game.seats
    roll = 0
    while (actor := game.actor(state)) != OVER:
        if game.starts_turn(state):
            seat = game.turn_of(state)
            turns[seat] += 1
            roll = 0
        if actor == CHANCE:
            action = outcome(game, state, Roll(key, seat, turns[seat], roll).draws())
            roll += 1
        else:
            luck[actor].next_decision()
            try:
                action = bots[actor].choose(game, state, luck[actor])
            except Forfeit as fault:
                _tell(bots[actor].name, fault)
                share = 1 / max(1, game.seats - 1)
                credits = tuple(0.0 if seat == actor else share for seat in range(game.seats))
                facts = kit.count(game, made, state) if kit is not None else ()
                return Result(game.scores(state), credits, sum(turns), fault.sentence, actor, facts)
            made.append((state, action))
        state = game.apply(state, action)
    winners = game.winners(state)
    credits = tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(game.seats))
    facts = kit.count(game, made, state) if kit is not None else ()
    return Result(game.scores(state), credits, sum(turns), facts=facts)


class Fault(NamedTuple):
    """Where a bot from outside failed, and why."""

    deal: int
    """The deal's place among those played."""
    seating: int
    seat: int
    sentence: str


class Facts(NamedTuple):
    """What the seats did in some deals."""

    names: tuple[str, ...] = ()
    dealt: tuple[int, ...] = ()
    """The number of deals that have each fact: where cards are drawn, not all have all of them."""
    counts: NDArray[np.int64] = np.zeros(0, np.int64)
    """`[deal, seating, seat, fact]`."""


class PlayedGames(NamedTuple):
    """The results of deals, each with several seatings: `[deal, seating, seat]`."""

    scores: NDArray[np.int64]
    credits: NDArray[np.float64]
    turns: NDArray[np.int64]
    forfeits: list[Fault]
    """The games that a bot from outside lost by failing."""
    facts: Facts


def games_at_once(setup: Setup, bots: Sequence[str], run: int | None = None) -> int:
    """Return the number of games that a process should play at once with these bots; 1 if they play one by one.

    That depends on the games of the whole `run`, if their number is given, and never on how they are divided.
    """
    kit = BATCHES.get(setup.game)
    size = kit.size(deal(setup, 0, 0), bots) if kit is not None else 1
    return size if run is None or run >= min(FEWEST, size) else 1


def play_deals(
    setup: Setup,
    seed: int,
    numbers: range,
    seatings: Sequence[Sequence[Player]],
    run: int | None = None,
) -> PlayedGames:
    """Play deals, each with every seating on the same dice, at once where the bots can.

    If they are part of a `run` of few games, they are played one by one (`games_at_once`).
    """
    shape = (len(numbers), len(seatings), setup.seats)
    names = sorted({player.bot for seating in seatings for player in seating})
    at_once = games_at_once(setup, names, run) > 1
    groups: dict[Game[Any, Any], list[int]] = {}
    if setup.drawn:
        for place, number in enumerate(numbers):
            groups.setdefault(deal(setup, seed, number), []).append(place)
    else:
        groups[deal(setup, seed, numbers.start)] = list(range(len(numbers)))
    facts = _no_facts(shape, groups)
    played = PlayedGames(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape[:2], np.int64), [], facts)
    for game, places in groups.items():
        if at_once:
            _play_batch(played, game, seed, np.array(numbers)[places], np.array(places), seatings)
        else:
            _play_singly(played, game, seed, [(place, numbers[place]) for place in places], seatings)
    return played


def _no_facts(shape: tuple[int, ...], groups: Mapping[Game[Any, Any], Sequence[int]]) -> Facts:
    """Return the facts of games that are not played yet."""
    dealt: dict[str, int] = {}
    for game, places in groups.items():
        for name in _fact_names(game):
            dealt[name] = dealt.get(name, 0) + len(places)
    return Facts(tuple(dealt), tuple(dealt.values()), np.zeros((*shape, len(dealt)), np.int64))


def _fact_names(game: Game[Any, Any]) -> tuple[str, ...]:
    kit = BATCHES.get(game.name)
    return kit.facts(game) if kit is not None else ()


def _fact_places(played: PlayedGames, game: Game[Any, Any]) -> list[int]:
    """Return where the facts of a game stand among those of all games."""
    return [played.facts.names.index(name) for name in _fact_names(game)]


def _play_batch(
    played: PlayedGames,
    game: Game[Any, Any],
    seed: int,
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    seatings: Sequence[Sequence[Player]],
) -> None:
    keys, own = game_keys(seed, numbers), _fact_places(played, game)
    for at, seating in enumerate(seatings):
        luck = [luck_keys(keys, *player.luck) for player in seating]
        found = BATCHES[game.name].play(game, [player.bot for player in seating], keys, luck)
        played.scores[places, at], played.credits[places, at] = found.scores, found.credits
        played.turns[places, at] = found.turns
        played.facts.counts[places[:, None, None], at, np.arange(game.seats)[:, None], own] = found.facts


def _play_singly(
    played: PlayedGames,
    game: Game[Any, Any],
    seed: int,
    numbers: Sequence[tuple[int, int]],
    seatings: Sequence[Sequence[Player]],
) -> None:
    bots = {player.bot: make_bot(player.bot, game) for seating in seatings for player in seating}
    own = _fact_places(played, game)
    for place, number in numbers:
        key = game_key(seed, number)
        for at, seating in enumerate(seatings):
            luck = [BotRandom(luck_key(key, *player.luck)) for player in seating]
            found = play(game, [bots[player.bot] for player in seating], luck, key)
            played.scores[place, at], played.credits[place, at] = found.scores, found.credits
            played.turns[place, at] = found.turns
            for seat, facts in enumerate(found.facts):
                played.facts.counts[place, at, seat, own] = facts
            if found.forfeit:
                played.forfeits.append(Fault(place, at, found.failed, found.forfeit))
