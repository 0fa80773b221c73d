"""Moments that matter: the end of a game, the hand-over of a shared device, the list of keys."""

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from playwright.sync_api import expect

from starfrost.games.core import CHANCE, OVER
from starfrost.games.dicy_cards import DicyCards
from starfrost.table import SeatView, TableView
from starfrost.table.moves import Move
from starfrost.web.pages.endings import ending
from starfrost.words import LANGUAGES, Words
from tests.web.player import Player

NAMES = ("Anna", "Ben")


def finished(*mine: int) -> TableView:
    """Return a finished table as the guest on these seats sees it."""
    game, rng = DicyCards(2, goal=20), Random(5)
    state, moves = game.start(), []
    while (actor := game.actor(state)) != OVER:
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        moves.append(Move(actor, action, state))
        state = game.apply(state, action)
    seats = tuple(SeatView(i, "person", name, yours=i in mine) for i, name in enumerate(NAMES, start=1))
    return TableView("t", 1, "over", game, state, moves, seats)


def test_the_winner_the_loser_and_watchers_are_told_the_end_in_their_own_way() -> None:
    w = Words("en")
    view = finished()
    winner = view.game.winners(view.state)[0] + 1
    loser = 3 - winner
    scores = view.game.scores(view.state)
    assert ending(w, finished(winner), NAMES).heading == "You win!"
    defeat = ending(w, finished(loser), NAMES)
    behind = scores[winner - 1] - scores[loser - 1]
    assert defeat.mood == "defeat"
    assert defeat.heading in ("So close!", "Better luck next time!")
    assert any(str(behind) in line and NAMES[winner - 1] in line for line in defeat.lines)
    # The table of places below says the rest.
    assert len(defeat.lines) == 1
    assert ending(w, view, NAMES).mood == "seen"
    assert NAMES[winner - 1] in ending(w, view, NAMES).heading
    # Two people at one device: nobody is told that they have lost.
    assert ending(w, finished(1, 2), NAMES).mood == "victory"
    shared = replace(view, state=view.state)
    assert ending(w, shared, NAMES) == ending(w, view, NAMES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_is_told_in_every_language(language: str) -> None:
    told = [ending(Words(language), finished(seat), NAMES) for seat in (1, 2)]
    assert len({one.heading for one in told}) == 2
    assert all("%" not in line for one in told for line in one.lines)


def test_play_again_opens_the_next_game_with_the_same_players(player: Callable[..., Player]) -> None:
    one = player().setup("dicy-cards", goal=10)
    one.play_quickly()
    before = one.table
    names = one.page.locator(".lane .who b").all_inner_texts()
    one.page.get_by_role("button", name="Play again").click()
    one.page.locator(f"main[data-status=running]:not([data-table='{before}'])").wait_for()
    # The seats move on by one, so that the other player begins.
    assert one.page.locator(".lane .who b").all_inner_texts() == names[::-1]
    assert one.my_turn()


def test_a_shared_device_is_handed_over_and_the_keys_are_listed(player: Callable[..., Player]) -> None:
    one = player().setup("dicy-cards", who="device", goal=60)
    page = one.page
    assert one.my_turn()
    expect(page.locator("#handover")).to_be_hidden()
    first = page.locator("#turn-now").inner_text()
    one.press("?")
    expect(page.locator("#key-list")).to_contain_text("choose a card")
    one.press("?")
    while page.locator("#handover").is_hidden() and one.my_turn():
        one.tap()
    expect(page.locator("#handover-title")).to_have_text("Pass the device to Player 2")
    # Nothing below it can be tapped.
    on_top = (
        "bar => document.elementFromPoint(innerWidth / 2, bar.getBoundingClientRect().top + 30).closest('#handover')"
    )
    assert page.locator(".bar").first.evaluate(f"(bar) => Boolean(({on_top})(bar))")
    page.locator("#take-device").click()
    expect(page.locator("#handover")).to_be_hidden()
    assert page.locator("#turn-now").inner_text() != first
    # Whoever does not want it switches it off, here or in the settings.
    while page.locator("#handover").is_hidden():
        assert one.my_turn()
        one.tap()
    with page.expect_response("**/settings"):
        page.get_by_role("button", name="Do not ask again").click()
    expect(page.locator("#handover")).to_have_count(0)
    expect(page.locator("#settings [name=handover]")).not_to_be_checked()
    one.play_quickly()
    expect(page.locator("#result-title")).to_be_visible()
    # The result is put aside in its corner, and comes back where the buttons of the game were.
    corner, panel = (page.locator(f"#result {what}").bounding_box() for what in (".close", ".won"))
    assert corner
    assert panel
    assert corner["x"] + corner["width"] > panel["x"] + panel["width"] - 30
    page.locator("#result .close").click()
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator(".board .bar #show-result")).to_be_focused()
    page.locator("#show-result").click()
    expect(page.locator("#result")).to_be_visible()
    one.press("Escape")
    expect(page.locator("#result")).to_be_hidden()
    page.locator("#show-result").click()
    expect(page.locator("#result")).to_be_visible()
    # In the next game everybody sits at the device again; the other player begins.
    page.get_by_role("button", name="Play again").click()
    page.locator("main[data-status=running]").wait_for()
    expect(page.locator(".lane .who b")).to_have_text([re.compile("Player 2"), re.compile("Player 1")])
