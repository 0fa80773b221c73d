"""The hours in which nobody is told anything, and where in the world they are."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; versions before this one leave them empty."""
    op.add_column("push_subscriptions", sa.Column("quiet", sa.String(8), nullable=False, server_default=""))
    op.add_column("push_subscriptions", sa.Column("east", sa.Integer, nullable=True))
