"""The coach's sums, against themselves and against the reference engine."""

from random import Random

import pytest

from starfrost.bots.registry import make_bot
from starfrost.coach.analysis import Analysis, Moment, _tally, analyse, review_of
from starfrost.coach.judge import advise, judge_move
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import Action, DicyCards, Phase
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.on_demand import in_order
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.record import Event, Record, Replay, replay

GOAL = 30
# Not in the order of the clauses: masks have to be translated.
CARDS = ("three-lowest", "sixes", "odds", "any-two", "same-fives")


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(DicyCards(2, CARDS, GOAL), solve(in_order(CARDS), GOAL))


def play(game: DicyCards, bots: tuple[str, str], seed: int) -> Replay:
    rng = Random(seed)
    players = [make_bot(name, game) for name in bots]
    state, events = game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else players[actor].choose(game, state, rng)
        events.append(Event(actor, action))
        state = game.apply(state, action)
    return replay(Record(game, bots, tuple(events)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bots", [("random", "random"), ("greedy", "random"), ("random", "greedy")])
def test_luck_and_skill_make_up_the_change(adviser: Adviser, bots: tuple[str, str], seed: int) -> None:
    played = play(adviser.game, bots, seed)
    found = analyse(ExactJudge(adviser), played)
    for seat in (0, 1):
        own, other = found.tallies[seat], found.tallies[1 - seat]
        assert own.luck - other.luck - own.loss + other.loss == pytest.approx(own.change, abs=1e-9)
        assert own.loss >= -1e-12
        assert 0 <= own.accuracy <= 1
    winners = played.winners
    assert found.curve[-1] == (0.0 if 0 not in winners else 1 / len(winners))
    assert found.curve[0] == adviser.values.first_player_wins
    assert all(moment.loss >= -1e-12 for moment in found.moments)


@pytest.mark.parametrize("seed", range(3))
def test_every_value_is_what_the_engine_leads_to(adviser: Adviser, seed: int) -> None:
    game = adviser.game
    rng = Random(seed)
    for state in play(game, ("random", "random"), seed).states:
        actor = game.actor(state)
        if actor == CHANCE:
            outcomes = game.chance_outcomes(state)
            mean = sum(weight * adviser.value(game.apply(state, roll)) for roll, weight in outcomes)
            assert mean / sum(weight for _, weight in outcomes) == pytest.approx(adviser.value(state), abs=1e-12)
        elif actor != OVER:
            values = adviser.action_values(state)
            assert [choice.action for choice in values] == list(game.legal_actions(state))
            assert max(choice.value for choice in values) == pytest.approx(adviser.value(state, actor), abs=1e-12)
            for choice in rng.sample(values, min(8, len(values))):
                after = game.apply(state, choice.action)
                assert choice.value == pytest.approx(adviser.value(after, actor), abs=1e-12)


def test_a_perfect_player_loses_nothing(adviser: Adviser) -> None:
    rng = Random(5)
    game, state, events = adviser.game, adviser.game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else adviser.best(state).action
        events.append(Event(actor, action))
        state = game.apply(state, action)
    found = analyse(ExactJudge(adviser), replay(Record(game, ("a", "b"), tuple(events))))
    assert state.phase is Phase.OVER
    assert not found.worst()
    assert all(tally.accuracy > 1 - 1e-9 and tally.mistakes == 0 for tally in found.tallies)


def test_rounding_takes_no_accuracy_below_nought() -> None:
    action = Action("skip")
    moment = Moment(0, 1, 0, action, False, 0.8, 0.7, action, 0.1)
    assert moment.loss > moment.stake
    assert _tally(0, [moment], ((0.8, 0.2), (0.7, 0.3)), 0.0).accuracy == 0.0


def test_what_costs_nothing_to_be_seen_is_no_dear_decision() -> None:
    action = Action("skip")
    losses = (0.0004, 0.0006, 0.2, 0.0)
    moments = [Moment(place, 1, 0, action, False, 0.5, 0.5 - loss, action, 0.3) for place, loss in enumerate(losses)]
    found = Analysis(((0.5, 0.5),) * 5, tuple(moments), ())
    assert [moment.event for moment in found.worst()] == [2, 1]


def test_advice_and_verdicts_are_the_exact_values(adviser: Adviser) -> None:
    game, judge = adviser.game, ExactJudge(adviser)
    played = play(game, ("random", "random"), 1)
    for state, event in zip(played.states, played.record.events, strict=False):
        if event.seat == CHANCE:
            assert judge.value(state) == (adviser.value(state, 0), 1 - adviser.value(state, 0))
            continue
        values = {str(choice.action): choice.value for choice in adviser.action_values(state)}
        advice, verdict = advise(judge, state), judge_move(judge, state, event.action)
        assert advice.exact
        assert verdict.exact
        assert not advice.error
        assert not verdict.error
        assert advice.best == str(adviser.best(state).action)
        assert advice.chance == values[advice.best]
        assert verdict.loss == pytest.approx(max(values.values()) - values[str(event.action)], abs=2e-6)
        assert verdict.only == (len(values) == 1)
        if len(values) > 1:
            assert advice.behind == pytest.approx(values[advice.best] - values[advice.other], abs=1e-9)
        if verdict.loss:
            assert values[verdict.best] == max(values.values())


def test_a_review_adds_up(adviser: Adviser) -> None:
    found = analyse(ExactJudge(adviser), play(adviser.game, ("random", "greedy"), 2))
    for seat in (0, 1):
        one = review_of(found, seat)
        assert one.exact
        assert one.loss == pytest.approx(sum(loss for _count, loss in one.kinds.values()))
        assert set(one.kinds) <= {"score", "reroll", "skip", "freeze", "reset"}
        own = [moment for moment in found.moments if moment.seat == seat and not moment.chance]
        assert sum(count for count, _loss in one.kinds.values()) == len(own)
        assert one.mean_loss == pytest.approx(one.loss / one.decisions)
