"""What the commands of a host share: the database, and chores for a server that runs."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from starfrost.errors import UsageError, mark

if TYPE_CHECKING:
    from starfrost.table import Settings
    from starfrost.table.store import Store

_T = TypeVar("_T")

Database = Annotated[
    str, typer.Option(help=mark("A file, sqlite:///FILE or postgresql://…; default: a file in your user data folder."))
]
Config = Annotated[Path | None, typer.Option(help=mark("A file with settings; starfrost.toml here if there is one."))]


def settings_of(database: str, config: Path | None) -> "Settings":
    """Return the settings, those of the server. Raises UsageError."""
    from starfrost.table import Settings
    from starfrost.web.logs import configure_logs

    configure_logs("warning")
    return Settings.load(config, **({"database": database} if database else {}))


@asynccontextmanager
async def visiting(settings: "Settings") -> AsyncIterator["Store"]:
    """Connect to the database beside a server that may run."""
    from starfrost.table.store import Store

    store = Store(settings)
    await store.visit()
    try:
        yield store
    finally:
        await store.close()


def run(work: Callable[[], Awaitable[_T]]) -> _T:
    """Run some work with the store; what the store or the service refuses is one sentence."""
    from starfrost.errors import Refused
    from starfrost.table.store import Unavailable

    async def whole() -> _T:
        try:
            return await work()
        except Unavailable as error:
            raise UsageError("The database does not answer: %(reason)s.", reason=error.cause) from None
        except Refused as refusal:
            raise UsageError(refusal.sentence, **refusal.facts) from None

    return asyncio.run(whole())


async def have_done(settings: "Settings", kind: str, argument: Any) -> Any:
    """Let a running server do a chore, or do it here if none runs; return its answer."""
    from starfrost.table.host import TableHost
    from starfrost.table.metrics import Metrics
    from starfrost.table.own_data import OwnData
    from starfrost.table.retention import Retention
    from starfrost.table.upkeep import Upkeep, answer_of, leave_chore

    async with visiting(settings) as store:
        chore = await leave_chore(store, kind, argument) if await store.is_served() else None
        # If that server ends before it has done it, we do it here.
        while chore is not None and await store.is_served():
            answer = await answer_of(store, chore)
            if answer is not None:
                return json.loads(answer)
            await asyncio.sleep(0.2)
    tables = TableHost(settings, Metrics(), lambda table: None)
    await tables.start()
    try:
        upkeep = Upkeep(tables.store, OwnData(tables), Retention(tables))
        return await upkeep.do(kind, argument)
    finally:
        await tables.stop()
