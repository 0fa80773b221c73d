"""The pages, one router per file. `install` adds them all to the web app."""

from fastapi import FastAPI

from starfrost.web import assets
from starfrost.web.compress import CompressPages
from starfrost.web.pages import (
    after,
    installed,
    learn,
    playing,
    problems,
    replays,
    rules,
    settings,
    setup,
    start,
    tables,
)

__all__ = ["install"]

ROUTERS = (
    start.router,
    setup.router,
    tables.router,
    playing.router,
    after.router,
    replays.router,
    rules.router,
    learn.router,
    settings.router,
    installed.router,
)


def install(app: FastAPI) -> None:
    """Add the pages, the files they need and the friendly answers to what goes wrong."""
    assets.install(app)
    for router in ROUTERS:
        app.include_router(router, include_in_schema=False)
    problems.install(app)
    app.state.shortcuts["/t"] = (playing.direct_act, playing.act_route)
    app.add_middleware(CompressPages)
