"""The pages of a device are those of a server: recorded games played with real dice on both, scene by scene."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from starfrost.games.core import CHANCE
from starfrost.games.record import parse_record, replay
from starfrost.here.app import Pages
from starfrost.words import LANGUAGES
from tests.games.records import RECORDS

Ask = Callable[..., Awaitable[httpx.Response]]
EVERY, MOST = 7, 70
"""Each such event of the beginning of a game is compared."""
OWN = re.compile(r'(/t/|table=|data-table=")[\w-]+|(name="key" value=")\w+|<span class="dot[^>]* data-present[^>]*>')
"""Addresses of a table, keys of forms, and whether a page with a stream is open: a server knows, a device is here."""


def of_device() -> Ask:
    async def keep(texts: Mapping[str, str]) -> None:
        """Keep nothing: the app is not opened again."""

    pages = Pages(keep, {}, lambda table, version: None)

    async def ask(path: str, **form: Any) -> httpx.Response:
        heads = {"content-type": "application/x-www-form-urlencoded"} if form else {"X-Fragment": "1"}
        method, body = "POST" if form else "GET", urlencode(form, doseq=True).encode()
        answer = await pages.answer(method, f"http://here.test{path}", heads, body)
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)

    return ask


def of_server(client: httpx.Client) -> Ask:
    async def ask(path: str, **form: Any) -> httpx.Response:
        if form:
            return client.post(path, data=form)
        return client.get(path, headers={"X-Fragment": "1", "Accept": "text/html"})

    return ask


async def scenes(ask: Ask, record: str) -> list[str]:
    """Enter the beginning of a recorded game; return its scenes on the way, in every language."""
    played = replay(parse_record(record))
    game, names = played.record.game, [f"P{seat}" for seat in range(1, played.record.game.seats + 1)]
    setup: dict[str, Any] = {"game": game.name, "who": "device", "dice": "entered", "pad": "1", "key": "k" * 20}
    setup |= {"people": str(game.seats), **{f"name{seat}": name for seat, name in enumerate(names, 1)}}
    if game.name == "dicy-cards":
        setup |= {"mode": "custom", "cards": list(game.cards), "goal": str(game.goal)}
    opened = await ask("/play", **setup)
    assert opened.status_code == 303
    table = opened.headers["location"].partition("?")[0]
    await ask(f"{table}/join", name=names, version="1", key="j" * 20)
    found = []
    for number, event in enumerate(played.record.events[: MOST + 1]):
        if number % EVERY == 0:
            for language in LANGUAGES:
                found.append((await ask(f"{table}/scene?lang={language}")).text)
        seat, dice = event.seat, str(event).split()[1:]
        did: dict[str, Any] = {"action": str(event.action)}
        if seat == CHANCE:
            seat = game.turn_of(played.states[number])
            did = {"do": "enter", "die": [*dice[0]] if game.name == "dicy-cards" else dice}
        did |= {"seat": str(seat + 1), "version": str(game.seats + 1 + number), "key": f"{number:020}", "sure": "1"}
        answer = await ask(f"{table}/act", **did)
        assert answer.status_code == 303, (number, str(event))
    return [OWN.sub(r"\1\2", one) for one in found]


@pytest.mark.parametrize("name", ["game-03", "game-16"])
async def test_scenes_are_those_of_the_server(site: str, name: str) -> None:
    record = (RECORDS / f"{name}.sfr").read_text(encoding="utf-8")
    with httpx.Client(base_url=site) as client:
        theirs = await scenes(of_server(client), record)
    assert len({OWN.sub("", one) for one in theirs}) == len(theirs) >= 40
    assert await scenes(of_device(), record) == theirs
