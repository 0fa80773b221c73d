"""What a host looks through, on the command line or on the host's page: people, tables and reports, newest first."""

import hashlib
import hmac
import secrets
import time
from contextlib import suppress
from typing import Any

from sqlalchemy import Select, delete, func, insert, or_, select, true

from starfrost.table.schema import devices, events, guests, reports, tables
from starfrost.table.store import Conflict, Store
from starfrost.table.view import Guest


async def people(store: Store, match: str = "", limit: int = 50) -> list[dict[str, Any]]:
    """Return guests whose name or id contains a text. Raises Unavailable."""
    seen = func.max(devices.c.seen).label("seen")
    query = select(guests.c.id, guests.c.name, guests.c.created, seen).outerjoin(
        devices, devices.c.guest == guests.c.id
    )
    query = query.where(_matches(match, guests.c.name, guests.c.id))
    query = query.group_by(guests.c.id, guests.c.name, guests.c.created).order_by(guests.c.created.desc()).limit(limit)
    return await _rows(store, query)


async def newest_tables(store: Store, match: str = "", limit: int = 50) -> list[dict[str, Any]]:
    """Return tables whose id or host's name contains a text. Raises Unavailable."""
    here = events.c.table_id == tables.c.id
    last = select(func.max(events.c.seq)).where(here).scalar_subquery().label("events")
    query = select(tables.c.id, tables.c.status, tables.c.clock, tables.c.created, guests.c.name.label("host"), last)
    query = query.outerjoin(guests, guests.c.id == tables.c.host)
    query = query.where(_matches(match, guests.c.name, tables.c.id))
    return await _rows(store, query.order_by(tables.c.created.desc()).limit(limit))


async def reported(store: Store, limit: int = 50) -> list[dict[str, Any]]:
    """Return reports with the names of both people. Raises Unavailable."""
    by = guests.alias()
    query = (
        select(reports, guests.c.name, by.c.name.label("by"))
        .join(guests, guests.c.id == reports.c.subject)
        .join(by, by.c.id == reports.c.guest)
    )
    return await _rows(store, query.order_by(reports.c.at.desc()).limit(limit))


async def report(store: Store, table_id: str, guest: Guest, subject: str, why: str) -> None:
    """Store what somebody reports about another person at a table; only the first time counts. Raises Unavailable."""
    row = {"table_id": table_id, "guest": guest.id, "subject": subject, "why": why[:200], "at": time.time()}
    with suppress(Conflict):
        await store.execute(insert(reports).values(row))


async def forget_reports(store: Store, subject: str) -> None:
    """Forget what was reported about somebody. Raises Unavailable."""
    await store.execute(delete(reports).where(reports.c.subject == subject))


async def host_key(store: Store) -> str:
    """Return the key that opens the host's page; whoever can read the database has it. Raises Unavailable."""
    key = await store.server_key("host", lambda: secrets.token_bytes(32))
    return hmac.new(key, b"page", hashlib.sha256).hexdigest()[:32]


def _matches(match: str, *columns: Any) -> Any:
    return or_(*(column.icontains(match, autoescape=True) for column in columns)) if match else true()


async def _rows(store: Store, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in await store.rows(query)]
