"""Link previews: what a messenger shows of a page whose link is shared, and the layout of its picture."""

from dataclasses import dataclass
from typing import Final

WIDTH: Final = 1200
HEIGHT: Final = 630
"""The size of a picture, as messengers want it."""

LOCALES: Final = {"en": "en_GB", "de": "de_DE", "nl": "nl_NL", "es": "es_ES"}
"""Our languages as Open Graph names them."""

_NARROW: Final = frozenset("ijlftrI1.,:;!|'’()[] -")
_WIDE: Final = frozenset("mwMWOQGDHNU%@—…&")


@dataclass(frozen=True)
class Preview:
    """What the head of a page tells messengers. It is the same for every reader, so it names nothing private."""

    title: str = ""
    """The title of the page if empty."""
    text: str = ""
    """A sentence about the whole site if empty."""
    picture: str = "/preview.png"
    """The address of the picture; the page adds the language."""
    address: str | None = None
    """Where the link leads: the path of the page if None; empty if it must not be told, because it opens a seat."""


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is: typefaces differ, so leave a little room."""
    return size * sum(
        0.33 if sign in _NARROW else 0.84 if sign in _WIDE else 1.0 if ord(sign) > 0x2E80 else 0.6 for sign in text
    )


def wrapped(text: str, size: float, width: float, most: int) -> list[str]:
    """Break a text into lines of a width; what does not fit into `most` lines is cut off with an ellipsis."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    cut = lines[most:]
    lines = lines[:most]
    for number, line in enumerate(lines):
        last = bool(cut) and number == most - 1
        if last or text_width(line, size) > width:
            while text_width(f"{line}…", size) > width:
                line = line.rpartition(" ")[0] or line[:-1]
            lines[number] = f"{line.rstrip(' ,.;:·')}…"
    return lines
