"""The setup of a game in the terminal: by options on the command line, and by questions for the rest."""

import getpass
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final

from rich.text import Text

from starfrost.bots.progress import solving
from starfrost.bots.registry import bots_for, bots_here, entries, make_bot
from starfrost.errors import StarfrostError, UsageError
from starfrost.games.core import Game
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES, make_game
from starfrost.games.setup import Setup
from starfrost.terminal import saves
from starfrost.terminal.menu import Menu, ask, ask_until, described, numbered, with_way_back
from starfrost.terminal.registry import BOARDS
from starfrost.terminal.screen import Screen, pad, wrapped
from starfrost.terminal.session import HUMAN, Session
from starfrost.words import Words
from starfrost.words.bots import bot_name, bot_text, usual_bot
from starfrost.words.registry import PLAIN, WORDS

LONGEST_NAME: Final = 15
"""The maximum length of a name on a board of 80 columns."""

RANDOM: Final = "random"
"""Chance decides who begins."""


def begin(
    screen: Screen,
    game: str = "",
    players: str = "",
    options: Mapping[str, str] | None = None,
    seed: str = "",
    folder: Path | None = None,
    first: str = "",
) -> Session:
    """Set up a game; ask for missing settings, unless the players are given. Raises UsageError.

    `first` says who begins: a name, a number among the players, or `random`; otherwise the one who is named first.
    """
    folder, options = folder or saves.default_folder(), options or {}
    return with_way_back(screen, lambda: _begin(screen, game, players, options, seed, folder, first))


def _begin(
    screen: Screen, game: str, players: str, options: Mapping[str, str], seed: str, folder: Path, first: str
) -> Session:
    if not game:
        if players:
            raise UsageError("Name the game too: %(games)s.", games=screen.w.one_of(GAMES))
        choice = _which_game(screen, folder)
        if isinstance(choice, Session):
            return choice
        game = choice
        # The command line did not name the game, so options of other games are dropped.
        options = {name: text for name, text in options.items() if name in GAMES[game].option_names}
    kit = GAMES[game]
    variant = Setup(game, max(kit.seats), options).variant
    decided = options.keys() | (variant.options.keys() if variant else set())
    if not players and not {MODE, *kit.decided} & decided:
        options = {**options, **BOARDS[game].ask(screen)}
    rng = Random(f"{seed} cards") if seed else SystemRandom()
    setup = Setup(game, max(kit.seats), options)
    headers = setup.headers(rng)
    make_game(game, max(kit.seats), headers)  # Raises UsageError for a bad option, before any other question.
    seats = _read_players(screen.w, players) if players else _which_players(screen, game, headers)
    if not first and not players and len(seats) > 1:
        first = _who_begins(screen, game, seats)
    begins = _begins(first, seats, Random(f"{seed} first") if seed else SystemRandom())
    seats = seats[begins:] + seats[:begins]
    if not players:
        headers |= BOARDS[game].ask_seated(screen, len(seats), headers)
    names, kinds = zip(*seats, strict=True)
    # The mode is kept because a drawn set of options does not say that it was drawn.
    mode = {MODE: setup.mode} if setup.mode else {}
    path = saves.new_path(folder, game)
    return Session(make_game(game, len(seats), headers), names, kinds, path, headers=mode, seed=seed)


def _read_players(w: Words, text: str) -> list[tuple[str, str]]:
    """Parse `Anna,bot:planner` into the name and the kind of every player."""
    seats: list[tuple[str, str]] = []
    for part in (part.strip() for part in text.split(",")):
        kind = part if part.startswith("bot:") else HUMAN
        name = _bot(w, part) if kind != HUMAN else part
        # A number alone is meant as the number of players.
        if not name or text.isdecimal():
            raise UsageError('Expected a name for every player, such as --players "Anna,bot:planner".')
        if "|" in name or not name.isprintable() or len(name) > LONGEST_NAME:
            raise UsageError(
                "A name has at most %(most)s characters and no '|'; %(name)s does not fit.",
                most=LONGEST_NAME,
                name=repr(name[:40]),
            )
        seats.append((_fresh(name, seats), kind))
    return seats


def _bot(w: Words, kind: str) -> str:
    """Return the name of a bot at the table, the same as on the page."""
    return bot_name(w, kind.removeprefix("bot:"))[:LONGEST_NAME]


def _fresh(name: str, seats: Sequence[tuple[str, str]]) -> str:
    """Return a name that is unique at the table: a second `Quick bot` is `Quick bot 2`."""
    taken = {other for other, _ in seats}
    return next(new for n in range(1, 9) if (new := name if n == 1 else f"{name} {n}") not in taken)


