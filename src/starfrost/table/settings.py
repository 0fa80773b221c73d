"""What a host may set: where the log lives, how patient bots and clocks are, how much one guest may ask for."""

import os
from dataclasses import dataclass, field, fields
from pathlib import Path

from platformdirs import user_data_path

from starfrost.errors import UsageError

__all__ = ["CLOCKS", "REACTIONS", "Settings", "default_database"]

CLOCKS: dict[str, float | None] = {
    "none": None,
    "30s": 30.0,
    "2min": 120.0,
    "1day": 86_400.0,
    "3days": 259_200.0,
}
"""Seconds that a seat has for one move."""

REACTIONS = ("clap", "laugh", "wow", "sigh", "heart", "hurry")

_PREFIX = "STARFROST_"


def default_database() -> str:
    """Name the SQLite file in the user's data folder."""
    return f"sqlite:///{user_data_path('starfrost') / 'tables.db'}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything has a default: a host needs to configure nothing."""

    database: str = field(default_factory=default_database)
    bot_pace: float = 1.2
    """Seconds that a bot waits before it moves, so that people can follow."""
    bot_workers: int = 1
    bot_patience: float = 30.0
    """Seconds after which a bot that has not answered plays its first legal action."""
    stand_in: str = "greedy"
    """The bot that takes the seat of somebody who left, resigned or ran out of time."""
    beat: float = 2.0
    """Seconds between heartbeats; a gap much longer than this is downtime, which no clock is charged for."""
    poll: float = 2.0
    """Seconds between looks for other processes' moves when a notification was lost."""
    keep_hot: float = 900.0
    """Seconds after which an unused table leaves memory; its log stays."""
    idle_days: float = 30.0
    """Days without any event after which an unfinished table is closed and its envelope opened."""
    moves_per_second: float = 20.0
    """Commands that one guest may send in a second, with a burst of three times as many; 0 is no limit."""
    opens_per_minute: float = 30.0
    """Guests, tables and rematches that one address or guest may make in a minute; 0 is no limit."""
    requests_per_second: float = 500.0
    """Requests of any kind that one address may send in a second, with a burst of four times as many; 0 is no limit."""
    streams_per_guest: int = 20
    max_body: int = 16_384
    max_headers: int = 16_384
    log_level: str = "info"

    def __post_init__(self) -> None:
        if not self.database:
            raise UsageError("A database is a file name, sqlite:///FILE or postgresql://USER@HOST/NAME.")

    @property
    def is_sqlite(self) -> bool:
        return not self.database.startswith(("postgresql:", "postgres:", "postgresql+asyncpg:"))

    @property
    def sqlite_path(self) -> Path:
        """Give the database file; call it for SQLite only."""
        name = self.database
        for prefix in ("sqlite+aiosqlite:///", "sqlite:///"):
            name = name.removeprefix(prefix)
        if "://" in name:
            raise UsageError(
                "%(kind)s is no database Starfrost knows; use sqlite:///FILE or postgresql://…", kind=name.split(":")[0]
            )
        return Path(name).expanduser()

    @property
    def url(self) -> str:
        """Give the database's address as SQLAlchemy's async engine wants it."""
        if self.is_sqlite:
            return f"sqlite+aiosqlite:///{self.sqlite_path}"
        return "postgresql+asyncpg://" + self.database.split("://", 1)[1]

    def to_environment(self) -> None:
        """Leave the settings where worker processes of the same server find them."""
        for item in fields(self):
            os.environ[_PREFIX + item.name.upper()] = str(getattr(self, item.name))

    @classmethod
    def from_environment(cls) -> "Settings":
        """Read `STARFROST_DATABASE`, `STARFROST_BOT_PACE` and so on; what is not there keeps its default."""
        found: dict[str, object] = {}
        for item in fields(cls):
            text = os.environ.get(_PREFIX + item.name.upper())
            if text is None:
                continue
            kind = {"int": int, "float": float}.get(str(getattr(item.type, "__name__", item.type)), str)
            try:
                found[item.name] = kind(text)
            except ValueError:
                raise UsageError(
                    "%(name)s is a number, not %(text)s.", name=_PREFIX + item.name.upper(), text=repr(text)
                ) from None
        return cls(**found)  # type: ignore[arg-type]
