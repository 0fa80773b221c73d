"""What the JSON interface takes and gives."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from starfrost.games.registry import GAMES

__all__ = [
    "ActCommand",
    "Answer",
    "BotCommand",
    "Command",
    "Error",
    "GuestMade",
    "GuestName",
    "GuestShown",
    "JoinCommand",
    "OpenCommand",
    "Reaction",
    "SeatCommand",
    "Text",
]

Text = Annotated[str, Field(max_length=200)]
Key = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Idempotency key: a repeat gets the first answer")
]
Version = Annotated[int, Field(ge=0, le=2**31 - 1, description="The version of the table that you saw")]
SeatNumber = Annotated[int, Field(ge=1, le=4)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GuestName(_Strict):
    """How a guest wants to be called."""

    name: Text


class GuestShown(BaseModel):
    """A guest."""

    id: str
    name: str


class GuestMade(GuestShown):
    """A new guest with the token, which is shown this once."""

    token: str


class OpenCommand(_Strict):
    """Open a table."""

    game: Annotated[Text, Field(json_schema_extra={"enum": [*GAMES]})]
    seats: Annotated[list[Text], Field(min_length=1, max_length=4, description="For each seat open or bot:NAME")]
    options: Annotated[dict[Text, Text], Field(default_factory=dict, max_length=5)]
    clock: Literal["none", "30s", "2min", "1day", "3days"] = "none"
    public: bool = False
    key: Key


class Command(_Strict):
    """What every command carries."""

    version: Version
    key: Key


class JoinCommand(Command):
    """Take a seat."""

    seat: SeatNumber | None = None
    name: Text | None = None
    contribution: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None = None
    invitation: Text | None = None


class SeatCommand(Command):
    """Something that a seat does."""

    seat: SeatNumber


class ActCommand(SeatCommand):
    """Play an action in record notation, or `roll`."""

    action: Text


class BotCommand(SeatCommand):
    """Put a bot on a free seat."""

    bot: Text


class Reaction(_Strict):
    """A passing sign to everybody at the table."""

    reaction: Text


class Answer(BaseModel):
    """An accepted command: the event that it became."""

    table: str
    version: int
    event: dict[str, Any]


class Error(BaseModel):
    """A refusal: a stable code and a sentence."""

    model_config = ConfigDict(extra="allow")

    code: str
    reason: str
