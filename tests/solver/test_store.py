"""Files of solved sets: mapped as they were saved; damage and strangers are noticed and solved again."""

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from starfrost.games.dicy_cards import MODES
from starfrost.games.dicy_cards.solver import on_demand as service
from starfrost.games.dicy_cards.solver import store
from starfrost.games.dicy_cards.solver.sweep import solve
from starfrost.games.dicy_cards.solver.values import Values

CARDS, GOAL = MODES["b"].cards, 4


@pytest.fixture
def values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Values:
    monkeypatch.setenv("STARFROST_CACHE", str(tmp_path))
    monkeypatch.setattr(service, "_opened", {})
    return solve(CARDS, GOAL)


def test_a_file_is_read_back_bit_by_bit(values: Values) -> None:
    path = store.save(values)
    back = store.load(CARDS, GOAL)
    assert back is not None
    assert np.array_equal(back.between, values.between)
    assert np.array_equal(back.last, values.last)
    assert [file.name for file in path.parent.iterdir() if file.name.startswith(".part")] == []


def test_halves_left_behind_are_removed_and_those_in_work_are_not(values: Values, tmp_path: Path) -> None:
    left, fresh = (tmp_path / f".part-{name}" for name in ("left", "fresh"))
    for part in (left, fresh):
        part.write_bytes(b"half")
    os.utime(left, (0, 0))
    store.save(values)
    assert sorted(tmp_path.glob(".part-*")) == [fresh]


def test_nothing_is_found_where_nothing_is(values: Values) -> None:
    assert store.load(CARDS, GOAL) is None
    assert service.find(CARDS, GOAL) is None
    assert service.solving_share(CARDS, GOAL) is None


@pytest.mark.parametrize("place", [10, 2000, 5000, -9])
def test_a_changed_byte_is_noticed_and_the_set_solved_again(values: Values, place: int) -> None:
    path = store.save(values)
    data = bytearray(path.read_bytes())
    data[place] ^= 0x55
    path.write_bytes(data)
    if place == 2000:  # padding of the header: nothing is read from there
        assert service.find(CARDS, GOAL) is not None
        return
    with pytest.raises(store.DamagedFile):
        store.load(CARDS, GOAL)
    again = service.ensure_solved(CARDS, GOAL)
    assert np.array_equal(again.between, values.between)
    assert store.load(CARDS, GOAL) is not None


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 something else", b"{}|00000000\n"])
def test_a_foreign_or_cut_file_is_noticed(values: Values, data: bytes) -> None:
    store.path_of(CARDS, GOAL).write_bytes(data)
    assert service.find(CARDS, GOAL) is None
    assert not store.path_of(CARDS, GOAL).exists()


@pytest.mark.parametrize("fault", ["no gaps", "gaps in words", "half a header"])
def test_a_header_that_only_looks_right_is_noticed(values: Values, fault: str) -> None:
    path = store.save(values)
    data = path.read_bytes()
    fields = json.loads(data.split(b"|")[0])
    if fault == "no gaps":
        del fields["gaps"]
    elif fault == "gaps in words":
        fields["gaps"] = "many"
    body = json.dumps(fields, separators=(",", ":")).encode()
    body = body[:20] if fault == "half a header" else body
    path.write_bytes((body + b"|%08x\n" % zlib.crc32(body)).ljust(4096) + data[4096:])
    assert service.find(CARDS, GOAL) is None
    assert np.array_equal(service.ensure_solved(CARDS, GOAL).between, values.between)


@pytest.mark.skipif(sys.platform == "win32", reason="there a file's time of change is its time of birth")
def test_damage_under_the_old_time_of_change_is_noticed(values: Values) -> None:
    path = store.save(values)
    about = path.stat()
    data = bytearray(path.read_bytes())
    data[-9] ^= 0x55
    path.write_bytes(data)
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert service.find(CARDS, GOAL) is None


def test_what_is_in_the_way_of_a_file_does_no_harm(values: Values) -> None:
    store.path_of(CARDS, GOAL).mkdir()
    assert not service.ready(CARDS, GOAL)
    assert np.array_equal(service.ensure_solved(CARDS, GOAL).between, values.between)


def test_solving_again_replaces_the_file_only_when_done(values: Values) -> None:
    path = store.save(values)

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        service.ensure_solved(CARDS, GOAL, interrupt, again=True)
    assert path.exists()
    before = path.stat().st_ino
    assert np.array_equal(service.ensure_solved(CARDS, GOAL, again=True).between, values.between)
    assert path.stat().st_ino != before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit to set")
def test_a_full_disk_costs_the_file_and_not_the_result(tmp_path: Path) -> None:
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000));"
        "from starfrost.cli import main; main(['solve', '--goal', '2'])"
    )
    # Compiled code cannot be saved either, nor read: as little of it as possible is made.
    environment = {**os.environ, "STARFROST_CACHE": str(tmp_path), "NUMBA_OPT": "0"}
    environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.439736377721" in done.stdout
    assert f"but not saved: {tmp_path} cannot be written" in done.stdout


def test_a_file_of_other_cards_is_foreign(values: Values) -> None:
    other = solve(MODES["c"].cards, GOAL)
    os.replace(store.save(other), store.path_of(CARDS, GOAL))
    assert service.find(CARDS, GOAL) is None


def test_an_older_format_is_foreign(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(values)
    monkeypatch.setattr(store, "FORMAT", store.FORMAT + 1)
    assert service.find(CARDS, GOAL) is None


def test_cards_in_any_order_are_one_set(values: Values) -> None:
    service.ensure_solved(CARDS, GOAL)
    assert service.find(tuple(reversed(CARDS)), GOAL) is not None


def test_the_sets_of_a_folder_take_no_more_than_their_quota(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    size = store.save(values).stat().st_size
    monkeypatch.setattr(store, "quota", lambda: 3 * size)
    for age, goal in enumerate((1, 2, 3, 4)):
        path = store.save(solve(CARDS, goal))
        os.utime(path.with_suffix(".checked"), (age + 1e9, age + 1e9))
    store.load(CARDS, 1)
    newest = store.save(solve(CARDS, 5))
    left = sorted(newest.parent.glob("*.worth"))
    assert newest in left
    assert sum(path.stat().st_size for path in left) <= 3 * size
    assert store.load(CARDS, 1) is not None
    assert store.load(CARDS, 2) is None
    # A set that does not fit at all is kept until the next one.
    monkeypatch.setattr(store, "quota", lambda: 1)
    newest = store.save(solve(CARDS, 6))
    assert list(newest.parent.glob("*.worth")) == [newest]


@pytest.mark.parametrize(("given", "size"), [("", 2_000_000_000), ("5", 5_000_000), ("much", 2_000_000_000)])
def test_the_quota_comes_from_the_environment(given: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFROST_SOLVE_CACHE_MB", given)
    assert store.quota() == size


def test_only_the_sets_used_last_stay(values: Values, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "KEEP", 2)
    for age, goal in enumerate((1, 2, 3)):
        path = store.save(solve(CARDS, goal))
        os.utime(path.with_suffix(".checked"), (age, age))
    store.load(CARDS, 2)
    store.save(values)
    assert store.load(CARDS, 2) is not None
    assert store.load(CARDS, GOAL) is not None
    assert store.load(CARDS, 1) is None
    assert store.load(CARDS, 3) is None
