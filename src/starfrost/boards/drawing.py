"""How boards and pages are drawn: the templates, in the reader's language and with the reader's settings.

It needs Jinja and no server.
"""

import operator
from collections.abc import Callable, Hashable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, nodes
from jinja2.bccache import Bucket
from jinja2.compiler import CodeGenerator, Frame
from jinja2.runtime import Macro
from markupsafe import Markup, escape

from starfrost.boards import assets
from starfrost.boards.previews import LOCALES, wrapped
from starfrost.boards.registry import board_of, boards
from starfrost.boards.seats import seat_shape
from starfrost.cache import cache_folder
from starfrost.games.kit import LONGEST_NAME
from starfrost.words import LANGUAGE_NAMES, LANGUAGES, Words, You, mark
from starfrost.words.catalogue import catalogue_path

REACTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "clap": ("👏", mark("Well played!")),
    "laugh": ("😄", mark("Ha ha!")),
    "wow": ("😮", mark("Wow!")),
    "sigh": ("😩", mark("Oh no!")),
    "heart": ("❤️", mark("Love it!")),
    "hurry": ("⏳", mark("Your turn, please!")),
}
"""The reactions: a sign and its meaning."""

TEMPLATES: Final = Path(__file__).parents[1] / "web" / "templates"

_MOST_DRAWN: Final = 4000
"""How many drawn parts of pages are kept for each language, each of about a kilobyte."""

PACES: Final = {"calm": 1800, "brisk": 900, "instant": 0}
"""Milliseconds that every decision of somebody else stands; the server's part is in `table.paces`."""

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "language": LANGUAGES,
    "theme": ("auto", "light", "dark"),
    "sound": ("off", "on"),
    "notify": ("off", "on"),
    "confirm": ("off", "on"),
    "board": ("picture", "text"),
    "handover": ("on", "off"),
    "pace": ("brisk", "calm", "instant"),
}
"""What a reader can set, each with its values; the first is the default."""


@dataclass(frozen=True)
class Reader:
    """The reader of a page: language and settings."""

    w: Words
    settings: Mapping[str, str]
    first: str = ""
    """The table of the reader's first game."""

    @property
    def language(self) -> str:
        """The code of the reader's language."""
        return self.w.language

    @property
    def text(self) -> bool:
        """Whether the reader wants tables in words instead of pictures."""
        return self.settings["board"] == "text"

    @property
    def at_once(self) -> bool:
        """Whether the reader wants to see the moves of others without any wait."""
        return self.settings["pace"] == "instant"

    @property
    def confirms(self) -> bool:
        """Whether the reader wants to confirm every move."""
        return self.settings["confirm"] == "on"


@cache
def words_of(language: str) -> Words:
    """Return the words of a language; they are read once."""
    return Words(language)


class _Compiled(FileSystemBytecodeCache):
    """The templates that were compiled for a language, also by earlier processes: half a second of work in all."""

    def __init__(self, language: str) -> None:
        # The texts become part of them, and this file says how they are compiled.
        made_of = [path.read_bytes() for path in (catalogue_path(language), Path(__file__)) if path.exists()]
        self._language = language, sha256(b"".join(made_of)).hexdigest()
        folder = cache_folder() / "templates"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        super().__init__(str(folder))

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return super().get_cache_key(f"{self._language[0]}/{name}", filename)

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(f"{self._language} {source}")

    def dump_bytecode(self, bucket: Bucket) -> None:
        # A full disk or a folder that cannot be written only costs time.
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _shown(value: object) -> Markup:
    """Return a value as it is written into a page."""
    return value if isinstance(value, Markup) else escape(value)


class _Direct(CodeGenerator):
    """Calls functions and macros as Python does, and leaves alone what is escaped already: a third of a page's time.

    Jinja looks each time whether a function wants the context; only the sentences with numbers do.
    """

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if finalize.src is None and frame.eval_ctx.autoescape and not frame.eval_ctx.volatile:
            self.write("environment.shown(")
        else:
            super()._output_child_pre(node, frame, finalize)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        if isinstance(node.node, nodes.Name) and node.node.name.endswith("gettext"):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("environment.called(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")


class _Translated(Environment):
    """The templates of one language: texts without values become part of them when they are compiled."""

    code_generator_class = _Direct
    shown = staticmethod(_shown)
    called: Callable[..., Any] = staticmethod(operator.call)  # type: ignore[arg-type]
    text: Callable[[str], Markup]

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template, which has none of its own: a plain mapping is copied ten times faster."""
        return {**self.globals, **d} if d else self.globals

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for output in tree.find_all(nodes.Output):
            output.nodes = [self._fixed(node) for node in output.nodes]
        return tree

    def _fixed(self, node: nodes.Expr) -> nodes.Expr:
        match node:
            case nodes.Call(node=nodes.Name(name="_"), args=[nodes.Const(value=message)], kwargs=[]):
                return nodes.TemplateData(str(self.text(message)), lineno=node.lineno)
        return node


@cache
def environment(language: str) -> Environment:
    """Return the templates for one language."""
    words = words_of(language)

    # A page asks for about fifty texts; those with values, such as the reader's name, come again with every move.
    @lru_cache(maxsize=_MOST_DRAWN, typed=True)
    def gettext(message: str, /, **values: Hashable) -> Markup:
        return Markup(words.gettext(message)) % values

    environment = _Translated(
        loader=FileSystemLoader([TEMPLATES, *(board.templates for board in boards() if board.templates)]),
        autoescape=True,
        undefined=StrictUndefined,
        # Otherwise every page checks on disk whether its ten templates have changed.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
        bytecode_cache=_Compiled(language),
    )
    environment.text = gettext
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        words.gettext, words.ngettext, newstyle=True
    )

    @lru_cache(maxsize=_MOST_DRAWN)
    def once(macro: Macro, *values: Hashable) -> Markup:
        """Draw a part that depends on nothing but a few values, such as a card, unless it is still there."""
        return macro(*values)  # type: ignore[return-value]

    @cache
    def macros(template: str) -> Any:
        """Return the macros of a template. An `import` looks for changed globals every time."""
        return environment.get_template(template).module

    environment.globals.update(_=gettext, gettext=gettext, once=once, macros=macros)
    environment.globals.update(
        w=words,
        static=assets.url,
        languages=LANGUAGE_NAMES,
        paces=PACES,
        reactions=REACTIONS,
        board_of=board_of,
        boards=boards,
        longest_name=LONGEST_NAME,
        seat_shape=seat_shape,
        locales=LOCALES,
        wrapped=wrapped,
    )
    environment.tests["you"] = lambda name: isinstance(name, You)
    environment.globals["draw"] = environment.get_template("parts/drawings.html").module
    return environment


def part_of_page(language: str, template: str, /, **values: Any) -> str:
    """Draw what is the same for every reader of a language."""
    return environment(language).get_template(template).render(**values)
