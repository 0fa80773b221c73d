"""A bot that waits for its cards says so on the page, as far as the cache folder knows, and stops saying it."""

import html
import os
import re
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from starfrost.bots import registry
from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.solver import lock
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.web.limits import TooMany

GOAL = 100


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path / "cache"))
    for name in ("_opened", "_looked"):
        monkeypatch.setattr(service, name, {})
    return tmp_path / "cache"


async def sit_down(client: httpx.AsyncClient, bots: int = 1, bot: str = "perfect") -> str:
    form = {"game": "dicy-cards", "who": "bots", "bots": str(bots), "bot": bot, "mode": "b", "goal": str(GOAL)}
    opened = await client.post("/play", data=form)
    assert opened.status_code == 303
    table = opened.headers["location"].split("?")[0]
    lobby = (await client.get(opened.headers["location"])).text
    found = {name: re.search(rf'name="{name}" value="([^"]*)"', lobby) for name in ("version", "key")}
    await client.post(f"{table}/join", data={name: match[1] for name, match in found.items() if match} | {"name": "A"})
    return str(table)


def line(page: str) -> str:
    found = re.search(r'id="solving">([^<]*)<', page)
    return html.unescape(found[1]) if found else ""


async def test_the_line_comes_moves_and_goes(client: httpx.AsyncClient) -> None:
    table = await sit_down(client)
    path = service._progress_file(MODES["b"].cards, GOAL)
    held = lock.claim(path)
    assert held is not None
    held.write(0.42)
    sentence = "The Perfect bot is working out these cards (42%). Until then it plays like the Clever bot."
    assert line((await client.get(table)).text) == sentence
    held.write(0.57)
    assert "57%" in (await client.get(f"{table}/solving")).text
    for language, word, share in (
        ("de", "Kluger Bot", "57\u00a0%"),
        ("nl", "Slimme bot", "57%"),
        ("es", "Bot astuto", "57\u00a0%"),
    ):
        answer = await client.get(f"{table}/solving", headers={"Accept-Language": language})
        assert word in answer.text
        assert share in answer.text
    path.with_suffix(".worth").write_bytes(b"")
    held.release()
    assert (await client.get(f"{table}/solving")).status_code == 204
    assert line((await client.get(table)).text) == ""


async def test_a_server_that_never_solves_says_so(client: httpx.AsyncClient) -> None:
    table = await sit_down(client, 2)
    said = line((await client.get(table)).text)
    assert said == "These cards are not worked out here, so the Master bot plays like the Clever bot."


async def test_other_bots_wait_for_nothing(client: httpx.AsyncClient) -> None:
    table = await sit_down(client, bot="greedy")
    assert line((await client.get(table)).text) == ""
    assert (await client.get(f"{table}/solving")).status_code == 204


async def test_solving_begins_with_the_table(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[tuple[str, ...], int]] = []
    monkeypatch.setattr(service, "find_or_start", lambda cards, goal: asked.append((tuple(cards), goal)))
    table = await sit_down(client)
    # The person begins: no bot has moved yet.
    for _ in range(50):
        if asked:
            break
        await client.get(f"{table}/solving")
    assert (tuple(MODES["b"].cards), GOAL) in asked


