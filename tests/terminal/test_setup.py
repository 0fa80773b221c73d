"""The setup: options on the command line are used, and wrong ones give one sentence and exit status 2."""

from io import StringIO
from pathlib import Path

import pytest

from starfrost.bots.registry import make_bot
from starfrost.cli import main
from starfrost.errors import MissingExtra
from starfrost.terminal import setup
from starfrost.terminal.screen import Screen
from starfrost.terminal.setup import begin


def test_players_get_names_and_kinds(tmp_path: Path) -> None:
    session = begin(Screen("en"), "dicy-cards", "Anna, bot:greedy, bot:greedy, Anna", folder=tmp_path)
    assert session.names == ("Anna", "Quick bot", "Quick bot 2", "Anna 2")
    assert session.kinds == ("human", "bot:greedy", "bot:greedy", "human")


def test_arguments_reach_the_game(tmp_path: Path) -> None:
    dicy = begin(Screen("en"), "dicy-cards", "A,B", folder=tmp_path, options={"cards": "d", "goal": "40"}).game
    assert dict(dicy.headers())["cards"] == "any-two sixes three-lowest straight double-pair"
    assert dict(dicy.headers())["goal"] == "40"
    solo = begin(Screen("en"), "dice-stars", "A", folder=tmp_path, options={"solo-boxes": "12"}).game
    assert dict(solo.headers())["solo-boxes"] == "12"


def test_interglacial_draws_the_same_five_from_the_same_seed(tmp_path: Path) -> None:
    interglacial = {"cards": "interglacial"}
    drawn = {
        begin(Screen("en"), "dicy-cards", "A,B", folder=tmp_path, options=interglacial, seed=seed).game.headers()[
            "cards"
        ]
        for seed in ("1", "1", "2", "3")
    }
    assert len(drawn) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["chess"], "no game 'chess'"),
        (["--players", "A,B"], "Name the game too"),
        (["dicy-cards", "--players", "A"], "2 to 4 players"),
        (["dicy-cards", "--players", "A,B,C,D,E,F"], "2 to 4 players"),
        (["dice-stars", "--players", "A,B,C,D,E"], "1 to 4 players"),
        (["dicy-cards", "--players", "A,bot:nobody"], "no bot 'nobody'"),
        (["dicy-cards", "--players", "A,,B"], "Expected a name"),
        (["dicy-cards", "--players", "A|B,C"], "no '|'"),
        (["dicy-cards", "--players", "A,B", "--mode", "z"], "no mode 'z'"),
        (["dicy-cards", "--players", "A,B", "--cards", "odds odds odds odds odds"], "five different cards"),
        (["dicy-cards", "--players", "A,B", "--cards", "odds, jokers"], "no card 'jokers'"),
        (["dicy-cards", "--players", "A,B", "--mode", "b", "--cards", "odds"], "not both"),
        (["dicy-cards", "--players", "A,B", "--goal", "0"], "1 to 999999 points, not 0"),
        (["dice-stars", "--players", "A,B", "--first", "C"], "one of A, B, a number or random"),
        (["dice-stars", "--lang", "xx"], "no language 'xx'"),
        (["--resume", "nowhere.sfr"], "cannot be read"),
        (["--resume", "."], "cannot be read"),
    ],
)
def test_bad_options_get_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["play", "--save-dir", str(tmp_path), *arguments])
    assert exit_info.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("starfrost: ")
    assert sentence in error
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_gets_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as exit_info:
        main(["play", "dice-stars", "--players", "A,B", "--save-dir", str(tmp_path / "file")])
    assert exit_info.value.code == 2
    assert "cannot be saved" in capsys.readouterr().err


def miss_planner(monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    """Choose the planner where it cannot play, then another bot."""

    def unavailable(name: str, game: object) -> object:
        if name == "planner":
            raise MissingExtra(reason)
        return make_bot(name, game)  # type: ignore[arg-type]

    monkeypatch.setattr(setup, "make_bot", unavailable)
    monkeypatch.setattr("sys.stdin", StringIO("Anna\nbot:planner\n2\n\n\n"))


@pytest.mark.parametrize(
    ("language", "saved", "bot"),
    [
        ("de", "Das Spiel lässt sich nicht als", "Das Lösen braucht Numba"),
        ("nl", "Het spel kan niet als", "Oplossen vraagt Numba"),
        ("es", "La partida no se puede guardar como", "Resolver necesita Numba"),
    ],
)
def test_errors_speak_the_language_of_the_game(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
    saved: str,
    bot: str,
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main(["play", "dice-stars", "--players", "A,B", f"--lang={language}", "--save-dir", str(tmp_path / "file")])
    assert saved in capsys.readouterr().err

    miss_planner(monkeypatch, "Solving needs Numba: pip install 'starfrost[solver]'.")
    begin(Screen(language), "dice-stars", folder=tmp_path)
    assert bot in capsys.readouterr().out


def test_a_bot_that_cannot_play_now_is_refused_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    miss_planner(monkeypatch, "The planner needs a part that is not installed.")
    session = begin(Screen("en"), "dice-stars", folder=tmp_path)
    assert "not installed" in capsys.readouterr().out
    assert session.kinds == ("human", "bot:random")


def test_somebody_is_chosen_to_begin_and_the_others_follow(tmp_path: Path) -> None:
    for first, names in (("2", ("Ben", "Cleo", "Anna")), ("cleo", ("Cleo", "Anna", "Ben"))):
        session = begin(Screen("en"), "dice-stars", "Anna,Ben,Cleo", folder=tmp_path, first=first)
        assert session.names == names
    drawn = {
        begin(Screen("en"), "dice-stars", "Anna,Ben,Cleo", folder=tmp_path, first="random", seed=str(seed)).names[0]
        for seed in range(20)
    }
    assert drawn == {"Anna", "Ben", "Cleo"}


def test_the_menu_asks_who_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Anna, a bot that plans, a quick one, nobody else; the third of them begins.
    monkeypatch.setattr("sys.stdin", StringIO("Anna\nbot:planner\nbot:greedy\n\n3\n"))
    session = begin(Screen("en"), "dice-stars", folder=tmp_path)
    assert "Who begins?" in capsys.readouterr().out
    assert session.kinds == ("bot:greedy", "human", "bot:planner")


def test_whoever_plays_alone_chooses_the_size_of_the_grid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for answers, boxes in (("Anna\nstart\n0\nmany\n12\n", "12"), ("Anna\nstart\n\n", "30")):
        monkeypatch.setattr("sys.stdin", StringIO(answers))
        session = begin(Screen("en"), "dice-stars", folder=tmp_path)
        assert session.game.headers() == {"solo-boxes": boxes}
        shown = " ".join(capsys.readouterr().out.split())
        assert "How many boxes does the solo grid have? Enter: 30" in shown
        assert "You win with more than 5 points for every ticked box." in shown
        assert shown.count("Please type a number from 1 to 100.") == (2 if boxes == "12" else 0)
    # A size on the command line is not asked for again.
    monkeypatch.setattr("sys.stdin", StringIO("Anna\nstart\n"))
    assert begin(Screen("en"), "dice-stars", options={"solo-boxes": "7"}, folder=tmp_path).game.headers() == {
        "solo-boxes": "7"
    }
