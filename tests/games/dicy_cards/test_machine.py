"""Whole games by random steps: the invariants of every position of Dicy Cards."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, run_state_machine_as_test

from starfrost.games.core import OVER
from starfrost.games.dice import rolls, subsets
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS, Action, DicyCards, Phase, State
from tests.games.machine import Games

FIVE_CARDS = st.lists(st.sampled_from(list(CARDS)), min_size=5, max_size=5, unique=True).map(tuple)
SELECTIONS = [dice for number in range(1, 7) for dice, _ in rolls(number)]
EVERYTHING = [
    Action("skip"),
    *(Action("roll", "", dice) for dice in SELECTIONS),
    *(Action(verb, card) for verb in ("freeze", "reset") for card in CARDS),
    *(Action(verb, card, dice) for verb in ("score", "reroll") for card in CARDS for dice in SELECTIONS),
]


class CardGames(Games):
    """Dicy Cards with any five cards and any number of seats."""

    everything = EVERYTHING
    game: DicyCards
    state: State
    before: State

    @initialize(seats=st.integers(2, 4), cards=FIVE_CARDS, goal=st.sampled_from([1, 30, 100]))
    def sit_down(self, seats: int, cards: tuple[str, ...], goal: int) -> None:
        self.sit(DicyCards(seats, cards, goal))

    def reordered(self, text: str) -> str:
        return text[::-1]

    def bend(self, action: Action) -> list[Action]:
        bent = [
            action._replace(card=""),
            action._replace(dice=""),
            action._replace(dice=action.dice + "6"),
            action._replace(dice=action.dice[1:]),
            action._replace(dice=action.dice[::-1]),
            action._replace(dice=action.dice.replace("1", "7")),
            action._replace(dice=action.dice.replace("1", "0")),
            action._replace(verb="pass"),
            *(action._replace(card=card) for card in (*CARDS, "evens")),
            *(action._replace(verb=verb) for verb in ("roll", "score", "reroll", "skip", "freeze", "reset")),
        ]
        return bent

    @invariant()
    def six_dice_always(self) -> None:
        state, number = self.state, len(self.state.dice)
        assert state.dice == "".join(sorted(state.dice, reverse=True))
        assert set(state.dice) <= set("123456")
        if state.phase is Phase.REROLL:
            in_the_air = {len(roll.dice) for roll, _ in self.game.chance_outcomes(state)}
            assert in_the_air == {6 - number}
        elif state.phase is Phase.ACT and number == 0:
            assert state.active[state.seat] == 0
        else:
            assert number == (6 if state.phase is Phase.ACT else 0)

    @invariant()
    def scores_never_fall(self) -> None:
        gained = [after - before for before, after in zip(self.before.scores, self.state.scores, strict=True)]
        assert all(points >= 0 for points in gained)
        assert all(points == 0 for seat, points in enumerate(gained) if seat != self.before.seat)
        assert max(gained) <= 36

    @invariant()
    def every_seat_has_five_cards(self) -> None:
        assert all(0 <= active <= ALL_ACTIVE for active in self.state.active)

    @invariant()
    def affected_seats_follow_clockwise(self) -> None:
        state = self.state
        distances = [(seat - state.seat) % self.game.seats for seat in state.affected]
        assert distances == sorted(set(distances))
        assert 0 not in distances
        for seat in state.affected:
            assert state.active[seat] != (0 if state.phase is Phase.FREEZE else ALL_ACTIVE)

    @invariant()
    def the_game_ends_with_the_round(self) -> None:
        state = self.state
        if state.phase is Phase.OVER:
            assert state.seat == self.game.seats - 1
            assert max(state.scores) >= self.game.goal
        elif self.game.starts_turn(state) and state.seat == 0:
            assert max(state.scores) < self.game.goal


def test_games_by_hypothesis() -> None:
    run_state_machine_as_test(CardGames, settings=settings(max_examples=40, stateful_step_count=50, deadline=None))


@given(seats=st.integers(2, 4), cards=FIVE_CARDS, goal=st.integers(1, 60), seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_random_games_end(seats: int, cards: tuple[str, ...], goal: int, seed: int) -> None:
    game, rng = DicyCards(seats, cards, goal), Random(seed)
    state, turns = game.start(), 0
    while game.actor(state) != OVER:
        turns += game.starts_turn(state)
        legal = game.legal_actions(state)
        state = game.apply(state, rng.choice(legal) if legal else game.sample(state, rng))
        # A seat that can score does so in more than one turn of a hundred.
        assert turns < 20_000
    assert turns % seats == 0
    assert game.winners(state)


def test_legal_actions_keep_their_order() -> None:
    one, other = DicyCards(), DicyCards()
    for dice, _ in rolls(6):
        state = one.parse_position(f"1 act {dice} 0:11111 0:11111")
        legal = one.legal_actions(state)
        assert legal == other.legal_actions(state)
        verbs = [action.verb for action in legal]
        assert verbs == sorted(verbs, key=["score", "reroll", "skip"].index)
        assert len(legal) > len(subsets(dice)) * 5


def test_samples_follow_the_weights() -> None:
    game, rng = DicyCards(), Random(7)
    state = game.parse_position("1 reroll 6543 0:01111 0:11111")
    outcomes = dict(game.chance_outcomes(state))
    seen = dict.fromkeys(outcomes, 0)
    for _ in range(36_000):
        seen[game.sample(state, rng)] += 1
    # Pearson's statistic, far out in its tail only when the sampler is wrong.
    statistic = sum((seen[roll] - 1000 * weight) ** 2 / (1000 * weight) for roll, weight in outcomes.items())
    assert statistic < len(outcomes) + 6 * (2 * len(outcomes)) ** 0.5
