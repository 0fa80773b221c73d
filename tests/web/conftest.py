"""A server of its own for every process of the tests, and a real browser for every file of them."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from time import sleep

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.serving import Player as Guest
from tests.waiting import eventually
from tests.warm import start
from tests.web import chromium
from tests.web.lag import lagging
from tests.web.player import Player

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}

# How long a busy machine may take, in milliseconds; a page that answers is never waited for.
PATIENCE = 40_000
expect.set_options(timeout=PATIENCE)

# Milliseconds that every answer of the server is late by, to look for tests that trust it to be quick.
LAG = int(os.environ.get("STARFROST_TEST_LAG", "0"))


@contextmanager
def serving(folder: Path, *, before: str = "", fresh: bool = False, **environment: str) -> Iterator[str]:
    """Run a server whose bots move at once; yield its address. `warm.start` tells of the options."""
    settings = {
        "STARFROST_BOT_PACE": "0",
        "STARFROST_UNDO_GRACE": "0",
        "STARFROST_OPENS_PER_MINUTE": "0",
        "STARFROST_TABLES_PER_ADDRESS": "0",
        "STARFROST_MOVES_PER_SECOND": "0",
        "STARFROST_LOG_LEVEL": "error",
    }
    arguments = ["serve", "--port", "0", "--database", str(folder / "tables.db")]
    log = folder / "log"
    with log.open("wb") as output:
        everything = {**os.environ, **settings, **environment}
        server = start(arguments, everything, output.fileno(), before=before, fresh=fresh)

    def printed() -> list[str]:
        return re.findall(r"http://\S+?:\d+", log.read_text(encoding="utf-8"))

    try:
        eventually(lambda: printed() != [] or server.poll() is not None)
        assert printed(), f"the server did not start: {log.read_text(encoding='utf-8')}"
        direct = printed()[0]
        for _ in range(100):
            try:
                if httpx.get(f"{direct}/healthz", timeout=5).is_success:
                    break
            except httpx.HTTPError:
                sleep(0.05)
        with lagging(direct, LAG) if LAG else nullcontext(direct) as address:
            yield address
    finally:
        server.terminate()
        server.wait(10)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a running server."""
    with serving(tmp_path_factory.mktemp("site")) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser for one file of tests: Playwright's event loop must not outlive it."""
    path = chromium.find()
    assert path, "No Chromium here: `make browser` gets one."
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.SWITCHES)
        yield browser
        browser.close()


OpenPage = Callable[..., Page]


@pytest.fixture
def context(browser: Browser, site: str) -> Iterator[Callable[..., BrowserContext]]:
    """Return a maker of browser contexts, each a person of its own; a page's errors fail the test."""
    made: list[BrowserContext] = []
    faults: list[str] = []

    def make(
        *, pace: str = "instant", errors: bool = True, cookies: dict[str, str] | None = None, **options: object
    ) -> BrowserContext:
        options.setdefault("viewport", PHONE)
        options.setdefault("reduced_motion", "reduce")
        options.setdefault("locale", "en")
        # Only the tests of the app's worker let it in: it would fetch its shell anew for every person.
        options.setdefault("service_workers", "block")
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        chosen = {"pace": pace, **(cookies or {})}
        context.add_cookies([{"name": f"sf-{name}", "value": value, "url": site} for name, value in chosen.items()])
        if errors:
            context.on("weberror", lambda error: faults.append(str(error.error)))
            context.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        made.append(context)
        return context

    yield make
    for context in made:
        context.close()
    assert not faults, faults


@pytest.fixture
def player(context: Callable[..., BrowserContext], site: str) -> Callable[..., Player]:
    """Return a maker of people at the page, each in a browser of their own."""

    def make(**options: object) -> Player:
        return Player(context(**options).new_page(), site)

    return make


@pytest.fixture(scope="session")
def finished(site: str) -> Callable[[str], str]:
    """Return a maker of finished tables, played over the JSON interface against a bot; one a game is enough."""

    @cache
    def finish(game: str) -> str:
        anna = Guest(site)
        table = anna.open(game, ("open", "bot:greedy"))
        anna.join(table)
        while anna.get(f"/tables/{table}")["status"] != "over":
            if anna.move(table) is None:
                sleep(0.02)
        return table

    return finish
