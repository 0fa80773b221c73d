"""The pages of one device in a worker of its browser, which runs Pyodide: `web/static/js/here_worker.js` calls this."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starfrost.here.app import Pages


def start(
    keep: Any, kept: Any, changed: Callable[[str, int], None], root: str, server: bool
) -> Callable[..., Awaitable[Any]]:
    """Return a function that answers requests; see `Pages`."""
    # They are there in a browser alone.
    from js import Object
    from pyodide.ffi import JsException, to_js

    async def store(texts: Mapping[str, str]) -> None:
        try:
            await keep(to_js(texts, dict_converter=Object.fromEntries))
        except JsException as error:
            raise OSError(str(error)) from None

    pages = Pages(store, kept.to_py(), changed, root, server)

    async def answer(method: str, address: str, headers: Any, body: Any) -> Any:
        return to_js(await pages.answer(method, address, dict(headers.to_py()), body.to_bytes()))

    return answer
