"""The command-line options of the games: a command offers those of all games, and its help names the games."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starfrost.cli.help import Explain, explained
from starfrost.errors import UsageError, mark
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES
from starfrost.games.setup import read_variant, variant_of
from starfrost.games.variants import read_file

if TYPE_CHECKING:
    from starfrost.games.variants import Variant
    from starfrost.words import Words
    from starfrost.workers import Workers

AsJson = Annotated[bool, typer.Option("--json", help=mark("Print one JSON object."))]
Cluster = Annotated[
    str,
    typer.Option(help=mark("Work on all cores of the Ray cluster at this address."), metavar=mark("ADDRESS")),
]
Resume = Annotated[
    Path | None,
    typer.Option(help=mark("Keep the results in this file, and continue where it ends."), metavar=mark("FILE")),
]
Rules = Annotated[
    Path | None, typer.Option(help=mark("Play with the rules of this file, a variant."), metavar=mark("FILE"))
]
Lang = Annotated[str, typer.Option(help=mark("en, de, nl or es; default: your system's language."))]

Described = tuple[str, str, type, str]
"""The name of an option, the title of a game that has it, its type and its help text."""


def words(lang: str = "") -> "Words":
    """Return the words of the given language, or else of the system's. Raises UsageError if we do not have it."""
    from starfrost.words import Words, language_from_environment

    return Words(lang or language_from_environment())


def workers_of(jobs: int, cluster: str) -> "Workers":
    """Return who does the work. Raises UsageError for options that exclude each other."""
    from starfrost.workers import Workers

    if cluster and jobs > 1:
        raise UsageError("A cluster works on all its cores: give --jobs or --cluster, not both.")
    return Workers(jobs, cluster)


def rules_of(file: Path) -> "Variant":
    """Return the variant in a rules file. Raises UsageError."""
    return read_variant(read_file(file), str(file))


def _for_game(game: str, file: Path, variant: "Variant") -> str:
    """Return the text of a variant of this game, if one is named. Raises UsageError for another game's."""
    if game in GAMES and variant.game != game:
        raise UsageError("%(file)s has rules of %(other)s, not of %(game)s.", file=file, other=variant.game, game=game)
    return variant.text


def variant_told(w: "Words", game: Any) -> str:
    """Return the words that mark a game as a variant; empty for the official rules."""
    variant = variant_of(game)
    return w("variant “%(name)s” (%(digest)s)", **variant) if variant else ""


def variant_json(game: Any) -> dict[str, Any]:
    """Return the fields that mark a game as a variant in JSON; empty for the official rules."""
    variant = variant_of(game)
    return {"variant": variant} if variant else {}


def listed(names: Iterable[str]) -> str:
    """Return names as a list for help texts: `dicy-cards or dice-stars`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def game_options() -> Iterator[Described]:
    """Yield a description of every option of every game."""
    for _, kit in GAMES.items():
        for option in kit.options:
            kind = int if option.most else Path if option.variant else str
            yield option.name, kit.title, kind, option.help
        if kit.modes:
            yield MODE, kit.title, str, ", ".join(kit.modes)


def _by_game(texts: Mapping[str, list[str]], w: "Words") -> str:
    """Return the help of an option: what it is in each game."""
    return "; ".join(f"{', '.join(titles)}: {w(text)}" for text, titles in texts.items()) + "."


def with_options(described: Iterable[Described]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Replace a command's parameter `options` by one parameter per option; `options` receives the given ones."""
    options: dict[str, tuple[type, dict[str, list[str]]]] = {}
    for name, title, kind, text in described:
        options.setdefault(name, (kind, {}))[1].setdefault(text, []).append(title)
    added = []
    helps: dict[str, Explain] = {}
    for name, (kind, texts) in options.items():
        option: Any = Annotated[kind | None, typer.Option(f"--{name}")]
        parameter = name.replace("-", "_")
        added.append(inspect.Parameter(parameter, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option))
        helps[parameter] = partial(_by_game, texts)

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**values: Any) -> Any:
            given = {name: values.pop(name.replace("-", "_")) for name in options}
            game = str(values.get("game") or "")
            given = {
                name: _for_game(game, value, rules_of(value)) if isinstance(value, Path) else value
                for name, value in given.items()
            }
            return command(options={name: value for name, value in given.items() if value is not None}, **values)

        signature = inspect.signature(command)
        parameters = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in signature.parameters.values()
            for each in (added if parameter.name == "options" else [parameter])
        ]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return explained(**helps)(run)

    return decorate
