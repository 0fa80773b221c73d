"""Names, keys and contributions as they may enter the service."""

import re
import unicodedata
from itertools import takewhile

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME

_WORD = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")

# Controls, formats (bidirectional marks, zero-width characters), surrogates, private use, unassigned, line separators.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

# Signs that a record uses to separate things, and those that mark-up uses.
_SEPARATORS = str.maketrans({"|": " ", "<": " ", ">": " ", "#": " "})


# Drawn as nothing although they count as letters, signs or marks: fillers and the empty Braille cell.
_BLANK = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")

_JOINER, _NON_JOINER, _FLAG = "\u200d", "\u200c", "\U0001f3f4"
_TAGS = range(0xE0020, 0xE0080)


def tidy_name(name: str) -> str:
    """Return a name on one line, without characters that cannot be seen; may be empty or too long.

    Joiners inside an emoji or a word stay, and so does the region's code behind a flag: they make one sign of several.
    """
    text = unicodedata.normalize("NFC", name[:1000]).translate(_SEPARATORS)
    kept: list[str] = []
    marks = 0
    for place, sign in enumerate(text):
        kind = unicodedata.category(sign)
        if kind in _UNSEEN or sign in _BLANK:
            if _joins(text, place, kept):
                kept.append(sign)
            elif sign in "\t\n\r" or kind in {"Zl", "Zp"}:
                kept.append(" ")
            continue
        marks = marks + 1 if kind in {"Mn", "Me"} else 0
        if marks <= 2:
            kept.append(sign)
    return " ".join("".join(kept).split())


def _joins(text: str, place: int, kept: list[str]) -> bool:
    """Return whether an unseen character makes one sign of those around it."""
    sign, before, after = text[place], kept[-1:], text[place + 1 : place + 2]
    if ord(sign) in _TAGS:
        return bool(before) and (before[0] == _FLAG or ord(before[0]) in _TAGS)
    if sign not in (_JOINER, _NON_JOINER) or not before or not after:
        return False
    sides = unicodedata.category(before[0]), unicodedata.category(after)
    # A picture may end in a mark or a skin colour; a word goes on with a letter.
    letters = sides[0] in {"Lo", "Mn", "Mc"} and sides[1] == "Lo"
    return letters or (sign == _JOINER and sides[0] in {"So", "Mn", "Sk"} and sides[1] == "So")


def shorten_name(name: str) -> str:
    """Return as much of a name as may be stored, without a part of an emoji at its end."""
    end = LONGEST_NAME
    while 0 < end < len(name) and _goes_on(name, end):
        end -= 1
    return name[:end].strip()


def _goes_on(name: str, end: int) -> bool:
    """Return whether a cut at this place would split a sign."""
    sign = name[end]
    skin = 0x1F3FB <= ord(sign) <= 0x1F3FF
    flags = sum(1 for _ in takewhile(_is_region, reversed(name[:end]))) % 2 == 1 and _is_region(sign)
    return name[end - 1] == _JOINER or skin or flags or unicodedata.category(sign) in {"Mn", "Me", "Mc", "Cf"}


def _is_region(sign: str) -> bool:
    return 0x1F1E6 <= ord(sign) <= 0x1F1FF


def clean_name(name: str) -> str:
    """Make a display name safe to show: no control or bidirectional characters, no stacks of accents, one line.

    Raises Refused if nothing is left or it is too long.
    """
    text = tidy_name(name)
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
