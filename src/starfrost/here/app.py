"""The pages of one device: the routes of the server's pages around the tables of the device."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from http.cookies import SimpleCookie
from json import dumps, loads
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message

from starfrost.coach.asking import Values, ask_advice, ask_values, ask_verdict, set_up
from starfrost.coach.judge import Advice, Verdict
from starfrost.errors import Refused
from starfrost.games.core import Game
from starfrost.here.puzzles import Puzzles
from starfrost.here.tables import ME, Keep, Tables
from starfrost.web.below import placed_header
from starfrost.web.guests import COOKIE
from starfrost.web.pages import (
    PAGES,
    after,
    coach,
    learn,
    playing,
    positions,
    problems,
    puzzles,
    replays,
    rules,
    settings,
    setup,
    start,
    tables,
)
from starfrost.web.routing import guarded

_T = TypeVar("_T")

COOKIES: Final = "cookies"
"""The name under which the settings are kept."""
POLICY: Final = guarded("'self'")
"""What these pages may load; they are shown in a frame."""
_OWN: Final = (start, setup, tables, playing, coach, positions, after, replays, rules, learn, puzzles, settings)
"""The server's pages that need no other device; all others say that they need the server."""


class Answer(NamedTuple):
    """The answer to a request of a page."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Pages:
    """Answers the requests of the pages of one device."""

    def __init__(
        self,
        keep: Keep,
        kept: Mapping[str, str],
        changed: Callable[[str, int], None],
        root: str = "/",
        server: bool = True,
        own: Sequence[Any] = (),
    ) -> None:
        """Go on with what was kept; `changed` is told of every new version of a table.

        The pages lie under the path `root`, beside those of a `server` or alone; `own`
        are files of pages besides those of a device.
        """
        self._keep, self._root = keep, root
        self._cookies: dict[str, str] = {COOKIE: ME, **loads(kept.get(COOKIES, "{}"))}
        service = Tables(keep, kept, changed)
        self._app = Starlette(
            routes=[
                route
                for pages in (*(module.router for module in (*_OWN, *own)), *(pages for _, pages in PAGES.items()))
                for route in pages.routes
            ],
            exception_handlers={Refused: _refused, HTTPException: _failed},
        )
        self._app.router.redirect_slashes = False
        self._app.add_route("/api/tables/{table}/record", _record)
        # What a server's app offers its pages besides tables has no meaning on a device.
        state: Any = self._app.state
        state.alone = "device" if server else "site"
        state.service, state.limits, state.page_thread = service, _Limits(), SimpleNamespace(run=_run)
        state.coaching = Coach()
        state.settings = SimpleNamespace(offered=(), solve="never", user_header="", entry_code="")
        service.puzzles = Puzzles(keep, kept)
        service.history = service
        service.rooms = SimpleNamespace(of_member=_none)
        service.quota = SimpleNamespace(room=_room)
        service.upkeep = SimpleNamespace(moderation=SimpleNamespace(check=lambda guest: None))

    async def answer(self, method: str, address: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a request. The cookies are kept here, because a worker of a browser never sees them."""
        place = urlsplit(address)
        path = place.path.removeprefix(self._root.removesuffix("/"))
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        sent = {**headers, "host": place.netloc, "cookie": cookies}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "scheme": place.scheme,
            "server": (place.hostname, place.port),
            "client": ("", 0),
            "path": path,
            "raw_path": path.encode(),
            "query_string": place.query.encode(),
            "root_path": "",
            "app_root_path": self._root.removesuffix("/"),
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        }
        told: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            told.append(message)

        await self._app(scope, receive, send)
        sent_back = [(name.decode(), value.decode()) for name, value in told[0]["headers"]]
        found = [(name, placed_header(name, value, self._root)) for name, value in sent_back]
        await self._remember([value for name, value in found if name == "set-cookie"])
        rest = [(name, value) for name, value in found if name not in ("set-cookie", "content-length")]
        content = b"".join(message.get("body", b"") for message in told[1:])
        return Answer(told[0]["status"], [*rest, ("content-security-policy", POLICY)], content)

    async def _remember(self, cookies: list[str]) -> None:
        before = dict(self._cookies)
        for text in cookies:
            self._cookies |= {name: one.value for name, one in SimpleCookie(text).items()}
        if self._cookies != before:
            await self._keep({COOKIES: dumps(self._cookies)})


class Coach:
    """The coach of a device, which answers at once."""

    async def advice(self, game: Game[Any, Any], state: Any, wait: float) -> Advice | None:
        """Return what to do in a position."""
        return ask_advice(set_up(game), False, game.position_text(state))

    async def values(self, game: Game[Any, Any], state: Any, wait: float) -> Values | None:
        """Return the values of all that can be done in a position."""
        return ask_values(set_up(game), False, game.position_text(state))

    async def verdict(self, game: Game[Any, Any], state: Any, action: Any, wait: float) -> Verdict | None:
        """Judge a move."""
        return ask_verdict(set_up(game), False, game.position_text(state), str(action))


class _Limits:
    """Limits of which no request can reach one."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *whatever: None


async def _run(work: Callable[[], _T]) -> _T:
    return work()


@asynccontextmanager
async def _room(address: str) -> AsyncIterator[None]:
    yield


async def _none(guest: Any) -> tuple[()]:
    return ()


async def _record(request: Request) -> Response:
    """Send the record of a table's game."""
    return PlainTextResponse(await request.app.state.service.record(request.path_params["table"]))


async def _refused(request: Request, refusal: Any) -> Response:
    if refusal.code == "no-table":
        # Perhaps one of the server's.
        refusal = _elsewhere()
    return await problems.page_error(request, refusal)


async def _failed(request: Request, error: Any) -> Response:
    return await problems.page_error(request, _elsewhere())


def _elsewhere() -> Refused:
    return Refused(
        "needs-server", "What concerns other people, such as the daily game and your history, is on the server.", 404
    )
