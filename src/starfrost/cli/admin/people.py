"""`starfrost admin list`, `ban`, `unban`, `delete` and `quota`."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starfrost.cli.admin.parts import Config, Database, have_done, run, settings_of, visiting
from starfrost.cli.options import AsJson, words
from starfrost.errors import UsageError, mark

if TYPE_CHECKING:
    from starfrost.table.exceptions import Exemption
    from starfrost.table.store import Store

_DAY = 86_400.0

Subject = Annotated[
    str,
    typer.Argument(
        help=mark("The id of a guest, an address or a network such as 203.0.113.0/24."), metavar=mark("WHO")
    ),
]


def list_all(
    what: Annotated[str, typer.Argument(help=mark("What to list: guests, tables or exceptions."))] = "guests",
    match: Annotated[str, typer.Option(help=mark("Only names or ids that contain this."))] = "",
    limit: Annotated[int, typer.Option(min=1, help=mark("How many to show, newest first."))] = 50,
    database: Database = "",
    config: Config = None,
    as_json: AsJson = False,
) -> None:
    """Run `starfrost admin list`."""
    if what not in ("guests", "tables", "exceptions"):
        raise UsageError("There are lists of guests, tables and exceptions, not of %(what)s.", what=repr(what))
    settings = settings_of(database, config)

    async def work() -> list[dict[str, Any]]:
        async with visiting(settings) as store:
            return await _LISTS[what](store, match, limit)

    rows = run(work)
    if as_json:
        print(json.dumps(rows))
    elif rows:
        show(rows)
    else:
        w = words()
        print(w("There are none."))


async def _guests(store: "Store", match: str, limit: int) -> list[dict[str, Any]]:
    from sqlalchemy import func, select

    from starfrost.table.schema import devices, guests

    seen = func.max(devices.c.seen).label("seen")
    query = select(guests.c.id, guests.c.name, guests.c.created, seen).outerjoin(
        devices, devices.c.guest == guests.c.id
    )
    query = query.where(_matches(match, guests.c.name, guests.c.id))
    query = query.group_by(guests.c.id, guests.c.name, guests.c.created).order_by(guests.c.created.desc()).limit(limit)
    return await _rows(store, query)


async def _tables(store: "Store", match: str, limit: int) -> list[dict[str, Any]]:
    from sqlalchemy import func, select

    from starfrost.table.schema import events, guests, tables

    here = events.c.table_id == tables.c.id
    last = select(func.max(events.c.seq)).where(here).scalar_subquery().label("events")
    query = select(tables.c.id, tables.c.status, tables.c.clock, tables.c.created, guests.c.name.label("host"), last)
    query = query.outerjoin(guests, guests.c.id == tables.c.host)
    query = query.where(_matches(match, guests.c.name, tables.c.id))
    return await _rows(store, query.order_by(tables.c.created.desc()).limit(limit))


def _matches(match: str, *columns: Any) -> Any:
    from sqlalchemy import or_, true

    return or_(*(column.icontains(match, autoescape=True) for column in columns)) if match else true()


async def _exceptions(store: "Store", match: str, limit: int) -> list[dict[str, Any]]:
    from starfrost.table.exceptions import Exceptions

    found = [each for each in await Exceptions(store).all() if match in each.subject or match in each.why]
    return [{name: value for name, value in each.__dict__.items() if name != "guest"} for each in found[:limit]]


async def _rows(store: "Store", query: Any) -> list[dict[str, Any]]:
    async with store.read() as connection:
        return [dict(row) for row in (await connection.execute(query)).mappings()]


_LISTS = {"guests": _guests, "tables": _tables, "exceptions": _exceptions}


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as a table; times are in UTC."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, no_wrap=name in ("id", "subject"))
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in row.items()))
    Console(highlight=False, markup=False).print(table)


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if name in ("created", "seen", "until"):
        return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M}"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _decide(subject: str, database: str, config: Any, **changes: Any) -> "Exemption":
    """Change the decision about a guest or an address."""
    settings = settings_of(database, config)

    async def work() -> "Exemption":
        from starfrost.table.exceptions import Exceptions

        async with visiting(settings) as store:
            decisions = Exceptions(store)
            each = replace(await decisions.about(subject), **changes)
            if each.banned or each.times != 1:
                await decisions.put(each)
            else:
                await decisions.remove(each.subject)
            return each

    return run(work)


def ban(
    who: Subject,
    days: Annotated[float, typer.Option(min=0, help=mark("How long; 0 is for ever."))] = 0,
    why: Annotated[str, typer.Option(help=mark("A note for yourself."))] = "",
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin ban`."""
    until = time.time() + days * _DAY if days else None
    done = _decide(who, database, config, banned=True, until=until, why=why[:200])
    w = words()
    print(w("%(who)s is banned; servers know it within seconds.", who=done.subject))


def unban(who: Subject, database: Database = "", config: Config = None) -> None:
    """Run `starfrost admin unban`."""
    done = _decide(who, database, config, banned=False, until=None)
    w = words()
    print(w("%(who)s is not banned.", who=done.subject))


def quota(
    who: Subject,
    times: Annotated[
        float, typer.Option(min=0.01, max=10_000, help=mark("How many times the usual limits; 1 is as for everybody."))
    ],
    why: Annotated[str, typer.Option(help=mark("A note for yourself."))] = "",
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin quota`."""
    done = _decide(who, database, config, times=times, why=why[:200])
    w = words()
    print(w("The limits of %(who)s are %(times)s times the usual ones.", who=done.subject, times=f"{times:g}"))


def delete(
    guest: Annotated[str, typer.Argument(help=mark("The id of the guest; starfrost admin list shows it."))],
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin delete`."""
    settings = settings_of(database, config)
    if not run(lambda: have_done(settings, "delete", guest[:32])):
        raise UsageError("There is no guest %(guest)s.", guest=repr(guest))
    w = words()
    print(w("%(guest)s and everything about them is deleted. Backups keep what they hold.", guest=guest))
