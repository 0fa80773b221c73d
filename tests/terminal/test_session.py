"""Sessions and saves: undo, atomic records, resuming, and one clear sentence for a file that cannot be read."""

from pathlib import Path

import pytest

from starfrost.errors import UsageError
from starfrost.games.dice_stars import DiceStars
from starfrost.games.dicy_cards import DicyCards
from starfrost.terminal import saves
from starfrost.terminal.session import HUMAN, Session


def session(path: Path, *events: str, kinds: tuple[str, ...] = (HUMAN, "bot:greedy")) -> Session:
    begun = Session(DicyCards(2), ("Anna", "Greedy"), kinds, path)
    for event in events:
        begun.apply(begun.game.parse_action(event))
    return begun


def test_undo_takes_a_bots_answer_back_too(tmp_path: Path) -> None:
    played = session(tmp_path / "a.sfr", "665531", "score any-two 66", "freeze odds")
    assert played.undo()
    assert [str(event) for event in played.events] == ["* 665531"]
    assert not played.undo()
    assert saves.resume(tmp_path / "a.sfr").states == played.states


def test_undo_never_passes_dice(tmp_path: Path) -> None:
    played = session(tmp_path / "a.sfr", "665531", "reroll 1 freeze odds", "2")
    assert not played.undo()
    assert len(played.events) == 3


def test_every_event_is_on_disk_at_once_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder" / "a.sfr"
    played = session(path, "665531")
    for event in ("reroll 1 freeze odds", "2", "score two-pairs 6655"):
        played.apply(played.game.parse_action(event))
        assert saves.resume(path).states == played.states
    assert [file.name for file in path.parent.iterdir()] == ["a.sfr"]


def test_a_failed_save_leaves_the_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = session(tmp_path / "a.sfr", "665531")
    before = played.path.read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        played.apply(played.game.parse_action("skip"))
    assert played.path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.sfr"]


def test_after_a_failed_save_the_next_one_writes_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = session(tmp_path / "a.sfr", "665531")
    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(UsageError):
            played.apply(played.game.parse_action("skip"))
    played.apply(played.game.parse_action("654321"))
    assert saves.resume(played.path).states == played.states


def test_an_event_is_appended_without_a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = session(tmp_path / "a.sfr", "665531")
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)
    monkeypatch.setattr("starfrost.games.record.replay", lambda record: pytest.fail("replayed"))
    for event in ("reroll 1 freeze odds", "2"):
        played.apply(played.game.parse_action(event))
    assert synced == []
    played.apply(played.game.parse_action("score two-pairs 6655"))
    assert len(synced) == 1
    monkeypatch.undo()
    assert saves.resume(played.path).states == played.states


def test_a_file_that_somebody_else_changed_is_written_anew(tmp_path: Path) -> None:
    played = session(tmp_path / "a.sfr", "665531")
    for change in (lambda: played.path.write_text("nonsense"), played.path.unlink):
        change()
        played.apply(played.game.parse_action("skip" if played.actor >= 0 else "666666"))
        assert saves.resume(played.path).states == played.states


def test_half_a_line_at_the_end_is_passed_over(tmp_path: Path) -> None:
    played = session(tmp_path / "a.sfr", "665531", "reroll 1 freeze odds")
    whole = played.path.read_bytes()
    for cut in range(1, len("1 reroll 1 freeze odds") + 1):
        played.path.write_bytes(whole[:-cut])
        assert saves.resume(played.path).states == played.states[:-1]


def test_the_end_writes_the_results(tmp_path: Path) -> None:
    game = DicyCards(2, goal=1)
    played = Session(game, ("Anna", "Greedy"), (HUMAN, "bot:greedy"), tmp_path / "a.sfr")
    for event in ("665531", "score odds 531", "665531", "score odds 531"):
        played.apply(game.parse_action(event))
    assert played.is_over
    assert "result: 9 9\nwinners: 1 2\n" in played.path.read_text()
    assert saves.resume(played.path).states == played.states


def test_resume_keeps_foreign_headers_and_the_seed(tmp_path: Path) -> None:
    path = tmp_path / "a.sfr"
    begun = Session(DiceStars(2), ("Ünal", "Bo"), (HUMAN, HUMAN), path, headers={"date": "today"}, seed="x 1")
    begun.save()
    again = saves.resume(path)
    again.apply(again.game.parse_action("draw 3"))
    assert "date: today" in path.read_text()
    assert again.seed == "x 1"
    assert again.random().random() == saves.resume(path).random().random()


def test_a_record_without_seats_is_played_by_people(tmp_path: Path) -> None:
    path = tmp_path / "a.sfr"
    path.write_text("starfrost: 1\ngame: dice-stars\nplayers: A | B\n\n1 draw 3\n")
    assert saves.resume(path).kinds == (HUMAN, HUMAN)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file"),
        (b"", "line 1"),
        (b"\xff\xfe\x00binary", "line 1"),
        (b"starfrost: 99\ngame: dice-stars\n", "line 1"),
        (b"starfrost: 1\ngame: dice-stars\nplayers: A | B\n\n1 draw 2\n", "line 5"),
        (b"starfrost: 1\ngame: dice-stars\nplayers: A | B\nseats: human | bot:nobody\n\n", "no bot 'nobody'"),
        (b"starfrost: 1\ngame: dice-stars\nplayers: A | B\nseats: human | robot\n\n", "seats"),
        (b"x" * 5_000_000, "line 1"),
    ],
)
def test_what_cannot_be_resumed_gets_a_sentence(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "a.sfr"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=sentence):
        saves.resume(path)


def test_unfinished_games_come_latest_first_and_rubbish_is_passed_over(tmp_path: Path) -> None:
    import os

    for number, name in enumerate(("old", "new")):
        session(tmp_path / f"{name}.sfr", "665531")
        os.utime(tmp_path / f"{name}.sfr", (1000 + number, 1000 + number))
    (tmp_path / "broken.sfr").write_text("nonsense")
    assert [found.path.stem for found in saves.unfinished(tmp_path)] == ["new", "old"]
    assert list(saves.unfinished(tmp_path / "nowhere")) == []


def test_two_games_of_one_minute_have_two_names(tmp_path: Path) -> None:
    first = saves.new_path(tmp_path, "dice-stars")
    first.touch()
    assert saves.new_path(tmp_path, "dice-stars") != first
