"""A reader's first game of each kind: the easy bot, and three short marks on the board."""

import re
from dataclasses import replace

import httpx
import pytest

from starfrost.boards import Position, board_of
from starfrost.boards.lessons import Scene
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.table.moves import Move
from starfrost.words import LANGUAGES, Words
from tests.web.test_views import seats as two_seats

MARK = re.compile(r'<p class="question mark (\w+)" id="question"><span[^>]*>([^<]*)')


def fields(page: str) -> dict[str, str]:
    """Return the version, seat and key of a table's form."""
    return {name: re.findall(rf'name="{name}" value="([^"]*)"', page)[0] for name in ("version", "seat", "key")}


def first_game(client: httpx.Client, game: str) -> str:
    form = re.search(rf'<form method="post" action="/play".*?id="play-{game}"', client.get("/").text, re.S)
    assert form
    given = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form[0][form[0].rindex("<form") :]))
    room = client.post("/play", data=given)
    return client.post(f"{room.url.path}/join", data={"version": "0", "key": "sit"}).url.path


def act(client: httpx.Client, table: str, **action: str) -> str:
    """Play an action by the table's form; return the page on which the reader acts again."""
    before = fields(client.get(table).text)
    client.post(f"{table}/act", data={**before, **action})
    for _ in range(400):
        page = client.get(table).text
        if " data-turn" in page and fields(page)["version"] != before["version"]:
            return page
    raise AssertionError("the bot does not answer")


@pytest.mark.parametrize(("game", "move"), [("dicy-cards", "roll"), ("dice-stars", "draw 3")])
def test_the_first_game_is_easy_and_says_what_to_do(site: str, game: str, move: str) -> None:
    with httpx.Client(base_url=site, follow_redirects=True) as client:
        table = first_game(client, game)
        shown = client.get(table).text
        assert "Easy bot" in shown
        assert MARK.search(shown)
        assert MARK.search(act(client, table, do=move))
        # It says nothing to somebody who watches, nor in a second game, which is against the usual bot.
        assert not MARK.search(httpx.get(f"{site}{table}").text)
        second = client.get(first_game(client, game)).text
        assert "Quick bot" in second
        assert not MARK.search(second)


def told(scene: Scene, *, may_roll: bool = False) -> str:
    """Return where the question points in a first game; in any other it points nowhere."""
    events, states = scene.played
    past = [Move(event.seat, event.action, before) for event, before in zip(events, states, strict=False)]
    legal = () if may_roll else scene.game.legal_actions(states[-1])
    found = Position(scene.game, states[-1], ("You", "Ben"), two_seats(2), 0, legal, may_roll, past, first=True)
    board = board_of(scene.game.name)
    for language in LANGUAGES:
        w = Words(language)
        first, other = board.draw(w, found), board.draw(w, replace(found, first=False))
        assert not other.mark
        assert (first.question == other.question) == (not first.mark)
    return str(first.mark)


def test_the_marks_of_dicy_cards_teach_one_thing_a_turn() -> None:
    game, turn = DicyCards(), "* 664421"
    assert told(Scene(game), may_roll=True) == "here"
    assert told(Scene(game, events=turn)) == "down"
    once = f"{turn}; 1 skip; {turn}; 2 skip"
    assert told(Scene(game, events=once), may_roll=True) == ""
    assert told(Scene(game, events=f"{once}; {turn}")) == "up"
    assert told(Scene(game, events=f"{once}; {turn}; 1 skip; {turn}; 2 skip; {turn}")) == ""


def test_the_marks_of_dice_stars_teach_one_thing_a_turn() -> None:
    game = DiceStars(2)
    assert told(Scene(game)) == "here"
    drawn = "1 draw 3; * black5 blue5 orange3"
    assert told(Scene(game, events=drawn)) == "up"
    once = f"{drawn}; 1 take 5; 2 draw 2; * blue4 purple*; 2 take blue"
    assert told(Scene(game, events=once)) == "here"
    assert told(Scene(game, events=f"{once}; 1 draw 1; * orange4")) == ""
