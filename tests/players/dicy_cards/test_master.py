"""The master with three and four players: exact values, choices as an affected seat, and whole games."""

from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest

from bench.master import Row
from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import MODES, DicyCards, Phase, State
from starfrost.games.dicy_cards.bots.master import DicyCardsMaster, SeveralTurn, weights
from starfrost.games.dicy_cards.solver import on_demand as service

GOAL = 20
# Cards with effects, and not in the order of their clauses.
CARDS = ("three-lowest", "sixes", "odds", "any-two", "same-fives")


@pytest.mark.parametrize("seats", [3, 4])
def test_the_last_seat_s_last_turn_is_exact(seats: int) -> None:
    values = service.ensure_solved(CARDS, GOAL)
    rng = Random(seats)
    for _ in range(12):
        scores = (*(rng.randrange(GOAL + 8) for _ in range(seats - 1)), rng.randrange(GOAL))
        if max(scores) < GOAL:
            continue
        masks = tuple(rng.randrange(32) for _ in range(seats))
        turn = SeveralTurn(values, weights(seats), seats - 1, scores, masks)
        # To win is to pass the best of the others (E2), whatever the rest have.
        best, cards = max((score, mask.bit_count()) for score, mask in zip(scores[:-1], masks[:-1], strict=True))
        if sum((score, mask.bit_count()) == (best, cards) for score, mask in zip(scores[:-1], masks, strict=False)) > 1:
            continue
        rival = next(
            mask for mask, score in zip(masks, scores, strict=True) if (score, mask.bit_count()) == (best, cards)
        )
        gap = min(best - scores[-1], len(values.last) - 1)
        wanted = 1.0 if gap < 0 else float(values.last[gap, rival, masks[-1]])
        assert turn.kept("", masks[-1]) == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize("seats", [3, 4])
def test_it_plays_whole_games_legally(seats: int) -> None:
    game = DicyCards(seats, CARDS, GOAL)
    service.ensure_solved(game.cards, game.goal)
    master, rng, state = DicyCardsMaster(), Random(7), game.start()
    seen = set()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            action = game.sample(state, rng)
        else:
            action = master.choose(game, state, rng)
            assert action in game.legal_actions(state)
            seen.add(action.verb)
        state = game.apply(state, action)
    assert {"score", "reroll"} <= seen


def test_the_luck_of_all_rolls_together_is_nought() -> None:
    game = DicyCards(3, CARDS, GOAL)
    service.ensure_solved(game.cards, game.goal)
    master, state = DicyCardsMaster(), game.start()
    assert state.phase is Phase.ROLL
    outcomes = game.chance_outcomes(state)
    total = sum(weight for _, weight in outcomes)
    for seat in range(3):
        lucks = [master.luck(game, state, game.apply(state, action), seat) for action, _ in outcomes]
        assert sum(luck * weight for luck, (_, weight) in zip(lucks, outcomes, strict=True)) / total == pytest.approx(
            0, abs=1e-6
        )
        assert max(lucks) > 0.001 > -0.001 > min(lucks)


def test_made_to_freeze_it_keeps_the_card_that_matters() -> None:
    game = DicyCards(3, MODES["d"].cards, GOAL)
    service.ensure_solved(game.cards, game.goal)
    at = {card: 1 << game.cards.index(card) for card in game.cards}
    held = at["double-pair"] | at["three-lowest"]
    # The first seat has the goal; the second has one turn to make 18 points, and has to freeze one of two cards.
    state = State(Phase.FREEZE, 0, "", (GOAL + 1, 4, 4), (0, held, held), (1, 2))
    action = DicyCardsMaster().choose(game, state, Random(1))
    assert (action.verb, action.card) == ("freeze", "three-lowest")


def test_it_wins_far_more_than_its_part_against_planners() -> None:
    row = Row(DicyCards(4, MODES["b"].cards, 60), "b", "master", "planner", 1)
    service.ensure_solved(row.game.cards, row.game.goal)
    games = [row.play(number) for number in range(48)]
    quiet = [game.credit - game.luck for game in games]
    assert fmean(quiet) - 2 * stdev(quiet) / len(quiet) ** 0.5 > 0.25


def test_it_plays_as_the_planner_does_while_a_set_is_not_solved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    monkeypatch.setenv("STARFROST_SOLVE", "never")
    monkeypatch.setattr(service, "_opened", {})
    game = DicyCards(3, MODES["b"].cards, 11)
    rng, state = Random(3), game.start()
    master, planner = make_bot("master", game, meanwhile=True), make_bot("planner", game)
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else master.choose(game, state, rng)
        if actor != CHANCE:
            assert action == planner.choose(game, state, rng)
        state = game.apply(state, action)


def test_weights_are_plain_finite_numbers() -> None:
    for seats in (3, 4):
        params = weights(seats)
        assert all(np.isfinite(value).all() for value in params.values())
        assert params["w2"].shape[-1] == seats
