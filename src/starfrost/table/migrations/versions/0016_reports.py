"""What people report to the host: who, at which table, and about whom."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "reports",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True, index=True),
        sa.Column("subject", sa.String(32), primary_key=True, index=True),
        sa.Column("why", sa.String(200), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
    )
