"""Rules as data: a variant of a game, written as a TOML file and checked key by key.

A file names its game and what differs from the official rules; each game reads its own keys (`GameKit.variant`). A
variant has one canonical text, JSON on one line. It is the option `rules` of a setup and the header `rules` of a
record, so a game carries its rules wherever its headers go. Its digest names the variant in results and caches.
"""

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from starfrost.errors import Phrase, UsageError, quoted

RULES: Final = "rules"
"""The option and the record header with the text of a variant."""

VARIANT: Final = "variant"
"""The record header with the digest and the name of a variant."""

PASTED: Final = "rules"
"""The name of rules that come from no file."""

SIZE_LIMIT: Final = 20_000
"""The largest file in characters."""

LONGEST_NAME: Final = 40
_DIGITS: Final = 12


@dataclass(frozen=True)
class Variant:
    """A variant of a game: its canonical text and what follows from it."""

    game: str
    name: str
    text: str
    options: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The options of the setup that the variant decides, unless the host does."""

    @property
    def digest(self) -> str:
        """The digest of the text, which names the variant in records and results."""
        return sha256(self.text.encode()).hexdigest()[:_DIGITS]

    def headers(self) -> dict[str, str]:
        """Return the record headers of the variant."""
        return {VARIANT: f"{self.digest} {self.name}", RULES: self.text}

    def as_json(self) -> dict[str, str]:
        """Return the object that stands for the variant in JSON."""
        return {"name": self.name, "digest": self.digest}


def of_headers(headers: Mapping[str, str]) -> Mapping[str, str] | None:
    """Return the name and the digest of the variant that a game's headers describe; None for the official rules."""
    if RULES not in headers:
        return None
    digest, _, name = headers[VARIANT].partition(" ")
    return {"name": name, "digest": digest}


class Fields:
    """A table of a rules file: every key is asked for once, and `finish` refuses the ones that nobody asked for."""

    def __init__(self, values: Mapping[str, Any], file: str = PASTED, path: str = "") -> None:
        self.file = file
        self._values = values
        self._path = path
        self._asked: list[str] = []

    def _get(self, key: str) -> Any:
        self._asked.append(key)
        return self._values.get(key)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def refusal(self, key: str, expected: Phrase, found: object = None) -> UsageError:
        """Return the error that a key is not what was expected."""
        found = self._values.get(key) if found is None else found
        return UsageError(
            "%(file)s: %(key)s must be %(expected)s, not %(found)s.",
            RULES,
            file=self.file,
            key=self._path + key,
            expected=expected,
            found=quoted(found) if isinstance(found, str) else quoted(json.dumps(found, default=str)),
        )

    def number(self, key: str, least: int, most: int) -> int | None:
        """Return a whole number; None if it is not given."""
        value: int | None = self._get(key)
        if value is not None and not _is_number(value, least, most):
            raise self.refusal(key, Phrase("a whole number from %(least)s to %(most)s", least=least, most=most))
        return value

    def numbers(self, key: str, length: range, least: int, most: int) -> tuple[int, ...] | None:
        """Return a list of whole numbers; None if it is not given."""
        value = self._get(key)
        if value is None:
            return None
        if isinstance(value, list) and len(value) in length and all(_is_number(one, least, most) for one in value):
            return tuple(value)
        if len(length) == 1:
            expected = Phrase(
                "a list of %(length)s whole numbers from %(least)s to %(most)s",
                length=length[0],
                least=least,
                most=most,
            )
        else:
            expected = Phrase(
                "a list of %(shortest)s to %(longest)s whole numbers from %(least)s to %(most)s",
                shortest=length[0],
                longest=length[-1],
                least=least,
                most=most,
            )
        raise self.refusal(key, expected)

    def text(self, key: str, expected: Phrase, longest: int = LONGEST_NAME) -> str | None:
        """Return a text on one line; None if it is not given."""
        value = self._get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > longest:
            raise self.refusal(key, expected)
        return " ".join(value.split())

    def choice(self, key: str, choices: Iterable[str]) -> str | None:
        """Return one of some words; None if it is not given."""
        value: str | None = self._get(key)
        known = tuple(choices)
        if value is not None and value not in known:
            raise self.refusal(key, Phrase("one of %(choices)s", choices=", ".join(known)))
        return value

    def anything(self, key: str) -> Any:
        """Return a value that the caller checks; None if it is not given."""
        return self._get(key)

    def tables(self, key: str, names: Iterable[str] = ()) -> dict[str, "Fields"]:
        """Return the tables in a table by name; `names` lists the allowed ones, if only some are."""
        value, known = self._get(key), tuple(names)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
            raise self.refusal(key, Phrase("a table of tables, such as [%(key)s.NAME]", key=self._path + key))
        inside = Fields(value, self.file, f"{self._path}{key}.")
        if known:
            inside._asked.extend(known)
            inside.finish()
        return {name: Fields(one, self.file, f"{self._path}{key}.{name}.") for name, one in value.items()}

    def finish(self) -> None:
        """Raise UsageError for a key that does not exist."""
        for key in self._values:
            if key not in self._asked:
                raise UsageError(
                    "%(file)s: there is no key %(key)s; expected one of %(keys)s.",
                    RULES,
                    file=self.file,
                    key=quoted(self._path + key),
                    keys=", ".join(self._asked),
                )


def _is_number(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def opened(text: str, file: str = PASTED) -> Fields:
    """Return the keys of a rules file, as TOML or in its canonical form. Raises UsageError."""
    if len(text) > SIZE_LIMIT:
        raise UsageError(
            "%(file)s is longer than %(most)s characters, more than rules need.", RULES, file=file, most=SIZE_LIMIT
        )
    try:
        values = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else "too deep"
        raise UsageError("%(file)s is not valid TOML: %(reason)s.", RULES, file=file, reason=reason) from None
    return Fields(values, file)


def named(fields: Fields, game: str, rules: Mapping[str, Any], options: Mapping[str, str]) -> Variant:
    """Return the variant of a game whose keys have been read: `rules` is their canonical form. Raises UsageError."""
    name = fields.text("name", Phrase("a name of at most %(most)s characters", most=LONGEST_NAME))
    if name is None:
        raise UsageError("%(file)s: the key %(key)s is missing.", RULES, file=fields.file, key="name")
    fields.finish()
    text = json.dumps({"game": game, "name": name, **rules}, sort_keys=True, separators=(",", ":"))
    return Variant(game, name, text, options)


def read_file(path: Path) -> str:
    """Return the text of a rules file. Raises UsageError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError("%(file)s cannot be read: %(reason)s.", RULES, file=path, reason=error.strerror) from None
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError("%(file)s is not a text in UTF-8.", RULES, file=path) from None
