"""The pages, one router per file. `install` adds them all to the web app.

A page is imported when it is installed: a browser that plays without a server has only some of them.
"""

from typing import TYPE_CHECKING, Final

from starfrost.games.registry import Part
from starfrost.web.routing import Pages, Site

if TYPE_CHECKING:
    from fastapi import FastAPI

PAGES: Final = Part[Pages]("pages")
"""The pages that belong to one game."""


def install(app: "FastAPI") -> None:
    """Add the pages, the files they need and the error page."""
    from starfrost.web import assets
    from starfrost.web.compress import CompressPages
    from starfrost.web.pages import (
        after,
        coach,
        daily,
        entry,
        here,
        host,
        identity,
        installed,
        interface,
        learn,
        me,
        playing,
        positions,
        practice,
        previews,
        push,
        puzzles,
        replays,
        rooms,
        rules,
        settings,
        setup,
        start,
        tables,
        told,
    )
    from starfrost.web.pages.problems import page_error, too_fast

    assets.install(app)
    ours = (
        start,
        daily,
        me,
        setup,
        tables,
        rooms,
        playing,
        coach,
        after,
        replays,
        rules,
        learn,
        puzzles,
        positions,
        practice,
        settings,
        entry,
        host,
        identity,
        installed,
        here,
        push,
        told,
        interface,
        previews,
    )
    routers = [*(module.router for module in ours), *(own for _, own in PAGES.items())]
    app.routes.insert(0, Site(page for router in routers for page in router.routes))
    app.state.page_error = page_error
    app.state.too_fast = too_fast
    app.state.pictures = previews.Pictures()
    app.add_middleware(CompressPages)
