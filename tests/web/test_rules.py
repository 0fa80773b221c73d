"""The rules: a page in every language, beside the table, and whatever lies on the table explains itself on a tap."""

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from starfrost.boards import board_of
from starfrost.boards.rules import rules_page
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.words import card_text
from starfrost.games.registry import GAMES
from starfrost.words import LANGUAGES, Words, rules
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

MakePlayer = Callable[..., Player]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_clause_can_be_linked_to(site: str, game: str, language: str) -> None:
    text = httpx.get(f"{site}/rules/{game}?lang={language}").text
    source = rules.page(game, language)
    assert source.title in text
    for clause in source.clauses:
        assert text.count(f' id="{clause}"') == 1, clause
    for number, _section in enumerate(source.sections, 1):
        assert f'href="#s{number}"' in text
        assert f'id="s{number}"' in text
    # Every ruling is seen as one, and no Markdown is left over.
    assert text.count('<blockquote class="ruling">') == source.text.count("> ⚖ **")
    assert "**" not in text


@pytest.mark.parametrize("game", GAMES)
def test_drawings_and_examples(site: str, game: str) -> None:
    """Every drawing stands once, at its clause; the example is played by the rules, one stage for each event."""
    board = board_of(game)
    text = httpx.get(f"{site}/rules/{game}").text
    drawn = board.illustrations.figures
    assert set(drawn) <= set(rules.page(game, "en").clauses)
    assert text.count('<span class="fig">') >= len(drawn)
    for clause in drawn:
        assert re.search(rf'id="{clause}" href="#{clause}">{clause}</a>\s*<span class="fig">', text), clause
    for number, scene in board.illustrations.examples.items():
        game_of, (events, states) = scene.game, scene.played
        turns = [before for before in states[: len(events)] if game_of.turn_of(before) == scene.learner]
        assert text.count(f'name="at-s{number}"') == len(turns) <= 12
    # Use the page's own components.
    assert "#i-d6" in text if game == "dicy-cards" else 'class="panel sheet' in text


def test_the_example_is_that_of_the_rules() -> None:
    scene = board_of("dicy-cards").illustrations.examples[6]
    scores = [state.scores[0] for state in scene.played.states]
    assert sorted(set(scores)) == [0, 24, 49, 59]
    assert scene.played.states[-1].active[0] == 0


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_two_pages_on_paper(browser: Browser, site: str, game: str, language: str) -> None:
    page = browser.new_page(locale=language)
    page.goto(f"{site}/rules/{game}?lang={language}")
    paper = page.pdf(prefer_css_page_size=True, print_background=True)
    page.close()
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 2


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_an_example_step_by_step(context: Callable[..., BrowserContext], site: str, scripts: bool) -> None:
    page = context(java_script_enabled=scripts).new_page()
    page.goto(f"{site}/rules/dicy-cards")
    steps = page.locator("#example-s6 li")
    for number, told in ((0, "Anna rolls"), (1, "24 points"), (9, "10 points")):
        page.get_by_label(f"Step {number + 1} of 10").check()
        expect(steps.nth(number)).to_be_visible()
        expect(steps.nth(number)).to_contain_text(told)
        assert sum(step.is_visible() for step in steps.all()) == 1
    page.keyboard.press("ArrowLeft")
    expect(steps.nth(8)).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_summary_names_clauses_and_rulings(site: str, game: str, language: str) -> None:
    text = httpx.get(f"{site}/rules/{game}?beside=1&lang={language}").text
    w, clauses = Words(language), rules.page(game, language).clauses
    points = [point for _title, points in board_of(game).illustrations.summary for point in points]
    assert 10 <= len(points) <= 14
    assert sum(len(w(point.text)) for point in points) < 1700, "not one page"
    for point in points:
        for clause in point.clauses:
            tag = f"{clause} ⚖</a>" if clauses[clause].ruling else f"{clause}</a>"
            assert tag in text
    assert f'href="/rules/{game}"' in text


def test_the_pages_hold_no_markup_of_their_own() -> None:
    for game in GAMES:
        for language in LANGUAGES:
            page = rules_page(game, language)
            assert not re.search(r"<(script|style|iframe|img)", "".join(section.html for section in page.sections))


