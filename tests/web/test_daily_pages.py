"""The daily game in browsers and in the terminal, at a server whose clock stands at a noon far from midnight."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from rich.console import Console

from starfrost.errors import UsageError
from starfrost.terminal import remote
from starfrost.terminal.play import Play
from starfrost.terminal.remote import RemoteSession, Server, daily_session, friends_session
from starfrost.terminal.screen import Closed, Screen
from starfrost.words import LANGUAGES
from tests.waiting import eventually
from tests.web.conftest import serving
from tests.web.player import Player
from tests.web.test_access import serious
from tests.web.test_daily import DUEL, NOON, SOLO

SHIFT = f"import time as t; shift = {NOON} - t.time(); real = t.time; t.time = lambda: real() + shift"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server for this file."""
    with serving(tmp_path_factory.mktemp("daily"), before=SHIFT, fresh=True) as address:
        yield address


def moves_of(record: str) -> list[str]:
    return record.split("\n\n", 1)[1].splitlines()


def command(site: str, folder: Path, game: str, *answers: str, name: str = "Tina") -> str:
    """Play the daily game with the command until the last answer leaves it; return what it printed."""
    ran = subprocess.run(
        [sys.executable, "-m", "starfrost", "play", game, "--daily", site, "--players", name, "--save-dir", folder],
        input="".join(f"{answer}\n" for answer in answers),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        env={**os.environ, "XDG_DATA_HOME": str(folder), "LANG": "en_GB.UTF-8"},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Daily game" in ran.stdout
    assert "Your game waits at the server" in ran.stdout
    return ran.stdout


def on_paper(language: str) -> tuple[StringIO, Screen]:
    paper = StringIO()
    return paper, Screen(language, console=Console(file=paper, width=80))


def in_terminal(site: str, folder: Path, game: str) -> list[str]:
    """Begin the daily game with the command, leave it, and go on with its first legal actions; return its events."""
    command(site, folder, game, "q")
    server = Server(site, folder / "starfrost" / "guests.json")
    session = daily_session(Screen("en", console=Console(file=StringIO())), server, game, folder=folder)
    while not session.is_over:
        if session.is_human(session.actor):
            session.apply(session.game.legal_actions(session.state)[0])
        else:
            session.apply(session.next_event())
    record = session.path.read_text(encoding="utf-8")
    assert "seed-opens" in record
    assert "players: Tina" in record
    return moves_of(record)


def test_the_terminal_shows_the_leaderboard_and_offers_practice_after_the_attempt(site: str, tmp_path: Path) -> None:
    in_terminal(site, tmp_path, SOLO)
    paper, screen = on_paper("en")
    server = Server(site, tmp_path / "starfrost" / "guests.json")
    deal = next(deal for deal in server.call("GET", "/api/daily")["deals"] if deal["game"] == SOLO)
    played = RemoteSession(screen.w, server, deal["attempt"]["table"], tmp_path)
    Play(screen, played).run()
    shown = paper.getvalue().partition("Today's leaderboard")[2]
    # A newcomer has no rank.
    assert re.search(rf"^ +Tina +{deal['attempt']['result']['points']}$", shown, re.MULTILINE), shown
    assert "Daily game, practice" in command(site, tmp_path, SOLO, "q")


def test_a_server_that_does_not_answer_is_found_out_before_a_name_is_asked(tmp_path: Path) -> None:
    _, screen = on_paper("en")
    with pytest.raises(UsageError, match="does not answer as a Starfrost server"):
        daily_session(screen, Server("http://127.0.0.1:9", tmp_path / "guests.json"), folder=tmp_path)


def test_two_terminals_meet_at_the_table_of_a_link(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ben opens a table by the interface; Anna's terminal joins by the link, and sees his moves and what he undoes."""
    ben = Server(site, tmp_path / "ben.json")
    _, screen = on_paper("en")
    ben.sign_in(screen, "Ben")
    opened = ben.call("POST", "/api/tables", {"key": "o", "game": DUEL, "seats": ["open", "open"]})
    path = f"/api/tables/{opened['table']}"
    ben.call("POST", f"{path}/join", {"key": "j", "version": opened["version"], "seat": 1})
    link = f"{site}/i/{ben.call('GET', path)['invitation']}"
    monkeypatch.setattr(remote, "user_data_path", lambda *_, **__: tmp_path)
    anna = friends_session(screen, link, "Anna", tmp_path)
    assert anna.names == ("Ben", "Anna")
    assert anna.awaited

    def send(command: str, **body: Any) -> None:
        version = ben.call("GET", path)["version"]
        ben.call("POST", f"{path}/{command}", {"key": f"k{version}", "version": version, "seat": 1, **body})

    send("act", action="roll")
    send("act", action="skip")
    anna.apply(anna.next_event())
    anna.apply(anna.next_event())
    assert str(anna.events[-1].action) == "skip"
    send("undo")
    anna._look()
    assert [event.seat for event in anna.events] == [-1]
    send("act", action="skip")
    while not anna.is_human(anna.actor):
        anna.apply(anna.next_event())
    assert not anna.awaited
    anna.apply(anna.game.parse_action("skip"))
    assert len(moves_of(ben.call("GET", f"{path}/record"))) == len(anna.events) == 4
    again = friends_session(screen, f"{site}/t/{opened['table']}", folder=tmp_path)
    assert again.events == anna.events, "whoever sits there goes on"
    with pytest.raises(UsageError, match="is not a link to a table"):
        friends_session(screen, f"{site}/daily", "Anna", tmp_path)


def test_an_undo_that_the_server_refuses_ends_nothing(site: str, tmp_path: Path) -> None:
    printed = " ".join(command(site, tmp_path, SOLO, "draw 3", "u", "v", "q").split())
    assert "The server says: Dice have been rolled since the last move, so it cannot be taken back." in printed


def test_an_undo_after_a_bots_move_is_refused_and_the_game_goes_on(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper, screen = on_paper("en")
    server = Server(site, tmp_path / "guests.json")
    session = daily_session(screen, server, DUEL, name="Tina", folder=tmp_path)
    table, asked = session._table, []

    def ask(keys: str = "", redraw: object = None) -> str:
        asked.append(keys)
        if "u: undo" not in keys:
            if asked[-2:-1] == ["Enter: continue, u: undo"]:
                raise Closed
            return "skip"
        if asked.count(keys) == 2:
            return ""
        # A bot has moved: from now on the server takes nothing back.
        moves = len(session.events)
        eventually(lambda: len(moves_of(server.call("GET", f"{table}/record"))) > moves)
        return "u"

    monkeypatch.setattr(screen, "ask", ask)
    with pytest.raises(Closed):
        Play(screen, session).run()
    assert asked.count("Enter: continue, u: undo") == 2
    assert "The server says: " in paper.getvalue()


def test_a_guest_that_the_server_forgot_is_asked_for_a_name(site: str, tmp_path: Path) -> None:
    tokens = tmp_path / "starfrost" / "guests.json"
    tokens.parent.mkdir()
    tokens.write_text(json.dumps({site: "forgotten"}), encoding="utf-8")
    printed = command(site, tmp_path, SOLO, "", "\u2800", "Tina", "q", name="")
    assert printed.count("Your name on the leaderboard") == 3
    assert printed.count("Choose a name of 1 to 24 characters.") == 2
    assert json.loads(tokens.read_text(encoding="utf-8"))[site] != "forgotten"


def test_a_move_that_the_server_refuses_is_told_and_caught_up_with(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same guest plays elsewhere meanwhile: the terminal says so and goes on from there."""
    paper, screen = on_paper("de")
    server = Server(site, tmp_path / "guests.json")
    here = daily_session(screen, server, SOLO, name="Tina", folder=tmp_path)
    here.apply(here.game.parse_action("draw 3"))
    here.apply(here.next_event())
    there = daily_session(screen, server, SOLO, folder=tmp_path)
    first, *_, last = here.game.legal_actions(here.state)
    there.apply(first)
    answers = iter([str(last), ""])
    monkeypatch.setattr(screen, "ask", lambda keys="", redraw=None: next(answers))
    with pytest.raises(StopIteration):
        Play(screen, here).run()
    assert "Der Server meldet:" in paper.getvalue()
    assert here.events == there.events
    assert here.state == there.state


def test_two_browsers_and_the_terminal_get_the_same_dice(
    player: Callable[..., Player], site: str, tmp_path: Path
) -> None:
    there = in_terminal(site, tmp_path, SOLO)
    assert sum(event.startswith("* ") for event in there) > 8
    people = [player(), player()]
    for one in people:
        one.open("/").page.locator("#daily").click()
        one.page.locator(f"#play-{SOLO}").click()
        one.page.locator("main[data-step]").wait_for()
        for event in there:
            if event.startswith("* "):
                continue
            view = one.page.request.get(f"{site}/api/tables/{one.table}").json()
            while view["legal"] == ["roll"]:
                act(one, site, view, "roll")
                view = one.page.request.get(f"{site}/api/tables/{one.table}").json()
            act(one, site, view, event.partition(" ")[2])
    for one in people:
        record = one.page.request.get(f"{site}/api/tables/{one.table}/record").text()
        assert moves_of(record) == there
        one.page.reload()
        one.page.locator("#to-daily").click()
        expect(one.page.locator(f"#{SOLO} .leaders [aria-current]")).to_have_count(1)
        expect(one.page.locator(f"#{SOLO} .leaders")).to_contain_text("Tina")


def act(one: Player, site: str, view: dict[str, Any], action: str) -> None:
    """Send a move as the page's own form does."""
    form = {"seat": str(view["acting"]), "version": str(view["version"]), "action": action}
    answer = one.page.request.post(f"{site}/t/{one.table}/act", form=form, headers={"origin": site})
    assert answer.ok, answer.text()


def test_a_day_on_a_phone(player: Callable[..., Player], site: str) -> None:
    one = player(locale="de")
    one.open("/daily")
    page = one.page
    page.locator(f"#{SOLO} input[name=name]").fill("Vera Vermeulen")
    page.locator(f"#play-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    for _ in range(2):
        one.my_turn()
        one.tap()
    one.open("/daily")
    page.locator(f"#go-on-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    while (view := page.request.get(f"{site}/api/tables/{one.table}").json())["status"] == "running":
        act(one, site, view, view["legal"][0])
    page.reload()
    page.locator("#to-daily").click()
    mine = page.locator(f"#{SOLO} .leaders [aria-current]")
    expect(mine).to_contain_text("Vera Vermeulen")
    expect(page.locator(f"#{SOLO} [data-copy]")).to_have_count(1)
    for path in ("/daily", page.locator(f"#{SOLO} .share a").first.get_attribute("href") or ""):
        for language in (*LANGUAGES, "de"):
            page.context.add_cookies([{"name": "sf-language", "value": language, "url": site}])
            one.open(path)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, language)
        assert not serious(page), path
    expect(page.locator("img")).to_have_js_property("naturalWidth", 1200)
    one.open("/daily")
    page.locator(f"#practise-{SOLO}").click()
    page.locator("main[data-step]").wait_for()
    view = page.request.get(f"{site}/api/tables/{one.table}").json()
    assert view["daily"]["counts"] is False


def test_reading_needs_no_script(player: Callable[..., Player], site: str) -> None:
    one = player(java_script_enabled=False)
    one.open("/daily")
    assert one.page.locator(".month a").count() >= 1
    expect(one.page.locator(".js-only:visible")).to_have_count(0)
    one.page.locator(f"#play-{SOLO}").click()
    expect(one.page.locator("main.table")).to_be_visible()
