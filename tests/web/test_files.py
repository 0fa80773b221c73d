"""Files and typefaces: small, kept for a year under an address of their own, all our letters in them."""

from io import BytesIO
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from fontTools.ttLib import TTFont

from starfrost.boards import assets
from starfrost.web.assets import install
from starfrost.web.browser import has_screen
from starfrost.web.pages.settings import own_path
from starfrost.words import LANGUAGES
from starfrost.words.catalogue import read_catalogue


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()
    install(app)
    return TestClient(app)


def test_files_are_kept_for_a_year(client: TestClient) -> None:
    answer = client.get(assets.url("css/base.css"))
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]


def test_an_older_address_gets_todays_file_but_does_not_keep_it(client: TestClient) -> None:
    assert client.get("/static/older/css/base.css").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["css/none.css", "../look.py", "%2e%2e/look.py", "js/"])
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"/static/{assets.digest()}/{path}").status_code == 404


@pytest.mark.parametrize("name", assets.FONTS)
def test_typefaces_are_small_and_have_all_our_letters(client: TestClient, name: str) -> None:
    answer = client.get(assets.url(name))
    assert answer.headers["content-type"] == "font/woff"
    assert len(answer.content) < 40_000
    letters = TTFont(BytesIO(answer.content)).getBestCmap()
    said = {
        letter
        for language in LANGUAGES[1:]
        for message in read_catalogue(language)
        for form in ([message.string] if isinstance(message.string, str) else message.string or [])
        for letter in form
        if letter.isalpha()
    }
    assert not {letter for letter in said if ord(letter) not in letters and letter.isascii() is False}


def test_a_source_tree_without_typefaces_says_how_to_make_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("starfrost.web.assets.files", dict)
    with pytest.raises(FileNotFoundError, match=r"hatch_build\.py"):
        install(FastAPI())


def test_a_browser_opens_only_where_it_can_be_seen() -> None:
    assert has_screen({"DISPLAY": ":0"}, "linux")
    assert not has_screen({}, "linux")
    assert not has_screen({"CI": "1", "DISPLAY": ":0"}, "linux")
    assert has_screen({}, "darwin")


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/t/x", "/t/x"), ("//x", "/"), ("https://x", "/"), (None, "/"), ("/\\x", "/"), ("/" + "x" * 5000, "/")],
)
def test_settings_lead_back_to_this_site(path: str | None, kept: str) -> None:
    assert own_path(path) == kept
