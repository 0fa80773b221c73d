"""A service to test against, guests, and a way to play a table to its end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import create_engine

from starfrost.table import Guest, Opening, Settings, TableService
from starfrost.table.upgrade import upgrade

DICY = {"mode": "glacial", "goal": "40"}


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        engine = create_engine(f"sqlite:///{file}")
        with engine.begin() as connection:
            upgrade(connection)
        engine.dispose()
        return file.read_bytes()


def empty_database(path: Path) -> str:
    """Return the database of a folder; put an empty one there first, since migrations take longer than most tests."""
    file = path / "tables.db"
    if not file.exists():
        file.write_bytes(_migrated())
    return str(file)


def settings_for(path: Path, **changes: Any) -> Settings:
    usual = {"bot_pace": 0.0, "undo_grace": 0.0, "beat": 0.2, "bots_alone": True}
    return Settings(database=str(path / "tables.db"), **{**usual, **changes})


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[TableService]:
    service = TableService(settings)
    await service.start()
    try:
        yield service
    finally:
        await service.stop()


async def guests(service: TableService, count: int) -> list[Guest]:
    return [(await service.new_guest(f"Guest {number}"))[0] for number in range(1, count + 1)]


async def seen(service: TableService, table: str, guest: Guest | None) -> dict[str, Any]:
    """Return the JSON of a table as a guest may see it."""
    return (await service.view(table, guest)).json()


async def open_and_join(
    service: TableService,
    people: list[Guest],
    game: str = "dicy-cards",
    options: dict[str, str] | None = None,
    bots: tuple[str, ...] = (),
    **changes: Any,
) -> str:
    """Open a table and seat everybody, bots behind the people."""
    if options is None:
        options = DICY if game == "dicy-cards" else {}
    seats = ("open",) * len(people) + tuple(f"bot:{bot}" for bot in bots)
    opened = await service.open(people[0], Opening(game, seats, options, **changes), key=f"open-{game}")
    invitation = (await seen(service, opened.table, people[0]))["invitation"]
    for seat, guest in enumerate(people, start=1):
        await service.join(
            opened.table, guest, seat=seat, contribution=f"c{seat}", invitation=invitation, version=1, key=f"join{seat}"
        )
    return opened.table


async def move(service: TableService, table: str, people: list[Guest], action: str | None = None) -> Any:
    """Let whoever acts play an action (the first legal one), and give the answer; None if no person acts."""
    for guest in people:
        view = await seen(service, table, guest)
        if view["legal"]:
            chosen = action or view["legal"][0]
            return await service.act(
                table, guest, view["acting"], chosen, version=view["version"], key=f"move-{view['version']}"
            )
    return None


async def play_out(service: TableService, table: str, people: list[Guest], most: int = 2000) -> dict[str, Any]:
    """Play a table to its end."""
    for _ in range(most):
        if await move(service, table, people) is None:
            view = await seen(service, table, None)
            if view["status"] != "running":
                return view
            await asyncio.sleep(0.02)
    raise AssertionError("the game does not end")


async def acting_view(service: TableService, table: str, people: list[Guest]) -> dict[str, Any]:
    """Return the view of whoever acts."""
    for guest in people:
        view = await seen(service, table, guest)
        if view["legal"]:
            return view
    raise AssertionError("no person acts")


def refuse_writes(service: TableService, refuse: bool = True) -> None:
    """Have the SQLite file refuse writes as a full disk would, or take them again."""
    assert service._store._writer is not None
    writer = service._store._writer

    def switch() -> None:
        with closing(writer._engine.raw_connection()) as connection:
            connection.cursor().execute(f"PRAGMA query_only={'ON' if refuse else 'OFF'}")

    writer._thread.submit(switch).result()
