"""What a host decides about guests and addresses, and what a host asks a running server to do."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "exceptions",
        sa.Column("subject", sa.String(64), primary_key=True),
        sa.Column("guest", sa.String(32), nullable=True),
        sa.Column("banned", sa.Boolean, nullable=False),
        sa.Column("times", sa.Float(53), nullable=False),
        sa.Column("why", sa.String(200), nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("until", sa.Float(53), nullable=True),
    )
    op.create_table(
        "chores",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("argument", sa.Text, nullable=False),
        sa.Column("asked", sa.Float(53), nullable=False),
        sa.Column("taken", sa.Float(53), nullable=True),
        sa.Column("answer", sa.Text, nullable=True),
    )
