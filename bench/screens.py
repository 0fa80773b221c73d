"""Screenshots of the pages for the README and the docs: `python -m bench.screens`, or with the names of some pages.

Every picture is made from the same positions by the real server and a real browser, so a change of look shows as a
changed picture. Phone and desktop, light and dark; WebP, into docs/pictures.
"""

import asyncio
import base64
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse
from playwright.sync_api import Browser, Page, sync_playwright

from starfrost.boards import Position, board_of
from starfrost.bots.registry import make_bot
from starfrost.games.core import CHANCE, OVER
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.table import SeatView, Settings, TableView
from starfrost.table.moves import Move
from starfrost.web.app import create_app
from starfrost.web.logs import configure_logs
from starfrost.web.pages.replays import pack
from starfrost.web.pages.scenes import Live
from starfrost.web.render import page, reader_of
from starfrost.words.story import tell
from tests.web import chromium
from tests.web.positions import draw, draw_replay

OUT = Path(__file__).parent.parent / "docs" / "pictures"
SIZES = {"phone": (390, 664, 2), "desk": (1280, 800, 1)}
NAMES = ("Anna", "Ben", "Cleo")
LONGEST = 150_000
TWICE = ("chapters", "lesson-stars", "check", "rules-stars", "summary")
"""Pages that are shown on a light phone and on a dark desktop only."""


_CARD, _DIE, _TAKE, _STARS = ("card]:not([value=skip])", "die]", "take]", "take][value=stars]")
MOMENTS = {
    "dicy-cards": (
        ("roll", 2, ()),
        ("asked", 2, ()),
        ("asked", 2, (_CARD,)),
        ("asked", 2, (_DIE, _CARD)),
        ("stuck", 4, ()),
        ("freeze", 4, ()),
        ("reset", 4, ()),
        ("waiting", 4, ()),
        ("over", 2, ()),
        ("replay", 2, ()),
    ),
    "dice-stars": (
        ("roll", 2, ()),
        ("asked", 2, ()),
        ("asked", 2, (_TAKE,)),
        ("asked", 2, (_STARS,)),
        ("refill", 4, ()),
        ("penalty", 2, ()),
        ("asked", 1, (_TAKE,)),
        ("waiting", 4, ()),
        ("over", 2, ()),
        ("replay", 2, ()),
    ),
}
"""Every kind of moment on a phone: which, with how many players, and the fields that are chosen."""


