"""The saved records of terminal games: reading one again, and another game like it."""

from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path
from random import Random, SystemRandom

from platformdirs import user_data_path

from starfrost.errors import RecordError, StarfrostError, UsageError
from starfrost.games.kit import MODE
from starfrost.games.record import SIZE_LIMIT, decode, parse_record, replay
from starfrost.games.setup import rematch_game
from starfrost.terminal.session import HUMAN, Session


def default_folder() -> Path:
    """Return the default folder for saved games."""
    return user_data_path("starfrost", appauthor=False) / "games"


def new_path(folder: Path, game: str) -> Path:
    """Return a path for a new record, named after the game and the time of its start."""
    stem = f"{game}-{datetime.now():%Y%m%d-%H%M}"
    return next(
        path
        for number in count(1)
        if not (path := folder / (f"{stem}.sfr" if number == 1 else f"{stem}-{number}.sfr")).exists()
    )


def resume(path: Path) -> Session:
    """Read a saved game, finished or not. Raises UsageError for a bad file and for an unknown bot."""
    try:
        with path.open("rb") as file:
            text = decode(file.read(SIZE_LIMIT + 1))
        whole, end, torn = text.rpartition("\n")
        if torn and "\nseats:" in whole:
            # Our records end with a complete line; after a power cut the last event can be incomplete.
            text = whole + end
        replayed = replay(parse_record(text))
    except OSError as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", file=path, reason=error.strerror) from None
    except RecordError as error:
        raise UsageError("%(file)s, line %(line)s: %(fault)s", file=path, line=error.line, fault=error) from None
    record = replayed.record
    # Without the header, people play all seats.
    seats = record.headers.get("seats", "|".join([HUMAN] * len(record.players)))
    kinds = [kind.strip() for kind in seats.split("|")]
    if len(kinds) != len(record.players) or any(kind != HUMAN and not kind.startswith("bot:") for kind in kinds):
        raise UsageError("%(file)s: the header 'seats' should say human or bot:NAME for every player.", file=path)
    return Session(
        record.game,
        record.players,
        kinds,
        path,
        headers=record.headers,
        states=replayed.states,
        events=record.events,
        seed=record.headers.get("seed", ""),
    )


def rematch(session: Session) -> Session:
    """Return another game with the same settings, the seats moved on by one (D1). Raises UsageError."""
    mode, seed = session.headers.get(MODE), f"{session.seed} again" if session.seed else ""
    game = rematch_game(session.game, mode, Random(f"{seed} cards") if seed else SystemRandom())
    names, kinds = (values[1:] + values[:1] for values in (session.names, session.kinds))
    path = new_path(session.path.parent, game.name)
    return Session(game, names, kinds, path, headers={MODE: mode} if mode else {}, seed=seed)


def unfinished(folder: Path, most: int = 20) -> Iterator[Session]:
    """Yield the unfinished games, the latest first; files that are not records are skipped."""
    if not folder.is_dir():
        return
    paths = sorted(folder.glob("*.sfr"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in paths[:most]:
        try:
            session = resume(path)
        except StarfrostError:
            continue
        if not session.is_over:
            yield session
