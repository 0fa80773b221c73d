"""The coach at the table: a hint and a verdict for one person among bots, for nobody else, in every language."""

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from starfrost.fair.proof import prove
from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import MODES, DicyCards
from starfrost.games.dicy_cards.solver import on_demand
from starfrost.games.dicy_cards.solver.adviser import Adviser
from starfrost.games.record import Replay, parse_record, replay
from starfrost.words import LANGUAGES, Words, You
from starfrost.words.numbers import percent
from starfrost.words.story import tell
from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.player import Player

# Whether what the coach says lies above the board.
FREE = """() => document.querySelector("body > .coach-note").getBoundingClientRect().bottom
    <= document.querySelector(".board").getBoundingClientRect().top"""

# No turn of Glacial brings so many points, so no bot ends a game in one.
GOAL = 35


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    """Return the exact values of the cards that these tests play with."""
    cards = MODES["glacial"].cards
    return Adviser(DicyCards(2, cards, GOAL), on_demand.ensure_solved(cards, GOAL))


def sit(site: str, game: str = "dicy-cards", name: str = "Anna", **more: Any) -> tuple[Guest, str]:
    """Seat a guest against a bot."""
    anna = Guest(site, name)
    options = {"mode": "glacial", "goal": str(GOAL)} if game == "dicy-cards" else {}
    table = anna.open(game, ("open", "bot:greedy"), options=options, **more)
    anna.join(table)
    return anna, table


def decide(anna: Guest, table: str) -> None:
    """Play on until there is something to decide."""
    while len(legal := anna.get(f"/tables/{table}")["legal"]) < 2:
        if legal:
            anna.move(table, legal[0])


