"""Whole games through a real pseudo-terminal of 80 by 24: both games, four languages, undo, resume, help, bad input."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.cells import cell_len

from starfrost.games.core import OVER
from starfrost.words import LANGUAGES
from tests.terminal.pseudo import ESCAPE, Terminal, headers, saved

SEED = ("--seed", "7")
COLOUR = re.compile(r"\x1b\[(\d+;)*([34]8|[349][0-7])[;m]")


def play_on(terminal: Terminal, folder: Path, rng: Random, most: int = 1000, *, leave: bool = True) -> None:
    """Play a game to its end: the position is read from the saved record, the answers are record notation."""
    terminal.wait()
    for _ in range(most):
        if terminal.process.poll() is not None:
            return
        now = saved(folder)
        game, state = now.record.game, now.final
        actor = game.actor(state)
        if actor == OVER:
            # Go on from a last decision that can be taken back; the question after the game begins with the key a.
            while terminal.process.poll() is None and not _asks_again(terminal):
                terminal.type("")
            if leave and terminal.process.poll() is None:
                terminal.type("")
            return
        human = actor >= 0 and now.record.headers["seats"].split(" | ")[actor] == "human"
        terminal.type(str(_sensible(game, state, rng)) if human else "")
    raise AssertionError("the game does not end")


def _asks_again(terminal: Terminal) -> bool:
    return ESCAPE.sub("", terminal.raw).rsplit("\n", 1)[-1].startswith(" a: ")


def _sensible(game: Any, state: Any, rng: Random) -> Any:
    """Choose a scoring action if there is one, so that the game ends soon."""
    legal = game.legal_actions(state)
    return rng.choice([action for action in legal if action.verb in ("score", "take")] or legal)


def check_frames(terminal: Terminal) -> None:
    for frame in terminal.frames():
        assert len(frame) <= 24, "\n".join(frame)
        for line in frame:
            assert cell_len(line) <= 80 or "/" in line, line  # a path is on a line of its own, however long


@pytest.mark.parametrize("language", LANGUAGES)
def test_dicy_cards_to_the_end(tmp_path: Path, language: str) -> None:
    players = ("--players", "Anna,bot:greedy,Ben", "--mode", "d", "--goal", "40")
    with Terminal("dicy-cards", *players, *SEED, "--lang", language, "--save-dir", str(tmp_path)) as terminal:
        play_on(terminal, tmp_path, Random(language))
        assert terminal.status == 0
        check_frames(terminal)
    assert saved(tmp_path).finished
    assert headers(tmp_path)["seats"] == "human | bot:greedy | human"


@pytest.mark.parametrize("language", LANGUAGES)
def test_dice_stars_to_the_end(tmp_path: Path, language: str) -> None:
    # The environment chooses the language here.
    arguments = ("--players", "Anna,bot:random", *SEED, "--save-dir", str(tmp_path))
    with Terminal("dice-stars", *arguments, LANG=f"{language}.UTF-8") as terminal:
        play_on(terminal, tmp_path, Random(language))
        assert terminal.status == 0
        check_frames(terminal)
        assert tmp_path.name in ESCAPE.sub("", terminal.raw)
    assert saved(tmp_path).finished


def test_play_again_keeps_goal_and_mode(tmp_path: Path) -> None:
    options = ("--players", "Anna,bot:greedy", "--mode", "interglacial", "--goal", "1", *SEED)
    with Terminal("dicy-cards", *options, "--save-dir", str(tmp_path)) as terminal:
        play_on(terminal, tmp_path, Random(1), leave=False)
        assert "play again" in terminal.raw
        (first,) = tmp_path.iterdir()
        terminal.type("a")
        (second,) = set(tmp_path.iterdir()) - {first}
        terminal.type("q")
    for path in (first, second):
        assert {"mode: interglacial", "goal: 1"} <= set(path.read_text().splitlines())
    assert "players: Quick bot | Anna" in second.read_text()


def test_the_solo_game_tells_how_it_ended(tmp_path: Path) -> None:
    arguments = ("--players", "Anna", "--solo-boxes", "3", *SEED, "--save-dir", str(tmp_path))
    with Terminal("dice-stars", *arguments) as terminal:
        play_on(terminal, tmp_path, Random(1))
        assert "The solo grid is full: Anna loses, with " in terminal.raw
    assert saved(tmp_path).results()["solo"] == "3"


def test_the_welcome_asks_what_to_play(tmp_path: Path) -> None:
    with Terminal("--save-dir", str(tmp_path), *SEED) as terminal:
        assert "What would you like to play?" in terminal.wait()
        assert "numbers above" in terminal.type("7")
        assert "as many empty spaces" in " ".join(terminal.type("? f1").split())
        assert "What would you like" in terminal.type("")
        assert "Interglacial" in terminal.type("")
        assert "five numbers" in terminal.type("6")
        assert "different" in terminal.type("1 1 2 3 4")
        assert "What is your name?" in terminal.type("1 5 7 9 11")
        assert "none of them may show" in terminal.type("? no-sixes")
        assert "What is your name?" in terminal.type("")
        assert "Again, please" in terminal.type("A | B")
        assert "Who plays against you?" in terminal.type("Zoë")
        screen = terminal.type("1")
        assert "At the table: Zoë and Quick bot. Who else plays?" in screen
        assert "Who begins?" in terminal.type("")
        assert "Zoë, choose a card" in terminal.type("")
        check_frames(terminal)
        terminal.type("q")
        assert terminal.status == 0
    record = saved(tmp_path).record
    assert record.game.headers()["cards"] == "any-two two-pairs double-pair distinct-fours forty-minus"
    assert record.players[0] == "Zoë"
    # The next welcome offers to go on with it.
    with Terminal("--save-dir", str(tmp_path)) as terminal:
        assert "continue Dicy Cards: Zoë 0" in terminal.wait()
        assert "Zoë, choose a card" in terminal.type("3")


def test_b_asks_the_question_before_again(tmp_path: Path) -> None:
    with Terminal("--save-dir", str(tmp_path), *SEED) as terminal:
        terminal.wait()
        assert "numbers above" in terminal.type("b"), "before the first question there is none"
        assert "Which five cards?" in terminal.type("1")
        assert "What is your name?" in terminal.type("2")
        assert "Who plays against you?" in terminal.type("Zoë")
        assert "Who else plays?" in terminal.type("2")
        assert "Who plays against you?" in terminal.type("b")
        assert "What is your name?" in terminal.type("b")
        assert "Which five cards?" in terminal.type("b")
        assert "What would you like to play?" in terminal.type("b")
        assert "What is your name?" in terminal.type("dice-stars")
        assert "Who plays against you?" in terminal.type("Anna")
        for answer in ("2", "", "1"):
            terminal.type(answer)
        assert saved(tmp_path).record.players == ("Anna", "Easy bot")


def test_a_window_of_another_size_is_drawn_again(tmp_path: Path) -> None:
    with Terminal("dicy-cards", "--players", "Anna,bot:random", *SEED, "--save-dir", str(tmp_path)) as terminal:
        wide = terminal.wait()
        narrow = terminal.resize(24, 60)
        assert "Anna, choose a card to score" in narrow
        # The first line begins with the prompt that waited.
        assert max(map(cell_len, wide.split("\n"))) > 60 >= max(map(cell_len, narrow.split("\n")[1:]))
        small = terminal.resize(15, 40)
        assert "The window is too small: the table needs 60 ×" in " ".join(small.split())
        assert "choose a card" not in small
        assert "Anna, choose a card to score" in terminal.resize(24, 80)
        assert "u: undo" in terminal.type("skip")
        assert "u: undo" in terminal.resize(24, 70)
    with Terminal("--save-dir", str(tmp_path / "none")) as terminal:
        terminal.wait()
        assert "What would you like to play?" in terminal.resize(24, 50)


def test_a_menu_without_room_has_pages_and_cuts_nothing(tmp_path: Path) -> None:
    arguments = ("--players", "Anna,bot:random", *SEED, "--save-dir", str(tmp_path))
    with Terminal("dice-stars", *arguments, rows=20, columns=60) as terminal:
        terminal.wait()
        shown = terminal.type("draw 3")
        assert "m: more" in shown
        game, state = saved(tmp_path).record.game, saved(tmp_path).final
        options = sum(action.line != "stars" for action in game.legal_actions(state))
        assert options > 3
        seen = set(re.findall(r"(?m)^ +(\d+) .*→ .*\)$", shown))
        for _ in range(options):
            shown = terminal.type("m")
            seen |= set(re.findall(r"(?m)^ +(\d+) .*→ .*\)$", shown))
        assert len(seen) == options


def test_a_tip_names_a_move(tmp_path: Path) -> None:
    with Terminal("dice-stars", "--players", "Anna,bot:random", *SEED, "--save-dir", str(tmp_path)) as terminal:
        terminal.wait()
        tip = " ".join(terminal.type("t").split())
        assert re.search(r"Anna draws \d dic?e.*Your chance to win: about \d+", tip), tip
    rules = tmp_path / "own.toml"
    rules.write_text('game = "dice-stars"\nname = "Own"\nbox-points = 4\n', encoding="utf-8")
    arguments = ("--players", "Anna,bot:random", *SEED, "--rules", str(rules), "--save-dir", str(tmp_path / "own"))
    with Terminal("dice-stars", *arguments) as terminal:
        terminal.wait()
        assert "The Clever bot would do this: Anna draws" in " ".join(terminal.type("t").split())


def test_undo_goes_back_to_the_last_dice_and_no_further(tmp_path: Path) -> None:
    with Terminal("dicy-cards", "--players", "Anna,bot:greedy", *SEED, "--save-dir", str(tmp_path)) as terminal:
        terminal.wait()
        before = saved(tmp_path)
        assert "Nothing to undo" in terminal.type("u")
        assert "u: undo" in terminal.type("skip")
        assert len(saved(tmp_path).states) == len(before.states) + 1
        assert "choose a card" in terminal.type("u")
        assert saved(tmp_path).final == before.final
        # Inside a menu, b and u go back one step.
        assert "Which dice do you reroll?" in terminal.type("6")
        assert "choose a card to score" in terminal.type("b")


def test_a_killed_game_resumes_where_it_was(tmp_path: Path) -> None:
    arguments = ("--players", "Anna,bot:greedy", "--goal", "30", "--save-dir", str(tmp_path), "--lang", "nl", *SEED)
    with Terminal("dicy-cards", *arguments) as terminal:
        terminal.wait()
        terminal.type("reroll 1 odds" if "1" in saved(tmp_path).final.dice else "skip")
        terminal.kill()
    before = saved(tmp_path)
    (path,) = tmp_path.glob("*.sfr")
    with Terminal("--resume", str(path), "--lang", "de") as terminal:
        play_on(terminal, tmp_path, Random(2))
        assert terminal.status == 0
    after = saved(tmp_path)
    assert after.finished
    assert after.states[: len(before.states)] == before.states
    assert headers(tmp_path)["seats"] == "human | bot:greedy"
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_game_resumed_rolls_what_it_would_have_rolled(tmp_path: Path) -> None:
    rolls = []
    for number, interrupted in enumerate((False, True)):
        folder = tmp_path / str(number)
        arguments = ("--players", "Anna,bot:random", "--save-dir", str(folder), *SEED)
        with Terminal("dice-stars", *arguments) as terminal:
            terminal.wait()
            terminal.type("draw 3")
            if interrupted:
                terminal.kill()
        if interrupted:
            (path,) = folder.glob("*.sfr")
            with Terminal("--resume", str(path)) as terminal:
                terminal.wait()
        rolls.append([str(event) for event in saved(folder).record.events])
    assert rolls[0] == rolls[1]


@pytest.mark.parametrize("way", ["ctrl-d", "ctrl-c", "q"])
def test_leaving_saves_and_says_so(tmp_path: Path, way: str) -> None:
    with Terminal("dice-stars", "--players", "Anna,bot:random", "--save-dir", str(tmp_path)) as terminal:
        terminal.wait()
        if way == "ctrl-d":
            last = terminal.close_input()
        else:
            last = terminal.interrupt() if way == "ctrl-c" else terminal.type("q")
        assert "starfrost play --resume " in last
        assert terminal.status == (130 if way == "ctrl-c" else 0)
        assert "Traceback" not in terminal.raw
    assert not saved(tmp_path).finished


def test_help_works_at_any_prompt(tmp_path: Path) -> None:
    arguments = ("--players", "Anna,bot:random", "--save-dir", str(tmp_path), "--lang", "de", "--mode", "d")
    with Terminal("dicy-cards", *arguments) as terminal:
        terminal.wait()
        for topic, answer in {
            "?": "Was du tippen kannst",
            "? odds": "Ungerade (odds)",
            "? Die drei niedrigsten": "genau die drei niedrigsten",
            "? t5": "Taue alle deine gefrorenen Karten auf",
            "? T8": "Festlegung",
            "? 4": "Wirf alle sechs",
            "? Nachbarn": "T9",
            "h": "Anna würfelt",
            "v": "aktiv",
        }.items():
            assert answer in " ".join(terminal.type(topic).split()), topic
            assert "wähle eine Karte" in terminal.type("q")
        assert "keine Hilfe" in terminal.type("? xyzzy").split("wähle eine Karte")[1]
        # All the rules are read a screenful at a time.
        assert "weiterlesen" in terminal.type("? regeln")
        assert "wähle eine Karte" in terminal.type("q")
        assert "weiter, u" in terminal.type("skip")
        assert "eine Regel" in terminal.type("?")
        check_frames(terminal)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("", "type a number from the menu"),
        ("99", "is not in the menu"),
        ("score sixes 66", "not possible now"),
        ("reroll 777 odds", "is not in the menu"),
        ("take blue", "is not in the menu"),
        ("\x1b[31m%s\x07", "is not in the menu"),
        ("x" * 300, "is not in the menu"),
        ("[bold]", "is not in the menu"),
    ],
)
def test_bad_input_gets_a_sentence(tmp_path: Path, answer: str, sentence: str) -> None:
    with Terminal("dicy-cards", "--players", "Anna,bot:random", *SEED, "--save-dir", str(tmp_path)) as terminal:
        terminal.wait()
        said = " ".join(terminal.type(answer).split())
        assert sentence in said
        assert "choose a card to score" in said
        assert len(saved(tmp_path).record.events) == 1


def test_no_colour_where_none_is_wanted(tmp_path: Path) -> None:
    arguments = ("dice-stars", "--players", "Anna,bot:random", "--save-dir", str(tmp_path))
    for extra, environment in (((), {"NO_COLOR": "1"}), (("--no-color",), {}), ((), {"TERM": "dumb"})):
        with Terminal(*arguments, *extra, **environment) as terminal:
            terminal.wait()
            terminal.type("")
            assert not COLOUR.search(terminal.raw)
            assert "---+" in terminal.raw if environment.get("TERM") else "┌───┐" in terminal.raw


ASCII: list[tuple[list[str], dict[str, str]]] = [
    ([], {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}),
    ([], {"LC_ALL": "C"}),
    ([], {"TERM": "dumb"}),
    (["--ascii"], {}),
]


@pytest.mark.parametrize(("options", "environment"), ASCII)
def test_a_terminal_with_ascii_alone(tmp_path: Path, options: list[str], environment: dict[str, str]) -> None:
    arguments = ("--players", "Zoë,bot:random", "--lang", "es", "--save-dir", str(tmp_path), "--goal", "20", *options)
    columns = 62 if "TERM" in environment else 80
    with Terminal("dicy-cards", *arguments, columns=columns, **environment) as terminal:
        play_on(terminal, tmp_path, Random(3))
        assert terminal.raw.isascii()
        lines = [line for line in ESCAPE.sub("", terminal.raw).split("\r\n") if str(tmp_path) not in line]
        # What is typed at the prompt is not drawn by the program.
        assert [line for line in lines if len(line.partition(" salir >")[0]) > columns] == []
        assert "Zoe" in terminal.raw
        assert "+-- " in terminal.raw
        if "TERM" not in environment:  # A dumb terminal cannot be cleared: its screens follow one another.
            check_frames(terminal)
    assert saved(tmp_path).record.players[0] == "Zoë"
