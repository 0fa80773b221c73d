"""The atlas: its figures are those of the data, everything works as links, and a set leads to its game."""

import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect
from starlette.datastructures import QueryParams

from starfrost.boards.drawing import words_of
from starfrost.games.dicy_cards import CARDS, MODES
from starfrost.games.dicy_cards.board.atlas import (
    FIGURES,
    ROWS,
    Question,
    all_cards,
    chosen,
    going_first,
    numbers,
    set_view,
    swaps,
)
from starfrost.games.dicy_cards.board.atlas_map import drawn_map
from starfrost.games.dicy_cards.coach.atlas import atlas, card_means
from starfrost.table import Settings
from starfrost.web.app import create_app
from starfrost.words import LANGUAGES, Words
from tests.table.helpers import empty_database
from tests.web.conftest import PHONE
from tests.web.test_access import serious

W = Words("en")
GLACIAL = numbers()[MODES["glacial"].cards]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(Settings(database=empty_database(tmp_path)))
    transport = httpx.ASGITransport(app)
    headers = {"accept": "text/html"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://atlas.test", headers=headers) as made,
    ):
        yield made


def listed(html: str) -> list[int]:
    """Return the numbers of the sets in the list."""
    table = html[html.index('<table class="sets">') :]
    return [int(number) for number in re.findall(r'<th scope="row"><a href="/atlas/(\d+)">', table)]


async def test_the_page_explains_why_going_first_is_a_disadvantage(client: httpx.AsyncClient) -> None:
    html = (await client.get("/atlas")).text
    assert f"{100 * atlas()[GLACIAL - 1].first_player_wins:.2f}" == "47.08"
    assert "Why going first is a disadvantage" in html
    assert "the first player wins 47.08% of the games and the second 52.92%" in html
    behind = sum(one.first_player_wins < 0.5 for one in atlas())
    assert f"It is a disadvantage in {behind} of {len(atlas())} sets" in html
    best, worst = (pick(atlas(), key=lambda one: one.first_player_wins) for pick in (max, min))
    found = going_first(W)
    assert (found.fairest.cards, found.least_fair.cards) == (best.cards, worst.cards)


async def test_the_map_and_the_list_follow_the_filter(client: httpx.AsyncClient) -> None:
    html = (await client.get("/atlas")).text
    assert html.count('"-1"><circle cx=') == len(atlas()) == 792
    assert 'class="others"' not in html
    fairest = sorted(atlas(), key=lambda entry: -entry.first_player_wins)
    assert listed(html) == [numbers()[entry.cards] for entry in fairest[:ROWS]]
    html = (await client.get("/atlas?with=sixes&without=odds&sort=turns&order=down&page=2&x=swing&y=turns")).text
    kept = [entry for entry in atlas() if "sixes" in entry.cards and "odds" not in entry.cards]
    assert html.count('"-1"><circle cx=') == len(kept)
    assert 'class="others"' in html
    longest = sorted(kept, key=lambda entry: -entry.turns)
    assert listed(html) == [numbers()[entry.cards] for entry in longest[ROWS : 2 * ROWS]]
    assert re.search(r'aria-sort="descending"><a id="sort-turns"', html)
    # Every link of the page leads to another view of it.
    for address in set(re.findall(r'href="(/atlas[^"]*)"[^>]* data-atlas', html)):
        assert (await client.get(address.replace("&amp;", "&").partition("#")[0])).status_code == 200


async def test_filters_that_no_set_passes_and_nonsense(client: httpx.AsyncClient) -> None:
    none = await client.get("/atlas", params={"with": list(CARDS)[:6]})
    assert "No set of five cards passes these filters." in none.text
    odd = await client.get("/atlas?x=colour&y=&sort=1&page=-5&with=ace&without=%00&order=sideways")
    assert odd.status_code == 200
    assert listed(odd.text) == listed((await client.get("/atlas")).text)
    assert (await client.get("/atlas?page=99999")).status_code == 200


