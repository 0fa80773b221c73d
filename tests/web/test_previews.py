"""Link previews: the tags of every kind of page, their pictures, and what they must not tell."""

import asyncio
import re
import zlib
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from struct import unpack_from
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from starfrost.boards.png import picture_of
from starfrost.boards.previews import LOCALES, text_width, wrapped
from starfrost.errors import Refused
from starfrost.table import Settings
from starfrost.web.app import create_app
from starfrost.web.pages import previews
from starfrost.web.pages.replays import pack
from starfrost.words import LANGUAGES, Words
from tests.games.records import GOOD
from tests.table.helpers import empty_database
from tests.variants import FULL_HOUSE

HOST = "https://games.example.org"
NAMES = ("Annegret & Иван", "Bartholomew")


class House:
    """A server in this process whose pictures are the drawings themselves."""

    def __init__(self, client: httpx.AsyncClient, drawings: list[str]) -> None:
        self.client = client
        self.drawings = drawings

    async def table(self, *, public: bool, sit: bool = True, **options: str) -> tuple[str, str]:
        """Open a table of two people; return its id and its invitation."""
        tokens = [(await self.client.post("/api/guests", json={"name": name})).json()["token"] for name in NAMES]
        first, second = ({"authorization": f"Bearer {token}"} for token in tokens)
        body = {"game": "dicy-cards", "seats": ["open", "open"], "key": "o", "public": public, "options": options}
        table = (await self.client.post("/api/tables", json=body, headers=first)).json()["table"]
        invitation = (await self.client.get(f"/api/tables/{table}", headers=first)).json()["invitation"]
        for seat, headers in ((1, first), (2, second))[: 2 if sit else 1]:
            join = {"version": seat, "seat": seat, "key": f"j{seat}", "invitation": invitation}
            answer = await self.client.post(f"/api/tables/{table}/join", json=join, headers=headers)
            assert answer.status_code == 200, answer.text
        return table, invitation

    async def tags(self, path: str, status: int = 200, **headers: str) -> dict[str, str]:
        """Return the tags of a page for messengers."""
        answer = await self.client.get(path, headers=headers, follow_redirects=True)
        assert answer.status_code == status
        found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[a-z:_]+)" content="([^"]*)">', answer.text)
        assert len(found) == len({name for name, _ in found})
        return {name: unescape(content) for name, content in found}

    async def drawing(self, tags: dict[str, str]) -> str:
        """Fetch the picture that a page names and return its drawing."""
        place = urlsplit(tags["og:image"])
        answer = await self.client.get(f"{place.path}?{place.query}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
        assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
        return answer.text


@pytest.fixture
async def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    drawings: list[str] = []

    def draw(svg: str) -> bytes:
        drawings.append(svg)
        return svg.encode()

    monkeypatch.setattr(previews, "picture_of", draw)
    app = create_app(Settings(database=empty_database(tmp_path), opens_per_minute=25))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=HOST) as client:
        yield House(client, drawings)


async def test_every_kind_of_page_has_tags(house: House) -> None:
    public, _ = await house.table(public=True)
    record = f"/replay?record={pack(GOOD)}"
    paths = ["/", "/rules/dicy-cards", "/learn/dice-stars", "/new/dicy-cards", "/replay", record]
    paths += ["/puzzles", "/daily", "/me", "/atlas", "/atlas/17"]
    for path in (*paths, f"/t/{public}", f"/replay/{public}"):
        tags = await house.tags(path)
        assert tags["og:title"]
        assert tags["og:description"]
        assert tags["og:site_name"] == "Starfrost"
        assert tags["twitter:card"] == "summary_large_image"
        assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
        assert tags["og:image"].startswith(f"{HOST}/preview")
        assert tags["og:url"].startswith(f"{HOST}{path.partition('?')[0]}")
        assert 'width="1200" height="630"' in await house.drawing(tags)
    puzzle = await house.tags("/puzzles/today")
    assert puzzle["og:image"].startswith(f"{HOST}/preview/puzzle/")
    assert 'width="1200" height="630"' in await house.drawing(puzzle)
    assert (await house.tags("/nothing", 404))["og:image"].startswith(f"{HOST}/preview.png")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_tags_and_pictures_speak_the_language_of_the_page(house: House, language: str) -> None:
    tags = await house.tags(f"/?lang={language}")
    slogan = Words(language)("Roll, freeze, shine.")
    assert tags["og:locale"] == LOCALES[language]
    assert tags["og:url"] == f"{HOST}/"
    drawn = await house.drawing(tags)
    assert wrapped(slogan, 68, 590, 3)[0] in drawn
    assert set(LOCALES) == set(LANGUAGES)


async def test_a_public_table_shows_who_plays(house: House) -> None:
    table, _ = await house.table(public=True)
    tags = await house.tags(f"/t/{table}")
    assert all(name in tags["og:title"] for name in NAMES)
    drawn = await house.drawing(tags)
    assert "Annegret &amp; Иван" in drawn
    assert "Bartholomew" in drawn
    waiting, _ = await house.table(public=True, sit=False)
    tags = await house.tags(f"/t/{waiting}")
    assert (tags["og:title"], tags["og:description"]) == ("Open table: Dicy Cards", "One seat is free.")


async def test_a_private_table_tells_nothing(house: House) -> None:
    table, invitation = await house.table(public=False, sit=False)
    neutral = f"{HOST}/preview/game/dicy-cards.png?lang=en"
    for path in (f"/t/{table}", f"/t/{table}?sit=Bartholomew", f"/i/{invitation}"):
        tags = await house.tags(path)
        assert tags["og:image"] == neutral
        said = " ".join(tags.values())
        assert invitation not in said
        assert path.startswith("/i/") or not any(name in said for name in NAMES)
    assert "og:url" not in tags
    assert tags["og:description"].startswith(f"{NAMES[0]} invites you to a game of Dicy Cards. Glacial · to ")
    assert tags["og:description"].endswith(" points. One seat is free.")
    table, invitation = await house.table(public=False)
    for path in (f"/t/{table}", f"/replay/{table}", f"/replay/{table}?step=0"):
        tags = await house.tags(path)
        assert tags["og:image"] == neutral
        assert not any(name in " ".join(tags.values()) for name in NAMES)
    # The picture of the table itself is not to be had either.
    asked = await house.client.get(f"/preview/table/{table}.png")
    assert asked.text == await house.drawing(tags)
    assert not any(part in asked.text for part in ("Annegret", "Bartholomew", invitation, table))


async def test_a_link_for_another_device_is_not_repeated(house: House) -> None:
    token = (await house.client.post("/api/guests", json={"name": NAMES[0]})).json()["token"]
    made = await house.client.post("/me/identity/link", headers={"authorization": f"Bearer {token}"})
    code = re.findall(r"/me/device/([\w-]+)", made.text)[0]
    tags = await house.tags(f"/me/device/{code}")
    assert tags["og:url"] == f"{HOST}/me/device"
    assert code not in " ".join(tags.values())
    assert NAMES[0] not in " ".join(tags.values())


async def test_a_link_to_a_position_does_not_tell_the_result(house: House) -> None:
    word = pack(GOOD)
    over = await house.tags(f"/replay?record={word}")
    begun = await house.tags(f"/replay?record={word}&step=0")
    assert over["og:title"] != begun["og:title"]
    assert await house.drawing(over) != await house.drawing(begun)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/preview/game/chess.png", 404), ("/preview/table/none.png", 404), ("/preview/replay.png?record=x", 422)],
)
async def test_there_is_no_picture_of_what_there_is_not(house: House, path: str, status: int) -> None:
    answer = await house.client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == status
    assert "<h1>" in answer.text
    assert not house.drawings


async def test_pictures_are_drawn_once_and_not_too_often(house: House) -> None:
    both = await asyncio.gather(*(house.client.get("/preview.png") for _ in range(2)))
    assert both[0].content == both[1].content
    await house.client.get("/preview.png")
    assert len(house.drawings) == 1
    words = [pack(GOOD.replace("Ada", f"Ada {number}")) for number in range(30)]
    answers = [await house.client.get("/preview/replay.png", params={"record": word}) for word in words]
    assert {answer.status_code for answer in answers} == {200, 429}
    # What is drawn already can still be had.
    assert (await house.client.get("/preview.png")).status_code == 200


async def test_a_picture_that_cannot_be_drawn_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = previews.Pictures()

    def fail(svg: str) -> bytes:
        raise OSError

    monkeypatch.setattr(previews, "picture_of", fail)
    with pytest.raises(Refused, match="cannot be drawn"):
        await pictures.draw("<svg/>")
    monkeypatch.setattr(previews, "picture_of", str.encode)
    assert await pictures.draw("<svg/>") == b"<svg/>"
    for number in range(3 * previews._MOST_KEPT):
        await pictures.draw(f"<svg>{number}</svg>")
    assert not pictures.has("<svg/>")
    assert len(pictures._kept) == previews._MOST_KEPT


def pixels(png: bytes) -> tuple[int, int]:
    """Return the size of a PNG whose data are complete."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, colour = unpack_from(">IIBB", png, 16)
    place, data = 8, b""
    while place < len(png):
        length, kind = unpack_from(">I4s", png, place)
        assert zlib.crc32(png[place + 4 : place + 8 + length]) == unpack_from(">I", png, place + 8 + length)[0]
        if kind == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += 12 + length
    channels = {2: 3, 6: 4}[colour]
    assert len(zlib.decompress(data)) == height * (1 + width * channels * depth // 8)
    return width, height


@pytest.mark.parametrize("path", ["/preview.png", "/preview/game/dicy-cards.png", "/preview/game/dice-stars.png"])
async def test_the_pictures_are_real(house: House, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr(previews, "picture_of", picture_of)
    answer = await house.client.get(path)
    assert pixels(answer.content) == (1200, 630)
    # Messengers refuse large pictures.
    assert len(answer.content) < 300_000


def test_long_texts_are_cut_between_words() -> None:
    assert wrapped("Anna", 68, 590, 1) == ["Anna"]
    lines = wrapped("A sentence that goes on and on and on and never ends", 32, 300, 2)
    assert len(lines) == 2
    assert lines[-1].endswith("…")
    assert all(text_width(line, 32) <= 300 for line in lines)
    (word,) = wrapped("W" * 60, 32, 300, 1)
    assert word.endswith("W…")
    assert text_width(word, 32) <= 300
    assert wrapped("", 32, 300, 2) == [""]


def test_forbidden_letters_are_left_out() -> None:
    kept: Any = previews._FORBIDDEN.sub("", "a\x00b\x1fc\ufffed\ud800e\n😀")
    assert kept == "abcde\n😀"


async def test_a_variant_has_a_picture_and_its_own_rules(house: House) -> None:
    table, _ = await house.table(public=True, rules=FULL_HOUSE)
    assert 'width="1200" height="630"' in await house.drawing(await house.tags(f"/t/{table}"))
    for address in (f"/rules/dicy-cards?table={table}", f"/rules/dicy-cards?beside=1&table={table}"):
        text = unescape((await house.client.get(address)).text)
        assert "<b>Full house</b>: Choose 5 dice, different values = 2 and equal dice = 3. Score sum + 30." in text
        assert "in which somebody reaches 70 points." in text
    # The summary says nothing of official cards that are not in play, nor the official goal.
    assert "100 points" not in text
    assert "Three lowest" not in text
    usual = unescape((await house.client.get("/rules/dicy-cards?beside=1")).text)
    assert "reaches 100 points." in usual
    assert "Three lowest: everybody else freezes an active card." in usual
