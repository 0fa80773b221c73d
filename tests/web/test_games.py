"""Both games from the start page to the result, by taps alone, on a phone and on a desk."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.web.conftest import DESK, PHONE
from tests.web.player import Player

MakePlayer = Callable[..., Player]
SCREENS = pytest.mark.parametrize("screen", [PHONE, DESK], ids=["phone", "desk"])


def test_a_newcomer_is_in_a_game_after_one_tap(player: MakePlayer) -> None:
    one = player().quick("dicy-cards")
    assert one.my_turn()
    expect(one.page.locator(".bar .go:visible")).to_have_text("Roll the dice")


@SCREENS
def test_dicy_cards_from_the_start_page_to_the_result(player: MakePlayer, screen: dict[str, int]) -> None:
    one = player(viewport=screen).setup("dicy-cards", goal=30)
    assert one.play_on() > 3
    expect(one.page.locator(".podium .rank")).to_have_count(2)


@SCREENS
def test_dice_stars_from_the_start_page_to_the_result(player: MakePlayer, screen: dict[str, int]) -> None:
    one = player(viewport=screen).quick("dice-stars")
    assert one.play_on() > 10
    expect(one.page.locator(".won h2")).to_contain_text("points")


def test_the_solo_game_ends(player: MakePlayer) -> None:
    one = player().setup("dice-stars", bots=0)
    expect(one.page.locator(".solo")).to_be_visible()
    one.play_on()
    expect(one.page.locator(".podium .rank")).to_have_count(1)


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
