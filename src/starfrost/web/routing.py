"""Routes of pages: what an address holds is handed to the page as arguments of its function.

As FastAPI does it, with Starlette alone: pages are drawn in a browser, too, which has no room for FastAPI's models.
"""

import inspect
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from types import NoneType
from typing import Any, cast, get_args

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, Router
from starlette.types import Receive, Scope, Send

from starfrost.errors import Refused


def guarded(frames: str = "'none'") -> str:
    """Return the Content-Security-Policy of every page, with who may show it in a frame."""
    return (
        "default-src 'self'; img-src 'self' data:; base-uri 'none'; object-src 'none'; form-action 'self'; "
        f"frame-ancestors {frames}"
    )


Page = Callable[..., Awaitable[Response]]


class Pages(Router):
    """The pages of one file."""

    def get(self, path: str) -> Callable[[Page], Page]:
        """Show a page at an address; monitors and link checkers may ask for its head alone."""
        return self._at(path, "GET")

    def post(self, path: str) -> Callable[[Page], Page]:
        """Take a form at an address."""
        return self._at(path, "POST")

    def delete(self, path: str) -> Callable[[Page], Page]:
        """Remove what is at an address."""
        return self._at(path, "DELETE")

    def _at(self, path: str, method: str) -> Callable[[Page], Page]:
        def add(page: Page) -> Page:
            self.routes.append(PageRoute(path, _called(page), methods=[method], name=page.__name__))
            return page

        return add


class Site(BaseRoute):
    """All pages. The first part of an address tells which of them are looked at, so that others cost nothing."""

    def __init__(self, pages: Iterable[BaseRoute]) -> None:
        self.routes = list(pages)
        self._below: defaultdict[str, list[BaseRoute]] = defaultdict(list)
        for page in self.routes:
            self._below[_first(cast(Route, page).path)].append(page)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether a page, or one that takes another method, has this address."""
        partial: tuple[Match, Scope] = Match.NONE, {}
        for page in self._below.get(_first(scope.get("path", "")), ()):
            match, child = page.matches(scope)
            if match == Match.FULL:
                return match, child
            if match == Match.PARTIAL and partial[0] == Match.NONE:
                partial = match, child
        return partial

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by the page that was found."""
        await cast(Route, scope["route"]).handle(scope, receive, send)


def _first(path: str) -> str:
    """Return the first part of an address."""
    return path[1:].partition("/")[0]


class PageRoute(Route):
    """A route that tells the log its path, as those of FastAPI do."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether this route answers a request."""
        match, child = super().matches(scope)
        return match, {**child, "route": self}


def _called(page: Page) -> Callable[[Request], Awaitable[Response]]:
    wanted = dict(inspect.signature(page, eval_str=True).parameters)
    own = wanted.pop("request", None)
    kinds = {name: _kind(one.annotation) for name, one in wanted.items()}

    async def answer(request: Request) -> Response:
        given = {**request.query_params, **request.path_params}
        found = {name: _read(given.get(name), one.default, kinds[name]) for name, one in wanted.items()}
        return await (page(request, **found) if own else page(**found))

    return answer


def _kind(annotation: Any) -> Callable[[str], Any]:
    """Return what reads a value of this type, which may be optional."""
    (kind,) = [one for one in get_args(annotation) if one is not NoneType] or [annotation]
    return {str: str, int: int}[kind]


def _read(given: str | None, default: Any, kind: Callable[[str], Any]) -> Any:
    """Return what an address holds under a name. Raises Refused."""
    if given is None:
        if default is inspect.Parameter.empty:
            raise _refusal()
        return default
    try:
        # Longer numbers fit into no database.
        return kind(given) if kind is str or len(given) < 10 else int("")
    except ValueError:
        raise _refusal() from None


def _refusal() -> Refused:
    return Refused("bad-request", "The request could not be read.", 422)
