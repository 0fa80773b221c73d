"""The pages, one router per file. `install` adds them all to the web app."""

from fastapi import FastAPI
from fastapi.routing import APIRoute

from starfrost.web import assets
from starfrost.web.boards import boards
from starfrost.web.compress import CompressPages
from starfrost.web.pages import (
    after,
    coach,
    daily,
    identity,
    installed,
    learn,
    me,
    playing,
    previews,
    push,
    puzzles,
    replays,
    rules,
    settings,
    setup,
    start,
    tables,
)
from starfrost.web.pages.problems import page_error, too_fast

__all__ = ["install", "page_error"]


def install(app: FastAPI) -> None:
    """Add the pages, the files they need and the error page."""
    assets.install(app)
    ours = (
        start,
        daily,
        me,
        setup,
        tables,
        playing,
        coach,
        after,
        replays,
        rules,
        learn,
        puzzles,
        settings,
        identity,
        installed,
        push,
        previews,
    )
    for module in ours:
        for route in module.router.routes:
            if isinstance(route, APIRoute) and route.methods and "GET" in route.methods:
                # Monitors and link checkers ask for the head alone.
                route.methods.add("HEAD")
        app.include_router(module.router, include_in_schema=False)
    for board in boards():
        if board.router is not None:
            app.include_router(board.router, include_in_schema=False)
    app.state.page_error = page_error
    app.state.too_fast = too_fast
    app.state.pictures = previews.Pictures()
    app.add_middleware(CompressPages)
