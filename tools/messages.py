"""Find every message in the code and the templates, and bring the catalogues up to date.

python -m tools.messages            adds new messages, drops those that are no longer used, lists what is missing
python -m tools.messages --check    changes nothing; lists what is missing and exits with 1
python -m tools.messages --table PLACE...    prints the messages of these files in every language, for a review
"""

import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

import starfrost
from starfrost.words.catalogue import LANGUAGES, catalogue_path, read_catalogue

__all__ = ["faults", "main", "template", "update"]

SOURCE: Final = Path(starfrost.__file__).parent

# The functions whose arguments are messages, and which arguments. `_`, `gettext` and `ngettext` stand in templates.
KEYWORDS: Final[dict[str, tuple[int, ...] | None]] = {
    "w": None,
    "_": None,
    "mark": None,
    "gettext": None,
    "plural": (1, 2),
    "ngettext": (1, 2),
    "Phrase": (1,),
    "StarfrostError": (1,),
    "UsageError": (1,),
    "IllegalAction": (1,),
    "NotationError": (1,),
    "RecordError": (2,),
    "Forfeit": (1,),
    "MissingExtra": (1,),
    "require": (1,),
    "Refused": (2,),
}

METHODS: Final = [
    ("**.py", "python"),
    ("**.html", "jinja2.ext.babel_extract"),
    ("**.jinja", "jinja2.ext.babel_extract"),
    ("**.txt", "jinja2.ext.babel_extract"),
    ("**.js", "javascript"),
]
OPTIONS: Final = {"**.html": {"silent": "false"}}

PLACEHOLDER: Final = re.compile(r"%\(\w+\)[sd]|%%")

HEADER: Final = """\
# Starfrost: see docs/translating.md.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural}\\n"

"""


def template() -> Catalog:
    """Collect every message in the source."""
    found = Catalog(charset="utf-8")
    for file, _line, message, comments, context in extract_from_dir(
        SOURCE, METHODS, OPTIONS, KEYWORDS, comment_tags=("Translators:",), strip_comment_tags=True
    ):
        found.add(message, None, [(file, 0)], auto_comments=comments, context=context)
    return found


def update(language: str) -> None:
    """Write a catalogue again: messages in the order of their ids, known translations kept, the others empty.

    Places are left out, so that code can move without a change of the catalogues; `--table` finds them.
    """
    catalogue = read_catalogue(language)
    catalogue.update(template(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    text = BytesIO()
    write_po(text, catalogue, width=110, omit_header=True, sort_output=True, no_location=True)
    header = HEADER.format(language=language, plural=catalogue.plural_forms)
    catalogue_path(language).write_text(header + text.getvalue().decode(), encoding="utf-8")


def _forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def _placeholders(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text)) - {"%%"}


def faults(language: str) -> Iterator[str]:
    """List what is wrong with a catalogue: missing, fuzzy, obsolete or not extracted messages, other placeholders."""
    extracted = {message.id: message for message in template() if message.id}
    written = read_catalogue(language)
    place = f"{language}.po"
    known = {message.id: message for message in written if message.id}
    for identity in extracted.keys() - known.keys():
        yield f"{place}: not extracted: {identity!r}"
    for identity in known.keys() - extracted.keys():
        yield f"{place}: no longer used: {identity!r}"
    for obsolete in written.obsolete:
        yield f"{place}: obsolete: {obsolete!r}"
    for identity, message in known.items():
        forms = _forms(message)
        if message.fuzzy:
            yield f"{place}: fuzzy: {identity!r}"
        elif not forms or not all(forms):
            yield f"{place}: missing: {identity!r}"
        elif isinstance(identity, str):
            if _placeholders(identity) != _placeholders(forms[0]):
                yield f"{place}: other placeholders: {identity!r} and {forms[0]!r}"
        else:
            if len(forms) != written.num_plurals:
                yield f"{place}: {written.num_plurals} plural forms expected: {identity!r}"
            # A singular may leave its number out ("one die"), the plural may not.
            if _placeholders(forms[-1]) != _placeholders(identity[1]) or not _placeholders(forms[0]) <= _placeholders(
                identity[1]
            ):
                yield f"{place}: other placeholders: {identity!r} and {forms!r}"


def table(*places: str) -> str:
    """Return the messages of some files in every language, side by side; of two forms the plural."""
    catalogues = [read_catalogue(language) for language in LANGUAGES[1:]]
    rows = [list(LANGUAGES), ["---"] * len(LANGUAGES)]
    for message in template():
        if message.id and {file for file, _ in message.locations} & set(places):
            forms = [(message.id,) if isinstance(message.id, str) else message.id]
            forms += [_forms(catalogue[message.id]) for catalogue in catalogues]
            rows.append([form[-1].replace("|", "\\|") for form in forms])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: list[str]) -> int:
    """Update the catalogues, or only check them; print what is left to translate."""
    if "--table" in arguments:
        print(table(*arguments[1:]))
        return 0
    found: list[str] = []
    for language in LANGUAGES[1:]:
        if "--check" not in arguments:
            update(language)
        found += faults(language)
    print("\n".join(found) if found else "Every message is translated into every language.")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
