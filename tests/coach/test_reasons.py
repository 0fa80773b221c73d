"""Reasons: the parts add up, and where the reason is obvious the sentences name it."""

import re
from pathlib import Path
from random import Random

import pytest

from bench import teach
from starfrost.boards import board_of
from starfrost.coach.judge import Part, advise, judge_move
from starfrost.coach.reasons import LATER, shapley, told
from starfrost.coach.registry import COACHES
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import ALL_ACTIVE, MODES, DicyCards, Phase, State
from starfrost.games.dicy_cards.coach.exact import ExactJudge
from starfrost.games.dicy_cards.coach.judge import CardsJudge
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.dicy_cards.solver.on_demand import in_order
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.dicy_cards.solver.values import Values
from starfrost.words import LANGUAGES, Words
from tools.messages import table

GOAL = 20
# Not in the order of the clauses: masks have to be translated.
CARDS = ("three-lowest", "sixes", "odds", "any-two", "same-fives")
COACH = COACHES["dicy-cards"]


@pytest.fixture(scope="module")
def values() -> Values:
    return solve(in_order(CARDS), GOAL)


@pytest.fixture(scope="module")
def judge(values: Values) -> ExactJudge:
    return ExactJudge(Adviser(DicyCards(2, CARDS, GOAL), values))


def test_shapley_values_share_what_comes_together() -> None:
    found = shapley(lambda some: 2.0 * ("a" in some) + 3.0 * ({"a", "b"} <= some), ("a", "b", "c"))
    assert found == {"a": 3.5, "b": 1.5, "c": 0.0}


def test_the_first_sentence_speaks_for_the_better_action() -> None:
    against, little, much, none = Part("x", -0.2), Part("y", 0.01), Part("z", 0.3), Part(LATER, 0.9)
    assert told((none, much, against, little)) == (much, against)
    assert told((much, little)) == (much,)
    # What outweighs the first sentence would be a reason for the other action.
    other = Part("w", 0.2)
    assert told((Part("x", -0.4), much, other)) == (much, other)
    assert told((none, against)) == ()


@pytest.mark.parametrize("seed", range(4))
def test_parts_add_up_to_the_difference_of_any_two_actions(judge: ExactJudge, seed: int) -> None:
    rng, game, adviser = Random(seed), judge.game, judge.adviser
    state, seen = game.start(), set[str]()
    while (actor := game.actor(state)) != OVER:
        if actor == CHANCE:
            state = game.apply(state, game.sample(state, rng))
            continue
        choices = adviser.action_values(state)
        for _ in range(6):
            one, other = rng.choice(choices), rng.choice(choices)
            parts = judge.parts(state, one.action, other.action, one.value - other.value)
            assert sum(part.value for part in parts) == pytest.approx(one.value - other.value, abs=1e-9)
            assert [abs(part.value) for part in parts] == sorted((abs(part.value) for part in parts), reverse=True)
            seen |= {part.part for part in parts}
        state = game.apply(state, rng.choice(choices).action)
    assert {"points", "card", "dice"} <= seen <= {"points", "goal", "card", "cards back", "other", "dice"}


def position(dice: str, own: str, other: str, scores: tuple[int, int], seat: int = 0) -> State:
    masks = [sum(1 << CARDS.index(card) for card in cards.split()) for cards in (own, other)]
    return State(
        Phase.ACT, seat, "".join(sorted(dice, reverse=True)), scores, tuple(masks if seat == 0 else reversed(masks))
    )


