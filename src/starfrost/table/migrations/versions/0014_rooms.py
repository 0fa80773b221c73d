"""Rooms: groups of friends, their members, and the tables and results that belong to them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the tables, and let tables and results name their room."""
    op.create_table(
        "rooms",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("code", sa.String(40), nullable=False, unique=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("host", sa.String(32), nullable=False, index=True),
        sa.Column("usual", sa.Text, nullable=False),
        sa.Column("table_id", sa.String(32), nullable=True),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
    )
    op.create_table(
        "room_members",
        sa.Column("room", sa.String(16), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True, index=True),
        sa.Column("since", sa.Float(53), nullable=False),
        sa.Column("seen", sa.Float(53), nullable=False),
        sa.Column("waits", sa.Float(53), nullable=True),
        sa.Column("removed", sa.Boolean, nullable=False),
    )
    for name in ("tables", "results"):
        op.add_column(name, sa.Column("room", sa.String(16), nullable=True))
    op.create_index("results_room", "results", ["room", "at"])
