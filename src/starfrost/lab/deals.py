"""A deal: one setup and all its dice, so that different players can play with the same dice.

Every turn of every seat has its own dice (`batch.chance`). They do not depend on the actions or the rerolls of others,
and are the same on every machine and in every process. Bots that can play many games at once do so; the results are
those of single games.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from starfrost.batch.chance import Lot, Roll, game_key, game_keys, luck_key, luck_keys
from starfrost.batch.registry import BATCHES, BatchKit, DeviceKit
from starfrost.errors import Forfeit, UsageError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.players import progress as tables
from starfrost.players.core import Bot
from starfrost.players.registry import make_bot

FEWEST: Final = 64
"""Fewer games than this are played one by one: loading the compiled code would take longer, except for slow bots."""


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


def play(game: Game[Any, Any], bots: Sequence[Bot], luck: Sequence[Lot], key: tuple[int, int]) -> Result:
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


class Played(NamedTuple):
    """The results of deals, each with several seatings: `[deal, seating, seat]`."""

    scores: NDArray[np.int64]
    credits: NDArray[np.float64]
    turns: NDArray[np.int64]
    forfeits: list[Fault]
    """The games that a bot from outside lost by failing."""
    facts: Facts


def check_device(device: str, tables: Iterable[tuple[str, Sequence[str]]]) -> None:
    """Raise UsageError if there is no such device or none of these tables (game and bots) has a use for it."""
    if not device:
        return
    kits = [(BATCHES.get(game), bots) for game, bots in tables]
    if any(_on_device(kit, bots) for kit, bots in kits):
        from starfrost.batch.on_device import device_of

        device_of(device)
        return
    able = [kit.device for kit, _ in kits if kit is not None and kit.device is not None]
    if not able:
        raise UsageError("No bot of this game plays on a device.")
    names = ", ".join(sorted({bot for there in able for bot in there.bots}))
    raise UsageError("A table of this game plays on a device if all its bots can: %(names)s.", names=names)


def _on_device(kit: BatchKit | None, bots: Sequence[str]) -> DeviceKit | None:
    """Return the part of a kit that plays on a device, if it is of use to this table."""
    if kit is None or kit.device is None:
        return None
    return kit.device if set(bots) <= set(kit.device.bots) else None


def games_at_once(setup: Setup, bots: Sequence[str], device: str = "") -> int:
    """Return the number of games that a process should play at once with these bots; 1 if they play one by one."""
    kit = BATCHES.get(setup.game)
    if kit is None:
        return 1
    there = _on_device(kit, bots) if device else None
    return (there or kit).size(deal(setup, 0, 0), bots)


def play_deals(
    setup: Setup,
    seed: int,
    numbers: range,
    seatings: Sequence[Sequence[Player]],
    fewest: int | None = None,
    device: str = "",
) -> Played:
    """Play deals, each with every seating on the same dice; fewer games than `fewest` are played one by one.

    By default it is the number that takes as long as loading the compiled code. Bots that can use it play on the
    `device` of this name, if there is one, also in fewer games.
    """
    shape = (len(numbers), len(seatings), setup.seats)
    names = sorted({player.bot for seating in seatings for player in seating})
    size = games_at_once(setup, names, device)
    least = 1 if device else min(FEWEST, size)
    at_once = size > 1 and shape[0] * shape[1] >= (least if fewest is None else fewest)
    groups: dict[Game[Any, Any], list[int]] = {}
    if setup.drawn:
        for place, number in enumerate(numbers):
            groups.setdefault(deal(setup, seed, number), []).append(place)
    else:
        groups[deal(setup, seed, numbers.start)] = list(range(len(numbers)))
    facts = _no_facts(shape, groups)
    played = Played(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape[:2], np.int64), [], facts)
    for game, places in groups.items():
        if at_once:
            _play_batch(played, game, seed, np.array(numbers)[places], np.array(places), seatings, device)
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


def _fact_places(played: Played, game: Game[Any, Any]) -> list[int]:
    """Return where the facts of a game stand among those of all games."""
    return [played.facts.names.index(name) for name in _fact_names(game)]


def _play_batch(
    played: Played,
    game: Game[Any, Any],
    seed: int,
    numbers: NDArray[np.int64],
    places: NDArray[np.int64],
    seatings: Sequence[Sequence[Player]],
    device: str,
) -> None:
    keys, own = game_keys(seed, numbers), _fact_places(played, game)
    for at, seating in enumerate(seatings):
        luck = [luck_keys(keys, *player.luck) for player in seating]
        bots, kit = [player.bot for player in seating], BATCHES[game.name]
        there = _on_device(kit, bots) if device else None
        found = there.play(game, bots, keys, luck, device) if there else kit.play(game, bots, keys, luck)
        played.scores[places, at], played.credits[places, at] = found.scores, found.credits
        played.turns[places, at] = found.turns
        played.facts.counts[places[:, None, None], at, np.arange(game.seats)[:, None], own] = found.facts


def _play_singly(
    played: Played,
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
            luck = [Lot(luck_key(key, *player.luck)) for player in seating]
            found = play(game, [bots[player.bot] for player in seating], luck, key)
            played.scores[place, at], played.credits[place, at] = found.scores, found.credits
            played.turns[place, at] = found.turns
            for seat, facts in enumerate(found.facts):
                played.facts.counts[place, at, seat, own] = facts
            if found.forfeit:
                played.forfeits.append(Fault(place, at, found.failed, found.forfeit))
