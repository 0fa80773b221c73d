"""`starfrost admin backup`, `restore` and `export`."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from starfrost.cli.admin.parts import Config, Database, run, settings_of, visiting
from starfrost.cli.options import words
from starfrost.errors import Refused, UsageError, mark
from starfrost.words.numbers import count

if TYPE_CHECKING:
    from starfrost.table.backup import Copied
    from starfrost.table.store import Store
    from starfrost.words import Words


def backup(
    file: Annotated[
        Path,
        typer.Argument(
            help=mark("The file to write, which must not exist yet; - writes to the output, for another machine."),
            metavar=mark("FILE"),
        ),
    ],
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin backup`."""
    from starfrost.table.backup import back_up

    w, settings = words(), settings_of(database, config)
    if str(file) == "-":
        with TemporaryDirectory() as folder:
            run(lambda: back_up(settings, Path(folder, "backup.db")))
            with Path(folder, "backup.db").open("rb") as copy:
                shutil.copyfileobj(copy, sys.stdout.buffer)
        return
    copied = run(lambda: back_up(settings, file))
    print(w("Backup written to %(file)s.", file=file), _told(w, copied))


def restore(
    file: Annotated[Path, typer.Argument(help=mark("A backup, also one of an older version."), metavar=mark("FILE"))],
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin restore`."""
    from starfrost.table.backup import restore as put_back

    w, settings = words(), settings_of(database, config)
    copied = run(lambda: put_back(settings, file))
    print(w("Backup restored."), _told(w, copied))


def _told(w: "Words", copied: "Copied") -> str:
    facts = {name: count(w, value) for name, value in copied._asdict().items()}
    return w("Guests: %(guests)s, tables: %(tables)s, events: %(events)s.", **facts)


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read: it holds names of guests."""
    return os.open(path, flags, 0o600)


def export(
    file: Annotated[
        Path, typer.Argument(help=mark("The zip file to write; it must not exist yet."), metavar=mark("FILE"))
    ],
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin export`."""
    from starfrost.web.zipping import zipped

    w, settings = words(), settings_of(database, config)
    if file.exists():
        raise UsageError("%(file)s exists already.", file=file)
    counts = {"written": 0, "unreadable": 0}

    async def work() -> None:
        async with visiting(settings) as store:
            with open(file, "xb", opener=private) as out:
                async for part in zipped(_records(store, counts)):
                    out.write(part)

    try:
        run(work)
    except OSError as error:
        raise UsageError("%(file)s: %(reason)s.", file=file, reason=error.strerror) from None
    print(w("Records written to %(file)s: %(n)s.", file=file, n=count(w, counts["written"])))
    if counts["unreadable"]:
        print(w("Tables that could not be read: %(n)s.", n=count(w, counts["unreadable"])))


async def _records(store: "Store", counts: dict[str, int]) -> AsyncIterator[tuple[str, str, float]]:
    """Yield the record of every game, archived or not: name, text and time of each."""
    from sqlalchemy import select

    from starfrost.table.archive import Archive
    from starfrost.table.host import TableHost
    from starfrost.table.metrics import Metrics
    from starfrost.table.records import table_record
    from starfrost.table.schema import tables

    async for old in Archive(store).all():
        counts["written"] += 1
        yield _name(old.at, old.game, old.table_id), old.record, old.at
    reader = TableHost(store.settings, Metrics(), lambda table: None)
    reader.store = store
    last = ""
    while True:
        query = select(tables.c.id).where(tables.c.id > last).order_by(tables.c.id).limit(500)
        async with store.read() as connection:
            ids = list((await connection.execute(query)).scalars())
        for table_id in ids:
            try:
                table = (await reader.read(table_id)).snapshot
            except Refused as refusal:
                if refusal.code == "storage":
                    raise
                counts["unreadable"] += refusal.code != "no-table"
                continue
            if table.moves:
                counts["written"] += 1
                yield _name(table.moved_at, table.game.name, table_id), table_record(table), table.moved_at
        if not ids:
            return
        last = ids[-1]


def _name(at: float, game: str, table_id: str) -> str:
    return f"records/{datetime.fromtimestamp(at, UTC):%Y-%m-%d}-{game}-{table_id}.sfr"
