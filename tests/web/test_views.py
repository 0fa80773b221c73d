"""Boards from real positions: every legal action is on the page, in every language, and nothing else is."""

import re
from random import Random
from typing import Any

import pytest
from starlette.datastructures import FormData
from starlette.requests import Request

from starfrost.errors import UsageError
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.record import Event
from starfrost.table import SeatView, TableView
from starfrost.web.boards import Position, board_of
from starfrost.web.pages.playing import read_action
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import Live, next_scene
from starfrost.web.render import page
from starfrost.web.views.seats import seat_names
from starfrost.words import LANGUAGES, Words

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
    options = [(str(action), str(action)) for action in legal]
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
    """Fill in a board's form as a person does who means this action."""
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
        # What the rules forbid is not offered.
        assert checked(html, "card") == {action.card for action in legal if action.card}


@pytest.mark.parametrize("many", [1, 2, 4])
def test_every_action_of_dice_stars_can_be_sent(many: int) -> None:
    game = DiceStars(many)
    for state in positions(game, 7)[::3]:
        legal = game.legal_actions(state)
        html = draw(game, state)
        for action in legal:
            assert str(read_action(game, fields(action), legal)) == str(action)
        assert checked(html, "take") == {action.line for action in legal if action.line}
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
    assert [card.id for card in table.cards if card.chosen] == ["two-pairs"]
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


def test_two_seats_never_share_a_name() -> None:
    bots = [SeatView(number, "bot", "greedy", "greedy") for number in (1, 2)]
    free = [SeatView(number, "open", "") for number in (3, 4)]
    assert seat_names(Words("en"), bots + free) == ["Quick bot 1", "Quick bot 2", "Free seat", "Free seat"]
