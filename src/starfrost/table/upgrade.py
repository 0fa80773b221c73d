"""Bring a database up to date, once: servers that start together wait for the one that does it.

Two servers of different versions may share a database while a host replaces one after the other. Migrations therefore
add and never take away; one that older servers cannot work with says so in `compatibility`. Events carry the format of
their body, so that an older server which meets a newer one waits (`table.Table.newer`).
"""

import logging
from pathlib import Path

from sqlalchemy import Connection, inspect, select, text

from starfrost.errors import UsageError
from starfrost.table.schema import compatibility

# Not structlog, which prints where nobody has configured logs: a program that uses the service wants no output.
_log = logging.getLogger("starfrost.table")
_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 7001


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the migrations that a database lacks, in the connection's transaction. Raises UsageError if it is newer."""
    # The file of SQLite is locked as a whole, before it is opened.
    several = connection.dialect.name == "postgresql"
    if several and not connection.execute(text(f"SELECT pg_try_advisory_xact_lock({_LOCK})")).scalar():
        _log.info("another server upgrades the database; waiting")
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    before = revision_of(connection)
    if before == known_revisions()[0] and to == "head":
        return
    if before is not None and before not in known_revisions():
        check_readable(connection)
        _log.warning("the database is newer than this server: %s", before)
        return
    # Importing Alembic takes a fifteenth of a start, and most starts find nothing to do.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, to)
    after = revision_of(connection)
    if after != before:
        _log.info("database upgraded from %s to %s", before, after)


def check_readable(connection: Connection) -> None:
    """Raise UsageError if this version cannot work with a database: it is too new, or has not been upgraded."""
    revision = revision_of(connection)
    newest = known_revisions()[0]
    if revision == newest:
        return
    if revision in known_revisions() or revision is None:
        raise UsageError("This database is of an older version; start a server of this version once to upgrade it.")
    oldest = None
    if inspect(connection).has_table(compatibility.name):
        oldest = connection.execute(select(compatibility.c.revision)).scalar()
    if oldest not in known_revisions():
        raise UsageError(
            "This database was upgraded by a newer version of Starfrost; use that version, "
            "or restore a backup from before."
        )


def revision_of(connection: Connection) -> str | None:
    """Return the last migration that a database has had; None if it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def known_revisions() -> list[str]:
    """Return the migrations of this version, newest first."""
    return sorted((path.name.partition("_")[0] for path in (_MIGRATIONS / "versions").glob("0*.py")), reverse=True)
