"""A database of every released version opens: its tables read the same, and its unfinished games go on."""

import asyncio
import gzip
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from starfrost.fair.proof import prove
from starfrost.table import Settings
from starfrost.web.app import create_app
from tests.docs.pages import ROOT
from tests.table.old_database import FIXTURES, NEVER, soon

# Every release leaves a database here (tests/table/old_database.py); so did the states before two migrations.
RELEASED = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
VERSIONS = [*RELEASED, "before-0007", "before-0012"]
OLD = "0.1.0"


def known_of(version: str) -> dict[str, Any]:
    """Return what is known about a database: tokens, tables, commands that were answered, and answers to reads."""
    found: dict[str, Any] = json.loads(gzip.decompress((FIXTURES / f"{version}.json.gz").read_bytes()))
    return found


KNOWN = known_of(OLD)
TABLES: dict[str, str] = KNOWN["tables"]
UNFINISHED = [name for name in TABLES if not name.startswith(("over", "closed"))]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return unpacked(tmp_path, OLD)


def unpacked(tmp_path: Path, version: str) -> Path:
    path = tmp_path / "tables.db"
    path.write_bytes(gzip.decompress((FIXTURES / f"{version}.db.gz").read_bytes()))
    return path


@asynccontextmanager
async def opened(
    database: Path, bot_pace: float = float(NEVER), known: dict[str, Any] = KNOWN
) -> AsyncIterator[list[httpx.AsyncClient]]:
    """Serve the database; yield a client for each guest, and one without a guest at the end."""
    limits = {"moves_per_second": 0.0, "opens_per_minute": 0.0, "requests_per_second": 0.0}
    # However old the file is, nobody forgot these tables.
    app = create_app(Settings(database=str(database), bot_pace=bot_pace, undo_grace=0.0, idle_days=1e6, **limits))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        heads = [{"authorization": f"Bearer {token}"} for token in known["tokens"]] + [{}]
        yield [httpx.AsyncClient(transport=transport, base_url="http://table.test", headers=head) for head in heads]


def known_part(found: Any, before: Any) -> Any:
    """Return an answer without the fields that the old server did not have."""
    if isinstance(before, dict) and isinstance(found, dict):
        if before.get("vacated"):
            # The old server kept a seat for whoever ran out of time; now it is kept for whoever left, too.
            assert found["reserved"]
            found = {**found, "reserved": before["reserved"], "kept_for_you": before["kept_for_you"]}
            if "takeable" in before:
                # Others may take the seat after some minutes.
                found["takeable"] = before["takeable"]
        return {name: known_part(value, before[name]) for name, value in found.items() if name in before}
    if isinstance(before, list) and isinstance(found, list) and len(found) == len(before):
        return [known_part(*pair) for pair in zip(found, before, strict=True)]
    return found


def without_deadlines(text: str) -> Any:
    """Read JSON; a deadline moves by the time for which no server ran."""
    found = json.loads(text)
    if "deadline" in found:
        del found["deadline"]
    return found


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_read_gives_the_same_answer(tmp_path: Path, version: str) -> None:
    known = known_of(version)
    async with opened(unpacked(tmp_path, version), known=known) as clients:
        for asked, before in known["reads"].items():
            guest, path = asked.split(" ", 1)
            answer = await clients[-1 if guest == "-" else int(guest)].get(path)
            if path.endswith(("/events", "/record")):
                assert answer.content == before.encode(), asked
            else:
                old = without_deadlines(before)
                assert known_part(without_deadlines(answer.text), old) == old, asked


async def test_finished_games_and_rematches_are_filled_in(database: Path) -> None:
    reads = {table: json.loads(KNOWN["reads"][f"0 /api/tables/{table}"]) for table in TABLES.values()}
    over = {table: view["scores"] for table, view in reads.items() if view["status"] == "over"}
    assert len(over) == 3
    async with opened(database) as clients:
        listed = ""
        while not all(table in listed for table in over):
            listed = (await clients[0].get("/me/games")).text
            await asyncio.sleep(0.01)
        for scores in over.values():
            assert " : ".join(map(str, scores)) in listed
        # Zoë played two of them.
        assert (await clients[1].get("/me/games")).text.count("/after/") == 2
        # Zoë opened the rematch; Anna's seat there is kept.
        page = (await clients[0].get("/")).text
        assert f"/t/{TABLES['rematch']}" in page
        assert "You are invited" in page
    # A second start fills nothing in twice.
    async with opened(database) as clients:
        assert (await clients[0].get("/me/games")).text.count("/after/") == len(over)


