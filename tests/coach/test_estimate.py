"""The coach of Dice Stars: estimates that add up, losses only where rollouts prove them, and the same words as JSON."""

import json
from pathlib import Path
from random import Random

import pytest
from rich.cells import cell_len

from starfrost.bots.registry import make_bot
from starfrost.cli import main
from starfrost.coach.analysis import analyse, ask_analysis, review_of
from starfrost.coach.judge import SUSPECTED, Advice, Difference, Option, Part, Parts, advise, check, judge_move
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.coach.judge import StarsJudge
from starfrost.games.record import Event, Record, Replay, replay, write_record
from starfrost.words import LANGUAGES


def played(seats: int, events: int = 1000) -> Replay:
    """Return a game between greedy players, or its beginning."""
    game, rng = DiceStars(seats), Random(5)
    bot = make_bot("greedy", game)
    state, found = game.start(), list[Event]()
    while (actor := game.actor(state)) != OVER and len(found) < events:
        action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
        found.append(Event(actor, action))
        state = game.apply(state, action)
    return replay(Record(game, tuple(f"greedy {seat}" for seat in range(seats)), tuple(found)))


class FixedJudge:
    """A judge with given values of two actions, of rules of which only the acting seat matters."""

    error = SUSPECTED

    def __init__(self, difference: Difference, gap: float) -> None:
        self.game = self
        self.difference, self.gap, self.asked = difference, gap, 0

    def value(self, state: object) -> tuple[float, ...]:
        return (0.5, 0.5)

    def options(self, state: object) -> list[Option]:
        return [Option("good", (0.6, 0.4)), Option("bad", (0.6 - self.gap, 0.4 + self.gap))]

    def actor(self, state: object) -> int:
        return 0

    def compare(self, state: object, one: object, other: object) -> Difference:
        self.asked += 1
        return self.difference

    def parts(self, state: object, better: object, worse: object, difference: float) -> Parts:
        return (Part("luck", difference),)


def test_advice_is_labelled_as_an_estimate_with_its_error() -> None:
    found = advise(FixedJudge(Difference((0.1, -0.1), 0.02, True), 0.2), None)
    assert found == Advice("good", 0.6, "bad", 0.1, 0.02, exact=False, parts=(Part("luck", 0.1),))
    # Rollouts that surely prefer the network's second choice decide.
    turned = advise(FixedJudge(Difference((-0.1, 0.1), 0.02, False), 0.2), None)
    assert (turned.best, turned.other, turned.behind) == ("bad", "good", 0.1)
    verdict = judge_move(FixedJudge(Difference((0.1, -0.1), 0.02, True), 0.2), None, "bad")
    assert (verdict.best, verdict.loss, verdict.error, verdict.exact) == ("good", 0.1, 0.02, False)


def test_a_review_is_labelled_as_an_estimate() -> None:
    record = played(2, 20)
    found = ask_analysis(write_record(record.record, record.final))
    assert found is not None
    review = review_of(found, 0)
    assert not review.exact
    assert set(review.kinds) <= {"draw", "take", "keep", "return", "penalty"}


def test_only_a_proved_difference_is_a_loss() -> None:
    proved = FixedJudge(Difference((0.1, -0.1), 0.02, True), 0.2)
    assert check(proved, None, "bad")[:3] == ("good", (0.1, -0.1), 0.02)
    assert check(proved, None, "good")[:2] == ("good", (0.0, 0.0))
    assert proved.asked == 1
    unproved = FixedJudge(Difference((0.1, -0.1), 0.12, False), 0.2)
    assert check(unproved, None, "bad")[:3] == ("bad", (0.0, 0.0), 0.12)
    close = FixedJudge(Difference((0.1, -0.1), 0.02, True), 0.001)
    assert check(close, None, "bad")[:2] == ("bad", (0.0, 0.0))
    assert close.asked == 0


@pytest.mark.parametrize(("seats", "events"), [(1, 1000), (2, 60), (3, 40)])
def test_luck_and_losses_add_up_to_the_change_of_the_estimate(seats: int, events: int) -> None:
    found = analyse(StarsJudge(DiceStars(seats)), played(seats, events))
    for seat, tally in enumerate(found.tallies):
        assert tally.luck - tally.loss + tally.others_luck + tally.others_decisions == pytest.approx(
            tally.change, abs=1e-6
        )
        assert found.shares[-1][seat] - found.shares[0][seat] == pytest.approx(tally.change)
        assert tally.loss >= 0
    if seats > 1:
        assert all(sum(shares) == pytest.approx(1, abs=0.01) for shares in found.shares)
    assert any(moment.loss > 0.01 for moment in found.moments), "greedy makes mistakes"


def test_the_options_are_the_legal_actions() -> None:
    game = played(2, 30)
    judge = StarsJudge(DiceStars(2))
    for state in game.states:
        actor = judge.game.actor(state)
        if actor not in (CHANCE, OVER):
            options = judge.options(state)
            assert {option.action for option in options} == set(judge.game.legal_actions(state))
            assert options == sorted(options, key=lambda option: -option.shares[actor])


def test_a_comparison_of_an_action_with_itself_proves_nothing() -> None:
    game = played(2, 30)
    judge = StarsJudge(DiceStars(2))
    state = next(state for state in reversed(game.states) if len(judge.game.legal_actions(state)) > 2)
    action = judge.game.legal_actions(state)[0]
    found = judge.compare(state, action, action)
    assert found.mean == (0.0, 0.0)
    assert not found.proved


def test_analyse_says_that_the_values_are_estimates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, beginning = tmp_path / "game.sfr", tmp_path / "beginning.sfr"
    file.write_text(write_record(played(2, 24).record), encoding="utf-8")
    beginning.write_text(write_record(played(2, 8).record), encoding="utf-8")
    for language in LANGUAGES:
        with pytest.raises(SystemExit) as left:
            main(["analyse", str(beginning), "--lang", language])
        told = capsys.readouterr().out
        assert left.value.code in (0, None)
        assert max(map(cell_len, told.splitlines())) <= 80
        assert {"en": "estimate", "de": "eschätz", "nl": "eschat", "es": "estimad"}[language] in told
    with pytest.raises(SystemExit):
        main(["analyse", str(file), "--json", "--svg", str(tmp_path / "curve.svg")])
    facts = json.loads(capsys.readouterr().out)
    assert facts["estimate"] is True
    decisions = [event for event in facts["events"] if not event["chance"]]
    assert all(event["error"] >= 0 for event in decisions)
    losses = [event for event in decisions if event["loss"] > 0]
    assert losses
    assert all(event["error"] > 0 for event in losses)
    assert len(facts["curves"]) == 2
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8").startswith("<svg")
