"""What a host may set: where the log lives, who may call, how much one guest may ask for.

A setting comes from the command line, the environment (`STARFROST_BOT_WORKERS=4`), a file (`bot_workers = 4` in
`starfrost.toml`) or its default, in this order.
"""

import os
import re
import sys
import tomllib
from functools import cache, cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any, Literal, get_args

from platformdirs import user_data_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from starfrost.errors import UsageError
from starfrost.games.setup import read_variant
from starfrost.games.variants import Variant, read_file
from starfrost.words import Words, language_from_environment

_PREFIX = "STARFROST_"
_CONFIG = Path("starfrost.toml")
_OF_THE_SOLVER = ("STARFROST_CACHE",)
_REMOVED = {
    "connections_per_address",
    "hsts_days",
    "idle_seconds",
    "keep_abandoned_days",
    "lease",
    "longest_game_days",
    "max_body",
    "max_headers",
    "page_seconds",
    "peer_address",
    "poll",
    "request_seconds",
    "streams_per_guest",
}
"""Settings of older versions, which are not missed but not an error either."""
_BOT = re.compile(r"[a-z][a-z0-9-]{0,23}", re.ASCII)
_HOST = re.compile(r"(\*\.)?[\w-]+(\.[\w-]+)*|[0-9a-f:]*:[0-9a-f:.]*", re.ASCII)


def default_database() -> str:
    """Return the address of the SQLite file in the user's data folder."""
    return f"sqlite:///{user_data_path('starfrost') / 'tables.db'}"


