"""The documentation as tests read it: pages and their fenced code blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "research").glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "rules").glob("*.md"),
    ]
)

FENCE = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
NOT_RUN = re.compile(r"<!-- not run: .+ -->")
TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced code block: its language, its text, and the line of the page on which the text begins."""

    language: str
    title: str
    text: str
    line: int
    run: bool


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page in order. `<!-- not run: reason -->` above a block exempts it."""
    lines = page.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        if fence := FENCE.match(lines[at]):
            indent, info = len(fence["indent"]), fence["info"].strip()
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            title = TITLE.search(info)
            above = next((line for line in reversed(lines[:at]) if line.strip()), "")
            yield Block(
                info.split()[0] if info else "",
                title[1] if title else "",
                "".join(f"{line[indent:]}\n" for line in lines[at + 1 : end]),
                at + 2,
                not NOT_RUN.search(above),
            )
            at = end
        at += 1


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def codes(page: Path) -> list[str]:
    """Return what stands in backticks in a page's prose."""
    return [" ".join(code.split()) for code in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose(page))]
