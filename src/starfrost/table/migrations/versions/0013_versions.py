"""The database alone decides about every command; servers do not own tables any more."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Give every table its version, and take the tables away from servers of older versions, which may still run.

    Their rows in `servers` go, and no row can come back: every write of theirs checks its row and then stores nothing.
    """
    for name in ("version", "epoch"):
        op.add_column("tables", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.text("DELETE FROM servers"))
        op.create_check_constraint("servers_retired", "servers", sa.text("id = ''"))
    last = "SELECT max(seq) FROM events WHERE table_id = tables.id"
    op.execute(sa.text(f"UPDATE tables SET owner = NULL, version = coalesce(({last}), 0)"))
    op.execute(sa.text("UPDATE tables SET due = 0 WHERE status IN ('waiting', 'running')"))
    op.execute(sa.text("UPDATE compatibility SET revision = '0013'"))
