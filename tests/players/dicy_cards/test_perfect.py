"""The perfect player: its actions are legal and have the exact values."""

from random import Random
from statistics import mean

import pytest

from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, Action, DicyCards, State
from starfrost.games.dicy_cards.solver import on_demand as service

GOAL = 12


def play(game: DicyCards, bots: tuple[str, ...], seed: int) -> tuple[int, ...]:
    rng = Random(seed)
    players = [make_bot(name, game) for name in bots]
    state: State = game.start()
    while (actor := game.actor(state)) != OVER:
        action: Action = game.sample(state, rng) if actor == CHANCE else players[actor].choose(game, state, rng)
        state = game.apply(state, action)
    return game.winners(state)


def share(winners: list[tuple[int, ...]], seat: int) -> float:
    return mean((seat in won) / len(won) for won in winners)


def test_perfect_against_perfect_meets_the_solved_value() -> None:
    game = DicyCards(2, MODES["d"].cards, GOAL)
    solved = service.ensure_solved(game.cards, game.goal).first_player_wins
    winners = [play(game, ("perfect", "perfect"), seed) for seed in range(800)]
    # Four standard errors of 800 games.
    assert share(winners, 0) == pytest.approx(solved, abs=0.07)


@pytest.mark.parametrize("seat", [0, 1])
def test_perfect_beats_random(seat: int) -> None:
    game = DicyCards(2, MODES["glacial"].cards, 30)
    service.ensure_solved(game.cards, game.goal)
    bots = ("perfect", "random") if seat == 0 else ("random", "perfect")
    assert share([play(game, bots, seed) for seed in range(20)], seat) > 0.7


def test_perfect_plays_on_while_a_set_is_not_solved(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    monkeypatch.setattr(service, "_opened", {})
    assert play(DicyCards(2, MODES["b"].cards, 11), ("perfect", "random"), 1)
