"""The format of each event and table, and which versions can work with this database."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Everything stored so far has format 1. Versions that know this migration can work with the database."""
    for table in ("events", "tables"):
        op.add_column(table, sa.Column("format", sa.Integer, nullable=False, server_default="1"))
    made = op.create_table("compatibility", sa.Column("revision", sa.String(32), primary_key=True))
    op.bulk_insert(made, [{"revision": revision}])
