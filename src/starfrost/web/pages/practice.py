"""Practice that returns: the positions of the reader's deck that are due, one after another, as puzzles."""

import json
from asyncio import to_thread
from time import time
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from starfrost.coach.practice import COSTLY
from starfrost.coach.puzzles import Entry, Puzzle, PuzzleSet
from starfrost.coach.registry import PUZZLES
from starfrost.errors import NotationError, Refused, UsageError
from starfrost.table.deck import DAY, INTERVALS, MISTAKE, Card
from starfrost.web.asking import service_of
from starfrost.web.guests import current_guest, known_guest
from starfrost.web.pages.playing import chosen_action
from starfrost.web.pages.puzzles import Practised, Wanted, deck_of, find, show
from starfrost.web.render import page, reader_of
from starfrost.web.routing import Pages
from starfrost.words import Words
from starfrost.words.numbers import whole_percent

router = Pages()


@router.get("/practice")
async def overview(request: Request) -> Response:
    """Show how the reader's deck stands."""
    w = reader_of(request).w
    intervals = [str(days) for days in INTERVALS]
    deck = await deck_of(request)
    return page(request, "practice.html", deck=deck, intervals=intervals, least=whole_percent(w, COSTLY))


@router.get("/practice/next")
async def following(request: Request) -> Response:
    """Lead to the position that has been due for longest, or to the deck if none is."""
    guest = await current_guest(request)
    due = await service_of(request).puzzles.decks.next(guest.id) if guest else None
    return RedirectResponse(f"/practice/{due}" if due else "/practice", status_code=303)


async def _card(request: Request, position: str) -> tuple[str, Card]:
    """Return the reader's id, and a position of the reader's deck. Raises Refused."""
    guest = await known_guest(request)
    card = await service_of(request).puzzles.decks.card(guest.id, position)
    if card is None or card.game not in PUZZLES:
        raise Refused("no-puzzle", "There is no such puzzle.", 404)
    return guest.id, card


def _puzzle_of(card: Card) -> tuple[PuzzleSet, Entry, Puzzle]:
    """Return a position of a deck as a puzzle. Raises Refused."""
    if not card.body:
        return find(card.position)
    kit, facts = PUZZLES[card.game], json.loads(card.body)
    return kit, Entry(card.position, card.game, 0, (), facts["rating"]), kit.puzzle.from_line(card.game, facts)


def _title(w: Words, card: Card) -> str:
    return w("From one of your games") if card.source == MISTAKE else w("A puzzle that you missed")


def _comes_back(w: Words, card: Card, at: float) -> str:
    """Say when a position comes back."""
    if card.due is None:
        return w("You know this position now: it leaves your deck.")
    days = max(1, round((card.due - at) / DAY))
    return w.plural("It comes back tomorrow.", "It comes back in %(n)s days.", days)


async def _ask(request: Request, card: Card, **shown: Any) -> Response:
    """Draw a position of the deck, before or after the answer."""
    found = await to_thread(_puzzle_of, card)
    practice = shown.pop("practice", Practised(_title(reader_of(request).w, card)))
    return await show(request, found, Wanted(), practice=practice, **shown)


@router.get("/practice/{position}")
async def ask(request: Request, position: str) -> Response:
    """Ask a position of the reader's deck."""
    _, card = await _card(request, position)
    return await _ask(request, card)


@router.post("/practice/{position}")
async def answer(request: Request, position: str) -> Response:
    """Judge an answer, and say when the position comes back."""
    guest, card = await _card(request, position)
    w = reader_of(request).w
    request.app.state.limits.command(guest)
    _, _, puzzle = await to_thread(_puzzle_of, card)
    try:
        action = chosen_action(puzzle.game, await request.form(), puzzle.game.legal_actions(puzzle.state))
    except (UsageError, NotationError) as problem:
        return await _ask(request, card, error=w.say(problem), status=422)
    moved = await service_of(request).puzzles.decks.answer(guest, card, right=puzzle.is_right(action))
    return await _ask(request, moved, action=action, practice=Practised(_title(w, card), _comes_back(w, moved, time())))