ALL = " ".join(CARDS)
# Dice, own cards, the other's cards, both scores, the seat; a better and a worse action; the part that must be told.
OBVIOUS = [
    # Only one of two scores wins the race to the goal.
    ("555311", ALL, ALL, (12, 0), 0, "score same-fives 555", "score odds 3", "goal"),
    ("666521", ALL, ALL, (8, 5), 0, "score sixes 666", "score any-two 21", "goal"),
    ("555321", ALL, ALL, (6, 5), 1, "score same-fives 555", "score any-two 21", "goal"),
    ("443211", "any-two same-fives", "odds", (12, 9), 0, "score any-two 44", "score any-two 21", "goal"),
    ("444211", "same-fives", ALL, (9, 5), 1, "score same-fives 444", "score same-fives 4", "goal"),
    ("555511", "same-fives odds", "odds", (2, 18), 0, "score same-fives 5555", "score odds 1", "goal"),
    ("666611", "sixes", "odds sixes", (0, 10), 0, "score sixes 6666", "score sixes 6", "goal"),
    ("553111", "odds", "odds sixes", (10, 12), 1, "score odds 553111", "score odds 1", "goal"),
    # The same card with more dice.
    ("531642", ALL, ALL, (0, 0), 0, "score odds 531", "score odds 1", "points"),
    ("554321", "any-two odds", "three-lowest", (3, 3), 0, "score any-two 55", "score any-two 21", "points"),
    ("333221", "same-fives", "three-lowest", (0, 0), 0, "score same-fives 333", "score same-fives 1", "points"),
    ("666432", ALL, ALL, (0, 0), 0, "score sixes 66", "score sixes 6", "points"),
    ("222643", ALL, "three-lowest", (1, 2), 0, "score same-fives 222", "score same-fives 6", "points"),
    ("553211", "odds sixes", "odds", (0, 0), 0, "score odds 553", "score odds 11", "points"),
    ("644321", "any-two", "three-lowest", (0, 0), 0, "score any-two 64", "score any-two 21", "points"),
    # Points now or a skip with hardly anything frozen.
    ("666543", ALL, ALL, (0, 0), 0, "score sixes 666", "skip", "points"),
    ("555553", ALL, ALL, (0, 10), 1, "score same-fives 5555", "skip", "goal"),
    ("443311", "three-lowest sixes odds any-two", ALL, (4, 8), 0, "score any-two 44", "skip", "points"),
    # In the last turn only the points count.
    ("555211", ALL, ALL, (21, 10), 1, "score same-fives 555", "score any-two 55", "points"),
    ("666644", ALL, "odds", (24, 8), 1, "score sixes 6666", "score any-two 66", "points"),
    ("553311", "odds", ALL, (20, 5), 1, "score odds 553311", "score odds 5", "points"),
    ("333321", "same-fives odds", "sixes", (23, 4), 1, "score same-fives 3333", "score odds 33331", "points"),
    ("665544", "any-two odds", "sixes", (22, 12), 1, "score any-two 66", "score odds 55", "points"),
    ("444111", "same-fives three-lowest", "odds", (22, 8), 1, "score same-fives 444", "skip", "points"),
    # A skip brings back almost everything; the score would be next to nothing.
    ("665432", "three-lowest", ALL, (0, 0), 0, "skip", "score three-lowest 432", "cards back"),
    ("664221", "odds", ALL, (3, 6), 0, "skip", "score odds 1", "cards back"),
    ("664221", "odds", ALL, (6, 3), 1, "skip", "score odds 1", "cards back"),
    ("655422", "sixes", ALL, (0, 5), 0, "skip", "score sixes 6", "cards back"),
    ("664432", "odds", "odds sixes", (2, 2), 0, "reroll 664432 freeze odds", "score odds 3", "cards back"),
    ("442211", "odds", "any-two odds", (5, 5), 1, "skip", "score odds 11", "cards back"),
    ("654431", "odds", ALL, (1, 1), 0, "skip", "score odds 1", "cards back"),
    # The same points with two cards: which card is better kept?
    ("555642", "odds same-fives sixes", ALL, (0, 0), 0, "score odds 55", "score same-fives 55", "card"),
    ("555642", "odds same-fives sixes", ALL, (0, 0), 1, "score odds 555", "score same-fives 555", "card"),
    ("554642", "odds same-fives", "odds", (4, 0), 0, "score odds 5", "score same-fives 5", "card"),
    # The same dice for a card more or a card less.
    ("222231", "odds same-fives", "odds", (0, 0), 0, "reroll 31 freeze odds", "reroll 31 freeze same-fives", "card"),
    ("444432", ALL, ALL, (0, 0), 1, "reroll 32 freeze three-lowest", "reroll 32 freeze same-fives", "card"),
    ("666632", "sixes three-lowest", ALL, (0, 0), 0, "reroll 32 freeze three-lowest", "reroll 32 freeze sixes", "card"),
    ("555311", "odds three-lowest sixes", ALL, (0, 0), 0, "score odds 555311", "reroll 1 freeze odds", "goal"),
    ("555321", "odds three-lowest", ALL, (0, 0), 0, "reroll 2 freeze three-lowest", "reroll 2 freeze odds", "card"),
    # The same card for the reroll: which dice are better kept?
    ("444421", ALL, ALL, (0, 0), 0, "reroll 21 freeze three-lowest", "reroll 4444 freeze three-lowest", "dice"),
    ("555521", ALL, ALL, (0, 5), 1, "reroll 21 freeze three-lowest", "reroll 5555 freeze three-lowest", "dice"),
    ("666632", "sixes any-two", "odds", (0, 0), 0, "reroll 32 freeze any-two", "reroll 666632 freeze any-two", "dice"),
    ("553142", "odds any-two", ALL, (0, 0), 0, "reroll 42 freeze any-two", "reroll 5531 freeze any-two", "dice"),
    ("222643", "same-fives any-two", ALL, (2, 0), 0, "reroll 643 freeze any-two", "reroll 222 freeze any-two", "dice"),
    ("555531", "odds sixes", "odds", (3, 3), 1, "score odds 555531", "reroll 555531 freeze sixes", "goal"),
    # A good hand is there: rolling again only uses up cards, or brings less.
    ("666555", "any-two", "odds", (0, 4), 0, "score any-two 66", "reroll 666555 freeze any-two", "points"),
    ("555521", "same-fives any-two", ALL, (0, 0), 0, "score same-fives 5555", "reroll 2 freeze same-fives", "goal"),
    ("642211", "sixes same-fives", "three-lowest", (0, 0), 0, "reroll 6411 freeze sixes", "skip", "points"),
    # The effect on the other player is all there is: the points are the same, and the own cards are hardly better.
    ("651111", "sixes any-two", "sixes", (5, 5), 0, "score any-two 51", "score sixes 6", "other"),
    ("651111", "sixes any-two", "odds", (5, 5), 1, "score any-two 51", "score sixes 6", "other"),
]  # fmt: skip