def ask(anna: Guest, table: str, what: str, language: str = "en", **fields: str) -> httpx.Response:
    """Ask the coach as the page's script does."""
    return anna.http.post(f"/t/{table}/{what}?lang={language}", data=fields, headers={"X-Fragment": "1"}, timeout=60)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def text_of(answer: httpx.Response) -> str:
    return plain(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", answer.text)))


def played(anna: Guest, table: str) -> Replay:
    return replay(parse_record(anna.http.get(f"/api/tables/{table}/record").text))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hint_is_the_best_move_with_its_exact_chance(site: str, adviser: Adviser, language: str) -> None:
    anna, table = sit(site)
    decide(anna, table)
    now = played(anna, table)
    best = adviser.best(now.final)
    said = text_of(ask(anna, table, "hint", language).raise_for_status())
    w = Words(language)
    assert tell(w, adviser.game, now.final, best.action, [You("Anna"), "x"]) in said
    if len({choice.value for choice in adviser.action_values(now.final)}) > 1:
        assert plain(percent(w, best.value)) in said
    assert w("Estimate") not in said
    assert f"\ncoach: hint@{len(now.record.events) + 1}\n" in anna.http.get(f"/api/tables/{table}/record").text


def test_a_verdict_is_the_exact_loss_and_is_noted(site: str, adviser: Adviser) -> None:
    anna, table = sit(site)
    decide(anna, table)
    before = played(anna, table)
    values = {str(choice.action): choice.value for choice in adviser.action_values(before.final)}
    # After a reroll it is still her turn, so the game cannot end before the verdict.
    worst = min((one for one in values if one.startswith("reroll")), key=lambda action: values[action])
    anna.move(table, worst)
    event = len(before.record.events)
    said = text_of(ask(anna, table, "judge", event=str(event)).raise_for_status())
    w = Words("en")
    assert plain(percent(w, max(values.values()) - values[worst])) in said
    assert tell(w, adviser.game, before.final, adviser.best(before.final).action, [You("Anna"), "x"]) in said
    # Not practice: nothing can be taken back over dice.
    assert "Take back" not in said
    while anna.get(f"/tables/{table}")["status"] != "over":
        anna.move(table)
    record = anna.http.get(f"/api/tables/{table}/record").text
    assert f"\ncoach: judged@{event + 1}\n" in record
    assert prove(record).finished


def test_dice_stars_is_estimated_with_an_error(site: str) -> None:
    anna, table = sit(site, "dice-stars")
    decide(anna, table)
    said = text_of(ask(anna, table, "hint").raise_for_status())
    assert "Estimate" in said
    assert "about" in said
    assert "±" in said or "Just as good" in said


@pytest.mark.parametrize("what", ["hint", "judge"])
def test_nobody_is_helped_against_people(site: str, what: str) -> None:
    anna, bob = Guest(site, "Anna"), Guest(site, "Bob")
    table = anna.open("dicy-cards", ("open", "open"), options={"mode": "glacial", "goal": str(GOAL)})
    anna.join(table)
    # Not while another person can still sit down, and not when one does.
    assert ask(anna, table, what, event="0").status_code == 403
    bob.join(table, 2)
    anna.move(table, "roll")
    version = anna.get(f"/tables/{table}")["version"]
    for guest in (anna, bob):
        answer = ask(guest, table, what, event="0")
        assert answer.status_code == 403
        assert answer.json()["code"] == "no-coach"
    page = anna.http.get(f"{site}/t/{table}").text
    assert 'id="hint' not in page
    assert "coach.js" not in page
    # Nor is a person who watches somebody's game against a bot.
    _cleo, other = sit(site, name="Cleo")
    assert ask(anna, other, what, event="0").status_code == 403
    assert httpx.post(f"{site}/t/{other}/{what}", headers={"X-Fragment": "1"}).status_code == 401
    assert anna.get(f"/tables/{table}")["version"] == version
    assert "coach" not in anna.http.get(f"/api/tables/{table}/record").text


def test_what_is_no_move_of_yours_is_refused_and_not_stored(site: str, adviser: Adviser) -> None:
    anna, table = sit(site)
    decide(anna, table)
    rolls = [number for number, event in enumerate(played(anna, table).record.events) if event.seat == CHANCE]
    version = anna.get(f"/tables/{table}")["version"]
    for event in ("999999999", "-1", "x", "", str(rolls[0])):
        answer = ask(anna, table, "judge", event=event)
        assert (answer.status_code, answer.json()["code"]) == (422, "no-move")
    plain = anna.http.post(f"{site}/t/{table}/judge", data={"event": "7000"})
    assert plain.status_code == 422
    assert "That is not a move of yours" in plain.text
    assert anna.get(f"/tables/{table}")["version"] == version


def test_without_scripts_the_table_shows_the_note(site: str, adviser: Adviser) -> None:
    anna, table = sit(site)
    decide(anna, table)
    page = anna.http.post(f"{site}/t/{table}/hint", timeout=60).raise_for_status().text
    assert "The coach would play:" in page
    assert "<main" in page
    # The next look at the table shows the table alone.
    assert "The coach would play:" not in anna.http.get(f"{site}/t/{table}").text


def test_what_the_coach_cannot_know_is_said(site: str) -> None:
    """Nothing is solved here and nothing may be: no buttons, and a sentence for whoever asks anyway."""
    anna = Guest(site)
    table = anna.open("dicy-cards", ("open", "bot:greedy"), options={"mode": "d", "goal": "90"})
    anna.join(table)
    decide(anna, table)
    assert 'id="hint' not in anna.http.get(f"{site}/t/{table}").text
    assert "The coach has no answer here." in ask(anna, table, "hint").raise_for_status().text
    assert "coach:" not in anna.http.get(f"/api/tables/{table}/record").text


def test_practice_by_the_interface(site: str) -> None:
    anna, table = sit(site, practice=True)
    assert anna.get(f"/tables/{table}")["practice"]
    decide(anna, table)
    before = anna.get(f"/tables/{table}")
    anna.move(table, "skip")
    eventually(lambda: anna.get(f"/tables/{table}")["acting"] == 1)
    version = anna.get(f"/tables/{table}")["version"]
    anna.post(f"/tables/{table}/undo", version=version, key="back", seat=1)
    after = anna.get(f"/tables/{table}")
    assert (after["state"], after["legal"]) == (before["state"], before["legal"])
    assert after["helps"] == [f"taken-back@{len(played(anna, table).record.events) + 1}"]


def test_practice_replay_and_trying_again_in_a_browser(
    player: Callable[..., Player], site: str, adviser: Adviser
) -> None:
    one = player(viewport={"width": 390, "height": 664}).open("/new/dicy-cards")
    page = one.page
    form = page.locator("form.setup")
    form.locator("[name=practice]").check()
    form.locator("[name=goal]").fill(str(GOAL))
    form.locator(".go-for:visible").click()
    expect(page.locator("#practice")).to_be_visible()
    one.tap()
    one.my_turn()
    # A hint by keyboard, closed by keyboard: it lights what it means and lies over none of it.
    page.keyboard.press("h")
    expect(page.locator(".coach-note.hint")).to_contain_text("The coach would play")
    expect(page.locator("#said")).to_contain_text("The coach would play")
    expect(page.locator(".card.lit, #skip.lit").first).to_be_attached()
    assert page.evaluate(FREE)
    page.keyboard.press("Escape")
    expect(page.locator(".coach-note")).to_have_count(0)
    expect(page.locator(".lit")).to_have_count(0)
    # A bad move is judged by itself and can be taken back, although the bot has answered.
    step = one.step
    page.locator("#skip").click()
    page.locator("#do-skip").click()
    expect(page.locator("body > .coach-note:is(.slip, .mistake, .blunder)")).to_contain_text("it cost")
    assert page.evaluate(FREE)
    # Whoever wants to try again is not told the answer.
    expect(page.locator("#said")).not_to_contain_text("Better:")
    expect(page.locator("#answer .why")).to_be_hidden()
    page.locator("#answer summary").click()
    expect(page.locator("#answer .why")).to_contain_text("Better:")
    assert page.evaluate(FREE)
    # The card of the better move lights up while its reason is read; its dice lie there no more.
    page.locator(".coach-note .reasons li").first.hover()
    expect(page.locator(".lit").first).to_be_attached()
    expect(page.locator(".die.lit")).to_have_count(0)
    one.my_turn()
    page.locator("#try-again").click()
    page.locator(f"main[data-step='{step}'][data-turn]").wait_for()
    expect(page.locator(".coach-note")).to_have_count(0)
    page.locator("#skip").click()
    page.locator("#do-skip").click()
    page.locator(f"main:not([data-step='{step}'])").wait_for()
    one.play_on()
    # The own mistakes come first, without being asked for.
    one.open(f"/replay/{one.table}?step=0")
    expect(page.locator(".judged summary").first).to_contain_text("Your mistakes")
    page.locator(".judged .mistakes a").first.click()
    expect(page.locator("#mistake")).to_contain_text("Better:")
    page.locator("#show-better").click()
    expect(page.locator("#back-to-it")).to_be_visible()
    page.locator("#mistake .reasons li").first.focus()
    expect(page.locator(".lit").first).to_be_attached()
    page.locator("#try-it").click()
    page.locator("main[data-turn]:not([data-me=''])").wait_for()
    expect(page.locator("#practice")).to_be_visible()