async def test_a_clock_is_not_charged_for_the_time_between(database: Path) -> None:
    clocked = {}
    for table in TABLES.values():
        before = json.loads(KNOWN["reads"][f"- /api/tables/{table}"])["deadline"]
        if before is not None:
            clocked[table] = before
    assert len(clocked) == 2
    began = time.time()
    async with opened(database) as clients:
        for table, before in clocked.items():
            view = (await clients[-1].get(f"/api/tables/{table}")).json()
            seconds = {"1day": 86_400, "3days": 259_200}[view["clock"]]
            # The old server ran for less than ten minutes after the last move at each of these tables.
            assert max(before, began + seconds - 600) <= view["deadline"] <= time.time() + seconds


async def test_a_repeated_command_gets_its_old_answer(database: Path) -> None:
    async with opened(database) as clients:
        for call in KNOWN["answered"]:
            answer = await clients[call["guest"]].post(call["path"], json=call["body"])
            assert (answer.status_code, answer.json()) == (200, call["answer"]), call


@pytest.mark.parametrize("name", UNFINISHED)
async def test_an_unfinished_game_goes_on_to_its_end(database: Path, name: str) -> None:
    path = f"/api/tables/{TABLES[name]}"
    async with opened(database, bot_pace=0.0) as clients:
        started = (await clients[-1].get(f"{path}/events")).json()["events"]
        if name in ("undo pending", "taken back"):
            assert await take_back(clients[:-1], path) == 1
        await sit_down(clients[:-1], path)
        await play_out(clients[:-1], path)
        events = (await clients[-1].get(f"{path}/events")).json()["events"]
        record = (await clients[-1].get(f"{path}/record")).text
    assert events[: len(started)] == started
    assert [event["version"] for event in events] == list(range(1, len(events) + 1))
    proof = prove(record)
    assert proof.finished
    assert proof.rolls > 0
    # What was played is stored: another start reads the same.
    async with opened(database) as clients:
        assert (await clients[-1].get(f"{path}/events")).json()["events"] == events
        assert (await clients[-1].get(f"{path}/record")).text == record


@pytest.mark.parametrize("version", [version for version in VERSIONS if version != OLD])
async def test_unfinished_games_of_later_versions_go_on(tmp_path: Path, version: str) -> None:
    known = known_of(version)
    async with opened(unpacked(tmp_path, version), 0.0, known) as clients:
        for name, table in known["tables"].items():
            if not name.startswith(("over", "closed")):
                path = f"/api/tables/{table}"
                await sit_down(clients[:-1], path)
                await play_out(clients[:-1], path)
                assert prove((await clients[-1].get(f"{path}/record")).text).finished, name


async def command(client: httpx.AsyncClient, path: str, verb: str, version: int, **body: Any) -> None:
    answer = await client.post(f"{path}/{verb}", json={"version": version, "key": f"new-{verb}-{version}", **body})
    assert answer.status_code == 200, answer.text


async def take_back(clients: list[httpx.AsyncClient], path: str) -> int:
    """Take back the move that the old server still allowed to be taken back; return how many there were."""
    taken = 0
    for client in clients:
        view = (await client.get(path)).json()
        for seat in view["undo"]:
            await command(client, path, "undo", view["version"], seat=seat)
            taken += 1
    return taken


async def sit_down(clients: list[httpx.AsyncClient], path: str) -> None:
    """Take the seats that are free, and those that are kept for somebody."""
    invitation = {"invitation": (await clients[0].get(path)).json()["invitation"]}
    for client in clients:
        view = (await client.get(path)).json()
        for seat in view["seats"]:
            if seat["kept_for_you"] or (seat["kind"] == "open" and not seat["reserved"]):
                await command(client, path, "join", view["version"], seat=seat["seat"], **invitation)


async def play_out(clients: list[httpx.AsyncClient], path: str) -> None:
    """Play for everybody who sits at a table, until the game is over."""
    owners = {
        seat["seat"]: client for client in clients for seat in (await client.get(path)).json()["seats"] if seat["yours"]
    }
    mover = clients[0]
    for _ in range(2000):
        view = (await mover.get(path)).json()
        if view["status"] == "over":
            return
        if view["legal"]:
            await command(mover, path, "act", view["version"], seat=view["acting"], action=soon(view["legal"]))
        elif view["acting"] in owners:
            mover = owners[view["acting"]]
        else:
            # A bot's turn: asking again and again would take the time that it needs.
            await asyncio.sleep(0.05)
    raise AssertionError("the game does not end")