def test_the_obvious_reason_is_told(judge: ExactJudge) -> None:
    assert len(OBVIOUS) == 50
    game, w, missed = judge.game, Words("en"), []
    for dice, own, other, scores, seat, better, worse, part in OBVIOUS:
        state = position(dice, own, other, scores, seat)
        one, less = game.parse_action(better), game.parse_action(worse)
        difference = judge.compare(state, one, less).mean[seat]
        parts = judge.parts(state, one, less, difference)
        said = COACH.reasons(w, game, state, one, less, parts)
        if part not in [each.part for each in told(parts)] or difference <= 0 or not said:
            missed.append((dice, own, scores, better, worse, part, round(difference, 4), parts))
    assert not missed, "\n".join(map(str, missed))


def test_choices_of_an_affected_player_are_about_the_card(judge: ExactJudge) -> None:
    game = judge.game
    state = State(Phase.FREEZE, 1, "", (0, 0), (ALL_ACTIVE, ALL_ACTIVE), (0,))
    options = judge.options(state)
    best, worst = options[0], options[-1]
    parts = judge.parts(state, best.action, worst.action, best.shares[0] - worst.shares[0])
    assert [part.part for part in parts] == ["card"]
    (said,) = COACH.reasons(Words("en"), game, state, best.action, worst.action, parts)
    assert re.fullmatch(r"“.+” is kept instead of “.+”: worth \d+\.\d%\.", said)


def test_a_verdict_and_a_hint_have_the_parts_of_what_they_say(judge: ExactJudge) -> None:
    state = position("666521", ALL, ALL, (8, 5))
    game = judge.game
    advice, verdict = advise(judge, state), judge_move(judge, state, game.parse_action("score any-two 21"))
    assert sum(part.value for part in advice.parts) == pytest.approx(advice.behind, abs=1e-9)
    assert sum(part.value for part in verdict.parts) == pytest.approx(verdict.loss, abs=1e-9)
    assert verdict.loss > 0.1
    assert judge_move(judge, state, game.parse_action(verdict.best)).parts == ()


