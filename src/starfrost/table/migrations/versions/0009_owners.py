"""Servers and the tables that they own, and when a table needs a server without a request."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the servers; no table has an owner yet, and every unfinished one is looked at once."""
    op.create_table(
        "servers",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("addresses", sa.Text, nullable=False),
        sa.Column("until", sa.Float(53), nullable=False),
    )
    op.add_column("tables", sa.Column("owner", sa.String(16), nullable=True))
    op.add_column("tables", sa.Column("due", sa.Float(53), nullable=True))
    op.execute(sa.text("UPDATE tables SET due = 0 WHERE status IN ('waiting', 'running')"))
    for name in ("owner", "due"):
        where = sa.text(f"{name} IS NOT NULL")
        op.create_index(f"tables_{name}", "tables", [name], sqlite_where=where, postgresql_where=where)
