"""Bots that decide in many positions at once choose what the single bots choose, with the same luck."""

from random import Random
from typing import Any

import numpy as np
import pytest

from starfrost.batch.chance import Lot, game_keys
from starfrost.batch.registry import BATCHES
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup
from starfrost.lab.deals import make_ready
from starfrost.players.registry import make_bot
from starfrost.vector.registry import ENGINES

CARDS = {"cards": "three-lowest sixes odds any-two same-fives", "goal": "40"}

TABLES = [
    ("dicy-cards", {"mode": "d", "goal": "60"}, ("random", "greedy", "random"), 400),
    ("dicy-cards", {"mode": "b", "goal": "70"}, ("planner", "random", "planner", "greedy"), 200),
    ("dicy-cards", CARDS, ("perfect", "planner"), 200),
    ("dicy-cards", CARDS, ("master", "planner", "master"), 60),
    ("dice-stars", {}, ("random", "greedy", "random", "greedy"), 400),
    ("dice-stars", {"solo-boxes": "60"}, ("greedy",), 300),
    ("dice-stars", {}, ("planner", "random", "greedy"), 50),
    ("dice-stars", {"solo-boxes": "60"}, ("planner",), 50),
    ("dice-stars", {}, ("network", "planner"), 60),
    ("dice-stars", {}, ("greedy", "random", "strong"), 24),
    ("dice-stars", {"solo-boxes": "60"}, ("strong",), 12),
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
    single, verbs = [make_bot(bot, game) for bot in bots], set()
    for at, state in enumerate(unpack(game, packed)):
        one, two = luck[at].tolist()
        action = single[game.actor(state)].choose(game, state, Lot((one, two), int(decisions[at])))
        verbs.add(str(action).split()[0])
        assert chosen[at] == kit.number(game, state, action), (bots[game.actor(state)], state)
    assert len(verbs) > 2
