"""Bots that decide in many positions at once choose what the single bots choose, with the same luck.

Sums of floats in another order may decide otherwise where actions are as good as equal: once in a thousand decisions is
allowed, so not at all in fewer. `make test-long` compares 100,000 decisions of every bot.
"""

from random import Random
from typing import Any

import numpy as np
import pytest

from starfrost.batch.chance import BotRandom, game_keys
from starfrost.batch.registry import BATCHES
from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dicy_cards import Phase, State
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.lab.deals import make_ready
from starfrost.vector.registry import ENGINES

CARDS = {"cards": "three-lowest sixes odds any-two same-fives", "goal": "40"}

TABLES = [
    ("dicy-cards", {"mode": "d", "goal": "60"}, ("random", "greedy", "random"), 400),
    ("dicy-cards", {"mode": "b", "goal": "70"}, ("planner", "random", "planner", "greedy"), 600),
    ("dicy-cards", CARDS, ("perfect", "planner"), 400),
    ("dicy-cards", CARDS, ("master", "planner", "master"), 300),
    ("dice-stars", {}, ("random", "greedy", "random", "greedy"), 400),
    ("dice-stars", {"solo-boxes": "60"}, ("greedy",), 300),
    ("dice-stars", {}, ("planner", "random", "greedy"), 300),
    ("dice-stars", {"solo-boxes": "60"}, ("planner",), 150),
    ("dice-stars", {}, ("network", "planner"), 400),
    ("dice-stars", {}, ("greedy", "random", "strong"), 400),
    ("dice-stars", {"solo-boxes": "60"}, ("strong",), 150),
]


def positions(game: Game[Any, Any], number: int) -> list[Any]:
    """Return positions of random games in which a seat acts, no two of the same turn of a game."""
    rng, outcome, found = Random(3), GAMES[game.name].outcome, list[Any]()
    while len(found) < number:
        state = game.start()
        while (actor := game.actor(state)) != OVER:
            if actor == CHANCE:
                action = outcome(game, state, lambda sides, die, what: rng.randrange(sides))
            else:
                if rng.random() < 0.3:
                    found.append(state)
                action = rng.choice(game.legal_actions(state))
            state = game.apply(state, action)
    return found[:number]


@pytest.mark.parametrize(("name", "options", "bots", "number"), TABLES)
def test_many_decisions_at_once_are_those_of_single_bots(
    name: str, options: dict[str, str], bots: tuple[str, ...], number: int
) -> None:
    setup = Setup(name, len(bots), options)
    make_ready(setup, bots, lambda share: None)
    game, kit = setup.make(Random(0)), ENGINES[name]
    chooser, unpack = BATCHES[name].chooser, kit.unpack
    assert chooser is not None
    assert unpack is not None
    # The engine forgets how a row of a sheet was filled, so the single bot must see the same.
    packed = kit.pack(positions(game, number))
    luck, decisions = game_keys(1, np.arange(number)), np.arange(number) % 50
    chosen = chooser(game, bots)(packed, luck, decisions).tolist()
    single, verbs, differ = [make_bot(bot, game) for bot in bots], set(), []
    for at, state in enumerate(unpack(game, packed)):
        one, two = luck[at].tolist()
        action = single[game.actor(state)].choose(game, state, BotRandom((one, two), int(decisions[at])))
        verbs.add(str(action).split()[0])
        if chosen[at] != kit.number(game, state, action):
            differ.append((bots[game.actor(state)], state))
    assert len(differ) <= number // 1000, differ
    assert len(verbs) > 2


FROZEN, SOME = 0b00000, 0b01101
DECIDED = [
    State(Phase.RESET, 2, "", (45, 10, 30), (SOME, SOME, SOME), (0, 1)),
    State(Phase.FREEZE, 2, "", (45, 45, 30), (SOME, SOME, SOME), (1,)),
    # Every score wins, then every action, then none.
    State(Phase.ACT, 2, "665531", (45, 10, 44), (SOME, FROZEN, 0b11110)),
    State(Phase.ACT, 2, "665531", (45, 10, 60), (SOME, FROZEN, 0b11110)),
    State(Phase.ACT, 2, "665531", (99, 10, 5), (SOME, FROZEN, 0b11110)),
]
"""Positions in the last turn of a game in which equal actions are the best, among them the first legal one."""


def test_of_equal_actions_master_takes_the_first() -> None:
    setup, bots = Setup("dicy-cards", 3, CARDS), ("master",) * 3
    make_ready(setup, bots, lambda share: None)
    game, kit, chooser = setup.make(Random(0)), ENGINES["dicy-cards"], BATCHES["dicy-cards"].chooser
    assert chooser is not None
    number, single = len(DECIDED), make_bot("master", game)
    chosen = chooser(game, bots)(kit.pack(DECIDED), game_keys(1, np.arange(number)), np.zeros(number, np.int64))
    for state, found in zip(DECIDED, chosen.tolist(), strict=True):
        first = game.legal_actions(state)[0]
        assert single.choose(game, state, BotRandom((0, 0))) == first, state
        assert found == kit.number(game, state, first), state