class Tuning(BaseSettings):
    """What tests and measurements change, and a host has no reason to: it is read like a setting, but not promised."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="forbid")

    bot_pace: float = 0.4
    """Seconds that a bot waits before it moves, for players who chose the calm speed; the other speeds wait less."""
    undo_grace: float = 1.3
    """Seconds that bots wait after the move of a person who looks at the table, so that it can be taken back.

    Less where that person wants to see the moves of bots at once."""
    bot_patience: float = 5.0
    """Seconds after which a bot that has not answered plays its first legal action.

    A bot from outside has the time that it takes to start and to choose besides."""
    stand_in: str = "greedy"
    """The bot that takes the seat of somebody who left, resigned or ran out of time."""
    beat: float = 2.0
    """Seconds between heartbeats, and between looks for messages of other servers that did not arrive.

    A gap much longer than this is downtime, which no clock is charged for."""
    keep_hot: float = 900.0
    """Seconds after which an unused table leaves memory; its log stays."""
    idle_days: float = 30.0
    """Days without any event after which an unfinished table is closed and its envelope opened."""
    tables_in_total: int = 100_000
    """Unfinished tables that there may be at all; 0 is no limit."""
    bots_alone: bool = False
    """Whether a table may consist of bots alone; such a game is played even if nobody watches."""
    longest_game: int = 20_000
    """Events after which an unfinished table is closed; 0 is no limit."""


class Settings(Tuning):
    """The settings of one server, from the environment unless given. Raises UsageError.

    Everything has a default: a host needs to configure nothing.
    """

    database: str = Field(default_factory=default_database, min_length=1)
    """A file, `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`."""
    allowed_hosts: str = ""
    """The names by which browsers may call this server, separated by commas: `play.example.org, *.example.net`.

    Anything else is refused, except for health and metrics; empty allows every name."""
    trusted_proxies: str = "127.0.0.1, ::1"
    """Addresses and networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Prefix` count: `10.0.0.0/8, ::1`."""
    entry_code: str = ""
    """What everybody must type once before they can play or watch; a program sends it as `X-Entry-Code`."""
    user_header: str = ""
    """The header in which a proxy of `trusted_proxies` says who is signed in: `Remote-User`.

    Such people need no entry code and are the same guest on all their devices."""
    metrics_token: str = ""
    """Whoever sends this token as a Bearer header may read `/metrics`; without it only this machine may."""
    variants: str = ""
    """Rules files that the set-up offers, separated by commas: `fair.toml, short.toml`; guests may bring their own."""
    bot_workers: int = 2
    """Processes in which bots think."""
    keep_finished_days: float = 365.0
    """Days after which the events of a finished game are removed; its record stays in the archive. 0 is never."""
    moves_per_second: float = 20.0
    """Commands that one guest may send in a second, with a burst of three times as many; 0 is no limit."""
    opens_per_minute: float = 30.0
    """Guests, tables and rematches that one address or guest may make in a minute; 0 is no limit."""
    tables_per_address: int = 200
    """Unfinished tables that one address may open in a day; 0 is no limit."""
    requests_per_second: float = 500.0
    """Requests of any kind that one address may send in a second, with a burst of four times as many; 0 is no limit.

    Its pages about whole games and its open streams are limited as well, unless this is 0."""
    solve: Literal["anyone", "guests", "players", "never"] = "guests"
    """Who may have cards solved by asking the coach: `anyone`, `guests` who have a name here, `players` of the game.

    With `never` nothing is solved here, for bots neither; cards that are solved already are used."""
    solve_cache_mb: int = Field(default=2000, ge=0)
    """Megabytes of solved cards that stay on the disk, and as many of variants; those used last stay."""
    bots: str = ""
    """Bots from outside that play here: `NAME=module:Class` or `NAME=cmd:COMMAND`, separated by semicolons.

    In a file also a table of names and bots."""
    log_level: str = "info"
    """What is logged: `debug`, `info`, `warning` or `error` and above."""
    push_contact: str = ""
    """Where a push service can reach the host: `mailto:you@example.org` or an https address; the site's if empty."""
    push_anywhere: bool = False
    """Whether push messages may go to any host, address and port, also without TLS: for tests and closed networks.

    Otherwise they go to the push services of the browsers only."""

    @field_validator("bots", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """Accept the table of a file as well."""
        return "; ".join(f"{name}={code}" for name, code in value.items()) if isinstance(value, dict) else value

    @field_validator("bots")
    @classmethod
    def _are_bots(cls, value: str) -> str:
        for name, code in _codes(value):
            if not _BOT.fullmatch(name) or not code:
                raise ValueError(name)
        return value

    @field_validator("allowed_hosts", "trusted_proxies", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Accept the list of a file as well."""
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, value: str) -> str:
        for name in _names(value):
            if not _HOST.fullmatch(name.lower()):
                raise ValueError(name)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        _networks(value)
        return value

    def __init__(self, **values: Any) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _refused(error, values) from None

    @property
    def guest_bots(self) -> dict[str, str]:
        """Return the bots from outside: their code by name."""
        return dict(_codes(self.bots))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the names by which this server may be called, in small letters; all if there are none."""
        return tuple(name.lower() for name in _names(self.allowed_hosts))

    def trusts(self, address: str) -> bool:
        """Return whether an address is that of a proxy which tells the truth about whom it speaks for."""
        try:
            found = ip_address(address)
        except ValueError:
            return False
        return any(found in network for network in _networks(self.trusted_proxies))

    @property
    def is_sqlite(self) -> bool:
        return not self.database.startswith(("postgresql:", "postgres:", "postgresql+asyncpg:"))

    @property
    def sqlite_path(self) -> Path:
        """Return the database file; call it for SQLite only."""
        name = self.database
        for prefix in ("sqlite+aiosqlite:///", "sqlite:///"):
            name = name.removeprefix(prefix)
        if "://" in name:
            raise UsageError(
                "%(kind)s is not a database that Starfrost knows; use sqlite:///FILE or postgresql://…",
                kind=name.split(":")[0],
            )
        return Path(name).expanduser()

    @property
    def url(self) -> str:
        """Return the database's address for SQLAlchemy's async engine."""
        if self.is_sqlite:
            return f"sqlite+aiosqlite:///{self.sqlite_path}"
        return "postgresql+asyncpg://" + self.database.split("://", 1)[1]

    def to_environment(self) -> None:
        """Put the settings where worker processes of the same server find them."""
        for name, value in self:
            os.environ[_PREFIX + name.upper()] = str(value)

    @cached_property
    def offered(self) -> tuple[Variant, ...]:
        """The variants that the set-up offers. Raises UsageError."""
        return tuple(read_variant(read_file(Path(name)), name) for name in _names(self.variants))

    @classmethod
    def load(cls, config: Path | None = None, **given: Any) -> "Settings":
        """Read the settings from what is given, the environment and a file: `starfrost.toml` here if none is named.

        Raises UsageError for a file that cannot be read, an unknown name or a wrong value.
        """
        known = {_PREFIX + name.upper() for name in cls.model_fields}
        removed = [name for name in os.environ if name.removeprefix(_PREFIX).lower() in _REMOVED]
        for name in os.environ:
            if name.startswith(_PREFIX) and name not in known and name not in _OF_THE_SOLVER and name not in removed:
                raise _unknown(name)
        path = config or _CONFIG
        written: dict[str, Any] = {}
        if config is not None or path.is_file():
            try:
                written = tomllib.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise UsageError("%(file)s cannot be read: %(reason)s.", file=path, reason=reason) from None
        removed += [name for name in written if name in _REMOVED]
        if removed:
            w = Words(language_from_environment())
            names = ", ".join(sorted(removed))
            print(w("Settings that no longer exist are ignored: %(names)s.", names=names), file=sys.stderr)
        in_file = {
            name: value
            for name, value in written.items()
            if name not in _REMOVED and _PREFIX + name.upper() not in os.environ
        }
        return cls(**in_file | given)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _codes(text: str) -> list[tuple[str, str]]:
    """Return the names and codes of bots from outside."""
    pairs = [part.partition("=") for part in text.split(";") if part.strip()]
    return [(name.strip(), code.strip()) for name, _, code in pairs]


@cache
def _networks(text: str) -> list[IPv4Network | IPv6Network]:
    return [ip_network(name) for name in _names(text)]


def _unknown(name: str) -> UsageError:
    return UsageError(
        "There is no setting %(name)s; there are %(names)s.", name=name, names=", ".join(Settings.__annotations__)
    )


def _choices(name: str) -> str:
    return ", ".join(get_args(Settings.model_fields[name].annotation))


def _refused(error: ValidationError, values: dict[str, Any]) -> UsageError:
    """Turn the first fault into a sentence."""
    fault = error.errors()[0]
    name = str(fault["loc"][0])
    if fault["type"] == "extra_forbidden":
        return _unknown(name)
    if name == "database":
        return UsageError("A database is a file name, sqlite:///FILE or postgresql://USER@HOST/NAME.")
    shown = name if name in values else _PREFIX + name.upper()
    text = repr(fault["input"])
    if name == "allowed_hosts":
        return UsageError("%(name)s lists hosts such as play.example.org, not %(text)s.", name=shown, text=text)
    if name == "bots":
        return UsageError(
            "%(name)s lists bots such as my-bot=module:Class or my-bot=cmd:COMMAND, not %(text)s.",
            name=shown,
            text=text,
        )
    if name == "trusted_proxies":
        return UsageError(
            "%(name)s lists addresses or networks such as 10.0.0.0/8, not %(text)s.", name=shown, text=text
        )
    if fault["type"] == "literal_error":
        return UsageError(
            "%(name)s is one of %(choices)s, not %(text)s.", name=shown, choices=_choices(name), text=text
        )
    if fault["type"].startswith("bool"):
        return UsageError("%(name)s is true or false, not %(text)s.", name=shown, text=text)
    if fault["type"] == "greater_than_equal":
        return UsageError("%(name)s must be at least %(least)s.", name=shown, least=f"{fault['ctx']['ge']:g}")
    if fault["type"] == "string_type":
        return UsageError("%(name)s is a text, not %(text)s.", name=shown, text=text)
    return UsageError("%(name)s is a number, not %(text)s.", name=shown, text=text)
