"""Puzzles: a position on the real board, one answer, and the values of all alternatives."""

from asyncio import to_thread
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from hashlib import sha256
from random import Random, SystemRandom
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.boards import board_of
from starfrost.boards.previews import Preview
from starfrost.boards.seats import seat_names
from starfrost.coach.puzzles import Entry, Puzzle, PuzzleSet
from starfrost.coach.registry import PUZZLES
from starfrost.errors import NotationError, Refused, UsageError
from starfrost.table import SeatView
from starfrost.table.puzzle_standing import Deck, PuzzleRating, Standing
from starfrost.web.asking import service_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.learn import learner_seats
from starfrost.web.pages.playing import chosen_action
from starfrost.web.pages.previews import drawn, picture
from starfrost.web.pages.reasons import Reason, reasons_of
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words, mark
from starfrost.words.numbers import percent, short_date
from starfrost.words.story import tell

router = Pages()

LEVELS: Final[Mapping[str, tuple[str, float, float]]] = {
    "easy": (mark("easy"), 0.0, 1300.0),
    "medium": (mark("medium"), 1300.0, 1500.0),
    "hard": (mark("hard"), 1500.0, 9999.0),
}
"""The difficulties: their names, and the ratings from and below which they are."""

NEAR: Final = 8
"""The next puzzle is drawn from this many whose ratings are nearest to the reader's."""


def sets() -> Mapping[str, PuzzleSet]:
    """Return the puzzles of every game that has some; the first call reads the files."""
    return {game: kit for game, kit in PUZZLES.items() if kit.entries}


def find(puzzle_id: str) -> tuple[PuzzleSet, Entry, Puzzle]:
    """Return a puzzle by its id. Raises Refused."""
    for kit in sets().values():
        if puzzle_id in kit.entries:
            entry = kit.entries[puzzle_id]
            return kit, entry, kit[entry.number]
    raise Refused("no-puzzle", "There is no such puzzle.", 404)


@dataclass(frozen=True)
class Wanted:
    """Which puzzles a reader wants; empty texts want all."""

    game: str = ""
    theme: str = ""
    level: str = ""

    def check(self) -> "Wanted":
        """Return this unless a game, theme or difficulty does not exist. Raises Refused."""
        games = [self.game] if self.game else list(sets())
        if not (
            all(game in sets() for game in games)
            and (not self.theme or any(self.theme in sets()[game].themes for game in games))
            and (not self.level or self.level in LEVELS)
        ):
            raise Refused("no-puzzle", "There is no such puzzle.", 404)
        return self

    def entries(self, ratings: Mapping[str, PuzzleRating]) -> list[Entry]:
        """List the puzzles that fit, by number."""
        return [
            entry
            for game, kit in sets().items()
            if self.game in ("", game)
            for entry in kit.entries.values()
            if (not self.theme or self.theme in entry.themes)
            and (not self.level or level_of(rating_of(entry, ratings)) == self.level)
        ]

    def query(self, **change: str) -> str:
        """Return the end of an address that asks for this, with some change."""
        fields = {"game": self.game, "theme": self.theme, "level": self.level, **change}
        return "&".join(f"{name}={value}" for name, value in fields.items() if value)


def rating_of(entry: Entry, ratings: Mapping[str, PuzzleRating]) -> float:
    """Return the rating of a puzzle: as answers have made it, or as it was shipped."""
    return ratings[entry.id].rating if entry.id in ratings else entry.rating


def level_of(rating: float) -> str:
    """Return the difficulty of a puzzle with a rating."""
    return next(level for level, (_, low, high) in LEVELS.items() if low <= rating < high)


def of_the_day(kit: PuzzleSet, day: date) -> Entry:
    """Return the puzzle of a day, the same for everybody; none comes again before all others have."""
    order = _shuffled(tuple(kit.entries))
    return kit.entries[order[day.toordinal() % len(order)]]


@lru_cache(maxsize=8)
def _shuffled(ids: tuple[str, ...]) -> Sequence[str]:
    return sorted(ids, key=lambda one: sha256(f"day {one}".encode()).digest())


