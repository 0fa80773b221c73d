"""The coach of Dicy Cards with three and four players: values of `master`, rollouts on the same dice, sums that fit."""

import json
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

from starfrost.bots.registry import make_bot
from starfrost.cli import main
from starfrost.coach.analysis import analyse
from starfrost.coach.judge import check
from starfrost.coach.registry import COACHES
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import Action, DicyCards, Phase, State
from starfrost.games.dicy_cards.bots.master import DicyCardsMaster, SeveralTurn, weights
from starfrost.games.dicy_cards.coach import judge as dicy_cards
from starfrost.games.dicy_cards.coach.judge import CardsJudge, Position, TableTurn
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.games.record import Event, Record, Replay, replay, write_record

GOAL = 20
CARDS = ("any-two", "odds", "sixes", "three-lowest", "same-fives")


@cache
def values() -> Values:
    return service.ensure_solved(CARDS, GOAL)


@cache
def judge(seats: int) -> CardsJudge:
    # The cards of the game stand in another order than those of the solved set.
    return CardsJudge(DicyCards(seats, CARDS[::-1], GOAL), values())


@cache
def played(seats: int) -> Replay:
    """Return a game between greedy players."""
    values()
    game, rng = DicyCards(seats, CARDS[::-1], GOAL), Random(3)
    bot = make_bot("greedy", game)
    state, found = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
        found.append(Event(actor, action))
        state = game.apply(state, action)
    return replay(Record(game, tuple(f"greedy {seat}" for seat in range(seats)), tuple(found)))


def dice(number: int, seats: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, 6, (number, seats, 6, 6))


@pytest.mark.parametrize("seats", [3, 4])
def test_the_best_option_is_the_choice_of_master(seats: int) -> None:
    own, bot = judge(seats), DicyCardsMaster()
    waiting = [state for state in played(seats).states if own.game.actor(state) not in (CHANCE, OVER)]
    assert {state.phase for state in waiting} >= {Phase.ACT}
    for state in waiting:
        options = own.options(state)
        assert {option.action for option in options} == set(own.game.legal_actions(state))
        assert all(sum(option.shares) == pytest.approx(1) for option in options)
        if len(state.affected) > 1:
            continue
        # With more affected seats master does not consider what the next ones will choose.
        chosen = bot.choose(own.game, state, Random(1))
        seat = own.game.actor(state)
        shares = next(option.shares for option in options if option.action == chosen)
        assert shares[seat] == pytest.approx(options[0].shares[seat], abs=1e-9)


def test_the_chances_of_the_others_come_from_the_same_play() -> None:
    at = Position(1, (4, 9, 7), (21, 30, 31))
    turn = TableTurn(values(), weights(3), at)
    own = SeveralTurn(values(), weights(3), *at)
    found = turn.chances_kept("", 30)
    assert found[1] == pytest.approx(own.kept("", 30), abs=1e-9)
    ends = np.array([turn.play("", 30, throws).chances for throws in dice(3000, 1)[:, 0]])
    error = ends.std(axis=0) / np.sqrt(len(ends))
    assert (np.abs(ends.mean(axis=0) - found) < 4 * error).all()
    assert (error < 0.01).all()


def test_a_played_turn_follows_the_rules() -> None:
    at = Position(2, (4, 9, 19), (0, 30, 31))
    turn = TableTurn(values(), weights(3), at)
    over = 0
    for throws in dice(40, 1)[:, 0]:
        end = turn.play("", 31, throws)
        assert sum(end.chances) == pytest.approx(1)
        over += end.following is None
        if end.following is not None:
            assert end.following.seat == 0
            assert end.following.scores[:2] == at.scores[:2]
            assert max(end.following.scores) < GOAL
    assert over > 20
    # A seat without an active card can only skip (T7): all its cards are active again.
    skipped = TableTurn(values(), weights(3), Position(0, (4, 9, 19), (0, 30, 31))).play("", 0, dice(1, 1)[0, 0])
    assert skipped.following is not None
    assert (skipped.following.seat, skipped.following.scores, skipped.following.masks[0]) == (1, (4, 9, 19), 31)


def test_rollouts_have_the_expectation_of_plain_play_and_less_luck() -> None:
    own = judge(3)
    state = State(Phase.ACT, 0, "665431", (4, 9, 7), (31, 31, 31))
    reroll = Action("reroll", "any-two", "431")
    cards = own.rollouts(state, reroll, dice(60, 3))
    assert cards.sum(axis=1) == pytest.approx(np.ones(60), abs=1e-6)
    turn = TableTurn(values(), weights(3), own.position(state))
    active = own.position(own.game.apply(state, reroll)).masks[0]
    plain = np.array([turn.play("665", active, throws).chances for throws in dice(400, 1)[:, 0]])
    assert cards[:, 0].std() < plain[:, 0].std() / 2
    assert abs(cards[:, 0].mean() - plain[:, 0].mean()) < 0.06


def test_a_comparison_proves_a_blunder_and_not_an_action_against_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    own = judge(3)
    # The first seat can reach the goal with sixes; skipping gives everything away.
    state = State(Phase.ACT, 2, "666661", (4, 9, 10), (31, 31, 31))
    best = own.options(state)[0].action
    found = own.compare(state, best, Action("skip"))
    assert found.proved
    assert found.mean[2] > 0.1
    assert sum(found.mean) == pytest.approx(0, abs=1e-6)
    same = own.compare(state, best, best)
    assert (same.mean, same.proved) == ((0.0, 0.0, 0.0), False)
    checked = check(own, state, Action("skip"))
    assert (checked.best, checked.loss) == (best, found.mean)
    # What the values at the end of a round do not know, no number of rollouts proves.
    monkeypatch.setattr(dicy_cards, "OF_THE_VALUES", found.mean[2])
    doubtful = own.compare(state, best, Action("skip"))
    assert (doubtful.mean, doubtful.proved) == (found.mean, False)
    assert doubtful.error > found.mean[2]


def test_luck_and_losses_add_up_to_the_change_of_the_estimate() -> None:
    found = analyse(judge(3), played(3))
    for seat, tally in enumerate(found.tallies):
        assert tally.luck - tally.loss + tally.others_luck + tally.others_decisions == pytest.approx(
            tally.change, abs=1e-6
        )
        assert found.shares[-1][seat] - found.shares[0][seat] == pytest.approx(tally.change)
        assert tally.loss >= 0
    assert all(sum(shares) == pytest.approx(1, abs=1e-6) for shares in found.shares)
    assert any(moment.loss > 0.01 for moment in found.moments), "greedy makes mistakes"


def test_the_command_and_the_pages_have_this_coach(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = played(3)
    file = tmp_path / "game.sfr"
    file.write_text(write_record(record.record), encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["analyse", str(file), "--json"])
    assert left.value.code in (0, None)
    facts = json.loads(capsys.readouterr().out)
    assert facts["estimate"] is True
    assert facts["cards"] == list(CARDS[::-1])
    assert len(facts["curves"]) == 3
    decisions = [event for event in facts["events"] if not event["chance"]]
    assert all(event["error"] > 0 for event in decisions if 0 < event["loss"] < 0.2)
    coach, game = COACHES["dicy-cards"], record.record.game
    assert coach.can_judge(game)
    assert not coach.is_exact(game)
    assert isinstance(coach.judge(game), CardsJudge)
    unsolved = DicyCards(3, CARDS, GOAL + 1)
    assert not coach.can_judge(unsolved)
    assert coach.judge(unsolved) is None
