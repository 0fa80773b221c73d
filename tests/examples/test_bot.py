"""The worked example plays whole games."""

import importlib.util
import threading
from pathlib import Path
from typing import Any

from tests.serving import Player, Server

EXAMPLE = Path(__file__).parents[2] / "examples" / "bot.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("example_bot", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_is_about_forty_lines() -> None:
    lines = [line.strip() for line in EXAMPLE.read_text().split('"""', 2)[2].splitlines()]
    code = [line for line in lines if line and not line.startswith(("#", '"""', "import", "from"))]
    assert len(code) <= 45


def test_the_example_plays_by_itself_and_by_invitation(tmp_path: Path) -> None:
    example = load()
    with Server(str(tmp_path / "t.db"), tmp_path / "log") as server:
        view = example.play(server.url)
        assert view["status"] == "over"
        assert view["winners"]
        anna = Player(server.url)
        table = anna.open(public=False)
        anna.join(table, 1)
        invitation = anna.get(f"/tables/{table}")["invitation"]
        ended: list[Any] = []
        bot = threading.Thread(target=lambda: ended.append(example.play(server.url, invitation)))
        bot.start()
        while bot.is_alive():
            if anna.move(table) is None:
                bot.join(0.02)
        assert ended[0]["status"] == "over"
        assert ended[0]["id"] == table
