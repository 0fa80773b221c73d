"""Boards from real positions: every legal action is on the page, in every language, and nothing else is."""

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from starlette.datastructures import FormData
from starlette.requests import Request

from starfrost.boards import Position, board_of
from starfrost.boards.seats import seat_names
from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dice_stars.sheet import BLANK
from starfrost.games.dicy_cards import MODES, Action, DicyCards
from starfrost.games.dicy_cards.board.table import dicy_table
from starfrost.games.record import Event
from starfrost.table import SeatView, TableView
from starfrost.table.moves import Move
from starfrost.web.pages.playing import read_action
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import Live, draw_scene, next_scene
from starfrost.web.render import page, reader_of
from starfrost.words import LANGUAGES, Words
from starfrost.words.story import tell
from tests.rule_details import nearly_empty_bag, only_stars

NAMES = ("Anna", "Ben", "Cleo", "Dirk")


def seats(many: int) -> tuple[SeatView, ...]:
    return tuple(SeatView(i + 1, "person", NAMES[i], yours=i == 0, present=True) for i in range(many))


def request(language: str = "en", **cookies: str) -> Request:
    cookie = "; ".join(f"sf-{name}={value}" for name, value in {"language": language, **cookies}.items())
    return Request(
        {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"cookie", cookie.encode())]}
    )


def draw(game: Any, state: Any, language: str = "en", **cookies: str) -> str:
    w = Words(language)
    actor = game.actor(state)
    me = actor if actor >= 0 else game.turn_of(state)
    legal = game.legal_actions(state)
    rolling = actor == CHANCE and isinstance(game, DicyCards)
    names = NAMES[: game.seats]
    board = board_of(game.name).draw(w, Position(game, state, names, seats(game.seats), me, legal, rolling))
    view = TableView("t", 1, "running", game, state, (), seats(game.seats))
    options = [("", [(str(action), str(action)) for action in legal])] if legal else []
    live = Live(view, "", names, me + 1, act="/t/t/act", step=1, your_turn=True, options=options)
    return bytes(page(request(language, **cookies), "table.html", live=live, t=board).body).decode()


def positions(game: Any, seed: int) -> list[Any]:
    """Walk through a random game and give its positions in which a seat acts."""
    rng = Random(seed)
    state, found = game.start(), []
    while game.actor(state) != OVER:
        actor = game.actor(state)
        if actor == CHANCE:
            state = game.apply(state, game.sample(state, rng))
        else:
            found.append(state)
            state = game.apply(state, rng.choice(game.legal_actions(state)))
    return [*found, state]


def fields(action: Any) -> FormData:
    """Fill in a board's form as a person would for this action."""
    if hasattr(action, "line"):
        pairs = [("do", action.verb if action.verb != "draw" else str(action)), ("take", action.line)]
        return FormData([*pairs, *(("row", str(row)) for row in action.rows)])
    return FormData([("do", action.verb), ("card", action.card), *(("die", die) for die in action.dice)])


def checked(html: str, name: str) -> set[str]:
    return set(re.findall(rf'name="{name}" value="([^"]*)"', html))


@pytest.mark.parametrize("mode", MODES)
def test_every_action_of_dicy_cards_can_be_sent(mode: str) -> None:
    game = DicyCards(3, cards=MODES[mode].cards, goal=30)
    for state in positions(game, 5)[::5]:
        legal = game.legal_actions(state)
        html = draw(game, state)
        for action in legal:
            assert read_action(game, fields(action), legal) == action
            assert f'value="{action.verb}"' in html
            if action.card:
                assert action.card in checked(html, "card")
        # What the rules forbid is not offered, and nothing is chosen but the only card to freeze or to reset.
        cards = {action.card for action in legal if action.card}
        assert checked(html, "card") == cards | ({"skip"} if len(legal) > 1 and Action("skip") in legal else set())
        alone = len(legal) == 1 and legal[0].verb in ("freeze", "reset")
        assert html.split("<main")[1].count(" checked") == alone


@pytest.mark.parametrize("many", [1, 2, 4])
def test_every_action_of_dice_stars_can_be_sent(many: int) -> None:
    game = DiceStars(many)
    for state in positions(game, 7)[::3]:
        legal = game.legal_actions(state)
        html = draw(game, state)
        for action in legal:
            assert str(read_action(game, fields(action), legal)) == str(action)
        assert checked(html, "take") == {action.line for action in legal if action.line}
        assert " checked" not in html.split("<main")[1]
        for action in legal:
            if action.verb == "draw":
                assert f'value="{action}"' in html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("board", ["picture", "text"])
