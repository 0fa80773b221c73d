"""Write the reference of the settings, docs/settings.md, from the code.

python -m tools.settings            writes the page
python -m tools.settings --check    changes nothing; exits with 1 if the page is not current
"""

import ast
import inspect
import sys
from pathlib import Path
from typing import Any, Final

from starfrost.table import Settings

__all__ = ["main", "page"]

PAGE: Final = Path(__file__).parent.parent / "docs" / "settings.md"

HEAD: Final = """\
# Settings

<!-- Written by `python -m tools.settings` from `starfrost.table.Settings`; change the code, then run it again. -->

Every setting of a server has a default, so a server needs none of them. A setting is read from the environment
(`STARFROST_BOT_WORKERS=4`) or from a file (`bot_workers = 4` in `starfrost.toml` in the current folder, or in the file
that `--config` names). The environment overrides the file, and the command line overrides both. An unknown name or a
wrong value is refused in one sentence.

| setting | in the environment | default | what it does |
|---|---|---|---|
"""


def described() -> dict[str, str]:
    """Return the text under each field of the class; raises LookupError for a field without one."""
    tree = ast.parse(inspect.getsource(Settings)).body[0]
    assert isinstance(tree, ast.ClassDef)
    found: dict[str, str] = {}
    for before, node in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(node, ast.Expr):
            found[before.target.id] = inspect.cleandoc(str(getattr(node.value, "value", "")))
    missing = set(Settings.__annotations__) - set(found) - {"model_config"}
    if missing:
        raise LookupError(f"Settings without a description: {', '.join(sorted(missing))}")
    return found


def page() -> str:
    """Return the page as it should be."""
    texts = described()
    lines = [
        f"| `{name}` | `STARFROST_{name.upper()}` | {_shown(field)} | {' '.join(texts[name].split())} |"
        for name, field in Settings.model_fields.items()
        if name in texts
    ]
    return HEAD + "\n".join(lines) + "\n"


def _shown(field: Any) -> str:
    if field.default_factory is not None:
        return "a file of your own"
    value = field.default
    if value == "":
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def main(arguments: list[str]) -> int:
    """Write the page, or check it."""
    if arguments == ["--check"]:
        return int(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
