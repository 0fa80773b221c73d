"""Random games on the vector engine: the same sums for any shards, and memory that does not grow with the games."""

import psutil
import pytest

from bench.many import RandomGames
from starfrost.lab.shards import total


@pytest.mark.parametrize(("game", "players"), [("dicy-cards", 2), ("dice-stars", 1)])
def test_sums_do_not_depend_on_the_shards(game: str, players: int) -> None:
    whole = total(RandomGames(game, players, lanes=64), 1500, 1500)
    parts = total(RandomGames(game, players, lanes=64), 1500, 400)
    lanes = total(RandomGames(game, players, lanes=32), 1500, 1500)
    assert whole == parts == lanes
    assert whole["games"] == 1500
    if players > 1:
        assert sum(whole["wins"]) + sum(whole["shared"]) / players == 1500
    assert whole != total(RandomGames(game, players, seed=1, lanes=64), 1500, 1500)


def test_memory_does_not_grow_with_the_games() -> None:
    seen = []
    total(
        RandomGames("dicy-cards", 2, lanes=256),
        256 * 80,
        256,
        progress=lambda done: seen.append(psutil.Process().memory_info().rss),
    )
    # The last three quarters of the run against the first: compiled programs and buffers are there by then.
    assert max(seen[20:]) - seen[19] < 20e6