def test_every_position_is_drawn_in_every_language(language: str, board: str) -> None:
    for game in (DicyCards(2, goal=20), DicyCards(4, cards=MODES["d"].cards, goal=12), DiceStars(1), DiceStars(3)):
        for state in positions(game, 3)[::9]:
            html = draw(game, state, language, board=board)
            assert "%(" not in html
            assert "<main" in html


def test_points_on_the_cards_are_those_of_the_rules() -> None:
    game = DicyCards(2)
    state = game.parse_position("1 act 665211 0:11111 0:11111")
    position = Position(game, state, NAMES[:2], seats(2), 0, game.legal_actions(state))
    table = board_of("dicy-cards").draw(Words("en"), position)
    shown = {card.id: card.points for card in table.cards}
    assert shown == {"any-two": 12, "no-sixes": None, "odds": 7, "straight": 11, "two-pairs": 14}
    assert table.picking["options"]["odds"]["51"] == 6


def test_a_form_that_lacks_a_part_is_told_which() -> None:
    game = DicyCards(2)
    for form, word in (
        ([("do", "reroll"), ("card", "odds")], "dice"),
        ([("do", "reroll"), ("die", "1")], "card"),
        ([("do", "score")], "card"),
        ([("do", "score"), ("card", "odds"), ("die", "2")], "fit"),
    ):
        with pytest.raises(UsageError, match=word):
            read_action(game, FormData(form), [game.parse_action("score odds 1")])
    stars = DiceStars(2)
    one_row = FormData([("do", "take"), ("take", "stars"), ("row", "2")])
    with pytest.raises(UsageError, match="2 star boxes"):
        read_action(stars, one_row, [stars.parse_action("take stars 2 3")])


def test_scenes_end_where_nothing_is_in_the_air() -> None:
    game = DicyCards(2)
    states, events = [game.start()], []
    for text in ("665211", "reroll 11 freeze odds", "63", "score any-two 66"):
        events.append(Event(game.actor(states[-1]), game.parse_action(text)))
        states.append(game.apply(states[-1], events[-1].action))
    view = view_of(game, events, states, seats(2))
    assert next_scene(view, 0) == 1
    # A reroll and its dice are one scene.
    assert next_scene(view, 1) == 3
    assert next_scene(view, 3) == 4
    assert next_scene(view, 9) == 4
    assert next_scene(view, None) == 4
    # A game that goes on from a position begins there, not with the moves that led to it.
    assert next_scene(replace(view, given=3), 0) == 3
    assert next_scene(replace(view, given=4), 0) == 4
    # A line of the story does not break within the dice of a roll.
    live, _ = draw_scene(reader_of(request()), view, 4)
    assert "roll 6 6 5 2 1 1.".replace(" ", "\N{NO-BREAK SPACE}") in live.log


def test_two_seats_never_share_a_name() -> None:
    bots = [SeatView(number, "bot", "greedy", "greedy") for number in (1, 2)]
    free = [SeatView(number, "open", "") for number in (3, 4)]
    assert seat_names(Words("en"), bots + free) == ["Quick bot 1", "Quick bot 2", "Free seat", "Free seat"]


def test_a_penalty_of_0_points_is_possible_and_explained() -> None:
    game, state = only_stars()
    (penalty,) = game.legal_actions(state)
    assert str(penalty) == "penalty orange"
    for language, sentences in {
        "en": ("only stars: a penalty of 0 points.", "ends the game with this round.", "a penalty of 0, end the game"),
        "de": ("nur Sterne: eine Strafe von 0 Punkten.", "endet das Spiel nach dieser Runde.", "Strafe von 0"),
        "nl": ("een straf van 0 punten.", "eindigt het spel na deze ronde.", "Noteer 0 strafpunten"),
        "es": ("una penalización de 0 puntos.", "termina en esta ronda.", "Anotar penalización de 0"),
    }.items():
        text = draw(game, state, language)
        assert all(sentence in text for sentence in sentences), language
    # The table in words says before the move what it does.
    words = tell_options(game, state)
    assert words == [
        "You cannot take anything, discard orange (★) and get 0 penalty points. You have written a penalty."
    ]
    after = game.apply(state, penalty)
    assert game.scores(after) == (9 * 2, 0)
    drawn = draw(game, after)
    assert '<span class="zero">0</span>' in drawn


