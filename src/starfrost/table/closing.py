"""Closing tables by the service itself: idle ones, and games that have become too long."""

from starfrost.errors import Refused
from starfrost.table import commands
from starfrost.table.commands import Decision
from starfrost.table.table import Table
from starfrost.table.tables import Tables


async def close_unfinished(tables: Tables, table_id: str, why: str) -> bool:
    """Close a table and say why in its event; return whether that was done: it may have ended or be gone."""

    def decide(table: Table) -> Decision:
        return commands.close(table.snapshot, None, table.version, why)

    try:
        await tables.submit(table_id, None, None, decide, {})
    except Refused as refusal:
        if refusal.code not in ("not-running", "storage", "busy", "newer", "no-table", "unreadable"):
            raise
        return False
    return True
