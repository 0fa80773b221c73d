"""SQLite notes which tables a process has in memory; until now a start looked at all that were unfinished."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Have every unfinished table looked at once more; with Postgres the owners are known."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(sa.text("UPDATE tables SET due = 0 WHERE status IN ('waiting', 'running')"))