def play(game: Any, seed: int, enough: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """Let bots play until Anna is asked in a position that shows enough."""
    rng, bot = Random(seed), make_bot("greedy", game)
    state, told = game.start(), []
    while True:
        actor = game.actor(state)
        if actor == OVER:
            return play(game, seed + 1, enough)
        if actor == 0 and enough(state, game.legal_actions(state)):
            return state, told
        action = game.sample(state, rng) if actor == CHANCE else bot.choose(game, state, rng)
        told.append((state, action))
        state = game.apply(state, action)


def dicy_ready(state: Any, legal: Any) -> bool:
    """Wait for a turn late in the race, with some cards frozen and several that score."""
    scoring = {action.card for action in legal if action.verb == "score"}
    return state.scores[0] > 40 and 3 <= len(scoring) <= 4 and state.active[0].bit_count() == 4


def stars_ready(state: Any, legal: Any) -> bool:
    """Wait for a full sheet and a choice between colours, numbers and stars."""
    lines = {action.line for action in legal if action.verb == "take"}
    return "stars" in lines and len(lines) >= 5 and sum(state.sheets[0].ticked) >= 3


def add_positions(app: FastAPI) -> None:
    """Add the pages that show the positions."""

    @app.get("/picture/{name}", include_in_schema=False)
    async def picture(request: Request, name: str) -> HTMLResponse:
        w = reader_of(request).w
        game: Any = DicyCards(3) if name == "dicy-cards" else DiceStars(3)
        state, told = play(game, 4, dicy_ready if name == "dicy-cards" else stars_ready)
        seats = [SeatView(i + 1, "person", NAMES[i], yours=i == 0, present=True) for i in range(3)]
        past = [Move(game.actor(before), action, before) for before, action in told]
        position = Position(game, state, NAMES, seats, 0, game.legal_actions(state), past=past)
        board = board_of(name).draw(w, position)
        live = Live(
            TableView("", 1, "running", game, state, past, tuple(seats)),
            w("Your turn"),
            NAMES,
            1,
            act="/",
            step=len(told),
            your_turn=True,
            story=[tell(w, game, before, action, NAMES) for before, action in told[-2:]],
            log=[tell(w, game, before, action, NAMES) for before, action in reversed(told[-20:])],
        )
        return page(request, "table.html", live=live, t=board)

    @app.get("/moment/{game}/{seats}/{moment}", include_in_schema=False)
    async def moment(game: str, seats: int, moment: str) -> HTMLResponse:
        names = (*NAMES, "Dora")
        return HTMLResponse(
            draw_replay("en", game, names=names) if moment == "replay" else draw("en", game, seats, moment, names=names)
        )


class Server:
    """The real server, in a thread of its own."""

    def __init__(self, folder: str) -> None:
        configure_logs("error")
        app = create_app(Settings(database=f"{folder}/tables.db", log_level="error"))
        add_positions(app)
        self._server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
        self._thread = threading.Thread(target=lambda: asyncio.run(self._server.serve()), daemon=True)

    def __enter__(self) -> str:
        self._thread.start()
        while not self._server.started:
            threading.Event().wait(0.05)
        return f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(10)


def shoot(tab: Page, name: str) -> None:
    """Take a picture as WebP, small enough for a README."""
    session = tab.context.new_cdp_session(tab)
    for quality in (86, 74, 60, 45):
        shot = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        data = base64.b64decode(shot["data"])
        if len(data) < LONGEST:
            break
    (OUT / f"{name}.webp").write_bytes(data)
    print(f"{name}.webp  {len(data) // 1000} kB")


def tour(browser: Browser, site: str, size: str, theme: str, names: Sequence[str]) -> None:
    """Visit the main pages, or those that are named, on one kind of screen."""
    width, height, scale = SIZES[size]
    person = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        color_scheme=theme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        locale="en",
    )
    tab = person.new_page()
    record = (OUT / "terminal-dice-stars.sfr").read_text(encoding="utf-8")
    for name, path in (
        ("start", "/"),
        ("dicy-cards", "/picture/dicy-cards"),
        ("dice-stars", "/picture/dice-stars"),
        ("setup", "/new/dicy-cards"),
        ("chapters", "/learn/dicy-cards"),
        ("lesson", "/learn/dicy-cards/2/1"),
        ("lesson-stars", "/learn/dice-stars/4/1"),
        ("check", "/learn/dicy-cards/check/3"),
        ("rules", "/rules/dicy-cards#s4"),
        ("rules-stars", "/rules/dice-stars#s3"),
        ("summary", "/learn/dicy-cards/1/3"),
        ("replay", f"/replay?{urlencode({'record': pack(record), 'step': 17})}"),
    ):
        if (names and name not in names) or (
            name in TWICE and (size, theme) not in (("phone", "light"), ("desk", "dark"))
        ):
            continue
        tab.goto(site + path)
        if name == "summary":
            tab.locator("#rules-link").click()
        tab.wait_for_timeout(600)
        shoot(tab, f"{name}-{size}-{theme}")
    person.close()


def moments(browser: Browser, site: str, game: str) -> None:
    """Show every kind of moment of a game on a small phone, in one picture."""
    width, height, _ = SIZES["phone"]
    tab = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce", has_touch=True)
    drawn = []
    for moment, seats, chosen in MOMENTS[game]:
        tab.goto(f"{site}/moment/{game}/{seats}/{moment}")
        tab.locator("html.js").wait_for()
        for field in chosen:
            tab.evaluate("field => document.querySelector(`form.play [name=${field}`)?.click()", field)
        tab.wait_for_timeout(500)
        drawn.append(base64.b64encode(tab.screenshot()).decode())
    shown = "".join(f'<img width="{width * 3 // 4}" src="data:image/png;base64,{one}">' for one in drawn)
    tab.set_viewport_size({"width": 5 * (width * 3 // 4 + 12) - 12, "height": 2 * (height * 3 // 4 + 12) - 12})
    tab.set_content(f'<body style="margin:0;display:grid;grid-template-columns:repeat(5,auto);gap:12px">{shown}')
    tab.wait_for_timeout(300)
    shoot(tab, f"moments-{game}")
    tab.close()


def main() -> None:
    """Take every picture."""
    path = chromium.find()
    if path is None:
        raise SystemExit("Screenshots need Chromium: `make browser` gets one.")
    OUT.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, Server(folder) as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        for size in SIZES:
            for theme in ("light", "dark"):
                tour(browser, site, size, theme, sys.argv[1:])
        for game in MOMENTS:
            if not sys.argv[1:] or "moments" in sys.argv:
                moments(browser, site, game)
        browser.close()


if __name__ == "__main__":
    main()
