"""Results of finished games by seat, and invitations. The service fills in the results of games that are over."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create both tables."""
    op.create_table(
        "results",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("guest", sa.String(32), nullable=True),
        sa.Column("bot", sa.String(64), nullable=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("mode", sa.String(64), nullable=True),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("against", sa.String(200), nullable=False),
        sa.Column("counts", sa.Boolean, nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("lead", sa.Integer, nullable=False),
        sa.Column("share", sa.Float(53), nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("level", sa.Float(53), nullable=True),
        sa.Column("deviation", sa.Float(53), nullable=True),
        sa.Column("judged", sa.String(8), nullable=True),
        sa.Column("accuracy", sa.Float(53), nullable=True),
        sa.Column("luck", sa.Float(53), nullable=True),
        sa.Column("costs", sa.Text, nullable=True),
    )
    op.create_index("results_guest", "results", ["guest", "at"])
    op.create_table(
        "invitations",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("guest", sa.String(32), primary_key=True, index=True),
        sa.Column("at", sa.Float(53), nullable=False),
    )