def decisions(game: Game, seed: int, number: int) -> list[State]:
    rng, state, found = Random(seed), game.start(), []
    while len(found) < number:
        actor = game.actor(state)
        if actor == OVER:
            state = game.start()
            continue
        if actor != CHANCE:
            found.append(state)
        state = game.apply(state, game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state)))
    return found


@pytest.mark.parametrize("kind", ["three players", "Dice Stars", "solo"])
def test_estimates_add_up_with_what_only_play_shows(values: Values, kind: str) -> None:
    if kind == "three players":
        game, own = DicyCards(3, CARDS, GOAL), {"points", "goal", "card", "cards back", "other", "dice"}
        judge = CardsJudge(game, values)
    else:
        game, own = DiceStars(1 if kind == "solo" else 2), {"numbers", "stars", "penalty", "dice left"}
        judge = COACHES["dice-stars"].judge(game)
        own |= {"draw", "reserve"}
    w, said = Words("en"), 0
    for state in decisions(game, 3, 14):
        seat, options = game.actor(state), judge.options(state)
        best, worst = options[0], options[-1]
        difference = best.shares[seat] - worst.shares[seat]
        parts = judge.parts(state, best.action, worst.action, difference)
        assert sum(part.value for part in parts) == pytest.approx(difference, abs=1e-9)
        assert {part.part for part in parts} <= own | {LATER}
        # By the values themselves there is nothing that only play would show.
        assert sum(abs(part.value) for part in parts if part.part == LATER) < 1e-4
        sentences = COACHES[game.name].reasons(w, game, state, best.action, worst.action, parts)
        said += len(sentences)
        assert len(sentences) <= 2
    assert said > 5


STARS = DiceStars(2)
SHEET = ".,.,.,.,.,.,.,.*{}/.,.,.,.,.,.,.*0/.,.,.,.,.,.*{}/.,.,.,.,.*0/.,.,.,.*0/-"
# The reserve, the stars ticked in rows 2 and 4; a better and a worse take; a part and what is told of it.
TOLD = [
    ("purple3,blue3,orange6", 0, 0, "3", "purple", "numbers", "The number written is 3 higher"),
    ("purple3,blue3,orange6", 0, 0, "3", "orange", "numbers", "It puts the number into a better space"),
    ("purple3,purple*,orange3", 0, 0, "orange", "purple", "numbers", "It uses up fewer spaces of the sheet"),
    ("purple3,blue*,orange6", 0, 0, "6", "stars 4", "numbers", "Writing 6 on the sheet is worth"),
    ("purple3,blue*,orange6", 0, 0, "stars 4", "6", "-numbers", "Writing 6 on the sheet would be worth"),
    ("purple3,blue*,orange6", 1, 0, "stars 2", "6", "stars", "A row is doubled"),
    ("purple3,blue*,orange6", 0, 1, "stars 4", "stars 5", "stars", "Fewer rows have to wait for stars"),
    ("purple3,blue*,orange6", 0, 0, "stars 4", "6", "stars", "Ticking star boxes is worth"),
    ("purple3,blue*,orange6", 1, 0, "6", "stars 2", "-stars", "With the other take a row would be doubled"),
    ("purple3,blue*,orange6", 1, 1, "stars 5", "stars 4", "-stars", "More rows have to wait for stars"),
]