async def test_a_set_shows_its_figures_and_leads_to_its_game(client: httpx.AsyncClient) -> None:
    number = numbers()["no-sixes", "sixes", "double-pair", "distinct-fours", "forty-minus"]
    entry = atlas()[number - 1]
    html = (await client.get(f"/atlas/{number}")).text
    for text in (
        f"{100 * entry.first_player_wins:.2f}%",
        f"{100 - 100 * entry.first_player_wins:.2f}%",
        f"<td>{entry.turns:.1f}",
        f"<td>{entry.swing:.2f}",
        f"{entry.score_1:.1f} : {entry.score_2:.1f}",
        "place 792 of 792",
    ):
        assert text in html
    worth = card_means([entry], "frozen")
    assert all(f"<span>{100 * value:.1f}</span>" in html for value in worth.values())
    (play,) = re.findall(r'id="play-set" href="([^"]*)"', html)
    form = (await client.get(play.replace("&amp;", "&"))).text
    assert set(re.findall(r'name="cards" value="([\w-]+)" checked', form)) == set(entry.cards)
    assert 'value="custom" checked' in form
    # The cards in any order, or the name of a mode, find the same page.
    other = (await client.get("/atlas/" + ",".join(reversed(entry.cards)))).text
    assert f'content="http://atlas.test/atlas/{number}"' in other
    glacial = (await client.get("/atlas/glacial")).text
    assert "/new/dicy-cards?mode=glacial" in glacial


@pytest.mark.parametrize(
    "name", ["0", "793", "99999", "-1", "٣", "x", "interglacial", "any-two,odds", "any-two," * 4 + "any-two", "<b>"]
)
async def test_an_unknown_set_is_a_clear_page(client: httpx.AsyncClient, name: str) -> None:
    answer = await client.get(f"/atlas/{name}")
    assert answer.status_code == 404
    assert "The atlas has no such set." in answer.text
    assert (await client.get(f"/preview/atlas/{name}.png")).status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_atlas_speaks_four_languages(client: httpx.AsyncClient, language: str) -> None:
    w = Words(language)
    html = (await client.get(f"/atlas?lang={language}")).text
    assert f'<html lang="{language}"' in html
    for text in ("The map", "The value of each card", "The fairest set"):
        assert w(text) in html
    one = (await client.get(f"/atlas/1?lang={language}")).text
    assert w("Play this set") in one
    assert f"/preview/atlas/{GLACIAL}.png?lang={language}" in (await client.get(f"/atlas/glacial?lang={language}")).text
    problem = (await client.get(f"/atlas/0?lang={language}")).text
    assert (
        w(
            "The atlas has no such set. A set is a number from 1 to %(count)s, five cards or the name of a mode.",
            count=792,
        )
        in problem
    )


async def test_players_find_the_atlas(client: httpx.AsyncClient) -> None:
    for path in ("/", "/rules/dicy-cards", "/new/dicy-cards"):
        assert 'href="/atlas"' in (await client.get(path)).text
    assert 'href="/atlas"' not in (await client.get("/rules/dice-stars")).text


def test_a_card_goes_through_three_states() -> None:
    question = Question()
    states = []
    for _ in range(4):
        states.append(question.state("odds"))
        question = Question.read(query_of(question.turned("odds")))
    assert states == ["", "with", "without", ""]
    # A figure chosen for one axis that is on the other changes places with it.
    swapped = Question.read(query_of(Question().with_axis("x", "fair")))
    assert (swapped.x, swapped.y) == ("fair", "turns")
    assert Question.read(query_of(Question().sorted_by("fair"))).down is False
    assert Question().address() == "/atlas"


def query_of(address: str) -> QueryParams:
    return QueryParams(address.partition("?")[2])


def test_what_a_card_does_is_the_difference_of_means() -> None:
    entries = atlas()
    (row,) = (row for row in all_cards(W) if row.id == "forty-minus")
    turns = [[entry.turns for entry in entries if ("forty-minus" in entry.cards) is there] for there in (True, False)]
    with_it, without_it = (sum(values) / len(values) for values in turns)
    assert (len(turns[0]), len(turns[1])) == (330, 462)
    assert row.turns == f"{with_it - without_it:+.1f}"
    assert row.worth == f"{100 * card_means(entries, 'frozen')['forty-minus']:.1f}"
    assert [row.share for row in all_cards(W)] == sorted((row.share for row in all_cards(W)), reverse=True)


