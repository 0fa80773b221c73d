"""Daily games: the sealed deals of each day, and everybody's first attempt."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "daily_deals",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("setup", sa.Text, nullable=False),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("best", sa.Text, nullable=True),
    )
    op.create_table(
        "daily_attempts",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True, index=True),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("share", sa.String(16), nullable=False, unique=True),
        sa.Column("began", sa.Float(53), nullable=False),
        sa.Column("ended", sa.Float(53), nullable=True),
        sa.Column("won", sa.Boolean, nullable=True),
        sa.Column("points", sa.Integer, nullable=True),
        sa.Column("scores", sa.String(64), nullable=True),
        sa.Column("gains", sa.Text, nullable=True),
    )
