"""Setting up a game: who plays, which cards, and the tap that opens the table."""

from dataclasses import dataclass
from secrets import choice, token_hex
from typing import Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.datastructures import FormData, QueryParams

from starfrost.errors import Refused
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import CARDS, INTERGLACIAL, MODES, DicyCards
from starfrost.games.kit import LONGEST_NAME
from starfrost.games.registry import GAMES
from starfrost.players.registry import all_bots, bots_here, needs_tables
from starfrost.solver import on_demand as solved
from starfrost.table import CLOCKS, Opening
from starfrost.web.guests import current_guest, remember
from starfrost.web.pages.start import game_card
from starfrost.web.render import page, reader_of
from starfrost.web.views.pictures import Mini, mini
from starfrost.web.views.refusals import explain
from starfrost.web.views.seats import bot_name, strengths, usual_bot
from starfrost.words import Words, mark
from starfrost.words.dicy_cards import mode_name, mode_text

__all__ = ["clean_name", "guest_for", "router"]

router = APIRouter()

ANIMALS: Final = (
    mark("Arctic fox"),
    mark("Snowy owl"),
    mark("Lynx"),
    mark("Ermine"),
    mark("Reindeer"),
    mark("Wolf"),
    mark("Seal"),
    mark("Hare"),
)
"""Names for guests who give none."""

GOAL: Final = 100

CLOCK_NAMES: Final = {
    "none": mark("no clock"),
    "30s": mark("30 seconds"),
    "2min": mark("2 minutes"),
    "1day": mark("one day"),
    "3days": mark("three days"),
}


@dataclass(frozen=True)
class ModeCard:
    """A way to choose the five cards, with its picture."""

    id: str
    name: str
    text: str
    cards: tuple[Mini, ...]


def clean_name(text: object) -> str:
    """Make a name fit to be shown: one line, no control characters, not too long; empty if nothing is left."""
    line = "".join(letter if letter.isprintable() else " " for letter in str(text or ""))
    return " ".join(line.split())[:LONGEST_NAME].strip()


async def guest_for(request: Request, name: str = "") -> tuple[Any, str | None]:
    """Find the guest who asks, or make one; the token is given only for a new one, to be remembered."""
    service = request.app.state.service
    guest = await current_guest(request)
    if guest is None:
        request.app.state.limits.opening(request.client.host if request.client else "")
        return await service.new_guest(name or reader_of(request).w(choice(ANIMALS)))  # type: ignore[no-any-return]
    if name and name != guest.name:
        guest = await service.rename_guest(guest, name)
    return guest, None


def _knowing(w: Words, there: list[str]) -> str:
    """Say which cards the bots that play by solved cards know, and how they play with others."""
    bots = [bot_name(w, name) for name in there if needs_tables("dicy-cards", name)]
    if not bots:
        return ""
    known = [mode_name(w, mode.id) for mode in MODES.values() if solved.ready(mode.cards, GOAL)]
    sentences = [w("%(bots)s know by heart: %(sets)s.", bots=w.all_of(bots), sets=w.all_of(known))] if known else []
    if solved.can_start(GOAL):
        other = w(
            "%(bots)s work out cards they do not know while you play. Until then they play as the %(other)s.",
            bots=w.all_of(bots),
            other=bot_name(w, "planner"),
        )
    else:
        other = w(
            "%(bots)s play other cards as the %(other)s: nothing is worked out on this server.",
            bots=w.all_of(bots),
            other=bot_name(w, "planner"),
        )
    return " ".join([*sentences, other])


def _cards(form: FormData | QueryParams) -> tuple[str, ...] | None:
    """Give the cards that a form names; None while they are not five, or left to chance."""
    mode = str(form.get("mode", "glacial"))
    if mode in MODES:
        return MODES[mode].cards
    cards = tuple(str(card) for card in form.getlist("cards") if card in CARDS)
    return cards if mode == "custom" and len(set(cards)) == len(cards) == 5 else None


def _known(w: Words, form: FormData | QueryParams) -> str:
    """Say whether the bot that a form asks for knows the cards that it names; empty if it need not know them."""
    bot = _bot("dicy-cards", _number(form, "bots", 1, 1, 3) + 1, str(form.get("bot", "")))
    if not needs_tables("dicy-cards", bot):
        return ""
    names = {"bot": bot_name(w, bot), "other": bot_name(w, "planner")}
    cards, goal = _cards(form), _number(form, "goal", GOAL, 1, 1000)
    if cards is not None and solved.ready(cards, goal):
        return w("The %(bot)s knows these cards by heart.", bot=names["bot"])
    if not solved.can_start(goal):
        return w("These cards are not worked out here, so the %(bot)s plays as the %(other)s.", **names)
    if cards is None:
        return w(
            "The %(bot)s works out cards it does not know while you play. Until then it plays as the %(other)s.",
            **names,
        )
    return w("The %(bot)s works out these cards while you play. Until then it plays as the %(other)s.", **names)


