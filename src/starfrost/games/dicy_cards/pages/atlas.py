"""The pages of the atlas: `/atlas` and one page for each set."""

import asyncio

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from starfrost.boards.previews import Preview
from starfrost.boards.registry import board_of
from starfrost.errors import Refused, UsageError
from starfrost.games.dicy_cards.board.atlas import (
    FIGURES,
    PATH,
    ROWS,
    Question,
    all_cards,
    card_rows,
    chosen,
    going_first,
    numbers,
    set_view,
    swaps,
)
from starfrost.games.dicy_cards.board.atlas_map import drawn_map
from starfrost.games.dicy_cards.board.pictures import mini
from starfrost.games.dicy_cards.coach.atlas import atlas, named_set
from starfrost.web.pages.previews import picture
from starfrost.web.render import is_fragment, page, reader_of
from starfrost.web.routing import Pages

router = Pages()


@router.get(PATH)
async def the_atlas(request: Request) -> HTMLResponse:
    """Show all sets: what going first costs, the map, the list and the cards."""
    # The first reader waits for the file and the averages; the others get what is kept.
    w = reader_of(request).w
    entries = await asyncio.to_thread(atlas)
    question = Question.read(request.query_params)
    drawn = await asyncio.to_thread(drawn_map, w, question.x, question.y, question.held, question.missing)
    cards = await asyncio.to_thread(all_cards, w)
    found = chosen(entries, question)
    pages = max(1, -(-len(found) // ROWS))
    number = min(question.page, pages)
    return page(
        request,
        "dicy_cards/atlas.html",
        board=board_of("dicy-cards"),
        question=question,
        figures=list(FIGURES.values()),
        map=drawn,
        found=len(found),
        rows=[set_view(w, numbers()[entry.cards]) for entry in found[ROWS * (number - 1) : ROWS * number]],
        number=number,
        pages=pages,
        cards=cards,
        first=going_first(w),
        preview=Preview(
            w("The card atlas"),
            w(
                "All %(count)s sets of five cards under perfect play: which are fair, short or exciting?",
                count=len(entries),
            ),
        ),
    )


def _number(text: str) -> int:
    """Return the number of a set that is named by it, by its cards or by a mode. Raises Refused."""
    entries = atlas()
    if text.isdecimal() and text.isascii() and len(text) < 4 and 1 <= int(text) <= len(entries):
        return int(text)
    try:
        return numbers()[named_set(text)]
    except UsageError:
        raise Refused(
            "no-set",
            "The atlas has no such set. A set is a number from 1 to %(count)s, five cards or the name of a mode.",
            404,
            count=len(entries),
        ) from None


@router.get(PATH + "/{cards}")
async def one_set(request: Request, cards: str) -> Response:
    """Show a set; a script gets its summary alone."""
    entries = await asyncio.to_thread(atlas)
    number = _number(cards)
    entry = entries[number - 1]
    w = reader_of(request).w
    shown = set_view(w, number)
    minis = [mini(w, card) for card in entry.cards]
    if is_fragment(request):
        return page(request, "dicy_cards/atlas_summary.html", set=shown, minis=minis, whole=False)
    text = w(
        "%(cards)s: the first player wins %(first)s of the games, and a game has %(turns)s turns.",
        cards=shown.names,
        first=shown.first,
        turns=FIGURES["turns"].text(w, entry.turns),
    )
    return page(
        request,
        "dicy_cards/atlas_set.html",
        board=board_of("dicy-cards"),
        set=shown,
        minis=minis,
        whole=True,
        cards=card_rows(w, [entry]),
        swaps=swaps(w, number),
        total=len(entries),
        preview=Preview(
            w("Play this set: %(name)s", name=shown.title), text, f"/preview/atlas/{shown.number}.png", shown.address
        ),
    )


@router.get("/preview/atlas/{number}.png")
async def set_picture(request: Request, number: str) -> Response:
    """Return the picture of a set."""
    await asyncio.to_thread(atlas)
    w = reader_of(request).w
    shown = set_view(w, _number(number))
    rows = [(w(figure.name), value) for figure, value, _ in shown.figures[:3]]
    return await picture(
        request,
        board=board_of("dicy-cards"),
        title=shown.title,
        text=shown.names,
        rows=rows,
        players=False,
        minis=[mini(w, card) for card in shown.cards],
    )
