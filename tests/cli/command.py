"""The real command in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def starfrost(
    *arguments: str | bytes | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command without keyboard input."""
    return subprocess.run(
        [sys.executable, "-m", "starfrost", *map(os.fspath, arguments)],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=120,
        cwd=cwd,
        env={**os.environ, **environment},
        check=False,
    )