def test_the_table_in_words_lists_the_choices_by_card() -> None:
    game = DicyCards(2, MODES["glacial"].cards)
    state = game.apply(game.start(), game.parse_action("543221"))
    reader = reader_of(request(board="text"))
    view = TableView("t", 1, "running", game, state, (), seats(2), acting=1, legal=game.legal_actions(state))
    found = dict(draw_scene(reader, view, 0)[0].options)
    assert sorted(action for some in found.values() for action, _ in some) == sorted(map(str, view.legal))
    assert found["Odds"][0] == ("score odds 531", "9 points: 5 3 1")
    assert found["Freeze Odds and reroll"][0] == ("reroll 543221 freeze odds", "5 4 3 2 2 1")
    assert [heading for heading in found if heading.startswith("Freeze")] == list(found)[-5:]


def tell_options(game: Any, state: Any) -> list[str]:
    """Return what the list of choices of the table in words says, up to the last round."""
    reader = reader_of(request(board="text"))
    view = TableView("t", 1, "running", game, state, (), seats(game.seats), acting=1, legal=game.legal_actions(state))
    live, _ = draw_scene(reader, view, 0)
    told = [text for _, some in live.options for _, text in some]
    announced = [text.removesuffix(" This is the last round.") for text in told]
    assert announced != told
    return announced


def test_a_penalty_in_the_last_round_does_not_say_that_it_ends_the_game() -> None:
    game, state = only_stars(3)
    first = game.apply(state, game.legal_actions(state)[0])
    again = first._replace(phase=state.phase, reserve=state.reserve, sheets=(first.sheets[0], state.sheets[0], BLANK))
    assert again.seat == 1
    text = draw(game, again)
    assert "Write a penalty of 0" in text
    assert "end the game" not in text
    assert "ends the game with this round" not in text


@pytest.mark.parametrize(("held", "sentence"), [(1, "The bag holds only one die."), (2, "The bag holds only 2 dice.")])
@pytest.mark.parametrize("forced", [True, False])
def test_a_bag_with_fewer_than_three_dice_says_so(held: int, sentence: str, forced: bool) -> None:
    game, state = nearly_empty_bag(held, forced=forced)
    text = draw(game, state)
    assert sentence in text
    assert "so you draw three dice" not in text
    assert ("How many dice do you draw" in text) == (held == 2 and not forced)


def test_skip_and_reroll_say_what_they_cost() -> None:
    game = DicyCards(2)
    state = game.apply(game.start(), game.parse_action("554421"))
    frozen = state._replace(active=(0b11110, 0b11111))
    for cookies in ({}, {"board": "text"}):
        assert "Skip: none of your cards is frozen, so only the others gain." in draw(game, state, **cookies)
        assert "Skip: reset all your frozen cards. Every other player resets one." in draw(game, frozen, **cookies)
    assert "Reroll: pick dice, then a card to freeze. The other dice stay." in draw(game, state, board="text")
    assert 'value="skip" aria-describedby="skip-costs"' in draw(game, state)
    assert "Skip and reset one card" in draw(game, frozen)


def test_kept_dice_stay_where_they_lie() -> None:
    game = DicyCards(2)
    state, past = game.start(), []
    for event in ("653311", "reroll 63 freeze any-two", "52"):
        action = game.parse_action(event)
        past.append(Move(game.actor(state), action, state))
        state = game.apply(state, action)
    position = Position(game, state, ("Anna", "Ben"), (), 0, game.legal_actions(state), past=past)
    dice = [(die.value, die.fresh) for die in dicy_table(Words("en"), position).dice]
    assert dice == [("5", True), ("5", False), ("3", False), ("2", True), ("1", False), ("1", False)]


def test_the_solo_game_explains_its_growing_target() -> None:
    game = DiceStars(1, solo_boxes=12)
    state = game.start()
    for event in ("draw 3", "blue5 blue4 orange6"):
        state = game.apply(state, game.parse_action(event))
    for cookies in ({}, {"board": "text"}):
        text = draw(game, state, **cookies)
        assert "The grid stands at 0 points: finish with more than that, before its last box is ticked." in text
        assert "Every ticked box raises this target by 5 points" in text
    # Each choice says what the dice left behind cost: 6 points are two boxes, 9 and 6 points three.
    assert "2 boxes of the solo grid are ticked: you win with more than 10 points." in draw(game, state)
    take = game.parse_action("take blue")
    assert tell(Words("en"), game, state, take, NAMES).endswith(
        "2 boxes of the solo grid are ticked: you win with more than 10 points."
    )
    small = DiceStars(1, solo_boxes=2)
    assert tell(Words("en"), small, state, take, NAMES).endswith(
        "last box of the solo grid is ticked: the game is lost."
    )
    # A take that loses at once looks different.
    assert " fatal " in draw(small, state)
    assert " fatal " not in draw(game, state)
    # A grid that only records can ask for is a number, not a million boxes.
    large = DiceStars(1, solo_boxes=999_999)
    assert len(draw(large, large.start())) < 100_000
