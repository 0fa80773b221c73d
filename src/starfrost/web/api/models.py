"""The bodies that the JSON interface accepts and returns."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from starfrost.games.registry import GAMES
from starfrost.games.variants import SIZE_LIMIT
from starfrost.table import CLOCKS, SeatView
from starfrost.table.view import DiceSource, Status

Text = Annotated[str, Field(max_length=200)]
Key = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="Idempotency key, a new one for each command: a repeat gets the first answer",
        examples=["move-7"],
    ),
]
Version = Annotated[int, Field(ge=0, le=2**31 - 1, description="The version of the table that you saw", examples=[7])]
SeatNumber = Annotated[int, Field(ge=1, le=4)]
Starts = Annotated[bool, Field(description="The game began with this; left out otherwise")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GuestName(_Strict):
    """A guest's name."""

    name: Annotated[str, Field(max_length=200, examples=["Anna"])]


class GuestShown(BaseModel):
    """A guest."""

    id: str
    name: str


class GuestMade(GuestShown):
    """A new guest with the token, which is shown only this once."""

    token: str


class OpenCommand(_Strict):
    """Open a table."""

    game: Annotated[Text, Field(json_schema_extra={"enum": [*GAMES]})]
    seats: Annotated[
        list[Text],
        Field(
            min_length=1, max_length=4, description="For each seat open or bot:NAME", examples=[["open", "bot:greedy"]]
        ),
    ]
    options: Annotated[
        dict[Text, Annotated[str, Field(max_length=SIZE_LIMIT)]],
        Field(default_factory=dict, max_length=5, description="The option rules is the text of a rules file"),
    ]
    clock: Annotated[Text, Field(json_schema_extra={"enum": list(CLOCKS)})] = "none"
    public: bool = False
    first: Annotated[
        Annotated[int, Field(ge=1, le=4)] | Literal["random"] | None,
        Field(description="Which of the seats begins, or random; the seats are moved on until it is seat 1"),
    ] = None
    practice: Annotated[bool, Field(description="Judge every move and let it be taken back; for one person")] = False
    dice: Annotated[DiceSource, Field(description="Sealed dice, or real ones that people enter")] = "sealed"
    position: Annotated[
        str | None, Field(max_length=1000, description="The position in which the game begins, in its notation")
    ] = None
    key: Key


class Command(_Strict):
    """What every command carries."""

    version: Version
    key: Key


class JoinCommand(Command):
    """Take a seat."""

    seat: SeatNumber | None = None
    name: Text | None = None
    contribution: Annotated[
        str | None, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="Your part of the randomness of the dice")
    ] = None
    invitation: Annotated[str | None, Field(max_length=200, description="The end of an invitation link")] = None
    program: Annotated[bool, Field(description="Say that a program plays: everybody at the table sees it")] = False


class SeatCommand(Command):
    """A command of a seat."""

    seat: SeatNumber


class ActCommand(SeatCommand, strict=True):
    """Play an action in record notation, or `roll`; where dice wait to be entered, what they show."""

    action: Annotated[str, Field(max_length=200, examples=["roll", "score odds 531"])]


class BotCommand(SeatCommand):
    """Put a bot on a free seat."""

    bot: Annotated[str, Field(max_length=200, examples=["greedy"])]


class Reaction(_Strict):
    """A reaction to everybody at the table."""

    reaction: Annotated[str, Field(max_length=200, examples=["clap"])]


class _Event(BaseModel):
    version: int
    at: Annotated[float, Field(description="Seconds since 1970")]


class DailyMark(BaseModel):
    """What makes a table one of the daily game."""

    day: Annotated[str, Field(description="The day in UTC, such as 2026-11-16")]
    counts: Annotated[bool, Field(description="Whether this is a first attempt; any other is practice")]
    opens: Annotated[float, Field(description="When the seed is shown, in seconds since 1970")]


class OpenEvent(_Event):
    """A table was opened."""

    kind: Literal["open"]
    game: str
    headers: dict[str, str]
    mode: str | None
    seats: list[str]
    clock: str
    public: bool
    commitment: Annotated[str, Field(description="SHA-256 of the sealed seed")]
    previous: Annotated[str | None, Field(description="The table that this is a rematch of")]
    first: Annotated[int | Literal["random"] | None, Field(description="Who begins, if the host chose")] = None
    coach: Annotated[Literal["practice"] | None, Field(description="Every move is judged and can be taken back")] = None
    given: Annotated[list[str], Field(description="The events of a record with which the game began")] = []
    dice: Annotated[DiceSource, Field(description="Sealed dice, or real ones that people enter")] = "sealed"
    position: Annotated[str | None, Field(description="The position in which the game began, if it was set up")] = None
    starts: Starts = False
    daily: DailyMark | None = None


