"""The command-line options of the games: a command offers those of all games, and its help names the games."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Annotated, Any

import typer

from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES

Described = tuple[str, str, type, str]
"""The name of an option, the title of a game that has it, its type and its help text."""


def listed(names: Iterable[str]) -> str:
    """Return names as a list for help texts: `dicy-cards or dice-stars`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def game_options() -> Iterator[Described]:
    """Yield a description of every option of every game."""
    for _, kit in GAMES.items():
        for option in kit.options:
            yield option.name, kit.title, int if option.most else str, option.help
        if kit.modes:
            yield MODE, kit.title, str, listed(kit.modes)


def with_options(described: Iterable[Described]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Replace a command's parameter `options` by one parameter per option; `options` receives the given ones."""
    kinds: dict[str, type] = {}
    texts: dict[str, dict[str, list[str]]] = {}
    for name, title, kind, text in described:
        kinds[name] = kind
        texts.setdefault(name, {}).setdefault(text, []).append(title)
    added = [
        inspect.Parameter(
            name.replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kinds[name] | None, typer.Option(f"--{name}", help=_help(titles))],
        )
        for name, titles in texts.items()
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**values: Any) -> Any:
            given = {name: values.pop(name.replace("-", "_")) for name in kinds}
            return command(options={name: value for name, value in given.items() if value is not None}, **values)

        signature = inspect.signature(command)
        parameters: list[inspect.Parameter] = []
        for parameter in signature.parameters.values():
            replaced = added if parameter.name == "options" else [parameter]
            parameters += [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in replaced]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


def _help(titles: dict[str, list[str]]) -> str:
    return "; ".join(f"{', '.join(games)}: {text}" for text, games in titles.items()) + "."