def next_one(
    entries: Sequence[Entry], ratings: Mapping[str, PuzzleRating], known: Collection[str], rating: float, rng: Random
) -> Entry | None:
    """Return a puzzle that fits a rating and is not known yet; a known one if all are; None if there is none."""
    fresh = [entry for entry in entries if entry.id not in known] or list(entries)
    nearest = sorted(fresh, key=lambda entry: abs(rating_of(entry, ratings) - rating))[:NEAR]
    return rng.choice(nearest) if nearest else None


@dataclass(frozen=True)
class Alternative:
    """An action in words and its value."""

    text: str
    worth: str
    share: float
    """The value as a share of the best one, for a bar, in per cent."""
    right: bool
    yours: bool


@dataclass(frozen=True)
class Explained:
    """Why the answer is best, and what everything else is worth."""

    right: bool
    best: str
    lessons: Sequence[tuple[str, str]]
    """The meaning of each theme and what it teaches here."""
    choices: Sequence[Alternative]
    """The answer, a few other actions and the reader's own, the best first."""
    others: Sequence[Alternative]
    """All other actions, the best first."""
    source: str
    reasons: Sequence[Reason] = ()
    """Why the answer is better than the reader's own, or than the next best action."""
    other: str = ""
    """That action."""


def explain(w: Words, kit: PuzzleSet, puzzle: Puzzle, names: Sequence[str], action: Any) -> Explained:
    """Explain a puzzle after an answer; the players have these names."""
    puzzle = replace(puzzle, players=tuple(names))
    yours, (other, parts) = puzzle.kind(action), puzzle.compared(action)
    asked = {puzzle.kind(choice.action) for choice in puzzle.choices} | {yours}
    shown = list(_told(w, puzzle, yours))
    few = [one for kind, one in shown if kind in asked]
    return Explained(
        puzzle.is_right(action),
        tell(w, puzzle.game, puzzle.state, puzzle.answer, names),
        [(w(kit.themes[theme]), kit.lesson(w, puzzle, theme)) for theme in puzzle.themes],
        few,
        [one for kind, one in shown if kind not in asked],
        w(kit.source) if puzzle.is_game(puzzle.game) else w("Estimated, not exact."),
        reasons_of(w, puzzle.game, puzzle.state, puzzle.answer, other, parts),
        tell(w, puzzle.game, puzzle.state, other, names),
    )


def _told(w: Words, puzzle: Puzzle, yours: Any) -> Iterator[tuple[Any, Alternative]]:
    best = puzzle.worths[puzzle.answer]
    for action, value in puzzle.alternatives():
        kind = puzzle.kind(action)
        yield (
            kind,
            Alternative(
                tell(w, puzzle.game, puzzle.state, action, puzzle.players),
                percent(w, value),
                round(100 * max(value, 0.0) / best, 1),
                puzzle.is_right(action),
                kind == yours,
            ),
        )


@dataclass(frozen=True)
class Practised:
    """A position of the reader's deck that is asked or was answered."""

    title: str
    says: str = ""
    """When it comes back; empty before the answer."""


async def deck_of(request: Request) -> tuple[Deck, Sequence[str]]:
    """Return how the reader's deck stands, also in sentences."""
    guest, w = await current_guest(request), reader_of(request).w
    found = await service_of(request).puzzles.decks.standing(guest.id) if guest else Deck()
    said = []
    if found.due:
        said.append(w.plural("One position is due.", "%(n)s positions are due.", found.due))
    elif found.next is not None:
        said.append(w("Nothing is due. The next position comes back on %(date)s.", date=short_date(w, found.next)))
    if found.due and found.waiting:
        said.append(w.plural("One more comes back later.", "%(n)s more come back later.", found.waiting))
    if found.known:
        said.append(w.plural("One you know by now.", "%(n)s you know by now.", found.known))
    return found, said


_PER_PAGE: Final = 24


def today() -> Any:
    """Return the day, which begins at midnight UTC for everybody."""
    return datetime.now(UTC).date()


async def _standing(request: Request) -> Standing:
    guest = await current_guest(request)
    return await service_of(request).puzzles.standing(guest.id) if guest else Standing()


