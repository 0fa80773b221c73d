"""What is not installed: the folder `research` beside `src` in a checkout of the project."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import starfrost
from starfrost.errors import UsageError


def from_checkout(name: str) -> Any:
    """Import a module of `research`. Raises UsageError where Starfrost runs from anywhere but a checkout."""
    root = Path(starfrost.__file__).parents[2]
    if not (root / "research" / "__init__.py").exists():
        raise UsageError(
            "This is research, which is not installed: run python -m %(module)s in a checkout of Starfrost.",
            module=f"research.{name}",
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return import_module(f"research.{name}")
