"""The options of games on the command line: one for everything that a host may set in some game."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES

__all__ = ["game_ids", "game_options"]


def game_ids() -> str:
    """Return the ids of all games for a help text: `dicy-cards or dice-stars`."""
    *others, last = GAMES
    return f"{', '.join(others)} or {last}" if others else last


def _described() -> dict[str, tuple[type, str]]:
    """Return the type and the help text of every option by name."""
    texts: dict[str, dict[str, list[str]]] = {}
    kinds: dict[str, type] = {}
    for _, kit in GAMES.items():
        found = [(option.name, option.help, int if option.most else str) for option in kit.options]
        if kit.modes:
            *others, last = kit.modes
            found.append((MODE, f"{', '.join(others)} or {last}", str))
        for name, text, kind in found:
            texts.setdefault(name, {}).setdefault(text, []).append(kit.title)
            kinds[name] = kind
    return {
        name: (kinds[name], "; ".join(f"{', '.join(titles)}: {text}" for text, titles in by_text.items()) + ".")
        for name, by_text in texts.items()
    }


def game_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Replace a command's parameter `options` by one parameter for each option of a game."""
    described = _described()
    added = {
        name.replace("-", "_"): inspect.Parameter(
            name.replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind | None, typer.Option(f"--{name}", help=text)],
        )
        for name, (kind, text) in described.items()
    }
    signature = inspect.signature(command)

    @wraps(command)
    def run(**values: Any) -> Any:
        given = {key: values.pop(key) for key in added}
        return command(
            **values,
            options={key.replace("_", "-"): str(value) for key, value in given.items() if value is not None},
        )

    parameters: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        replaced = added.values() if parameter.name == "options" else [parameter]
        parameters += [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in replaced]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {
        "return": signature.return_annotation
    }
    return run