class JoinEvent(_Event):
    """A person took a seat; contribution and source are there until the game has begun."""

    kind: Literal["join"]
    seat: int
    name: str
    contribution: str | None = None
    source: Literal["player", "server"] | None = None
    back: Annotated[bool, Field(description="The player took the seat back from a bot; left out otherwise")] = False
    program: Annotated[bool, Field(description="The player is a program; left out otherwise")] = False
    starts: Starts = False


class LeaveEvent(_Event):
    """A person left a seat before the start, or the host freed it."""

    kind: Literal["leave"]
    seat: int
    removed: Annotated[bool, Field(description="The host freed the seat; left out otherwise")] = False


class BotEvent(_Event):
    """A bot took a seat."""

    kind: Literal["bot"]
    seat: int
    bot: str
    why: Literal["host", "left", "resigned", "clock"]
    by: Annotated[int | None, Field(description="Whose player asked for it: the person was gone")] = None
    starts: Starts = False


class ActEvent(_Event):
    """A seat played an action, in record notation, or `roll`; `chance` is what the dice showed then."""

    kind: Literal["act"]
    seat: int
    action: str
    chance: list[str]
    over: Annotated[bool, Field(description="The game ended; left out otherwise")] = False


class UndoEvent(_Event):
    """A seat took back its last move."""

    kind: Literal["undo"]
    seat: int
    of: Annotated[int, Field(description="The version that brought the move")]


class CoachEvent(_Event):
    """The coach was asked for a hint before an event of the record, or to judge one; its answer is not stored."""

    kind: Literal["coach"]
    seat: int
    what: Literal["hint", "judged"]
    event: int


class RematchEvent(_Event):
    """Another game was opened; or its table was closed, so that another one can be."""

    kind: Literal["rematch"]
    seat: Annotated[
        int | None,
        Field(description="Whose player opened it; left out if it was closed, or opened by others of the room"),
    ] = None
    table: Annotated[str | None, Field(description="The table of the next game; null if it was closed")]


class CloseEvent(_Event):
    """The table was closed before the game ended."""

    kind: Literal["close"]
    why: Literal["host", "idle"]


Event = Annotated[
    OpenEvent | JoinEvent | LeaveEvent | BotEvent | ActEvent | UndoEvent | CoachEvent | RematchEvent | CloseEvent,
    Field(discriminator="kind"),
]


class Events(BaseModel):
    """Events in order."""

    events: list[Event]


class Answer(BaseModel):
    """An accepted command: the event that it became."""

    table: str
    version: int
    event: Event


class TableSummary(BaseModel):
    """A table in a list."""

    id: str
    version: int
    status: Status
    game: str
    headers: Annotated[dict[str, str], Field(description="The set-up, as records write it")]
    mode: str | None
    clock: str
    seats: list[SeatView]
    acting: Annotated[int | None, Field(description="The seat that the table waits for")]
    scores: list[int]
    winners: list[int]


class TableShown(TableSummary):
    """A table as you may see it."""

    deadline: Annotated[float | None, Field(description="When the acting person's time is up, in seconds since 1970")]
    public: bool
    host: Annotated[bool, Field(description="Whether you opened the table")]
    invitation: Annotated[str | None, Field(description="For the host and for people at the table")]
    turn: Annotated[int, Field(description="The seat whose turn it is")]
    last_round: Annotated[int | None, Field(description="The seat that brought on the last round; null before that")]
    legal: Annotated[
        list[str], Field(description="Your actions in record notation, or roll or enter; empty if you cannot act")
    ]
    undo: Annotated[list[int], Field(description="Your seats that may take back their last move")]
    state: Annotated[dict[str, Any], Field(description="The position, in a form of the game's own")]
    commitment: Annotated[str, Field(description="SHA-256 of the sealed seed")]
    seed: Annotated[str | None, Field(description="The seed, once the table is over or closed")]
    previous: Annotated[str | None, Field(description="The table that this is a rematch of")]
    rematch: Annotated[str | None, Field(description="The table of the next game, unless it was closed")]
    first: Annotated[int | Literal["random"] | None, Field(description="Who begins, as the host chose")]
    watchers: int
    gone: Annotated[int | None, Field(description="The seat that a bot may play, because its person is away too long")]
    paused: Annotated[bool, Field(description="Everybody is away: the bots wait until somebody comes back")]
    member: Annotated[bool, Field(description="Whether you play here, or did until a bot took over")]
    practice: Annotated[bool, Field(description="Every move is judged and can be taken back")]
    dice: Annotated[DiceSource, Field(description="Sealed dice, or real ones that people enter")]
    helps: Annotated[list[str], Field(description="Hints, judged moves and moves taken back, each with its event")]
    daily: Annotated[DailyMark | None, Field(description="For a table of the daily game")]
    reactions: list[str]


