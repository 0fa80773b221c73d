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
    from starfrost.table.moderation import ClientRule
    from starfrost.table.store import Store

_DAY = 86_400.0
_WIDEST = {4: 8, 6: 32}
"""The shortest prefix of a network that is banned without --yes."""

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
    from starfrost.table.host_lists import people

    return await people(store, match, limit)


async def _tables(store: "Store", match: str, limit: int) -> list[dict[str, Any]]:
    from starfrost.table.host_lists import newest_tables

    return await newest_tables(store, match, limit)


async def _exceptions(store: "Store", match: str, limit: int) -> list[dict[str, Any]]:
    from starfrost.table.moderation import Moderation

    found = [each for each in await Moderation(store).all() if match in each.subject or match in each.why]
    return [{name: value for name, value in each.__dict__.items() if name != "guest"} for each in found[:limit]]


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


def _decide(subject: str, database: str, config: Any, **changes: Any) -> "ClientRule":
    """Change the decision about a guest or an address."""
    settings = settings_of(database, config)

    async def work() -> "ClientRule":
        from starfrost.table.moderation import Moderation

        async with visiting(settings) as store:
            decisions = Moderation(store)
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
    yes: Annotated[bool, typer.Option("--yes", help=mark("Ban a very large network, too."))] = False,
    database: Database = "",
    config: Config = None,
) -> None:
    """Run `starfrost admin ban`."""
    from starfrost.table.moderation import as_network

    network = as_network(who)
    if network is not None and network.prefixlen < _WIDEST[network.version] and not yes:
        raise UsageError("%(who)s is a very large network, and perhaps you are in it; --yes bans it.", who=network)
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


def link(database: Database = "", config: Config = None) -> None:
    """Run `starfrost admin link`."""
    settings = settings_of(database, config)

    async def work() -> str:
        from starfrost.table.host_lists import host_key

        async with visiting(settings) as store:
            return await host_key(store)

    key = run(work)
    w = words()
    print(w("The host's page is your site's address and then /host?key=%(key)s (keep it to yourself).", key=key))
