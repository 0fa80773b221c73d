"""Bad networks: nothing is lost, the page stays, and it says at once whether it is sending, offline or refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from starfrost.web.guests import COOKIE
from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.web.faults import OFFLINE, SENT, Fault, MakeContext, Seat, go, line, moved_on, two_people
from tests.web.player import react

# Lets a page try again now.
AT_ONCE = "dispatchEvent(new Event('online'))"


@pytest.fixture
def running(context: MakeContext, site: str) -> Seat:
    """Give a running game of two people in which it is Anna's turn to roll."""
    return two_people(context, site)


def survive(page: Page, fault: Fault, send: Callable[[], object], done: Callable[[], object], status: int) -> None:
    """Send something while the server answers with a status; it is done once after the fault is mended."""
    address = page.evaluate("document.body.dataset.stayed = '1', location.href")
    fault.status = status
    send()
    expect(line(page)).to_have_text(SENT[status])
    assert page.url == address
    assert page.evaluate("document.body.dataset.stayed") == "1"
    fault.status = None
    if status == 500:
        # What comes back by itself after 503 does so here too: do not wait for it again.
        page.evaluate(AT_ONCE)
    if status == 403:
        # A refusal is not sent again; the form can be.
        page.locator("#line button").click()
        send()
    done()


def test_offline_during_a_send(running: Seat) -> None:
    page = running.page()
    page.clock.install()
    for seconds in (2, 15, 60):
        running.skip_to_roll(page)
        before, rolled = running.events("act"), moved_on(page)
        page.context.set_offline(True)
        go(page).click()
        expect(line(page)).to_have_text(OFFLINE)
        expect(page.locator("#line button")).to_have_text("Don't send")
        expect(page.locator("form.play")).to_have_attribute("aria-busy", "true")
        page.clock.run_for(seconds * 1000)
        expect(line(page)).to_have_text(OFFLINE)
        assert running.events("act") == before
        page.context.set_offline(False)
        expect(rolled).to_be_attached()
        expect(page.locator("#line")).to_be_hidden()
        assert running.events("act") == before + 1


def test_a_dead_line_is_noticed_and_the_answer_that_was_lost_is_fetched(running: Seat) -> None:
    page = running.page()
    page.clock.install()
    held: list[Route] = []

    # The server gets the move and its answer is lost: the page must not play it twice.
    def lose(route: Route) -> None:
        route.fetch()
        held.append(route)

    page.route("**/act", lose, times=1)
    page.route("**/scene*", lambda route: route.abort())
    go(page).click()
    expect(line(page)).to_have_text("Sending…")
    eventually(lambda: bool(held) or page.wait_for_timeout(50))
    page.clock.run_for(8000)
    expect(page.locator("#line button")).to_have_text("Stop trying")
    page.clock.run_for(2000)
    expect(page.locator("main:not([data-step='0'])")).to_be_attached()
    assert running.events("act") == 1


def test_a_reload_sends_what_had_no_answer(running: Seat) -> None:
    page = running.page()
    fault = Fault(page, "**/act")
    fault.status = 0
    go(page).click()
    expect(line(page)).to_have_text(OFFLINE)
    page.reload()
    expect(line(page)).to_have_text(OFFLINE)
    expect(page.locator("form.play")).to_have_attribute("aria-busy", "true")
    fault.status = None
    expect(page.locator("main:not([data-step='0'])")).to_be_attached()
    assert running.events("act") == 1


def test_a_move_that_was_not_sent_can_be_taken_back(running: Seat) -> None:
    page = running.page()
    page.context.set_offline(True)
    go(page).click()
    page.locator("#line button").click()
    page.context.set_offline(False)
    expect(page.locator("#line")).to_be_hidden()
    expect(page.locator("form.play[aria-busy]")).to_have_count(0)
    page.reload()
    assert running.events("act") == 0
    go(page).click()
    expect(page.locator("main:not([data-step='0'])")).to_be_attached()


def test_act(running: Seat) -> None:
    page = running.page()
    fault = Fault(page, "**/act")
    for status in SENT:
        running.skip_to_roll(page)
        before, rolled = running.events("act"), moved_on(page)
        survive(page, fault, go(page).click, expect(rolled).to_be_attached, status)
        assert running.events("act") == before + 1


def test_undo(running: Seat) -> None:
    for _ in range(2):
        running.act(running.anna, "")
    page = running.page()
    fault = Fault(page, "**/undo")
    for status in SENT:
        before = running.events("undo")
        survive(
            page,
            fault,
            page.locator("#undo").click,
            lambda: expect(page.locator("#undo")).to_have_count(0),
            status,
        )
        assert running.events("undo") == before + 1
        running.act(running.anna, "")
        page.locator("#undo").wait_for()


