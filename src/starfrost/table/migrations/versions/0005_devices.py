"""Several devices of one guest, and what brings a guest to another device."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the device of every guest a row of its own."""
    op.create_table(
        "devices",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("guest", sa.String(32), nullable=False, index=True),
        sa.Column("token_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("label", sa.String(40), nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("seen", sa.Float(53), nullable=False),
    )
    op.create_table(
        "carriers",
        sa.Column("code_hash", sa.String(64), primary_key=True),
        sa.Column("guest", sa.String(32), nullable=False, index=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("created", sa.Float(53), nullable=False),
        sa.Column("expires", sa.Float(53), nullable=True),
    )
    # The first 16 digits of a hash are as unique as a random id.
    op.execute(
        "INSERT INTO devices (id, guest, token_hash, label, created, seen) "
        "SELECT substr(token_hash, 1, 16), id, token_hash, '', created, created FROM guests"
    )
    with op.batch_alter_table("guests") as guests:
        guests.drop_column("token_hash")
