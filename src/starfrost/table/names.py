"""Names, keys and contributions as they may enter the service."""

import re
import unicodedata

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME

_WORD = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")

# Controls, formats (bidirectional marks, zero-width characters), surrogates, private use, unassigned, line separators.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

# Signs that a record uses to separate things, and those that mark-up uses.
_SEPARATORS = str.maketrans({"|": " ", "<": " ", ">": " ", "#": " "})


def clean_name(name: str) -> str:
    """Make a display name safe to show: no control or bidirectional characters, no stacks of accents, one line.

    Raises Refused if nothing is left or it is too long.
    """
    text = unicodedata.normalize("NFC", name[:1000])
    # A joiner inside an emoji or an Indic word is meant to be there; alone or doubled it hides a name.
    kept: list[str] = []
    marks = 0
    for sign in text.translate(_SEPARATORS):
        kind = unicodedata.category(sign)
        if kind in _UNSEEN:
            kept.append(" " if sign in "\t\n\r" or kind in {"Zl", "Zp"} else "")
            continue
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if marks <= 2:
            kept.append(sign)
    text = " ".join("".join(kept).split())
    if not any(unicodedata.category(sign)[0] in "LNSP" for sign in text):
        raise Refused("bad-name", "A name needs at least one visible character.", 422)
    if len(text) > LONGEST_NAME:
        raise Refused("bad-name", "A name has at most %(most)s characters.", 422, most=LONGEST_NAME)
    return text


def clean_key(key: object) -> str:
    """Check an idempotency key. Raises Refused."""
    if not isinstance(key, str) or not _WORD.match(key):
        raise Refused("bad-key", "A command needs a key of 1 to 64 letters, digits, - or _.", 422)
    return key


def clean_contribution(text: object) -> str:
    """Check the randomness that a player adds. Raises Refused."""
    if not isinstance(text, str) or not _WORD.match(text):
        raise Refused("bad-contribution", "A contribution has 1 to 64 letters, digits, - or _.", 422)
    return text
