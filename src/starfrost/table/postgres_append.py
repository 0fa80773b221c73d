"""The fast way into the log of a Postgres: the moves of many tables in one statement, on a connection of its own.

Most transactions are only moves. As separate statements (begin, check the lease, insert, commit) they take four round
trips and most of their time in Python.
"""

from collections.abc import Sequence
from typing import Any

from starfrost.table.settings import Settings
from starfrost.table.store import Conflict, Event, Fenced, Unavailable, cause_of

# The row of this process in `servers` is locked against its removal, as `Leases.fence` does.
_APPEND = """
WITH me AS MATERIALIZED (SELECT id FROM servers WHERE id = $1 FOR KEY SHARE),
added AS (
  INSERT INTO events (table_id, seq, at, kind, guest, key, body, format)
  SELECT * FROM unnest(
    $2::varchar[], $3::int[], $4::float8[], $5::varchar[], $6::varchar[], $7::varchar[], $8::text[], $9::int[]
  ) WHERE EXISTS (SELECT 1 FROM me)
  RETURNING 1
)
SELECT count(*) FROM added
"""


class PostgresAppender:
    """A connection that only appends events."""

    def __init__(self, settings: Settings) -> None:
        self._dsn = "postgresql://" + settings.database.split("://", 1)[1]
        self._lease = settings.lease
        self._connection: Any = None
        self._statement: Any = None

    async def append(self, server: str, rows: Sequence[Event]) -> None:
        """Make events durable, all or none, if a server has its lease. Raises Conflict, Fenced or Unavailable."""
        import asyncpg

        try:
            if self._connection is None or self._connection.is_closed():
                await self._connect()
            columns = [list(column) for column in zip(*rows, strict=True)]
            added = await self._statement.fetchval(server, *columns)
        except asyncpg.UniqueViolationError as error:
            raise Conflict from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
            await self.close()
            raise Unavailable(cause_of(error)) from error
        except BaseException:
            # The answer to a cancelled statement would be taken for that of the next one.
            await self.close()
            raise
        if added != len(rows):
            raise Fenced(server)

    async def _connect(self) -> None:
        import asyncpg

        options = {"synchronous_commit": "on", "idle_in_transaction_session_timeout": str(round(1000 * self._lease))}
        self._connection = await asyncpg.connect(self._dsn, timeout=5, command_timeout=10, server_settings=options)
        self._statement = await self._connection.prepare(_APPEND)

    async def close(self) -> None:
        """Disconnect."""
        connection, self._connection, self._statement = self._connection, None, None
        if connection is not None:
            connection.terminate()