def _which_game(screen: Screen, folder: Path) -> str | Session:
    w = screen.w
    lines: list[tuple[Text | str, str | Session]] = [
        (described(kit.title, w(WORDS.get(game, PLAIN).invitation)), game) for game, kit in GAMES.items()
    ]
    if session := next(saves.unfinished(folder), None):
        scores = session.game.scores(session.state)
        standing = ", ".join(f"{name} {points}" for name, points in zip(session.names, scores, strict=True))
        label = w("continue %(game)s: %(standing)s", game=GAMES[session.game.name].title, standing=standing)
        lines.append((label, session))
    options = numbered(lines)
    found: str | Session = ask(screen, Menu(w("What would you like to play?"), options, options[0]))
    return found


def _which_players(screen: Screen, game: str, headers: Mapping[str, str]) -> list[tuple[str, str]]:
    w = screen.w
    try:
        suggested = getpass.getuser().capitalize()[:LONGEST_NAME]
    except (OSError, KeyError, ImportError):
        suggested = w("Player %(n)s", n=1)
    seats = [(_name(screen, w("What is your name? Enter: %(name)s", name=suggested), suggested, game), HUMAN)]
    while len(seats) < max(GAMES[game].seats):
        larger = make_game(game, max(len(seats) + 1, 2), headers)
        if any(kind != HUMAN and kind.removeprefix("bot:") not in bots_for(larger) for _, kind in seats):
            break  # A bot at the table does not play with more seats.
        kind = _which_opponent(screen, larger, seats, len(seats) in GAMES[game].seats)
        if kind == "start":
            break
        if kind == HUMAN:
            suggested = w("Player %(n)s", n=len(seats) + 1)
            name = _name(screen, w("What is the next player's name? Enter: %(name)s", name=suggested), suggested, game)
            seats.append((_fresh(name, seats), HUMAN))
        else:
            seats.append((_fresh(_bot(w, kind), seats), kind))
    return seats


def _who_begins(screen: Screen, game: str, seats: Sequence[tuple[str, str]]) -> str:
    w = screen.w
    lines = [(screen.text(name), str(number)) for number, (name, _) in enumerate(seats, start=1)]
    options = numbered([*lines, (w("by chance"), RANDOM)])
    question = w("Who begins? By tradition it is the youngest.")
    chosen: str = ask(screen, Menu(question, options, options[0]), game)
    return chosen


def _begins(first: str, seats: Sequence[tuple[str, str]], rng: Random) -> int:
    """Return which of the players begins, from 0. Raises UsageError."""
    if not first:
        return 0
    if first == RANDOM:
        return rng.randrange(len(seats))
    names = [name.casefold() for name, _ in seats]
    if first.casefold() in names:
        return names.index(first.casefold())
    if first in map(str, range(1, len(seats) + 1)):
        return int(first) - 1
    everybody = ", ".join(name for name, _ in seats)
    raise UsageError("The player who begins is one of %(names)s, a number or random.", names=everybody)


def _name(screen: Screen, question: str, suggested: str, game: str) -> str:
    def read(answer: str) -> str | None:
        name = answer or suggested
        return name if "|" not in name and len(name) <= LONGEST_NAME else None

    refusal = screen.w("A name has at most %(n)s characters and no “|”. Again, please.", n=LONGEST_NAME)
    return ask_until(screen, lambda: wrapped(screen, question, "bold"), read, refusal, game)


def _which_opponent(screen: Screen, game: Game[Any, Any], seats: Sequence[tuple[str, str]], enough: bool) -> str:
    w = screen.w
    lines: list[tuple[str, str]] = []
    if enough and len(seats) > 1:
        lines.append((w("nobody else: start the game"), "start"))
    # The strongest bots come last in the table; the first line is what the page suggests, too.
    here = bots_here(game)
    for bot in sorted(here, key=lambda bot: bot != usual_bot(here)):
        text = bot_text(w, bot, entries(game.name)[bot].description)
        if waits := solving(game, [bot]):
            solved = w("solves these cards first") if waits.percent is not None else w("these cards are not solved")
            text = f"{text} ({solved})"
        lines.append((f"{pad(bot_name(w, bot), LONGEST_NAME)} {text}", f"bot:{bot}"))
    lines.append((w("a friend at this keyboard"), HUMAN))
    if enough and len(seats) == 1:
        lines.append((w("play alone, the solo game"), "start"))
    options = numbered(lines)
    question = w("Who plays against you?")
    if len(seats) > 1:
        names = w.all_of(screen.text(name) for name, _ in seats)
        question = w("At the table: %(names)s. Who else plays?", names=names)

    def check(kind: str) -> str:
        # A strong bot can need an optional package, or tables that are not solved yet.
        try:
            if kind.startswith("bot:"):
                make_bot(kind.removeprefix("bot:"), game)
        except StarfrostError as error:
            return screen.w.say(error)
        return ""

    chosen: str = ask(screen, Menu(question, options, options[0]), game.name, check)
    return chosen
