"""The documentation builds as a site, strictly, and loads nothing from another host."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.architecture import graph, picture
from tests.docs.pages import ROOT, codes

LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?([^"'\s>]+)|<link[^>]*\shref=["']?([^"'\s>]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-d", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert build.returncode == 0, build.stdout + build.stderr
    return folder


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        for match in LOADED.finditer(page.read_text(encoding="utf-8")):
            address = match[1] or match[2]
            assert not re.match(r"(https?:)?//", address), f"{page.name} loads {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_pages_reference_and_search_are_there(site: Path) -> None:
    assert "legal_actions" in (site / "reference.html").read_text(encoding="utf-8")
    assert "Keep a Changelog" in (site / "changelog.html").read_text(encoding="utf-8")
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "rejection sampling" in index
    for language in ("de", "en", "es", "nl"):
        assert (site / "rules" / language / "dicy-cards.html").exists()


def test_the_diagram_is_the_enforced_direction_of_imports() -> None:
    drawn = (ROOT / "docs" / "pictures" / "architecture.svg").read_text(encoding="utf-8")
    assert drawn == picture(), "run python -m bench.architecture"


def test_the_architecture_page_describes_every_package() -> None:
    named = {code.rstrip("/").removesuffix(".py") for code in codes(ROOT / "docs" / "architecture.md")}
    assert not graph().keys() - named