@pytest.mark.parametrize(("reserve", "twos", "fours", "better", "worse", "part", "says"), TOLD)
def test_dice_stars_tells_what_happens_on_the_sheet(
    reserve: str, twos: int, fours: int, better: str, worse: str, part: str, says: str
) -> None:
    text = f"take seat=1 bag=0/0/0/0 reserve={reserve} draw=0 solo=0 sheets={SHEET.format(twos, fours)}|"
    state = STARS.parse_position(text + SHEET.format(0, 0))
    one, less = (STARS.parse_action(f"take {line}") for line in (better, worse))
    # A sentence against the better action comes second.
    parts = (Part("penalty", 0.2), Part(part[1:], -0.1)) if part[0] == "-" else (Part(part, 0.1),)
    said = COACHES["dice-stars"].reasons(Words("en"), STARS, state, one, less, parts)[-1]
    assert said.startswith(says), said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_has_one_number_beside_the_share(judge: ExactJudge, language: str) -> None:
    w, game, heard = Words(language), judge.game, set[str]()
    for state in decisions(game, 1, 60):
        options = judge.options(state)
        best, worst = options[0], options[-1]
        parts = judge.parts(state, best.action, worst.action, 0.0)
        for said in COACH.reasons(w, game, state, best.action, worst.action, parts):
            plain = re.sub(r"[“„«][^”“»]+[”“»]", "", said)
            assert len(re.findall(r"[\d.,]+[\u00a0]?%", plain)) == 1, said
            assert len(re.findall(r"\d+", re.sub(r"[\d.,]+[\u00a0]?%", "", plain))) <= 1, said
            assert said.endswith(".")
            heard.add(re.sub(r"\d+", "", plain))
        for part in told(parts):
            # It names something on the board, besides the seat.
            assert len(board_of(game.name).lights(game, state, best.action, worst.action, part).split()) > 2
    assert len(heard) > 8


def test_all_sentences_are_listed_for_review() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reasons.md").read_text(encoding="utf-8")
    assert page.endswith(table("games/dicy_cards/coach/reason_text.py", "games/dice_stars/coach/reasons.py") + "\n")


SAID = {
    "Rerolling brings 5 points more on average: worth 34.9%.": ("points", 34.9),
    "Rerolling would bring 5 points fewer on average: that would cost 10.0%.": ("points", 10.0),
    "Rerolling would bring 4 points more on average: that would be worth 18.2%.": ("points", -18.2),
    "4 points fewer cost 2.0%.": ("points", -2.0),
    "Starting the last round now costs 3.1%.": ("goal", -3.1),
    "“Odds” is kept instead of “Any two”: worth 1.2%.": ("card", 1.2),
    "Rerolling uses up more cards: that costs 20.9%.": ("card no", -20.9),
    "All 5 frozen cards come back: worth 6.0%.": ("back", 6.0),
    "The other player gets a card back: that costs 5.9%.": ("other", -5.9),
    "Rolling more dice promises more, most often with “Two pairs”: worth 2.0%.": ("rolled", 2.0),
}


def test_a_pupil_reads_what_a_sentence_speaks_of() -> None:
    more = dict.fromkeys(("points", "goal", "card odds", "no reroll", "back", "other FREEZE", "rolled"), 1.0)
    for said, (things, worth) in SAID.items():
        lesson = teach.read(said, more)
        assert sorted({thing.split()[0] for thing in lesson.more}) == things.split(), said
        assert lesson.worth == worth, said


def test_a_pupil_follows_what_it_was_told() -> None:
    game = DicyCards(2, MODES["glacial"].cards)
    table, start = teach.Table(game), game.apply(game.start(), game.parse_action("665531"))
    untaught = teach.Pupil(table)
    assert untaught.choose(start).verb == "reroll"
    kept = [{"no reroll": 1.0, "card odds": 1.0}, {"points": -4.0}]
    said = "Rerolling would use up more cards: that would cost 25.8%.", "4 points fewer cost 2.0%."
    rules = teach.learnt([teach.read(sentence, more) for sentence, more in zip(said, kept, strict=True)])
    assert rules["points"] == pytest.approx(0.5, abs=0.01)
    assert rules["no reroll"] == pytest.approx(12.9, abs=0.1)
    assert str(teach.Pupil(table, rules).choose(start)) == "score two-pairs 6655"


def test_a_pupil_learns_from_its_own_mistakes(judge: ExactJudge) -> None:
    table = teach.Table(judge.game)
    why, amount = (teach.school(judge, table, 5, Random(1), why=why).rules for why in (True, False))
    # Sentences name a part of what differs; the bare amount is put down to everything.
    assert "points" in why
    assert len(why) < len(amount)
    found = teach.against(judge.adviser, teach.Pupil(table, why), teach.Pupil(table), 2, Random(2))
    assert found.cost > 0.0
