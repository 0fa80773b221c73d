"""Both games from the start page to the result, by taps alone, on a phone and on a desk."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.web.conftest import DESK, PHONE
from tests.web.meter import Meter
from tests.web.player import Player

MakePlayer = Callable[..., Player]


def test_a_newcomer_is_in_a_game_after_one_tap(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    assert one.my_turn()
    expect(one.page.locator(".bar .go:visible")).to_have_text("Roll the dice")


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_game_on_a_phone_from_the_start_page_to_the_result(player: MakePlayer, site: str, game: str) -> None:
    one = player(viewport=PHONE, has_touch=True, is_mobile=True)
    meter = Meter(one.page)
    assert one.quick(game).play_on() > 10
    expect(one.page.locator(".podium .rank")).to_have_count(2)
    expect(one.page.locator(".won")).to_contain_text(re.compile("You win!|You were|share the victory"))
    # The whole game costs under 1 MB, and nothing comes from any other host.
    assert 20_000 < meter.bytes < 1_000_000, meter.bytes
    assert meter.hosts == {urlsplit(site).netloc}


@pytest.mark.parametrize("game", ["dicy-cards", "dice-stars"])
def test_a_game_on_a_desk_from_the_start_page_to_the_result(player: MakePlayer, game: str) -> None:
    one = player(viewport=DESK).setup(game, goal=30)
    for _ in range(4):
        assert one.my_turn()
        one.tap()
    one.play_quickly()
    expect(one.page.locator(".podium .rank")).to_have_count(2)


@pytest.mark.parametrize("path", ["/", "/puzzles", "/daily", "/me", "/atlas"])
def test_the_first_page_is_light(player: MakePlayer, path: str) -> None:
    one = player()
    meter = Meter(one.page)
    one.open(path).page.wait_for_load_state("networkidle")
    assert 10_000 < meter.bytes <= 100_000, meter.bytes


def test_the_solo_game_ends(player: MakePlayer) -> None:
    one = player().setup("dice-stars", bots=0)
    expect(one.page.locator(".solo")).to_be_visible()
    one.play_quickly()
    expect(one.page.locator(".podium .rank")).to_have_count(1)
    # Nobody is first of one.
    expect(one.page.locator(".podium .num")).to_have_text("")


def test_pass_and_play_asks_one_after_the_other(player: MakePlayer) -> None:
    one = player().setup("dicy-cards", who="device", goal=15)
    seen = set()
    for _ in range(200):
        if not one.my_turn():
            break
        seen.add(one.main.get_attribute("data-title"))
        one.tap()
    assert one.status == "over"
    assert {"Player 1's turn", "Player 2's turn"} <= seen
