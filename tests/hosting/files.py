"""The files of deploy/ as the tests use them."""

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"
PASSWORD, DOMAIN = "sesame", "play.example.org"


def unit(name: str) -> list[tuple[str, str]]:
    """Return the lines of a systemd unit: keys with values."""
    lines = (DEPLOY / name).read_text(encoding="utf-8").splitlines()
    return [
        (key, value) for line in lines if "=" in line and line[0] not in "#[" for key, value in [line.split("=", 1)]
    ]


def unit_values(name: str, key: str) -> list[str]:
    """Return the values of a key of a systemd unit."""
    return [value for found, value in unit(name) if found == key]


def unit_command(name: str, folder: Path) -> tuple[list[str], dict[str, str]]:
    """Return the command and the environment of a unit, with its folders below another one."""

    def moved(text: str) -> str:
        return re.sub(r"/(var/lib|var/cache|etc)/starfrost", rf"{folder}/\1", text)

    [command] = unit_values(name, "ExecStart")
    environment = dict(value.split("=", 1) for value in unit_values(name, "Environment"))
    return shlex.split(moved(command)), {key: moved(value) for key, value in environment.items()}


def compose() -> dict[str, Any]:
    """Return the compose file with its variables filled in."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    for name, value in (("POSTGRES_PASSWORD", PASSWORD), ("DOMAIN", DOMAIN)):
        text = re.sub(rf"\$\{{{name}(:\?[^}}]*)?\}}", value, text)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def image_settings() -> dict[str, str]:
    """Return the environment of the image."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    [line] = re.findall(r"^ENV (.*)$", text, re.MULTILINE)
    return dict(word.split("=", 1) for word in line.split())
