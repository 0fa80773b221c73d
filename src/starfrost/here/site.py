"""A site without a server: everything that plays on a device as files, for any folder of any web space."""

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from starfrost.boards import assets
from starfrost.errors import UsageError, quoted
from starfrost.here.app import Pages
from starfrost.web import bundle
from starfrost.web.pages import here, installed

_PREVIEW: Final = re.compile(rb'<(?:meta (?:property="og|name="twitter):|link rel="manifest")[^>]*>\n*')
"""What a page says of its own address, which nobody knows here."""


def write_site(folder: Path, language: str) -> int:
    """Write the files into a folder and return their size in bytes. Raises UsageError."""
    if not bundle.downloads():
        raise UsageError(
            "Pyodide, the Python for browsers, is not part of this install: it comes with the packages of a release, "
            "and with make play."
        )
    files = {f"here/{path}": content for path, content in bundle.downloads().items()}
    files |= {assets.url(name)[1:]: content for name, content in assets.files().items()}
    files |= {"index.html": asyncio.run(_start_page(language)), "sw.js": installed.script(here.worker_facts()).encode()}
    try:
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    except OSError as error:
        raise UsageError(
            "%(folder)s cannot be written: %(reason)s.", folder=quoted(str(folder)), reason=error.strerror or ""
        ) from None
    return sum(map(len, files.values()))


async def _start_page(language: str) -> bytes:
    async def keep(texts: Mapping[str, str]) -> None:
        pass

    cookies = json.dumps({"sf-language": language})
    pages = Pages(keep, {"cookies": cookies}, lambda table, version: None, "./", server=False, own=(here,))
    return _PREVIEW.sub(b"", (await pages.answer("GET", "http://site/here", {}, b"")).body)
