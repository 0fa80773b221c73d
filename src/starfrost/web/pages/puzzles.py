"""Puzzles: a position on the real board, one answer, and the values of all alternatives."""

from asyncio import to_thread
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from random import SystemRandom
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from starfrost.coach.puzzles import Entry, Puzzle, PuzzleSet
from starfrost.errors import NotationError, Refused, UsageError
from starfrost.table import SeatView
from starfrost.table.puzzle_book import PuzzleRating, Standing
from starfrost.web.api.parts import service_of
from starfrost.web.boards import board_of
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.learn import learner_seats
from starfrost.web.pages.playing import chosen_action
from starfrost.web.pages.previews import drawn, picture
from starfrost.web.pages.replays import view_of
from starfrost.web.pages.scenes import draw_scene
from starfrost.web.pages.setup import guest_for
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.views.previews import Preview
from starfrost.web.views.puzzles import LEVELS, Wanted, explain, find, level_of, next_one, of_the_day, rating_of, sets
from starfrost.words import Words

router = APIRouter()

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
                "themes": {
                    theme: (meaning, sum(theme in entry.themes for entry in kit.entries.values()))
                    for theme, meaning in kit.themes.items()
                },
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


async def _show(
    request: Request,
    found: tuple[PuzzleSet, Entry, Puzzle],
    wanted: Wanted,
    *,
    action: Any = None,
    error: str = "",
    status: int = 200,
) -> Response:
    """Draw a puzzle: the question, or after an answer the explanation."""
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
    names = [seat.name for seat in seats]
    explained = None if asks else await to_thread(explain, reader.w, kit, puzzle, names, action)
    attempt = standing.answered.get(entry.id)
    alone = is_fragment(request)
    return page(
        request,
        "parts/puzzle.html" if alone else "puzzle.html",
        200 if alone else status,
        live=replace(live, act=f"/puzzles/{entry.id}{'?' if query else ''}{query}" if asks else "", key="puzzle"),
        t=board,
        puzzle=_line(entry, ratings, standing),
        count=len(kit),
        wanted=replace(wanted, game=entry.game),
        explained=explained,
        standing=standing,
        counted=attempt is not None and not asks and attempt.action == str(action),
        change=round(standing.change(entry.id)) if attempt else 0,
        today=of_the_day(kit, today()).id == entry.id,
        link=f"{request.base_url}puzzles/{entry.id}",
        error=error,
        back=f"/puzzles/{entry.id}",
        preview=_preview(reader.w, entry),
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
    return await _show(request, found, replace(wanted, game=""), action=action)


@router.post("/puzzles/{puzzle_id}")
async def answer(request: Request, puzzle_id: str, theme: str = "", level: str = "") -> Response:
    """Judge an answer; the reader's first one to a puzzle is stored and rated. Whatever is no move stores nothing."""
    found = kit, entry, puzzle = await to_thread(find, puzzle_id)
    wanted = replace(Wanted(entry.game, theme, level).check(), game="")
    w = reader_of(request).w
    try:
        action = chosen_action(puzzle.game, await request.form(), puzzle.game.legal_actions(puzzle.state))
    except (UsageError, NotationError) as problem:
        return await _show(request, found, wanted, error=w.say(problem), status=422)
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
        shown = await _show(request, found, wanted, action=action)
    if token:
        remember(shown, request, token)
    return shown
