"""Settings: given, from the environment, from a file, or their defaults."""

import os
import re
from pathlib import Path

import pytest

from starfrost.errors import UsageError
from starfrost.table import Settings


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start in an empty folder, without settings in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith("STARFROST_"):
            monkeypatch.delenv(name)


def test_what_is_given_beats_the_environment_and_that_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("starfrost.toml").write_text(
        'database = "file.db"\nbot_pace = 3\nbot_workers = 4\nbeat = 0.5\n', encoding="utf-8"
    )
    monkeypatch.setenv("STARFROST_BOT_PACE", "0.25")
    monkeypatch.setenv("STARFROST_BOT_WORKERS", "3")
    found = Settings.load(bot_workers=7)
    assert (found.bot_workers, found.bot_pace, found.beat, found.keep_hot) == (7, 0.25, 0.5, 900.0)
    assert found.database == "file.db"


def test_a_file_of_another_name(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("bot_workers = 2\n")
    (tmp_path / "starfrost.toml").write_text("bot_workers = 9\n")
    assert Settings.load(tmp_path / "mine.toml").bot_workers == 2
    assert Settings.load().bot_workers == 9


def test_settings_travel_to_workers_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", dict(os.environ))
    sent = Settings(database="x.db", bot_pace=0.1, log_level="warning")
    sent.to_environment()
    monkeypatch.undo()
    for name, value in sent:
        monkeypatch.setenv(f"STARFROST_{name.upper()}", str(value))
    assert Settings() == sent
    assert Settings.load() == sent


def test_unknown_names_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no setting bot_pain; there are database, "):
        Settings(bot_pain=1)
    Path("starfrost.toml").write_text("bot_pain = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no setting bot_pain"):
        Settings.load()
    Path("starfrost.toml").unlink()
    monkeypatch.setenv("STARFROST_CACHE", "elsewhere")
    monkeypatch.setenv("STARFROST_SOLVE", "never")
    assert Settings.load() == Settings()
    monkeypatch.setenv("STARFROST_BOT_PAIN", "1")
    with pytest.raises(UsageError, match="no setting STARFROST_BOT_PAIN"):
        Settings.load()


def test_settings_of_older_versions_are_ignored_with_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("starfrost.toml").write_text("page_seconds = 7\nbeat = 0.5\n", encoding="utf-8")
    monkeypatch.setenv("STARFROST_MAX_BODY", "lots")
    assert Settings.load().beat == 0.5
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "STARFROST_MAX_BODY, page_seconds" in told


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("bot_pace", "soon", "is a number, not 'soon'."),
        ("bot_workers", "1.5", "is a number, not '1.5'."),
        ("solve", "often", "is one of anyone, guests, players, never, not 'often'."),
        ("longest_game", "", "is a number, not ''."),
        ("database", "", "A database is a file name"),
        ("allowed_hosts", "https://example.org", "lists hosts such as play.example.org, not 'https://example.org'."),
        ("trusted_proxies", "10.0.0.1/8", "lists addresses or networks such as 10.0.0.0/8, not '10.0.0.1/8'."),
        ("push_anywhere", "perhaps", "is true or false, not 'perhaps'."),
        ("solve_cache_mb", "-1", "must be at least 0."),
    ],
)
def test_wrong_values_are_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    Path("starfrost.toml").write_text(f'{name} = "{value}"\n', encoding="utf-8")
    with pytest.raises(UsageError) as in_file:
        Settings.load()
    assert sentence in str(in_file.value)
    monkeypatch.setenv(f"STARFROST_{name.upper()}", value)
    with pytest.raises(UsageError) as in_environment:
        Settings.load()
    assert sentence in str(in_environment.value)
    if name != "database":
        assert str(in_file.value).startswith(name)
        assert str(in_environment.value).startswith(f"STARFROST_{name.upper()}")


@pytest.mark.parametrize("content", [b"bot_pace = \n", b"\xff\xfe", None])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "bad.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"bad\.toml cannot be read"):
        Settings.load(path)


def test_hosts_and_proxies() -> None:
    assert Settings().hosts == ()
    assert Settings(allowed_hosts="Play.example.org , *.example.net,").hosts == ("play.example.org", "*.example.net")
    Path("starfrost.toml").write_text('trusted_proxies = ["10.0.0.0/8", "::1"]\n', encoding="utf-8")
    found = Settings.load()
    assert [found.trusts(address) for address in ("10.1.2.3", "::1", "127.0.0.1", "11.0.0.1", "unix")] == [
        *(True, True),
        *(False, False, False),
    ]
    assert Settings().trusts("127.0.0.1")


def test_a_host_meets_few_settings() -> None:
    """What only tests and measurements change is read, but neither in the reference nor in a refusal."""
    with pytest.raises(UsageError) as refused:
        Settings(bot_pain=1)
    listed = str(refused.value).partition("there are ")[2].removesuffix(".").split(", ")
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    assert listed == re.findall(r"^\| `(\w+)`", page, re.MULTILINE)
    assert len(listed) < 20
    assert "undo_grace" not in listed
