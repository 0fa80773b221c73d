"""The worked example and the quick start of the page /api play whole games."""

import html
import importlib.util
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.serving import Player, Server

EXAMPLE = Path(__file__).parents[2] / "examples" / "bot.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("example_bot", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_is_about_fifty_lines_and_needs_nothing_else() -> None:
    lines = [line.strip() for line in EXAMPLE.read_text().split('"""', 2)[2].splitlines()]
    code = [line for line in lines if line and not line.startswith(("#", '"""', "import", "from"))]
    assert len(code) <= 52
    imported = re.findall(r"^(?:from|import) (\w+)", EXAMPLE.read_text(), re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names


def test_they_play_by_themselves_and_by_invitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = load()
    with Server(str(tmp_path / "t.db"), tmp_path / "log") as server:
        view = example.play(server.url)
        assert view["status"] == "over"
        assert view["winners"]
        anna = Player(server.url)
        shown = anna.http.get("/api").text
        quick = compile(html.unescape(re.search("<pre.*?><code>(.*?)</code>", shown, re.DOTALL)[1]), "quick", "exec")

        def quick_start(link: str) -> None:
            monkeypatch.setattr(sys, "argv", ["bot.py", link])
            exec(quick, {})

        for number, play in enumerate([example.play, quick_start]):
            view = against(anna, play, f"open{number}")
            assert view["status"] == "over"
            # Everybody at the table sees what sits there.
            assert [seat["program"] for seat in view["seats"]] == [False, True]


def against(anna: Player, play: Callable[[str], object], key: str) -> Any:
    """Let a bot and Anna play a game at a table that it joins by a link; return how it ended."""
    table = anna.open(public=False, key=key)
    anna.join(table, 1)
    link = f"{anna.http.base_url}/i/{anna.get(f'/tables/{table}')['invitation']}"
    bot = threading.Thread(target=play, args=[link])
    bot.start()
    while bot.is_alive():
        if anna.move(table) is None:
            bot.join(0.02)
    return anna.get(f"/tables/{table}")