def test_rules_of_another_game(site: str) -> None:
    answer = httpx.get(f"{site}/rules/chess")
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_beside_the_table(player: MakePlayer, size: dict[str, int]) -> None:
    one = player(viewport=size).quick("dicy-cards")
    one.my_turn()
    page = one.page
    page.locator("#rules-link").click()
    sheet = page.locator("#beside")
    expect(sheet.get_by_role("heading", level=1)).to_have_text("Dicy Cards")
    expect(page.locator("#beside-close")).to_be_focused()
    if size is DESK:
        # The game goes on beside it.
        one.tap()
        expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.locator("#rules-link")).to_be_focused()
    assert f"/t/{one.table}" in page.url


def test_beside_the_table_without_scripts(context: Callable[..., BrowserContext], site: str) -> None:
    page = context(java_script_enabled=False).new_page()
    page.goto(site)
    page.locator("#play-dice-stars").click()
    page.get_by_role("button", name="Take a seat").click()
    page.locator("#rules-link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dice Stars")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_every_card_explains_itself(context: Callable[..., BrowserContext], site: str, scripts: bool) -> None:
    page = context(java_script_enabled=scripts).new_page()
    page.goto(f"{site}/learn/dicy-cards/2/3")
    w = Words("en")
    frozen = page.locator(".card.frozen .ask")
    assert frozen.count() == 3
    for number in range(3):
        card = (frozen.nth(number).get_attribute("popovertarget") or "").removeprefix("tells-")
        frozen.nth(number).focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#tells-{card}")).to_contain_text(card_text(w, card))
        page.keyboard.press("Escape")
        expect(page.locator(f"#tells-{card}")).to_be_hidden()
    assert set(MODES["glacial"].cards) == {
        (one.get_attribute("id") or "").removeprefix("tells-") for one in page.locator("[id^=tells-]").all()
    }


def test_every_kind_of_space_explains_itself(player: MakePlayer) -> None:
    page = player(viewport=DESK).open("/learn/dice-stars/1/5").page
    for kind in ("bag", "pile", "space", "star", "sum"):
        page.locator(f"[popovertarget=tells-{kind}]:not([popovertargetaction])").first.click()
        expect(page.locator(f"#tells-{kind}")).to_be_visible()
        page.keyboard.press("Escape")
    # A tap on the space itself does the same.
    for kind in ("space", "star", "sum"):
        page.locator(f"[data-tells={kind}]").last.click()
        expect(page.locator(f"#tells-{kind}")).to_be_visible()
        page.keyboard.press("Escape")


def test_the_solo_grid_explains_itself(player: MakePlayer) -> None:
    one = player().setup("dice-stars", bots=0)
    one.my_turn()
    one.page.locator(".asks[popovertarget=tells-solo]").click()
    expect(one.page.locator("#tells-solo")).to_contain_text("solo grid")


def test_an_explanation_is_short_and_its_closing_tap_does_nothing_else(player: MakePlayer) -> None:
    one = player(viewport=PHONE).quick("dicy-cards")
    page, step = one.page, one.page.locator("#main").get_attribute("data-step")
    page.locator(".card .ask").first.click()
    told = page.locator(".tells:popover-open")
    assert len(told.inner_text()) < 160
    assert "Ruling" not in told.inner_text()
    # The button that rolls lies under the dimmed page.
    page.locator("#go").click(force=True)
    expect(told).to_have_count(0)
    expect(page.locator("#go")).to_be_visible()
    assert page.locator("#main").get_attribute("data-step") == step
    page.locator(".card .ask").first.click()
    told.get_by_role("button", name="Close").click()
    expect(told).to_have_count(0)


@THEMES
def test_axe(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme, viewport=DESK if theme == "dark" else PHONE)
    for game in GAMES:
        assert not serious(one.open(f"/rules/{game}").page), game
    one.open("/learn/dice-stars/4/1").page.locator(".asks[popovertarget=tells-star]").click()
    assert not serious(one.page), "popover"
    one.open("/learn/dicy-cards/1/1").page.locator("[data-beside]").click()
    one.page.locator("#beside .rules").wait_for()
    assert not serious(one.page), "beside"