def test_dots_lie_inside_the_map_and_are_kept() -> None:
    for x in FIGURES:
        for y in FIGURES.keys() - {x}:
            drawn = drawn_map(W, x, y, (), ())
            places = [(int(cx), int(cy)) for cx, cy in re.findall(r'cx="(\d+)" cy="(\d+)"', drawn.dots)]
            assert len(places) == 792
            assert all(drawn.left <= cx <= drawn.right and drawn.top <= cy <= drawn.bottom for cx, cy in places)
            assert len(drawn.x) >= 3 <= len(drawn.y)
    # Higher values lie higher.
    highest = max(range(792), key=lambda place: atlas()[place].turns)
    ups = [int(cy) for cy in re.findall(r'cy="(\d+)"', drawn_map(W, "swing", "turns", (), ()).dots)]
    assert ups[highest] == min(ups)
    assert drawn_map(words_of("en"), "swing", "turns", (), ()) is drawn_map(words_of("en"), "swing", "turns", (), ())


def test_swaps_lead_to_better_sets_that_differ_in_one_card() -> None:
    for entry in atlas()[::97]:
        number = numbers()[entry.cards]
        for swap in swaps(W, number):
            other = set_view(W, int(swap.address.rpartition("/")[2]))
            assert len(set(other.cards) & set(entry.cards)) == 4
    assert not [swap for swap in swaps(W, numbers()[chosen(atlas(), Question())[0].cards]) if "Fairer" in swap.text]


def test_exploring_on_a_phone(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(viewport=PHONE).new_page()
    page.goto(f"{site}/atlas")
    expect(page.locator(".dots circle")).to_have_count(792)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("window.stays = true")
    page.locator("#pick-sixes").click()
    expect(page.locator(".dots circle")).to_have_count(330)
    expect(page.locator("#said")).to_have_text("330 sets")
    page.locator("#sort-turns").click()
    expect(page.locator("th[aria-sort]")).to_contain_text("Turns")
    # A tap beside a dot shows its set.
    dot = page.locator(".dots a").nth(40)
    address = dot.get_attribute("href")
    dot.scroll_into_view_if_needed()
    box = dot.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#set")).to_be_visible()
    expect(page.locator(f'#set a[href="{page.locator(".dots .on").get_attribute("href")}"]')).to_be_visible()
    assert page.evaluate("window.stays"), f"the page was loaded anew, perhaps for {address}"
    assert serious(page) == []
    page.go_back()
    expect(page.locator("#sort-fair")).to_contain_text("↓")
    page.locator("#pick-all").click()
    expect(page.locator(".dots circle")).to_have_count(792)
    page.locator("table.sets tbody a").first.click()
    page.wait_for_url("**/atlas/*")
    assert serious(page) == []
    cards = set(page.locator(".set .mini .name").all_inner_texts())
    page.get_by_role("link", name="Play this set").click()
    expect(page.locator("input[name=cards]:checked")).to_have_count(5)
    assert set(page.locator("label:has(input[name=cards]:checked) .name").all_inner_texts()) == cards
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_url("**/t/*")


def test_the_atlas_works_without_scripts(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(viewport=PHONE, java_script_enabled=False).new_page()
    page.goto(f"{site}/atlas")
    page.locator("#pick-sixes").click()
    expect(page.locator("#pick-sixes")).to_have_class(re.compile("with"))
    page.locator("#pick-sixes").click()
    expect(page.locator("h2#sets")).to_have_text("462 sets")
    page.locator("#x-swing").click()
    expect(page.locator("#x-swing")).to_have_attribute("aria-current", "true")
    page.locator(".dots a").first.dispatch_event("click")
    page.wait_for_url("**/atlas/*")
    expect(page.get_by_role("link", name="Play this set")).to_be_visible()
