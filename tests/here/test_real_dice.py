"""Real dice on the pages of a device, without a server."""

from collections.abc import Mapping
from urllib.parse import urlencode

from starfrost.here.app import Answer, Pages


async def test_real_dice_need_no_server() -> None:
    async def keep(texts: Mapping[str, str | None]) -> None:
        """Keep nothing: the game is not opened again."""

    pages = Pages(keep, {}, lambda table, version: None)

    async def ask(path: str, **fields: object) -> Answer:
        head = {"content-type": "application/x-www-form-urlencoded"} if fields else {}
        body = urlencode(fields, doseq=True).encode()
        return await pages.answer("POST" if fields else "GET", f"http://here.test{path}", head, body)

    opened = await ask("/play", game="dice-stars", who="device", name1="Ann", name2="Ben", dice="entered", key="k")
    table = dict(opened.headers)["location"].partition("?")[0]
    await ask(f"{table}/join", name=["Ann", "Ben"], version=1, key="j")
    await ask(f"{table}/act", do="draw 3", seat=1, version=3, key="a")
    await ask(f"{table}/act", do="enter", die=["blue4", "orange*", "black2"], seat=1, version=4, key="b")
    record = (await ask(f"/api{table.replace('/t/', '/tables/')}/record")).body.decode()
    assert "\n1 draw 3\n* black2 blue4 orange*\n" in record
    assert "dice: entered\n" in record
