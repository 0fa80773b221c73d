"""After the game: standings, curve, dice and the check with one button, at a table that was really played."""

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from starfrost.boards import board_of
from starfrost.fair.proof import prove
from starfrost.games.dicy_cards import DicyCards
from starfrost.games.record import parse_record, replay
from starfrost.web.pages.after import dice_count, score_curve
from starfrost.words import LANGUAGES, Words
from tests.games.records import GOOD
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

MakePlayer = Callable[..., Player]
GAMES = pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])


def past(text: str) -> tuple[DicyCards, list[tuple[int, object, object]], object]:
    played = replay(parse_record(text))
    events = [
        (event.seat, event.action, before) for event, before in zip(played.record.events, played.states, strict=False)
    ]
    return played.record.game, events, played.final  # type: ignore[return-value]


def test_the_curve_stops_at_every_round() -> None:
    game, history, final = past(GOOD)
    curve = score_curve(game, history, final, ["Ada", "Bo"])
    assert [run.scores for run in curve.runs] == [(0, 0, 3), (0, 3, 25)]
    assert curve.rounds == 2
    assert len({run.shape for run in curve.runs}) == 2


def test_the_dice_are_counted() -> None:
    game, history, _final = past(GOOD)
    count = dice_count(Words("en"), board_of(game.name), game, history)
    assert count is not None
    # Four rolls of six dice and one of two.
    assert count.dice == 26
    assert {face.face.text: face.seen for face in count.faces} == {"1": 6, "2": 3, "3": 2, "4": 3, "5": 6, "6": 6}
    assert {face.expected for face in count.faces} == {"4.3"}
    dutch = dice_count(Words("nl"), board_of(game.name), game, history)
    assert dutch is not None
    assert {face.expected for face in dutch.faces} == {"4,3"}
    assert count.sentence.startswith("Nothing unusual")


def test_rare_dice_are_called_rare() -> None:
    record = "starfrost: 1\ngame: dicy-cards\nplayers: A | B\ncards: any-two no-sixes odds straight two-pairs\n\n"
    record += "* 666666\n1 skip\n* 666666\n2 skip\n* 666666\n1 skip\n"
    game, history, _final = past(record)
    count = dice_count(Words("en"), board_of(game.name), game, history)
    assert count is not None
    assert count.sentence.startswith("Rare")


@GAMES
def test_looking_back_from_the_table(player: MakePlayer, site: str, finished: Callable[[str], str], game: str) -> None:
    table = finished(game)
    one = player(viewport=PHONE if game == "dicy-cards" else DESK).open(f"/t/{table}")
    one.page.locator("#look-back").click()
    page = one.page
    expect(page.locator("h1")).to_contain_text(re.compile("win|share"))
    assert page.locator(".curve polyline").count() == 2
    page.get_by_text("In numbers").click()
    expect(page.locator(".plainly table").first).to_be_visible()
    scores = httpx.get(f"{site}/api/tables/{table}").json()["scores"]
    last = page.locator(".plainly tbody tr").last.locator("td").all_inner_texts()
    assert [int(text) for text in last] == scores
    # One button works out every roll again, as `starfrost verify` does.
    page.locator("#check").click()
    expect(page.locator("[role=status].note")).to_contain_text("Yes.")
    with page.expect_download() as saved:
        page.get_by_text("Download the record").click()
    text = saved.value.path().read_text()
    rolls = prove(text).rolls
    expect(page.locator("[role=status].note")).to_contain_text(str(rolls))


def test_without_scripts(context: Callable[..., BrowserContext], site: str, finished: Callable[[str], str]) -> None:
    page = context(java_script_enabled=False).new_page()
    page.goto(f"{site}/after/{finished('dice-stars')}")
    page.locator("#check").click()
    expect(page.locator(".note.good")).to_contain_text("Yes.")
    page.get_by_text("How the sealed envelope works").click()
    expect(page.get_by_text("seals it in an envelope")).to_be_visible()


def test_a_running_table_has_no_afterwards(site: str, player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    one.open(f"/after/{one.table}")
    expect(one.page).to_have_url(re.compile(f"/t/{one.table}$"))
    assert httpx.get(f"{site}/after/nowhere").status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, finished: Callable[[str], str], language: str) -> None:
    w = Words(language)
    text = httpx.get(f"{site}/after/{finished('dicy-cards')}?check=1&lang={language}").text
    for sentence in ("The scores, round by round", "The dice of this game", "Were the dice fair?"):
        assert w(sentence) in text


@THEMES
def test_axe(player: MakePlayer, finished: Callable[[str], str], theme: str) -> None:
    one = player(color_scheme=theme, viewport=DESK if theme == "dark" else PHONE)
    for game in ("dicy-cards", "dice-stars"):
        one.open(f"/after/{finished(game)}{'?check=1' if game == 'dicy-cards' else ''}")
        one.page.get_by_text("In numbers").click()
        assert not serious(one.page), game
