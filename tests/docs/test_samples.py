"""The code samples of the documentation run, and print what the pages say.

- `python` blocks of a page run from top to bottom in one namespace. Where a page states outputs (`print(x)  # → text`),
  they are exactly what is printed.
- `console` blocks are commands after `$ ` and their output, in which `...` stands for anything.
- A block with `title="name"` is a file for the commands of its page.
- `<!-- not run: reason -->` above a block exempts it.
"""

import ast
import asyncio
import contextlib
import doctest
import inspect
import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, blocks, page_name

CHECKER = doctest.OutputChecker()


def samples(language: str) -> list[Path]:
    return [
        page
        for page in PAGES
        if any(block.language == language and block.run and not block.title for block in blocks(page))
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with the docs, and make `starfrost` and `python` the ones under test."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, run in {"python": sys.executable, "starfrost": f"{sys.executable} -m starfrost"}.items():
        (commands / name).write_text(f'#!/bin/sh\nexec {run} "$@"\n')
        (commands / name).chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    for name in ("docs", "examples"):
        (work / name).symlink_to(ROOT / name)
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}{os.pathsep}{ROOT}")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return work


@pytest.mark.parametrize("page", samples("python"), ids=page_name)
def test_the_python_samples_run(page: Path, folder: Path) -> None:
    space: dict[str, object] = {"__name__": "__main__"}
    stated: list[str] = []
    printed = io.StringIO()

    async def run() -> None:
        for block in blocks(page):
            if block.language == "python" and block.run and not block.title:
                stated.extend(line.split("# → ")[1] for line in block.text.splitlines() if "# → " in line)
                text = "\n" * (block.line - 1) + block.text
                code = compile(text, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
                waiting = eval(code, space)
                if inspect.isawaitable(waiting):
                    await waiting

    with contextlib.redirect_stdout(printed):
        asyncio.run(run())
    assert not stated or printed.getvalue().splitlines() == stated


@pytest.mark.parametrize("page", samples("console"), ids=page_name)
def test_the_console_samples_run(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, encoding="utf-8")
        if block.language != "console" or not block.run:
            continue
        assert block.text.startswith("$ "), f"{page_name(page)}:{block.line}: a console block starts with a command"
        for sample in block.text[2:].split("\n$ "):
            command, _, expected = sample.partition("\n")
            run = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", timeout=300, check=False)
            printed = "\n".join(line.rstrip() for line in (run.stdout + run.stderr).splitlines())
            assert CHECKER.check_output(expected.rstrip("\n"), printed, doctest.ELLIPSIS), (
                f"{page_name(page)}:{block.line}: {command}\n" + textwrap.indent(printed, "    ")
            )