def test_leave(context: MakeContext, site: str) -> None:
    page = context(errors=False).new_page()
    fault = Fault(page, "**/leave")

    def leave() -> None:
        if not page.locator(".leave[open]").count():
            page.locator("details.leave summary").click()
        page.get_by_role("button", name="Leave the table").click()

    for status in SENT:
        running = two_people(context, site)
        running.belong_to(running.anna, page)
        running.visit(page)
        survive(page, fault, leave, expect(page.locator("main[data-me='']")).to_be_attached, status)
        assert running.events("bot") == 1


def test_join(context: MakeContext, site: str) -> None:
    page = context(errors=False).new_page()
    fault = Fault(page, "**/join")
    for status in SENT:
        seat = Seat(context, site)
        seat.belong_to(seat.ben, page)
        link = seat.anna.get(f"/tables/{seat.table}")["invitation"]
        page.goto(f"{site}/i/{link}")
        page.wait_for_load_state()
        survive(
            page,
            fault,
            page.locator("form[action$='/join'] button").click,
            expect(page.locator("main[data-status=running][data-me='2']")).to_be_attached,
            status,
        )
        assert seat.events("join") == 2


def test_react(running: Seat) -> None:
    page = running.page()
    fault = Fault(page, "**/react")
    for status in SENT:
        # A reaction that is late is out of place: it is not kept, but the page says that it did not arrive.
        fault.status = status
        react(page, "clap")
        expect(line(page)).to_have_text("The server cannot be reached just now. Try again in a moment.")
        page.locator("#line button").click()
    fault.status = None
    react(page, "clap")
    expect(page.locator(".cheer").first).to_be_attached()


def survive_all(page: Page, fault: Fault, send: Callable[[], object]) -> None:
    """Send something while the server answers with one status after another; it is sent again after a refusal."""
    address = page.evaluate("document.body.dataset.stayed = '1', location.href")
    for place, status in enumerate((503, 429, 500, 403)):
        fault.status = status
        if place:
            # Do not wait for the next attempt.
            page.evaluate(AT_ONCE)
        else:
            send()
        expect(line(page)).to_have_text(SENT[status])
    assert (page.url, page.evaluate("document.body.dataset.stayed")) == (address, "1")
    fault.status = None
    page.locator("#line button").click()
    send()


def test_a_bot_for_the_waiting_room(context: MakeContext, site: str) -> None:
    seat = Seat(context, site, ("open",) * 3)
    page = seat.page()
    expect(page.locator(".seats li.free")).to_have_count(2)
    survive_all(page, Fault(page, "**/bot"), page.get_by_role("button", name="Add a bot").last.click)
    expect(page.locator(".seats li.free")).to_have_count(1)


def test_rematch(running: Seat) -> None:
    table = running.table
    while running.anna.get(f"/tables/{table}")["status"] == "running":
        assert running.anna.move(table) or running.ben.move(table)
    page = running.page()
    survive_all(page, Fault(page, "**/rematch"), page.locator("form[action$='/rematch'] button").first.click)
    page.wait_for_url(lambda url: table not in url)


def test_the_coach(context: MakeContext, site: str) -> None:
    """A question to the coach is not kept, but the page says that it did not arrive; so do the answers to a move."""
    anna = Guest(site)
    table = anna.open(seats=("open", "bot:greedy"), game="dice-stars")
    anna.join(table)
    seat = Seat(context, site)
    page = seat.browser(anna)
    page.goto(f"{site}/t/{table}")
    address = page.evaluate("document.body.dataset.stayed = '1', location.href")
    go(page).click()
    for kind in ("hint", "judge"):
        button = page.locator(f"#{kind}:visible")
        expect(button).to_be_enabled()
        fault = Fault(page, f"**/{kind}")
        for status in SENT:
            fault.status = status
            button.click()
            expect(line(page)).to_have_text("The server cannot be reached just now. Try again in a moment.")
            page.locator("#line button").click()
        assert (page.url, page.evaluate("document.body.dataset.stayed")) == (address, "1")
        fault.status = None
        button.click()
        expect(page.locator(".coach-note")).to_be_visible()
        page.keyboard.press("Escape")
        # A decision that can be judged.
        anna.move(table)


