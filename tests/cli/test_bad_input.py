"""Bad input to the real command: one clear sentence, exit status 2 (1 for a faulty record), no traceback."""

import json
from pathlib import Path

import pytest

from tests.cli.command import starfrost
from tests.games.records import GOOD, bent

TWO = ("--bots", "random,random")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create files that are not valid records."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "good.sfr").write_text(GOOD)
    (folder / "broken.sfr").write_text(bent({13: "1 skipp"}))
    (folder / "version.sfr").write_text(bent({1: "starfrost: 2"}))
    (folder / "binary.sfr").write_bytes(bytes(range(256)) * 40)
    (folder / "empty.sfr").touch()
    (folder / "folder.sfr").mkdir()
    with (folder / "large.sfr").open("wb") as large:
        large.truncate(100_000_000)
    return folder


FILES = {
    "broken.sfr": "not an action of Dicy Cards; expected",
    "version.sfr": "Expected format version 1; this record has version '2'.",
    "binary.sfr": "Expected UTF-8 text",
    "empty.sfr": "Expected 'starfrost: 1' as the first line",
    "folder.sfr": "Is a directory",
    "large.sfr": "at most 4 MB",
    "missing.sfr": "No such file or directory",
}


def test_faulty_records_are_told_one_by_one(folder: Path) -> None:
    done = starfrost("replay", *FILES, "good.sfr", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    *faults, good = done.stdout.splitlines()
    for (file, says), line in zip(FILES.items(), faults, strict=True):
        assert line.startswith(f"{file}:")
        assert says in line
    assert "won by Bo" in good


def test_faulty_records_as_json(folder: Path) -> None:
    done = starfrost("replay", "--json", *FILES, cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(fact["file"], fact["ok"]) for fact in facts] == [(file, False) for file in FILES]
    assert [fact["line"] for fact in facts] == [13, 1, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("file", FILES)
def test_a_game_that_cannot_be_resumed(folder: Path, file: str) -> None:
    assert_refused(FILES[file], "play", "--resume", folder / file)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["frobnicate"], "There is no command frobnicate."),
        (["--frobnicate"], "There is no option --frobnicate."),
        (["replay"], "The argument"),
        (["replay", "--frobnicate"], "There is no option --frobnicate."),
        (["simulate"], "The argument"),
        (["simulate", "dicy-cards"], "The option --bots is missing."),
        (["simulate", "chess", *TWO], "There is no game 'chess'; expected one of dicy-cards, dice-stars."),
        (["simulate", "dicy-cards", "--bots", "random,wizard"], "no bot 'wizard'"),
        (["simulate", "dicy-cards", "--bots", ","], "no bot ''"),
        (["simulate", "dicy-cards", "--bots", "random"], "2 to 4 players, not 1"),
        (["simulate", "dicy-cards", "--bots", ",".join(["random"] * 6)], "2 to 4 players, not 6"),
        (["simulate", "dice-stars", "--bots", ",".join(["random"] * 6)], "1 to 4 players, not 6"),
        (["simulate", "dicy-cards", *TWO, "--cards", "odds,evens"], "no card 'evens'; expected five of any-two"),
        (["simulate", "dicy-cards", *TWO, "--cards", "odds"], "five different cards, not 1"),
        (["simulate", "dicy-cards", *TWO, "--mode", "z"], "no mode 'z'; expected one of glacial"),
        (["simulate", "dicy-cards", *TWO, "--goal", "0"], "1 to 999999 points, not 0"),
        (["simulate", "dicy-cards", *TWO, "--goal", "9" * 30], "1 to 999999"),
        (["simulate", "dicy-cards", *TWO, "--games", "0"], "at least 1, not 0"),
        (["simulate", "dicy-cards", *TWO, "--games", "many"], "--games needs a whole number."),
        (["simulate", "dicy-cards", *TWO, "--jobs", "0"], "at least 1, not 0"),
        (["simulate", "dice-stars", "--bots", "random", "--solo-boxes", "0"], "1 to 999999 boxes, not 0"),
        (["play", "chess"], "There is no game 'chess'"),
        (["play", "dicy-cards", "--players", "a,b,c,d,e,f"], "2 to 4 players, not 6"),
        (["play", "dicy-cards", "--players", "3"], "a name for every player"),
        (["puzzle", "9999"], "no puzzle 9999; they are numbered from 1 to"),
        (["play", "dicy-cards", "--players", "a,bot:wizard"], "no bot 'wizard'"),
        (["play", "dicy-cards", "--cards", "evens odds"], "no card 'evens'"),
        (["play", "dicy-cards", "--mode", "z"], "no mode 'z'"),
        (["play", "dicy-cards", "--goal", "0", "--mode", "b"], "1 to 999999 points, not 0"),
        (["play", "dicy-cards", "--lang", "xx"], "no language 'xx'"),
        (["strength", "--game", "chess"], "no game 'chess'"),
        (["strength", "--bots", "wizard"], "no bot 'wizard'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_exist_is_refused_in_one_sentence(arguments: list[str], says: str) -> None:
    assert_refused(says, *arguments)


@pytest.mark.parametrize(
    ("language", "replayed", "analysed", "chess"),
    [
        ("de", "Erwartet: Version 1 des Formats", "version.sfr, Zeile 1: Erwartet", "Ein Spiel 'chess' gibt es nicht"),
        ("nl", "Verwacht: versie 1 van het formaat", "version.sfr, regel 1: Verwacht", "Er is geen spel 'chess'"),
        ("es", "Se esperaba la versión 1", "version.sfr, línea 1: Se esperaba", "No hay ningún juego 'chess'"),
    ],
)
def test_faults_are_told_in_the_language_of_the_system(
    folder: Path, language: str, replayed: str, analysed: str, chess: str
) -> None:
    system = {"LANG": f"{language}_{language.upper()}.UTF-8"}
    assert replayed in starfrost("replay", "version.sfr", cwd=folder, **system).stdout
    assert replayed in starfrost("verify", "version.sfr", cwd=folder, **system).stdout
    assert analysed in starfrost("analyse", "version.sfr", cwd=folder, **system).stderr
    assert chess in starfrost("simulate", "chess", *TWO, **system).stderr
    # The option is nearer than the system.
    assert analysed in starfrost("analyse", "version.sfr", "--lang", language, cwd=folder, LANG="C.UTF-8").stderr
    # What programs read is always English.
    facts = json.loads(starfrost("replay", "--json", "version.sfr", cwd=folder, **system).stdout)
    assert facts["error"] == FILES["version.sfr"]


def assert_refused(says: str, *arguments: str | Path) -> None:
    done = starfrost(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("starfrost: ")
    assert says in lines[0]
    assert "Traceback" not in done.stderr