def _line(entry: Entry, ratings: Mapping[str, PuzzleRating], standing: Standing) -> dict[str, Any]:
    """Return what a list shows of a puzzle."""
    kit = sets()[entry.game]
    rating = rating_of(entry, ratings)
    attempt = standing.answered.get(entry.id)
    return {
        "entry": entry,
        "board": board_of(entry.game),
        "themes": [kit.themes[theme] for theme in entry.themes],
        "rating": round(rating),
        "level": LEVELS[level_of(rating)][0],
        "answers": ratings[entry.id].answers if entry.id in ratings else 0,
        "right": ratings[entry.id].solved if entry.id in ratings else 0,
        # Before an answer a theme would tell too much.
        "solved": attempt.solved if attempt else None,
    }


@router.get("/puzzles")
async def overview(request: Request, game: str = "", theme: str = "", level: str = "", part: int = 1) -> Response:
    """Show today's puzzles, the reader's standing, and the puzzles by game, theme and difficulty."""
    kits = await to_thread(sets)
    wanted = Wanted(game, theme, level).check()
    standing = await _standing(request)
    ratings = await service_of(request).puzzles.ratings()
    found = wanted.entries(ratings) if game else []
    parts = max(1, -(-len(found) // _PER_PAGE))
    if not 1 <= part <= parts:
        raise Refused("no-puzzle", "There is no such puzzle.", 404)
    day = today()
    return page(
        request,
        "puzzles.html",
        deck=await deck_of(request),
        wanted=wanted,
        standing=standing,
        days=standing.days(day),
        games=[
            {
                "board": board_of(name),
                "count": len(kit),
                "solved": sum(attempt.solved for attempt in standing.attempts if attempt.game == name),
                "rating": round(standing.rating(name).value) if _rated(standing, name) else None,
                "today": _line(of_the_day(kit, day), ratings, standing),
            }
            for name, kit in kits.items()
            if game in ("", name)
        ],
        levels={name: level[0] for name, level in LEVELS.items()},
        found=[_line(entry, ratings, standing) for entry in found[(part - 1) * _PER_PAGE : part * _PER_PAGE]],
        count=len(found),
        part=part,
        parts=parts,
    )


def _rated(standing: Standing, game: str) -> bool:
    return any(attempt.game == game for attempt in standing.attempts)


@router.get("/puzzles/next")
async def following(request: Request, game: str = "", theme: str = "", level: str = "") -> Response:
    """Lead to a puzzle that fits the reader and what the reader wants."""
    kits = await to_thread(sets)
    wanted = Wanted(game or next(iter(kits)), theme, level).check()
    standing = await _standing(request)
    ratings = await service_of(request).puzzles.ratings()
    rating = standing.rating(wanted.game).value
    entry = next_one(wanted.entries(ratings), ratings, standing.answered, rating, SystemRandom())
    if entry is None:
        raise Refused("no-puzzle", "There is no such puzzle.", 404)
    # A puzzle that was answered before is asked again.
    again = "again=1" if entry.id in standing.answered else ""
    query = "&".join(filter(None, (Wanted("", theme, level).query(), again)))
    return RedirectResponse(f"/puzzles/{entry.id}{'?' if query else ''}{query}", status_code=303)


@router.get("/puzzles/today")
@router.get("/puzzles/today/{game}")
async def daily(game: str = "") -> Response:
    """Lead to the puzzle of the day of a game."""
    kits = await to_thread(sets)
    wanted = Wanted(game or next(iter(kits))).check()
    return RedirectResponse(f"/puzzles/{of_the_day(kits[wanted.game], today()).id}", status_code=303)


async def show(
    request: Request,
    found: tuple[PuzzleSet, Entry, Puzzle],
    wanted: Wanted,
    *,
    action: Any = None,
    error: str = "",
    status: int = 200,
    practice: Practised | None = None,
) -> Response:
    """Draw a puzzle, or a position of the reader's deck: the question, or after an answer the explanation."""
    kit, entry, puzzle = found
    reader = reader_of(request)
    standing = await _standing(request)
    ratings = await service_of(request).puzzles.ratings([entry.id])
    seats = await learner_seats(request, puzzle.game, puzzle.seat)
    asks = action is None
    view = replace(
        view_of(puzzle.game, (), (puzzle.state,), seats),
        status="running",
        acting=puzzle.seat + 1 if asks else None,
        legal=tuple(puzzle.game.legal_actions(puzzle.state)) if asks else (),
    )
    live, board = draw_scene(reader, view, 0)
    if not asks:
        live = replace(live, waiting="")
    query = wanted.query()
    here = f"/{'practice' if practice else 'puzzles'}/{entry.id}"
    names = seat_names(reader.w, seats)
    explained = None if asks else await to_thread(explain, reader.w, kit, puzzle, names, action)
    attempt = standing.answered.get(entry.id)
    alone = is_fragment(request)
    return page(
        request,
        "parts/puzzle.html" if alone else "puzzle.html",
        200 if alone else status,
        live=replace(live, act=f"{here}{'?' if query else ''}{query}" if asks else "", key="puzzle"),
        t=board,
        puzzle=_line(entry, ratings, standing),
        address=here,
        practice=practice,
        count=len(kit),
        wanted=replace(wanted, game=entry.game),
        explained=explained,
        standing=standing,
        counted=attempt is not None and not asks and attempt.action == str(action),
        change=round(standing.change(entry.id)) if attempt else 0,
        today=of_the_day(kit, today()).id == entry.id,
        link=f"{request.base_url}puzzles/{entry.id}",
        error=error,
        back=here,
        preview=Preview() if practice else _preview(reader.w, entry),
    )


def _preview(w: Words, entry: Entry) -> Preview:
    """Return what a messenger shows of a puzzle whose link is shared: the position and the question."""
    title = f"{w('Puzzle %(number)s', number=entry.number)} · {board_of(entry.game).title}"
    return Preview(title, w("What is best?"), f"/preview/puzzle/{entry.id}.png")


@router.get("/preview/puzzle/{puzzle_id}.png")
async def puzzle_picture(request: Request, puzzle_id: str) -> Response:
    """Return the picture of a puzzle."""
    _, entry, puzzle = await to_thread(find, puzzle_id)
    w = reader_of(request).w
    seats = tuple(SeatView(number, "person", name) for number, name in enumerate(puzzle.players, 1))
    shown = drawn(w, replace(view_of(puzzle.game, (), (puzzle.state,), seats), status="running"))
    preview = _preview(w, entry)
    return await picture(request, **{**shown, "title": preview.title, "text": preview.text})


@router.get("/puzzles/{puzzle_id}")
async def ask(request: Request, puzzle_id: str, theme: str = "", level: str = "", again: str = "") -> Response:
    """Ask a puzzle; a reader who has answered it sees the explanation, and can try it again."""
    found = await to_thread(find, puzzle_id)
    wanted = Wanted(found[1].game, theme, level).check()
    attempt = (await _standing(request)).answered.get(puzzle_id)
    action = found[2].game.parse_action(attempt.action) if attempt and not again else None
    return await show(request, found, replace(wanted, game=""), action=action)


@router.post("/puzzles/{puzzle_id}")
async def answer(request: Request, puzzle_id: str, theme: str = "", level: str = "") -> Response:
    """Judge an answer; the reader's first one to a puzzle is stored and rated. Whatever is no move stores nothing."""
    found = kit, entry, puzzle = await to_thread(find, puzzle_id)
    wanted = replace(Wanted(entry.game, theme, level).check(), game="")
    w = reader_of(request).w
    try:
        action = chosen_action(puzzle.game, await request.form(), puzzle.game.legal_actions(puzzle.state))
    except (UsageError, NotationError) as problem:
        return await show(request, found, wanted, error=w.say(problem), status=422)
    guest, token = await guest_for(request)
    request.app.state.limits.command(guest.id)
    first = await service_of(request).puzzles.answer(
        guest.id, entry.id, kit.game, str(action), solved=puzzle.is_right(action), shipped=entry.rating
    )
    if token or (first and not is_fragment(request)):
        # The page of an answered puzzle shows the explanation, also after a reload.
        query = wanted.query()
        shown: Response = RedirectResponse(f"/puzzles/{entry.id}{'?' if query else ''}{query}", status_code=303)
    else:
        shown = await show(request, found, wanted, action=action)
    if token:
        remember(shown, request, token)
    return shown