# What the page says when it cannot fetch a scene.
SCENE = {
    0: "The connection is lost. Trying again…",
    403: "The server does not show this table any more.",
    429: SENT[429],
    500: "The server does not answer. Trying again…",
    503: "The server does not answer. Trying again…",
}


def test_scene(running: Seat) -> None:
    page = running.page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    fault = Fault(page, "**/scene*")
    for status, says in SCENE.items():
        running.skip_to_roll(page)
        now = page.locator("main").get_attribute("data-step")
        rolled = moved_on(page)
        fault.status = status
        running.act(running.anna)
        expect(line(page)).to_have_text(says)
        expect(page.locator(f"main[data-table][data-step='{now}']")).to_be_attached()
        fault.status = None
        if status == 500:
            page.evaluate(AT_ONCE)
        expect(rolled).to_be_attached()
        expect(page.locator("#line")).to_be_hidden()
    assert not any("undefined" in address for address in asked)


# What the page says when it gets no stream.
STREAM = {
    403: "Live updates are off at the moment; the page checks for new moves from time to time.",
    429: SENT[429],
    500: "The server does not answer. Trying again…",
    503: "The server does not answer. Trying again…",
}


def test_stream(running: Seat) -> None:
    page = running.browser(running.anna)
    fault = Fault(page, "**/stream*")
    for status, says in STREAM.items():
        running.skip_to_roll()
        fault.status = status
        running.visit(page)
        expect(line(page)).to_have_text(says)
        rolled = moved_on(page)
        # Moves still arrive, a little later.
        running.act(running.anna)
        expect(rolled).to_be_attached()
        expect(line(page)).to_have_text(says)
        fault.status = None
        if status == 500:
            page.evaluate(AT_ONCE)
        expect(page.locator("#line")).to_be_hidden()


def test_settings(context: MakeContext, site: str) -> None:
    page = context(errors=False, color_scheme="light").new_page()
    page.goto(site)
    page.locator("#settings summary").click()
    fault = Fault(page, "**/settings")

    def choose(theme: str) -> None:
        # Each choice brings a new page, whose scripts must run before the next one.
        page.wait_for_load_state()
        page.locator(f"#settings [name=theme][value={theme}]").evaluate(
            "one => { one.checked = true; one.dispatchEvent(new Event('change', {bubbles: true})) }"
        )

    for status, theme in zip(SENT, ("dark", "light") * 2, strict=True):
        chosen = page.locator(f"html[data-theme={theme}] body:not([data-stayed])")
        survive(page, fault, partial(choose, theme), expect(chosen).to_be_attached, status)


def test_set_up(context: MakeContext, site: str) -> None:
    page = context(errors=False).new_page()
    fault = Fault(page, "**/play")
    for status in SENT:
        page.goto(f"{site}/new/dicy-cards")
        page.locator("[name=goal]").fill("77")
        survive(
            page,
            fault,
            page.locator(".go-for:visible").click,
            expect(page.locator("main[data-me='1']")).to_be_attached,
            status,
        )


def test_lesson(context: MakeContext, site: str) -> None:
    page = context(errors=False).new_page()
    page.goto(f"{site}/learn/dicy-cards/1/1")
    page.wait_for_load_state()
    fault = Fault(page, "**/learn/**")
    for status in SENT:
        survive(
            page,
            fault,
            page.locator("#go").click,
            lambda: expect(page.locator("main[data-address$='/2']")).to_be_attached(),
            status,
        )
        page.goto(f"{site}/learn/dicy-cards/1/1")
        page.wait_for_load_state()


def test_refusals_of_scripts_have_a_status_and_a_sentence(site: str) -> None:
    anna, ben = Guest(site), Guest(site, "Ben")
    table = anna.open()
    anna.join(table)

    def post(who: Guest, path: str, **form: Any) -> Any:
        headers = {"x-fragment": "1", "accept-language": "de", "cookie": f"{COOKIE}={who.token}"}
        return who.http.post(f"/t/{table}/{path}", data=form, headers=headers)

    answer = post(ben, "leave", at=1, version=2, key="k")
    assert (answer.status_code, answer.json()["code"]) == (403, "not-your-seat")
    assert answer.json()["reason"].startswith("Dieser Platz gehört dir nicht")
    assert post(anna, "act", action="roll", seat=1, version=2, key="k").status_code == 409
    assert post(anna, "act", action="nonsense", seat=1, version=2, key="k").status_code in (409, 422)
    missing = anna.http.get("/t/nothing/scene", headers={"x-fragment": "1"})
    assert (missing.status_code, missing.json()["code"]) == (404, "no-table")
