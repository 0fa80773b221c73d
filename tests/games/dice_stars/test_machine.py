"""Whole games by random steps: the invariants of every position of Dice Stars."""

from itertools import chain
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, run_state_machine_as_test

from starfrost.games.core import OVER
from starfrost.games.dice_stars import Action, DiceStars, State
from starfrost.games.dice_stars.actions import DRAWS, KEEP, PENALTIES, RETURN, TAKES, all_star_takes
from starfrost.games.dice_stars.components import colours_in
from starfrost.games.dice_stars.sheet import EMPTY, STAR_BOXES
from tests.games.machine import Games

EVERYTHING = list(chain([KEEP, RETURN], DRAWS, TAKES, PENALTIES, all_star_takes(STAR_BOXES)))


class StarGames(Games):
    """Dice Stars with any number of seats."""

    everything = EVERYTHING
    game: DiceStars
    state: State

    @initialize(seats=st.integers(1, 4), boxes=st.sampled_from([8, 30, 200]))
    def sit_down(self, seats: int, boxes: int) -> None:
        self.sit(DiceStars(seats, boxes))

    def reordered(self, text: str) -> str:
        return " ".join(reversed(text.split()))

    def bend(self, action: Action) -> list[Action]:
        return [
            action._replace(line=""),
            action._replace(line="stars"),
            action._replace(number=action.number + 1),
            action._replace(rows=(*action.rows, 2)),
            action._replace(rows=action.rows[::-1]),
            action._replace(dice=(*action.dice, 2)),
            action._replace(dice=action.dice[::-1]),
            action._replace(dice=tuple(die ^ 1 for die in action.dice)),
            Action("pass"),
        ]

    @invariant()
    def fourteen_dice(self) -> None:
        state = self.state
        piles = [state.bag, colours_in(state.reserve), state.discard]
        assert all(count >= 0 for pile in piles for count in pile)
        assert [sum(counts) for counts in zip(*piles, strict=True)] == [2, 3, 4, 5]
        assert state.reserve == tuple(sorted(state.reserve))

    @invariant()
    def what_is_written_stays_written(self) -> None:
        for before, after in zip(self.before.sheets, self.state.sheets, strict=True):
            for was, now in zip(before.spaces, after.spaces, strict=True):
                assert was in (EMPTY, now)
            assert all(was <= now for was, now in zip(before.ticked, after.ticked, strict=True))
            assert before.penalty in (-1, after.penalty)
            assert after.filled == sum(1 << space for space, value in enumerate(after.spaces) if value != EMPTY)


def test_games_by_hypothesis() -> None:
    run_state_machine_as_test(StarGames, settings=settings(max_examples=60, stateful_step_count=60, deadline=None))


@given(seats=st.integers(1, 4), seed=st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_random_games_end_and_every_legal_action_is_accepted(seats: int, seed: int) -> None:
    game, rng = DiceStars(seats, solo_boxes=60), Random(seed)
    state, turns = game.start(), 0
    while game.actor(state) != OVER:
        turns += game.starts_turn(state)
        following = [game.apply(state, action) for action in game.legal_actions(state)]
        state = rng.choice(following) if following else game.apply(state, game.sample(state, rng))
        # Every turn fills a space, ticks a star or writes a penalty.
        assert turns <= seats * 51
    assert turns % seats == 0
    assert game.extra_results(state).get("solo", 0) <= 60


def test_samples_follow_the_weights() -> None:
    game = DiceStars(2)
    state = game.apply(game.parse_position(SMALL_BAG), game.parse_action("draw 2"))
    outcomes = dict(game.chance_outcomes(state))
    rng = Random(7)
    seen = dict.fromkeys(outcomes, 0)
    for _ in range(36_000):
        seen[game.sample(state, rng)] += 1
    whole = sum(outcomes.values())
    # Pearson's statistic, far out in its tail only when the sampler is wrong.
    expected = {roll: 36_000 * weight / whole for roll, weight in outcomes.items()}
    statistic = sum((seen[roll] - expected[roll]) ** 2 / expected[roll] for roll in outcomes)
    assert statistic < len(outcomes) + 6 * (2 * len(outcomes)) ** 0.5


BLANK_SHEET = ".,.,.,.,.,.,.,.*0/.,.,.,.,.,.,.*0/.,.,.,.,.,.*0/.,.,.,.,.*0/.,.,.,.*0/-"
SMALL_BAG = f"draw seat=1 bag=0/0/1/2 reserve=black2 draw=0 solo=0 sheets={BLANK_SHEET}|{BLANK_SHEET}"