class Tables(BaseModel):
    """Tables, newest first."""

    tables: list[TableSummary]


class Invitation(BaseModel):
    """The table that an invitation is for."""

    table: str


class SeatsOffered(BaseModel):
    """The bots that play a game with this number of seats."""

    seats: int
    bots: list[str]


class GameOffered(BaseModel):
    """A game that can be opened."""

    game: str
    seats: list[SeatsOffered]
    options: list[str]
    modes: list[str]
    cards: list[str]
    bots: Annotated[dict[str, str], Field(description="Every bot of the game, with a line on how it plays")]


class Games(BaseModel):
    """Everything that a table can be opened with."""

    games: list[GameOffered]
    clocks: list[str]
    reactions: list[str]


class DailyBegin(_Strict):
    """Begin a daily game."""

    practice: Annotated[bool, Field(description="Play a game that does not count, after the one that does")] = False
    key: Key


class DailyBegun(BaseModel):
    """The table where you play a daily game."""

    table: str
    seat: Annotated[int | None, Field(description="Your seat")]
    counts: bool


class DailyResult(BaseModel):
    """A result of a daily game."""

    won: bool
    points: Annotated[int, Field(description="The score, or the lead over the best of the bots")]
    scores: Annotated[list[int], Field(description="The player's score, then those of the bots")]


class DailyPlace(DailyResult):
    """A line of a leaderboard."""

    rank: Annotated[int | None, Field(description="None for somebody who had finished fewer than three games before")]
    name: str


class DailyAttempt(BaseModel):
    """Your first attempt, the only one that counts."""

    table: str
    playing: bool
    result: DailyResult | None


class DailyDeal(BaseModel):
    """A daily game of one day."""

    game: str
    headers: dict[str, str]
    mode: str | None
    seats: list[str]
    commitment: Annotated[str, Field(description="SHA-256 of the sealed seed")]
    sealed: Annotated[float, Field(description="When the seed was made, in seconds since 1970")]
    seed: Annotated[str | None, Field(description="The seed, once the day is over")]
    attempt: DailyAttempt | None
    players: Annotated[int, Field(description="How many have a result")]
    places: Annotated[list[DailyPlace] | None, Field(description="Once you have finished, or the day is over")]
    best: Annotated[dict[str, DailyResult], Field(description="What bots and a search reached, once the day is over")]


class DailyCommitment(BaseModel):
    """What is known of a game of tomorrow."""

    game: str
    commitment: str


class DailyShown(BaseModel):
    """The daily games of a day."""

    day: str
    ends: Annotated[float, Field(description="Until when a game can be begun, in seconds since 1970")]
    opens: Annotated[float, Field(description="Until when it can be finished; then the seeds are shown")]
    deals: list[DailyDeal]
    tomorrow: list[DailyCommitment]


class VersionMessage(BaseModel):
    """A message `version` of a stream: the version that the table has reached, with `?with=events` also its events."""

    version: int
    events: list[Event] | None = None


class PresenceMessage(BaseModel):
    """A message `presence` of a stream: which seats are connected, and how many others watch."""

    seats: list[int]
    watchers: int


class ReactionMessage(BaseModel):
    """A message `reaction` of a stream; `seat` is 0 for somebody who watches, whose name is `by`."""

    seat: int
    by: str = ""
    reaction: str


class PingMessage(BaseModel):
    """A message `ping` of a stream, a sign of life; `gone` is the seat whose person is away too long, if any."""

    gone: int | None


class OfferMessage(BaseModel):
    """A message `offer` of a stream: the room of the table plays on there."""

    table: str


class Error(BaseModel):
    """A refusal: a stable code and a sentence."""

    model_config = ConfigDict(extra="allow")

    code: str
    reason: str
