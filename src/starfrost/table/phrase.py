"""Words to say aloud: recovery phrases, which bring a guest to another device, and the codes of rooms."""

import hashlib
import re
import secrets
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from starfrost.errors import Refused

LENGTH: Final = 8
"""Words in a phrase; with the 1,600 words of the list that is over 85 random bits."""
_START: Final = 4
"""The first letters of a word, which no two words share: a slip in the rest of a word does no harm."""


@cache
def word_list() -> Mapping[str, str]:
    """Return the words of all phrases by their first letters."""
    words = Path(__file__).with_name("phrase_words.txt").read_text(encoding="ascii").split()
    return {word[:_START]: word for word in words}


def new_phrase() -> str:
    """Return a fresh phrase."""
    words = tuple(word_list().values())
    return " ".join(secrets.choice(words) for _ in range(LENGTH))


def read_phrase(text: str) -> str:
    """Return a phrase as it was shown, however it was typed. Raises Refused, with the word that is wrong."""
    known = word_list()
    typed = re.findall(r"[^\W\d_]+", text[:500].lower())
    for word in typed:
        if word[:_START] not in known:
            raise Refused(
                "bad-phrase",
                "“%(word)s” is not a word of a recovery phrase. Check how it is spelled.",
                422,
                word=word[:20],
            )
    if len(typed) != LENGTH:
        raise Refused(
            "bad-phrase",
            "A recovery phrase has %(most)s words; these are %(words)s.",
            422,
            most=LENGTH,
            words=len(typed),
        )
    return " ".join(known[word[:_START]] for word in typed)


def hash_phrase(phrase: str, salt: bytes) -> str:
    """Return what is stored of a phrase; this takes about 50 ms and 16 MiB on purpose.

    All phrases of a server share its salt, so that one can be found by its hash. They are random, so no two are equal
    and none is in a list of common ones: nobody can search over 85 bits even with a copy of the database, and scrypt
    makes every guess some 100,000 times as expensive as a plain hash does.
    """
    return hashlib.scrypt(phrase.encode(), salt=salt, n=2**14, r=8, p=1, dklen=32).hex()


def new_code() -> str:
    """Return a fresh code to say aloud, such as `frost-owl-417`: two words and a number, 31 random bits."""
    words = tuple(word_list().values())
    return f"{secrets.choice(words)}-{secrets.choice(words)}-{100 + secrets.randbelow(900)}"


def read_code(text: str) -> str | None:
    """Return a code as it was made, however it was typed; None if it is none."""
    typed = re.findall(r"[^\W\d_]+|[0-9]+", text[:100].lower())
    if len(typed) != 3 or not re.fullmatch("[1-9][0-9]{2}", typed[2], re.ASCII):
        return None
    words = [word_list().get(word[:_START]) for word in typed[:2]]
    return None if None in words else f"{words[0]}-{words[1]}-{typed[2]}"
