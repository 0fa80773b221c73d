"""`starfrost admin prune` and `quotas`: how much there is, and making room."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starfrost.cli.admin.parts import Config, Database, have_done, run, settings_of, visiting
from starfrost.cli.admin.people import show
from starfrost.cli.options import AsJson, words
from starfrost.errors import mark

if TYPE_CHECKING:
    from starfrost.table import Settings
    from starfrost.table.store import Store

_UNFINISHED = ("waiting", "running")


def prune(
    finished: Annotated[
        float | None, typer.Option(min=0, help=mark("Days since the end of a game; as the settings say if left out."))
    ] = None,
    abandoned: Annotated[
        float | None, typer.Option(min=0, help=mark("Days since a table was closed; 30 if left out."))
    ] = None,
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin prune`."""
    w, settings = words(), settings_of(database, config)
    done = run(lambda: have_done(settings, "prune", {"finished": finished, "abandoned": abandoned}))
    print(w("Archived: finished games %(finished)s, closed tables %(abandoned)s; unreadable: %(unreadable)s.", **done))


def quotas(database: Database = "", config: Config = None, as_json: AsJson = False) -> None:
    """Run `starfrost admin quotas`."""
    settings = settings_of(database, config)

    async def work() -> dict[str, Any]:
        async with visiting(settings) as store:
            return await _usage(store, settings)

    found = run(work)
    if as_json:
        print(json.dumps(found))
        return
    w = words()
    print(w("Stored:"), ", ".join(f"{name} {value:,}" for name, value in found["stored"].items()))
    print(w("Limits:"), ", ".join(f"{name} {value:g}" for name, value in found["limits"].items()))
    if found["busiest"]:
        print(w("Unfinished tables by host:"))
        show(found["busiest"])
    if found["exceptions"]:
        print(w("Other limits apply to:"))
        show(found["exceptions"])


async def _usage(store: "Store", settings: "Settings") -> dict[str, Any]:
    """Return what is stored, which limits apply, and who has the most unfinished tables."""
    from sqlalchemy import func, select, text

    from starfrost.table.moderation import Moderation
    from starfrost.table.schema import archive, events, guests, tables

    open_ones = tables.c.status.in_(_UNFINISHED)
    count = func.count().label("tables")
    busiest = (
        select(tables.c.host.label("id"), guests.c.name, count)
        .outerjoin(guests, guests.c.id == tables.c.host)
        .where(open_ones)
        .group_by(tables.c.host, guests.c.name)
        .order_by(count.desc(), tables.c.host)
        .limit(10)
    )
    size = text(
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
        if settings.is_sqlite
        else "SELECT pg_database_size(current_database())"
    )
    async with store.read() as connection:
        stored = {"bytes": (await connection.execute(size)).scalar_one()}
        for name, query in {
            "guests": select(func.count()).select_from(guests),
            "tables": select(func.count()).select_from(tables),
            "unfinished": select(func.count()).select_from(tables).where(open_ones),
            "events": select(func.count()).select_from(events),
            "archived": select(func.count()).select_from(archive),
        }.items():
            stored[name] = (await connection.execute(query)).scalar_one()
        rows = [dict(row) for row in (await connection.execute(busiest)).mappings()]
    decided = [each for each in await Moderation(store).all() if each.times != 1]
    return {
        "stored": stored,
        "limits": {name: value for name, value in settings if "_per_" in name or name == "tables_in_total"},
        "busiest": rows,
        "exceptions": [{"subject": each.subject, "times": each.times, "why": each.why} for each in decided],
    }
