"""`starfrost admin`, beside a server that runs and without one."""

import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import pytest

from starfrost.cli import main
from starfrost.fair.proof import prove
from tests.cli.command import starfrost
from tests.docs.pages import ROOT
from tests.postgres import Postgres
from tests.serving import Player, Server
from tests.table.old_database import FIXTURES


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "sqlite":
        return str(tmp_path_factory.mktemp("admin") / "tables.db")
    postgres: Postgres = request.getfixturevalue("postgres")
    return postgres.database()


@pytest.fixture(scope="module")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(database, tmp_path_factory.mktemp("log") / "log", BEAT="0.2") as running:
        yield running


@pytest.fixture
def admin_of(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command for hosts in this process; return what it prints."""

    def run(*words: str | Path, at: str | Path, status: int = 0) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["admin", *map(str, words), "--database", str(at)])
        said = capsys.readouterr()
        assert ended.value.code == status, said
        if status:
            assert said.err.startswith("starfrost: ")
            assert said.err.count("\n") == 1
        return said.err if status else said.out

    return run


@pytest.fixture
def admin(admin_of: Callable[..., str], database: str) -> Callable[..., str]:
    """Run a command on the database of the server."""
    return lambda *words, **options: admin_of(*words, **{"at": database, **options})


def me(player: Player) -> str:
    found: str = player.get("/me")["id"]
    return found


def eventually(happened: Callable[[], bool]) -> None:
    for _ in range(300):
        if happened():
            return
        time.sleep(0.05)
    raise AssertionError("it never happened")


def finish(player: Player, key: str = "open") -> str:
    """Play the solo game to its end; return the table."""
    table = player.open("dice-stars", ("open",), options={"solo-boxes": "3"}, key=key)
    player.join(table, 1)
    while player.move(table) is not None:
        pass
    return table


def refused(player: Player) -> str | None:
    """Return the code with which a player is refused; None if they are not."""
    answer = player.http.get("/api/me")
    return None if answer.is_success else answer.json()["code"]


def test_lists_bans_and_quotas_beside_a_server(server: Server, admin: Callable[..., str]) -> None:
    anna, ben = Player(server.url, "Anna"), Player(server.url, "Ben")
    table = anna.open()
    listed = json.loads(admin("list", "guests", "--json"))
    assert {row["name"] for row in listed} >= {"Anna", "Ben"}
    found = json.loads(admin("list", "guests", "--match", "nn", "--json"))
    assert [row["name"] for row in found] == ["Anna"]
    guest = found[0]["id"]
    assert re.search(rf"{guest}\s+Anna", admin("list"))
    assert table in admin("list", "tables")
    assert "none" in admin("list", "exceptions")

    assert "banned" in admin("ban", guest, "--why", "spam", "--days", "2")
    eventually(lambda: refused(anna) == "banned")
    assert refused(ben) is None
    page = httpx.get(f"{server.url}/t/{table}", headers={**anna.http.headers, "accept-language": "es"})
    assert page.status_code == 403
    assert "El administrador de este servidor te ha bloqueado." in page.text
    assert "spam" in admin("list", "exceptions")
    admin("unban", guest)
    eventually(lambda: refused(anna) is None)
    assert "none" in admin("list", "exceptions")

    admin("ban", "127.0.0.0/8")
    eventually(lambda: refused(ben) == "banned")
    assert httpx.get(f"{server.url}/readyz").status_code == 200
    admin("unban", "127.0.0.0/8")
    eventually(lambda: refused(ben) is None)

    assert "--yes" in admin("ban", "0.0.0.0/0", status=2)
    assert refused(ben) is None
    admin("ban", "0.0.0.0/0", "--yes")
    eventually(lambda: refused(ben) == "banned")
    admin("unban", "0.0.0.0/0")
    eventually(lambda: refused(ben) is None)

    admin("quota", guest, "--times", "3", "--why", "a school")
    shown = json.loads(admin("quotas", "--json"))
    assert shown["exceptions"] == [{"subject": guest, "times": 3.0, "why": "a school"}]
    assert shown["stored"]["guests"] >= 2
    assert shown["busiest"][0]["tables"] >= 1
    assert "opens_per_minute" in shown["limits"]
    assert "a school" in admin("quotas")
    admin("quota", guest, "--times", "1")
    assert json.loads(admin("quotas", "--json"))["exceptions"] == []


def test_a_person_is_deleted_by_the_server_that_runs(server: Server, admin: Callable[..., str]) -> None:
    anna, ben = Player(server.url, "Anna"), Player(server.url, "Ben")
    table = anna.open()
    anna.join(table, 1)
    ben.join(table, 2)
    guest = json.loads(admin("list", "--match", "Ben", "--json"))[0]["id"]
    assert "deleted" in admin("delete", guest)
    assert ben.http.get("/api/me").status_code == 401
    # The table was in the server's memory: a bot plays on, without the name.
    seat = anna.get(f"/tables/{table}")["seats"][1]
    assert (seat["kind"], "Ben" in json.dumps(seat)) == ("bot", False)
    assert "no guest" in admin("delete", guest, status=2)


def test_old_games_are_archived_and_all_are_exported(server: Server, admin: Callable[..., str], tmp_path: Path) -> None:
    anna = Player(server.url, "Ada")
    tables = [finish(anna, key) for key in ("a", "b")]
    running = anna.open("dice-stars", ("open",), key="c")
    anna.join(running, 1)
    anna.move(running)
    time.sleep(0.01)
    assert "finished games 0" in admin("prune")
    told = admin("prune", "--finished", "0")
    assert int(re.search(r"finished games (\d+)", told)[1]) >= 2  # type: ignore[index]
    assert anna.http.get(f"/api/tables/{tables[0]}").status_code == 404
    out = tmp_path / "all.zip"
    assert "Records written" in admin("export", str(out))
    assert out.stat().st_mode & 0o777 == 0o600
    with ZipFile(out) as archive:
        names = {name.rsplit("-", 1)[0]: name for name in archive.namelist()}
        assert names
        assert {table for table in [*tables, running] if any(table in name for name in archive.namelist())} == {
            *tables,
            running,
        }
        finished = next(name for name in archive.namelist() if tables[0] in name)
        assert prove(archive.read(finished).decode()).finished
    assert "exists already" in admin("export", str(out), status=2)


def keep_playing(server: Server, count: int, stop: threading.Event) -> list[threading.Thread]:
    def play() -> None:
        player, number = Player(server.url), 0
        while not stop.is_set():
            number += 1
            table = player.open("dice-stars", ("open",), key=f"t{number}")
            player.join(table, 1)
            while not stop.is_set() and player.move(table) is not None:
                pass

    threads = [threading.Thread(target=play) for _ in range(count)]
    for thread in threads:
        thread.start()
    return threads


def contents(file: Path) -> dict[str, list[int]]:
    """Return the versions of every table in a backup."""
    found: dict[str, list[int]] = {}
    with sqlite3.connect(file) as connection:
        for table, version in connection.execute("SELECT table_id, seq FROM events ORDER BY table_id, seq"):
            found.setdefault(table, []).append(version)
        tables = {row[0] for row in connection.execute("SELECT id FROM tables")}
    assert set(found) == tables
    return found


def test_a_backup_under_load_is_whole_and_goes_on_elsewhere(
    server: Server, admin: Callable[..., str], tmp_path: Path
) -> None:
    """Everything that was answered before the backup began is in it, and every table is whole."""
    stop = threading.Event()
    anna = Player(server.url, "Anna")
    mine = anna.open("dice-stars", ("open",), key="mine")
    anna.join(mine, 1)
    for _ in range(5):
        anna.move(mine)
    before = anna.get(f"/tables/{mine}")
    threads = keep_playing(server, 3, stop)
    time.sleep(0.5)
    files = [tmp_path / f"backup{n}.db" for n in range(2)]
    try:
        for file in files:
            admin("backup", str(file))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    sizes = []
    for file in files:
        found = contents(file)
        assert all(versions == list(range(1, len(versions) + 1)) for versions in found.values())
        assert len(found[mine]) == before["version"]
        sizes.append(sum(map(len, found.values())))
        assert file.stat().st_mode & 0o077 == 0
    assert sizes[0] < sizes[1]
    assert "exists already" in admin("backup", str(files[0]), status=2)
    # Restored into a file, whatever it was made of, the game goes on.
    other = tmp_path / "elsewhere" / "tables.db"
    assert f"events: {sizes[1]:,}" in admin("restore", str(files[1]), at=str(other))
    with Server(str(other), tmp_path / "log") as restored:
        anna.http.base_url = restored.url
        after = anna.get(f"/tables/{mine}")
        assert {**after, "deadline": None} == {**before, "deadline": None}
        assert anna.move(mine) is not None


def test_a_backup_moves_a_server_from_a_file_to_postgres(
    postgres: Postgres, admin_of: Callable[..., str], tmp_path: Path
) -> None:
    old, new = str(tmp_path / "tables.db"), postgres.database()
    with Server(old, tmp_path / "log") as server:
        anna = Player(server.url)
        table = anna.open("dice-stars", ("open",), options={"solo-boxes": "3"})
        anna.join(table, 1)
        anna.move(table)
        before = anna.get(f"/tables/{table}")
        assert before["status"] == "running"
        server.stop()
    admin_of("backup", tmp_path / "b.db", at=old)
    done = starfrost("admin", "restore", tmp_path / "b.db", "--database", new, LANGUAGE="de")
    assert done.stdout.startswith("Sicherung wiederhergestellt. Gäste: 1, Tische: 1"), done
    with Server(new, tmp_path / "log") as server:
        anna.http.base_url = server.url
        assert anna.get(f"/tables/{table}")["version"] == before["version"]
        while anna.move(table) is not None:
            pass
        assert prove(anna.http.get(f"/api/tables/{table}/record").text).finished
    assert "not empty" in admin_of("restore", tmp_path / "b.db", at=new, status=2)


def test_a_restore_keeps_what_was_there_and_needs_the_server_to_stop(
    admin_of: Callable[..., str], tmp_path: Path
) -> None:
    database = tmp_path / "tables.db"

    def names(file: Path) -> dict[str, str]:
        return {row["name"]: row["id"] for row in json.loads(admin_of("list", "--json", at=file))}

    with Server(str(database), tmp_path / "log") as server:
        Player(server.url, "Anna").open()
        admin_of("backup", tmp_path / "b.db", at=database)
        Player(server.url, "Ben")
        assert "stop it first" in admin_of("restore", tmp_path / "b.db", at=database, status=2)
        # Its last writes stay in the write-ahead log.
        server.kill()
    admin_of("restore", tmp_path / "b.db", at=database)
    assert [*names(database)] == ["Anna"]
    [aside] = [path for path in tmp_path.glob("tables.db.before-*") if not path.name.endswith(("-wal", "-shm"))]
    assert {*names(aside)} == {"Anna", "Ben"}
    # Without a server the command does everything itself.
    assert "deleted" in admin_of("delete", names(database)["Anna"], at=database)
    assert names(database) == {}


def test_what_is_no_backup_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*words: str) -> str:
        with pytest.raises(SystemExit) as ended:
            main(["admin", *words])
        assert ended.value.code == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1, error
        return error

    database = tmp_path / "tables.db"
    assert "no database" in said("backup", str(tmp_path / "b.db"), "--database", str(database))
    (tmp_path / "text.db").write_text("no database at all, but long enough to be read as one" * 100)
    with sqlite3.connect(tmp_path / "empty.db") as connection:
        connection.execute("CREATE TABLE x (y)")
    for name, reason in (("none.db", "no file"), ("text.db", "not a backup"), ("empty.db", "not a backup")):
        assert reason in said("restore", str(tmp_path / name), "--database", str(database))
    assert not database.exists()
    assert "lists of guests" in said("list", "people", "--database", str(database))


def test_a_backup_of_the_first_release_is_upgraded(admin_of: Callable[..., str], tmp_path: Path) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    old.write_bytes(gzip.decompress((FIXTURES / "0.1.0.db.gz").read_bytes()))
    assert "older version" in admin_of("list", at=old, status=2)
    admin_of("restore", old, at=new)
    rows: Any = json.loads(admin_of("list", "--json", at=new))
    assert {row["name"] for row in rows} == {"Anna", "Zoë", "Łukasz Ğ", "🎲 Dora"}
    assert "older version" in admin_of("list", at=old, status=2)


def test_a_plain_copy_is_no_backup(admin_of: Callable[..., str], tmp_path: Path) -> None:
    """Why there is a command: the newest events are in another file."""
    database = tmp_path / "tables.db"
    with Server(str(database), tmp_path / "log") as server:
        finish(Player(server.url))
        shutil.copyfile(database, tmp_path / "copy.db")
        admin_of("backup", tmp_path / "b.db", at=database)
    with sqlite3.connect(tmp_path / "b.db") as whole:
        [events] = whole.execute("SELECT count(*) FROM events").fetchone()
    copied = 0
    with suppress(sqlite3.DatabaseError), sqlite3.connect(tmp_path / "copy.db") as copy:
        [copied] = copy.execute("SELECT count(*) FROM events").fetchone()
    assert copied < events


def test_a_backup_leaves_the_machine(tmp_path: Path) -> None:
    """The line of the documentation, with a shell in place of the other machine."""
    page = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^starfrost admin backup - .*$", page, re.MULTILINE)
    database = tmp_path / "tables.db"
    with Server(str(database), tmp_path / "log") as server:
        table = Player(server.url).open()
        ours = line.replace(
            "starfrost admin backup -", f"{sys.executable} -m starfrost admin backup - --database {database}"
        )
        ours = ours.replace("ssh backup.example.org", "sh -c")
        subprocess.run(ours, shell=True, check=True, cwd=tmp_path)
    copy = tmp_path / "starfrost-monday.db"
    assert copy.stat().st_mode & 0o077 == 0
    with sqlite3.connect(copy) as connection:
        assert connection.execute("SELECT id FROM tables").fetchall() == [(table,)]
