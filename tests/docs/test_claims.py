"""What the documentation names exists: files, modules, commands with their options, make targets, settings, links."""

import importlib
import importlib.util
import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main

from starfrost.cli.registry import ADMIN, commands
from tests.docs.pages import PAGES, ROOT, blocks, codes, page_name, prose

FILES = [
    path.relative_to(ROOT)
    for top in ("src", "tests", "docs", "research", "bench", "tools", "examples", "locks", "deploy", ".github")
    for path in (ROOT / top).rglob("*")
]
FILES += [path.relative_to(ROOT) for path in ROOT.iterdir()]
NAMED = re.compile(r"^[\w./-]*(/|\.(py|md|html|css|js|po|cu|toml|json|yml|svg|txt))$|^[a-z_]+/[\w/-]+$")
# Not files of this repository: what make writes, a file of the reader, a media type.
OTHERS = {"build/docs", "starfrost.toml", "text/html"}
HOLE = re.compile(r"[<>{}…*]|NAME|GAME|LANGUAGE")


@cache
def all_commands() -> dict[str, Any]:
    app = typer.Typer()
    for name, (module, _) in commands().items():
        if name != "admin":
            app.command(name)(getattr(importlib.import_module(module), name))
    for name, (module, function, _) in ADMIN.items():
        app.command(f"admin {name}")(getattr(importlib.import_module(f"starfrost.cli.admin.{module}"), function))
    group: Any = typer.main.get_command(app)
    return dict(group.commands)


def command_lines(page: Path) -> list[str]:
    """Return the command lines of a page, from prose and blocks."""
    lines = codes(page)
    for block in blocks(page):
        if block.language in ("", "sh", "console"):
            lines += [line.removeprefix("$ ") for line in block.text.replace("\\\n", " ").splitlines()]
    return lines


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_named_files_exist(page: Path) -> None:
    for code in codes(page):
        if NAMED.match(code) and code not in OTHERS and not code.startswith("/") and not HOLE.search(code):
            name = f"/{code.rstrip('/')}"
            assert any(f"/{path}".endswith(name) for path in FILES), f"{page_name(page)} names {code}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_named_modules_and_attributes_exist(page: Path) -> None:
    for code in codes(page):
        for name in re.findall(r"\bstarfrost(?:\.(?!toml|service)\w+)+", code):
            parts = name.split(".")
            found: object = importlib.import_module("starfrost")
            for count, part in enumerate(parts[1:], start=2):
                if not hasattr(found, part):
                    module = ".".join(parts[:count])
                    assert importlib.util.find_spec(module), f"{page_name(page)} names {name}"
                    importlib.import_module(module)
                found = getattr(found, part)
    for line in command_lines(page):
        for module in re.findall(r"\bpython -m ([\w.]+)", line):
            assert importlib.util.find_spec(module), f"{page_name(page)} runs {module}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_and_their_options_exist(page: Path) -> None:
    commands = all_commands()
    for line in command_lines(page):
        if not (found := re.search(r"(?:^|\s|/)starfrost ((?:admin )?[a-z]+)\b(.*)", line)) or line.startswith("#"):
            continue
        if found[1] == "admin":
            continue
        command = commands.get(found[1])
        assert command, f"{page_name(page)}: starfrost {found[1]}"
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {
            "--help"
        }
        # What follows two spaces is a remark, what follows a pipe another program.
        own = re.split(r"\s{2,}|\s\| (?=[a-z])", found[2].replace("'", ""))[0]
        for word in shlex.split(own.replace("[", " ").replace("]", " ")):
            if word.startswith("--"):
                assert word.split("=")[0] in known, f"{page_name(page)}: starfrost {found[1]} {word}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_make_targets_and_settings_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text()
    for line in command_lines(page):
        if found := re.match(r"make ([a-z-]+)", line):
            assert re.search(rf"^{found[1]}:", makefile, re.MULTILINE), f"{page_name(page)}: make {found[1]}"
    for name in set(re.findall(r"\bSTARFROST_\w+", page.read_text(encoding="utf-8"))):
        field = name.removeprefix("STARFROST_").lower()
        sources = (*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py"))
        assert any(
            name in text or f"    {field}:" in text for text in (path.read_text(encoding="utf-8") for path in sources)
        ), name


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent == ROOT], ids=page_name)
def test_links_of_the_root_pages_lead_somewhere(page: Path) -> None:
    """The site's strict build holds the links of docs/."""
    for target in re.findall(r"\]\(([^)#]+)", prose(page)):
        assert target.startswith("http") or (ROOT / target).exists(), f"{page_name(page)} links {target}"
