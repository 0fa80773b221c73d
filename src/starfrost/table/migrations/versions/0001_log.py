"""The event log, guests, tables, sealed seeds, heartbeat and downtimes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "guests",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("created", sa.Float(53), nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("host", sa.String(32), nullable=False, index=True),
        sa.Column("status", sa.String(8), nullable=False, index=True),
        sa.Column("clock", sa.String(8), nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("invitation", sa.String(32), nullable=False, unique=True),
        sa.Column("open_key", sa.String(100), nullable=True, unique=True),
        sa.Column("created", sa.Float(53), nullable=False),
    )
    op.create_table(
        "seeds",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("seed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("guest", sa.String(32), nullable=True),
        sa.Column("key", sa.String(100), nullable=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("table_id", "key", name="events_key"),
        sqlite_with_rowid=False,
    )
    joined = sa.text("kind = 'join'")
    op.create_index("events_joined", "events", ["guest"], sqlite_where=joined, postgresql_where=joined)
    op.create_table(
        "heartbeat",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Float(53), nullable=False),
    )
    op.create_table(
        "downtimes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("began", sa.Float(53), nullable=False),
        sa.Column("ended", sa.Float(53), nullable=False),
    )
