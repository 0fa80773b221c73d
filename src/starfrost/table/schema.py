"""The tables of the store: an append-only event log, and what finds its way to it.

A table with a column `guest` holds what belongs to a person: it is part of that person's download and is
deleted with the person (`table.own_data`).
"""

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)

from starfrost.fair.dice import Seed

metadata = MetaData()

# The oldest migration whose code can work with the database; a migration that breaks older servers changes it.
compatibility = Table("compatibility", metadata, Column("revision", String(32), primary_key=True))


class SealedSeed(TypeDecorator[Seed]):
    """A secret seed. It is read as a `Seed`, which never shows itself, because drivers can log the rows they read."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Seed | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.unseal()

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Seed | None:
        return None if value is None else Seed(bytes(value))


guests = Table(
    "guests",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("created", Float(53), nullable=False),
)

# A guest may use several devices, each with a token of its own.
devices = Table(
    "devices",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("label", String(40), nullable=False),
    Column("created", Float(53), nullable=False),
    Column("seen", Float(53), nullable=False),
)

# What brings a guest to another device: a recovery phrase (`phrase`), or the code of one link (`link`), which expires;
# and the code of a calendar (`calendar`), which only shows when it is the guest's turn.
carriers = Table(
    "carriers",
    metadata,
    Column("code_hash", String(64), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("kind", String(8), nullable=False),
    Column("created", Float(53), nullable=False),
    Column("expires", Float(53), nullable=True),
)

tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("host", String(32), nullable=False, index=True),
    Column("status", String(8), nullable=False, index=True),
    Column("clock", String(8), nullable=False),
    Column("public", Boolean, nullable=False),
    Column("invitation", String(32), nullable=False, unique=True),
    Column("open_key", String(100), nullable=True, unique=True),
    Column("created", Float(53), nullable=False),
    # A keyed hash of the address that an unfinished table was opened from; removed when the table ends.
    Column("origin", String(32), nullable=True),
    Index("tables_origin", "origin"),
    Column("format", Integer, nullable=False, server_default="1"),
    # The room in which it was opened.
    Column("room", String(16), nullable=True),
    # The number of its last event: whoever appends one raises it, from the version on which the command was decided.
    Column("version", Integer, nullable=False, server_default="0"),
    # How often its log was rewritten: copies in memory with another number are read again.
    Column("epoch", Integer, nullable=False, server_default="0"),
    # When a server must look at the table: a bot that nobody plays, a clock or the end of patience.
    Column("due", Float(53), nullable=True),
    # Versions before migration 0013 used this: which server process had the table in memory.
    Column("owner", String(16), nullable=True),
    Index("tables_owner", "owner", sqlite_where=text("owner IS NOT NULL"), postgresql_where=text("owner IS NOT NULL")),
    Index("tables_due", "due", sqlite_where=text("due IS NOT NULL"), postgresql_where=text("due IS NOT NULL")),
)

# Versions before migration 0013 used this; it is empty, and refuses rows, so that none of them writes any more.
servers = Table(
    "servers",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("addresses", Text, nullable=False),
    Column("until", Float(53), nullable=False),
)

# Apart from everything else: only the service that deals this table's dice reads it.
seeds = Table(
    "seeds",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seed", SealedSeed, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Float(53), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("guest", String(32), nullable=True),
    Column("key", String(100), nullable=True),
    Column("body", Text, nullable=False),
    Column("format", Integer, nullable=False, server_default="1"),
    UniqueConstraint("table_id", "key", name="events_key"),
    Index("events_joined", "guest", sqlite_where=text("kind = 'join'"), postgresql_where=text("kind = 'join'")),
    sqlite_with_rowid=False,
)

heartbeat = Table(
    "heartbeat",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float(53), nullable=False),
)

downtimes = Table(
    "downtimes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("began", Float(53), nullable=False),
    Column("ended", Float(53), nullable=False),
)

push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("guest", String(32), nullable=False, index=True),
    Column("endpoint", Text, nullable=False),
    Column("p256dh", String(100), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("language", String(8), nullable=False),
    Column("site", String(255), nullable=False),
    Column("created", Float(53), nullable=False),
    # The hours in which nothing is sent, such as 22-7, and the minutes by which the clock there is ahead of UTC.
    Column("quiet", String(8), nullable=False, server_default=""),
    Column("east", Integer, nullable=True),
)

# Keys that all processes of a server share.
server_keys = Table(
    "server_keys",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

# A guest's first answer to each puzzle, with the guest's rating after it.
puzzle_attempts = Table(
    "puzzle_attempts",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("puzzle", String(16), primary_key=True),
    Column("game", String(32), nullable=False),
    Column("action", String(200), nullable=False),
    Column("solved", Boolean, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("rating", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Index("puzzle_attempts_latest", "guest", "game", "at"),
)

# Puzzles that somebody has answered; the others have the rating that they were shipped with.
puzzle_ratings = Table(
    "puzzle_ratings",
    metadata,
    Column("puzzle", String(16), primary_key=True),
    Column("rating", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Column("answers", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)

# Positions that come back to a guest for practice (`table.deck`): own costly mistakes, and puzzles that were missed.
deck = Table(
    "deck",
    metadata,
    Column("guest", String(32), primary_key=True),
    Column("position", String(16), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("source", String(8), nullable=False),
    Column("body", Text, nullable=False),
    Column("box", Integer, nullable=False),
    Column("due", Float(53), nullable=True),
    Column("since", Float(53), nullable=False),
    Index("deck_due", "guest", "due"),
)

# One row for each seat of a finished game; rows of bots have no guest. The log says the same, but must be replayed.
results = Table(
    "results",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("guest", String(32), nullable=True),
    Column("bot", String(64), nullable=True),
    Column("name", String(64), nullable=False),
    Column("game", String(64), nullable=False),
    Column("mode", String(64), nullable=True),
    Column("seats", Integer, nullable=False),
    Column("against", String(200), nullable=False),
    Column("counts", Boolean, nullable=False),
    Column("score", Integer, nullable=False),
    Column("lead", Integer, nullable=False),
    Column("share", Float(53), nullable=False),
    Column("turns", Integer, nullable=False),
    Column("at", Float(53), nullable=False),
    Column("level", Float(53), nullable=True),
    Column("deviation", Float(53), nullable=True),
    Column("judged", String(8), nullable=True),
    Column("accuracy", Float(53), nullable=True),
    Column("luck", Float(53), nullable=True),
    Column("costs", Text, nullable=True),
    # The room of its table, whose standings are computed from these rows.
    Column("room", String(16), nullable=True),
    Index("results_guest", "guest", "at"),
    Index("results_room", "room", "at"),
)

# A group of friends that lasts. Its code lets people in; its table is that of the game that they play or played last.
rooms = Table(
    "rooms",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("code", String(40), nullable=False, unique=True),
    Column("name", String(64), nullable=False),
    Column("host", String(32), nullable=False, index=True),
    # The game and the options as JSON, for the next table.
    Column("usual", Text, nullable=False),
    Column("table_id", String(32), nullable=True),
    Column("closed", Boolean, nullable=False),
    Column("created", Float(53), nullable=False),
)

# Who belongs to a room. Whoever waits for the next game has `waits`; whoever was removed stays out.
room_members = Table(
    "room_members",
    metadata,
    Column("room", String(16), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("since", Float(53), nullable=False),
    Column("seen", Float(53), nullable=False),
    Column("waits", Float(53), nullable=True),
    Column("removed", Boolean, nullable=False),
)

# Seats that are kept for a guest at a table that waits: a rematch, or somebody wants to play again.
invitations = Table(
    "invitations",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("at", Float(53), nullable=False),
)

# When each person was last at a table that waits without a clock; rows older than a few minutes say nothing.
presence = Table(
    "presence",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("at", Float(53), nullable=False),
)

# The seed stays here until the day is over; what the pages may know of a deal is decided in `table.daily.deals`.
daily_deals = Table(
    "daily_deals",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("setup", Text, nullable=False),
    Column("seed", SealedSeed, nullable=False),
    Column("created", Float(53), nullable=False),
    Column("best", Text, nullable=True),
)

# One row for each guest, game and day: the first attempt, the only one that counts.
daily_attempts = Table(
    "daily_attempts",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("game", String(64), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("table_id", String(32), nullable=False),
    Column("share", String(16), nullable=False, unique=True),
    Column("began", Float(53), nullable=False),
    Column("ended", Float(53), nullable=True),
    Column("won", Boolean, nullable=True),
    Column("points", Integer, nullable=True),
    Column("scores", String(64), nullable=True),
    Column("gains", Text, nullable=True),
)

# The records of tables whose events were removed; the text is compressed.
archive = Table(
    "archive",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("record", LargeBinary, nullable=False),
)

# Who sat at an archived table; bots and deleted people have no guest.
archive_seats = Table(
    "archive_seats",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("guest", String(32), nullable=True, index=True),
)

# What the host decided about a guest or an address (`subject`): banned, or several times the usual limits.
exceptions = Table(
    "exceptions",
    metadata,
    Column("subject", String(64), primary_key=True),
    Column("guest", String(32), nullable=True),
    Column("banned", Boolean, nullable=False),
    Column("times", Float(53), nullable=False),
    Column("why", String(200), nullable=False),
    Column("created", Float(53), nullable=False),
    Column("until", Float(53), nullable=True),
)

# What people report to the host: `guest` about `subject`, another guest.
reports = Table(
    "reports",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("guest", String(32), primary_key=True, index=True),
    Column("subject", String(32), primary_key=True, index=True),
    Column("why", String(200), nullable=False),
    Column("at", Float(53), nullable=False),
)

# What the host asks a server that runs to do; `answer` is JSON once it is done.
chores = Table(
    "chores",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("argument", Text, nullable=False),
    Column("asked", Float(53), nullable=False),
    Column("taken", Float(53), nullable=True),
    Column("answer", Text, nullable=True),
)