async def test_the_setup_says_what_is_known(
    client: httpx.AsyncClient, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (await client.get("/new/dicy-cards")).text
    assert "already know" not in text
    assert "nothing is worked out on this server" in text
    cache.mkdir(exist_ok=True)
    service._progress_file(MODES["glacial"].cards, GOAL).with_suffix(".worth").write_bytes(b"")
    monkeypatch.delenv("STARFROST_SOLVE")
    text = (await client.get("/new/dicy-cards")).text
    assert "Perfect bot already know these sets: Glacial." in text
    assert "work out the cards that they do not know yet" in text
    os.unlink(service._progress_file(MODES["glacial"].cards, GOAL).with_suffix(".worth"))


async def test_the_setup_follows_the_choice(
    client: httpx.AsyncClient, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def said(**form: str | list[str]) -> str:
        return (await client.get("/new/dicy-cards/knowing", params={"bots": "1", "bot": "perfect", **form})).text

    mine = ["odds", "sixes", "straight", "any-two", "no-sixes"]
    assert (
        await said(mode="glacial")
        == "These cards are not worked out here, so the Perfect bot plays like the Clever bot."
    )
    monkeypatch.delenv("STARFROST_SOLVE")
    cache.mkdir(exist_ok=True)
    for cards, goal in ((MODES["glacial"].cards, GOAL), (mine, 30)):
        service._progress_file(cards, goal).with_suffix(".worth").write_bytes(b"")
    knows = "The Perfect bot knows these cards perfectly."
    works = "The Perfect bot works out these cards while you play. Until then it plays like the Clever bot."
    assert await said(mode="glacial", goal="100") == knows
    assert await said(mode="glacial", goal="40") == works
    assert await said(mode="b", goal="100") == works
    assert await said(mode="custom", cards=mine, goal="30") == knows
    assert await said(mode="custom", cards=mine, goal="31") == works
    assert await said(mode="glacial", goal="100", bots="2") == knows.replace("Perfect", "Master")
    unknown = (
        "The Perfect bot works out cards it does not know while you play. Until then it plays like the Clever bot."
    )
    assert await said(mode="interglacial") == await said(mode="custom", cards=mine[:4]) == unknown
    assert "not worked out here" in await said(mode="glacial", goal="101")
    assert await said(mode="glacial", bot="greedy") == ""
    assert (await client.get("/new/dice-stars/knowing", params={"bot": "strong"})).status_code == 204


async def test_without_the_extra_they_are_not_offered(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    text = (await client.get("/new/dicy-cards")).text
    assert "strength-planner" in text
    assert "strength-perfect" not in text
    assert "strength-master" not in text
    assert "knowing" not in text


async def finish(client: httpx.AsyncClient) -> str:
    """Play a table of two to its end, over the JSON interface."""
    guest = (await client.post("/api/guests", json={"name": "Anna"})).json()
    client.headers["authorization"] = f"Bearer {guest['token']}"
    options = {"mode": "b", "goal": "1"}
    wish = {"game": "dicy-cards", "seats": ["open", "open"], "options": options, "key": "open"}
    table = str((await client.post("/api/tables", json=wish)).json()["table"])
    for seat in (1, 2):
        await client.post(
            f"/api/tables/{table}/join", json={"version": seat, "key": f"join{seat}", "contribution": "mine"}
        )
    while (view := (await client.get(f"/api/tables/{table}")).json())["status"] != "over":
        move = {
            "version": view["version"],
            "key": f"m{view['version']}",
            "seat": view["acting"],
            "action": view["legal"][0],
        }
        (await client.post(f"/api/tables/{table}/act", json=move)).raise_for_status()
    return table


async def test_the_coach_has_the_cards_of_a_game_solved_when_asked(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await finish(client)
    assert 'id="coach"' not in (await client.get(f"/after/{table}")).text
    monkeypatch.delenv("STARFROST_SOLVE")
    asked: list[tuple[tuple[str, ...], int]] = []
    monkeypatch.setattr(service, "find_or_start", lambda cards, goal: asked.append((tuple(cards), goal)))
    text = (await client.get(f"/after/{table}")).text
    assert 'id="ask-coach"' in text
    assert not asked
    text = (await client.get(f"/after/{table}?coach=1")).text
    assert "The coach is working out these cards: 0%." in text
    assert asked == [(tuple(MODES["b"].cards), 1)]


@pytest.mark.parametrize(
    ("solve", "anonymous", "guest", "player"),
    [("anyone", 1, 1, 1), ("guests", 0, 1, 1), ("players", 0, 0, 1)],
)
async def test_a_host_decides_who_has_cards_solved(
    app: FastAPI,
    client: httpx.AsyncClient,
    monkeypatch: pytest.MonkeyPatch,
    solve: str,
    anonymous: int,
    guest: int,
    player: int,
) -> None:
    table = await finish(client)
    app.state.settings = app.state.settings.model_copy(update={"solve": solve})
    monkeypatch.delenv("STARFROST_SOLVE")
    asked: list[int] = []
    monkeypatch.setattr(service, "find_or_start", lambda cards, goal: asked.append(goal))
    page = f"/after/{table}?coach=1"
    assert (await client.get(page)).status_code == 200
    assert len(asked) == player
    del client.headers["authorization"]
    # Thirty page views of a stranger started thirty solvers.
    for _ in range(30):
        assert (await client.get(page)).status_code == 200
    assert len(asked) == player + 30 * anonymous
    other = (await client.post("/api/guests", json={"name": "Ben"})).json()
    await client.get(page, headers={"authorization": f"Bearer {other['token']}"})
    assert len(asked) == player + 30 * anonymous + guest


async def test_an_address_has_few_set_ups_solved(app: FastAPI) -> None:
    limits = app.state.limits
    for _ in range(10):
        for goal in (1, 2, 3):
            limits.solving("203.0.113.1", goal)
    with pytest.raises(TooMany):
        limits.solving("203.0.113.1", 4)
    limits.solving("203.0.113.2", 4)
