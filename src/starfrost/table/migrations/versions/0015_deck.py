"""The deck: positions that come back to a guest for practice."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "deck",
        sa.Column("guest", sa.String(32), primary_key=True),
        sa.Column("position", sa.String(16), primary_key=True),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("source", sa.String(8), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("box", sa.Integer, nullable=False),
        sa.Column("due", sa.Float(53), nullable=True),
        sa.Column("since", sa.Float(53), nullable=False),
        sa.Index("deck_due", "guest", "due"),
    )
