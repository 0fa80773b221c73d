"""Help and usage errors in four languages: nothing of a command stays English."""

from importlib import import_module
from typing import Any

import pytest
import typer

from starfrost.cli.help import Command, help_text
from starfrost.cli.registry import ADMIN, commands
from starfrost.words import LANGUAGES, Words
from tests.cli.command import starfrost


def command(name: str) -> Any:
    """Build a command as the command line does."""
    app = typer.Typer(add_completion=False)
    if name.startswith("admin "):
        module, function, text = ADMIN[name.removeprefix("admin ")]
        module = f"starfrost.cli.admin.{module}"
    else:
        module, text = commands()[name]
        function = name
    app.command(name, cls=Command, help=text)(getattr(import_module(module), function))
    return typer.main.get_command(app)


ALL = [name for name in commands() if name != "admin"] + [f"admin {name}" for name in ADMIN]


@pytest.mark.parametrize("name", ALL)
def test_every_help_text_is_translated(name: str) -> None:
    english = Words()
    built = command(name)
    parameters = [each for each in built.params if each.name != "help"]
    for language in LANGUAGES[1:]:
        w = Words(language)
        assert w(built.help) != built.help
        for parameter in parameters:
            text = help_text(built, parameter, english)
            assert len(text) > 10, f"{name} {parameter.name} has no help"
            assert help_text(built, parameter, w) != text or parameter.name == "mode", (language, parameter.name)
            if parameter.metavar:
                assert w(parameter.metavar) != parameter.metavar


ERRORS = {
    ("en", "simulate"): "The argument game is missing.",
    ("de", "simulate dicy-cards"): "Die Option --bots fehlt.",
    ("nl", "simulate dicy-cards --bots"): "De optie --bots heeft een waarde nodig.",
    ("es", "simulate dicy-cards --games x"): "--games necesita un número entero.",
    ("de", "serve --port 70000"): "--port darf höchstens 65535 sein.",
    ("nl", "serve --workers 0"): "--workers moet minstens 1 zijn.",
    ("es", "--nothing"): "No hay ninguna opción --nothing.",
    ("de", "simulate --gam"): "Eine Option --gam gibt es nicht. Meintest du --games, --goal?",
    ("nl", "simulat"): "Er is geen opdracht simulat. Bedoelde je 'simulate'?",
    ("es", "xyzzy"): "No hay ninguna orden xyzzy.",
    ("de", "replay a.sfr --json=1"): "Die Option --json hat keinen Wert.",
    ("nl", "play dicy-cards b c"): "Te veel argumenten: b c.",
    ("de", "admin bakup"): "Einen Befehl bakup gibt es nicht. Meintest du 'backup'?",
    ("es", "admin backup"): "Falta el argumento ARCHIVO.",
}


@pytest.mark.parametrize(("language", "line"), ERRORS, ids=" ".join)
def test_usage_errors_are_sentences_in_the_language_of_the_system(language: str, line: str) -> None:
    done = starfrost(*line.split(), LANGUAGE=language)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"starfrost: {ERRORS[language, line]}\n")


@pytest.mark.parametrize(
    ("language", "line", "parts"),
    [
        ("de", "--help", ("Aufruf:", "BEFEHL", "Befehle", "Optionen", "Diese Hilfe zeigen.", "Im Terminal spielen")),
        ("nl", "solve --help", ("Gebruik:", "[OPTIES]", "1 tot en met 256", "standaard: 100", "GETAL")),
        ("es", "replay --help", ("Uso:", "ARCHIVO…", "obligatorio", "Argumentos", "Registros que leer")),
        ("en", "simulate --help", ("Usage:", "dicy-cards or dice-stars", "Dice Stars: the boxes of the solo grid.")),
        ("nl", "admin --help", ("Gebruik:", "Opdrachten", "backup", "Schrijf een back-up")),
        ("de", "admin ban --help", ("WER", "Wie lange; 0 heißt für immer.")),
        ("de", "simulate --lang es --help", ("Uso:", "dicy-cards o dice-stars", "las casillas de la cuadrícula")),
    ],
)
def test_help_is_in_one_language(language: str, line: str, parts: tuple[str, ...]) -> None:
    done = starfrost(*line.split(), LANGUAGE=language, COLUMNS="200")
    assert (done.returncode, done.stderr) == (0, "")
    for part in parts:
        assert part in done.stdout
    if language != "en":
        assert not {"Usage:", "Options", "Commands", "required", "default:"} & {*done.stdout.split()}


def test_short_help() -> None:
    assert starfrost("puzzle", "-h").stdout == starfrost("puzzle", "--help").stdout != ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell: str) -> None:
    script = starfrost("completion", shell).stdout
    assert "_STARFROST_COMPLETE" in script

    def completed(*words: str) -> str:
        typed = " ".join(("starfrost", *words))
        asking = {
            "COMP_WORDS": typed,
            "COMP_CWORD": str(len(words)),
            "_TYPER_COMPLETE_ARGS": typed,
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        }
        return starfrost(_STARFROST_COMPLETE=f"complete_{shell}", **asking).stdout

    assert "simulate" in completed("si")
    assert "--swap-seats" in completed("simulate", "dicy-cards", "--sw")
    assert "backup" in completed("admin", "ba")


def test_another_shell_gets_a_sentence() -> None:
    assert starfrost("completion", "csh").stderr == (
        "starfrost: There is no script for csh; there is one for bash, zsh, fish.\n"
    )
