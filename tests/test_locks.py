"""Lock files pin every package by hash and name no index, so that any mirror can serve them."""

import json
import re

from tests.docs.pages import ROOT


def test_python_packages_are_pinned_by_hash() -> None:
    for lock in (ROOT / "locks").glob("*.txt"):
        text = lock.read_text(encoding="utf-8")
        packages = re.findall(r"^[\w.\[\]-]+==.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
        assert len(packages) > (0 if lock.name in ("uv.txt", "npm.txt") else 20)
        assert all("--hash=sha256:" in package for package in packages)
        assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text), lock.name


def test_npm_packages_are_pinned_by_hash() -> None:
    packages = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    installed = {name: package for name, package in packages.items() if name}
    assert {"node_modules/@biomejs/biome", "node_modules/jsdom", "node_modules/pyodide"} <= installed.keys()
    for name, package in installed.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