def _modes(w: Words) -> list[ModeCard]:
    modes = [
        ModeCard(mode.id, mode_name(w, mode.id), mode_text(w, mode.id), tuple(mini(w, card) for card in mode.cards))
        for mode in MODES.values()
    ]
    return [*modes, *(ModeCard(name, mode_name(w, name), mode_text(w, name), ()) for name in (INTERGLACIAL, "custom"))]


async def _form(request: Request, game: str, *, error: str = "", status: int = 200) -> HTMLResponse:
    w = reader_of(request).w
    guest = await current_guest(request)
    make = DicyCards if game == "dicy-cards" else DiceStars
    bots = strengths(w, make(2), make(3))
    who = request.query_params.get("who", "bots")
    return page(
        request,
        "new.html",
        status,
        game=game_card(w, game),
        who=who if who in ("bots", "device", "friends") else "bots",
        strengths=bots,
        knowing=_knowing(w, [name for name, _ in bots]),
        strength=usual_bot([name for name, _ in bots]),
        clocks=[(clock, w(CLOCK_NAMES[clock]) if clock in CLOCK_NAMES else clock) for clock in CLOCKS],
        modes=_modes(w) if game == "dicy-cards" else [],
        twelve=[mini(w, card) for card in CARDS],
        goal=GOAL,
        name=guest.name if guest else "",
        error=error,
        key=token_hex(8),
    )


def _bot(game: str, seats: int, wish: str) -> str:
    """Give the bot that was asked for; where it does not play at so large a table, the strongest that does."""
    there = bots_here(DicyCards(seats) if game == "dicy-cards" else DiceStars(seats))
    if wish in there:
        return wish
    return there[-1] if wish in all_bots() else usual_bot(there)


@router.get("/new/{game}")
async def new(request: Request, game: str) -> Response:
    """Show the form that sets up a game."""
    if game not in GAMES:
        return RedirectResponse("/", status_code=303)
    return await _form(request, game)


@router.get("/new/{game}/knowing")
async def knowing(request: Request, game: str) -> Response:
    """Tell the script what the chosen bot knows of the chosen cards; nothing if it need not know them."""
    said = _known(reader_of(request).w, request.query_params) if game == "dicy-cards" else ""
    return PlainTextResponse(said) if said else Response(status_code=204)


def _number(form: FormData | QueryParams, name: str, otherwise: int, low: int, high: int) -> int:
    try:
        return min(high, max(low, int(str(form.get(name, otherwise)))))
    except ValueError:
        return otherwise


def _opening(form: FormData, game: str, names: list[str]) -> Opening:
    who = str(form.get("who", "bots"))
    if who == "device":
        seats = ["open"] * len(names)
    elif who == "friends":
        seats = ["open"] * _number(form, "seats", 2, 2, 4)
    else:
        many = _number(form, "bots", 1, 0 if game == "dice-stars" else 1, 3)
        seats = ["open"] + [f"bot:{_bot(game, many + 1, str(form.get('bot', '')))}"] * many
    options: dict[str, str] = {}
    if game == "dicy-cards":
        mode = str(form.get("mode", "glacial"))
        if mode == "custom":
            options["cards"] = " ".join(str(card) for card in form.getlist("cards"))
        else:
            options["mode"] = mode
        options["goal"] = str(_number(form, "goal", 100, 1, 1000))
    clock = str(form.get("clock", "none")) if who == "friends" else "none"
    return Opening(
        game, tuple(seats), options, clock if clock in CLOCKS else "none", bool(form.get("public")) and who == "friends"
    )


@router.post("/play")
async def play(request: Request) -> Response:
    """Open a table and send its host there to take a seat.

    The table's sealed envelope must exist before the host's browser adds randomness of its own, so sitting down is a
    second step; the page takes it by itself.
    """
    form = await request.form()
    game = str(form.get("game", ""))
    if game not in GAMES:
        return RedirectResponse("/", status_code=303)
    w = reader_of(request).w
    names = [clean_name(form.get(f"name{n}")) for n in range(1, 5)]
    names = [name for name in names if name]
    if form.get("who") == "device" and len(names) < 2:
        return await _form(request, game, error=w("Give at least two names."), status=422)
    if form.get("mode") == "custom" and len(set(form.getlist("cards"))) != 5:
        return await _form(request, game, error=w("Choose exactly five cards."), status=422)
    guest, token = await guest_for(request, clean_name(form.get("name")))
    request.app.state.limits.opening(guest.id)
    try:
        answer = await request.app.state.service.open(
            guest, _opening(form, game, names), key=str(form.get("key") or token_hex(8))[:64]
        )
    except Refused as refusal:
        response: Response = await _form(request, game, error=explain(w, refusal), status=refusal.status)
    else:
        sit = urlencode([("sit", name) for name in names] if form.get("who") == "device" else [("sit", "")])
        response = RedirectResponse(f"/t/{answer.table}?{sit}", status_code=303)
    if token:
        remember(response, request, token)
    return response
