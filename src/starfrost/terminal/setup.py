"""The questions before a game, and the answers that options on the command line give instead."""

import getpass
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any, Final, TypeVar

from rich.text import Text

from starfrost.errors import StarfrostError, UsageError
from starfrost.games.core import Game
from starfrost.games.dicy_cards import CARDS, INTERGLACIAL, MODES, read_cards
from starfrost.games.registry import GAMES, make_game
from starfrost.players.registry import bots_for, bots_here, make_bot
from starfrost.solver.progress import solving
from starfrost.terminal import saves
from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu, Option
from starfrost.terminal.screen import Screen, pad
from starfrost.terminal.session import HUMAN, Session
from starfrost.words import mark
from starfrost.words.dicy_cards import card_hint, card_name, mode_name, mode_text

__all__ = ["Wishes", "begin"]

LONGEST_NAME: Final = 15
TITLES: Final = {"dicy-cards": "Dicy Cards", "dice-stars": "Dice Stars"}
INVITATIONS: Final = {
    "dicy-cards": mark("Roll six dice, play a card, freeze it: a race to 100 points."),
    "dice-stars": mark("Draw coloured dice, fill your sheet, double your rows with stars."),
}
BOT_TEXTS: Final = {
    "random": mark("plays anything, for your first game"),
    "greedy": mark("takes the most points it sees"),
    "planner": mark("plans its whole turn"),
    "strong": mark("looks ahead, hard to beat"),
    "perfect": mark("plays two-player games without a mistake"),
    "master": mark("plays as well as we know how"),
}


@dataclass(frozen=True)
class Wishes:
    """What the command line already says about the game to play."""

    game: str = ""
    players: str = ""
    cards: str = ""
    goal: int = 0
    solo_boxes: int = 0
    seed: str = ""
    folder: Path | None = None


def begin(screen: Screen, wishes: Wishes) -> Session:
    """Set up a game, asking for what the wishes leave open; with players named nothing is asked."""
    folder = wishes.folder or saves.default_folder()
    if wishes.game:
        GAMES[wishes.game]  # Raises UsageError if there is no such game.
    if wishes.players and not wishes.game:
        raise UsageError("Name the game too: dicy-cards or dice-stars.")
    rng = Random(f"{wishes.seed} cards") if wishes.seed else SystemRandom()
    if not wishes.game:
        choice = _which_game(screen, folder)
        if isinstance(choice, Session):
            return choice
        wishes = Wishes(choice, "", wishes.cards, wishes.goal, wishes.solo_boxes, wishes.seed, folder)
    headers = {}
    if wishes.game == "dicy-cards":
        cards = wishes.cards or ("glacial" if wishes.players else _which_mode(screen))
        headers["cards"] = " ".join(read_cards(cards, rng))
        headers |= {"goal": str(wishes.goal)} if wishes.goal else {}
    elif wishes.solo_boxes:
        headers["solo-boxes"] = str(wishes.solo_boxes)
    seats = _read_players(wishes.players) if wishes.players else _which_players(screen, wishes.game, headers)
    names, kinds = zip(*seats, strict=True)
    game = make_game(wishes.game, len(seats), headers)
    for kind in kinds:
        if kind != HUMAN:
            make_bot(kind.removeprefix("bot:"), game)
    return Session(game, names, kinds, saves.new_path(folder, wishes.game), seed=wishes.seed)


def _read_players(text: str) -> list[tuple[str, str]]:
    """Read `Anna,bot:planner`: everybody's name and kind."""
    seats: list[tuple[str, str]] = []
    for part in (part.strip() for part in text.split(",")):
        kind = part if part.startswith("bot:") else HUMAN
        name = part.removeprefix("bot:").capitalize() if kind != HUMAN else part
        if not name:
            raise UsageError('Expected a name for every player, such as --players "Anna,bot:planner".')
        if "|" in name or not name.isprintable() or len(name) > LONGEST_NAME:
            raise UsageError(
                "A name has at most %(most)s characters and no '|'; %(name)s does not fit.",
                most=LONGEST_NAME,
                name=repr(name[:40]),
            )
        seats.append((_fresh(name, seats), kind))
    return seats


def _fresh(name: str, seats: Sequence[tuple[str, str]]) -> str:
    """Give a name that nobody at the table has yet: a second Planner is `Planner 2`."""
    taken = {other for other, _ in seats}
    return next(new for n in range(1, 9) if (new := name if n == 1 else f"{name} {n}") not in taken)


def _welcome(screen: Screen) -> None:
    """Start an empty screen with a friendly head."""
    w = screen.w
    screen.clear()
    screen.show(
        Text(" ★ Starfrost ❄", style="bold"),
        Text(" " + w("Two dice games, against bots or with friends at this keyboard.")),
        Text(" " + w("Answer with a number; Enter takes the first line. ? explains, q leaves."), style="dim"),
        Text(""),
    )


Answer = TypeVar("Answer")


def _until(
    screen: Screen, question: Sequence[Text], read: Callable[[str], Answer | None], refusal: str, game: str
) -> Answer:
    """Ask until the answer can be read; `?` helps and `q` leaves here too."""
    _welcome(screen)
    screen.show(*question)
    while True:
        answer = screen.ask()
        if answer.lower() in ("q", "quit"):
            raise KeyboardInterrupt
        if answer.startswith("?"):
            message = show_help(screen, answer[1:], game)
            _welcome(screen)
            screen.show(*question)
            screen.say(message, "yellow")
        elif (found := read(answer)) is not None:
            return found
        else:
            screen.say(refusal, "yellow")


def _ask(screen: Screen, menu: Menu, game: str = "", check: Callable[[Any], str] | None = None) -> Any:
    """Ask a question with options; `check` may say why one of them cannot be had now."""
    menu = replace(menu, wraps=True)
    question = [Text(f" {menu.question}", style="bold"), *menu.lines(screen.w, screen.width)]

    def read(answer: str) -> Any:
        option = menu.find(answer.lower())
        refusal = check(option.action) if option and check else ""
        if refusal:
            screen.say(refusal, "yellow")
        return option.action if option and not refusal else None

    return _until(screen, question, read, screen.w("Please answer with one of the numbers above."), game)


def _which_game(screen: Screen, folder: Path) -> str | Session:
    w = screen.w
    options = [
        Option(str(number), _described(TITLES[game], w(INVITATIONS[game])), game, aliases=(game,))
        for number, game in enumerate(GAMES, start=1)
    ]
    if session := next(saves.unfinished(folder), None):
        scores = session.game.scores(session.state)
        standing = ", ".join(f"{name} {points}" for name, points in zip(session.names, scores, strict=True))
        label = w("go on with %(game)s: %(standing)s", game=TITLES[session.game.name], standing=standing)
        options.append(Option("3", Text(label), session))
    found: str | Session = _ask(screen, Menu(w("What would you like to play?"), options, options[0]))
    return found


def _described(name: str, text: str) -> Text:
    return Text.assemble((name, "bold"), "\n", (text, "dim"))


def _which_mode(screen: Screen) -> str:
    w = screen.w
    options = [
        Option(
            str(number),
            _described(mode_name(w, mode), mode_text(w, mode)),
            mode,
            aliases=(mode,),
        )
        for number, mode in enumerate([*MODES, INTERGLACIAL, "custom"], start=1)
    ]
    mode: str = _ask(screen, Menu(w("Which five cards?"), options, options[0]), "dicy-cards")
    return mode if mode != "custom" else _which_cards(screen)


def _which_cards(screen: Screen) -> str:
    w, ids = screen.w, list(CARDS)
    options = [
        Option(str(number), Text.assemble(pad(card_name(w, card), 17), (card_hint(w, card), "dim")))
        for number, card in enumerate(ids, start=1)
    ]

    def read(answer: str) -> str | None:
        chosen = []
        for word in answer.lower().replace(",", " ").split():
            chosen.append(ids[int(word) - 1] if word.isdigit() and 0 < int(word) <= len(ids) else word)
        try:
            return " ".join(read_cards(" ".join(chosen), Random(0))) if len(chosen) == 5 else None
        except StarfrostError:
            return None

    menu = Menu(w("Type five numbers, such as 1 2 3 4 5."), options, columns=2)
    question = [Text(f" {menu.question}", style="bold"), *menu.lines(w, screen.width)]
    return _until(screen, question, read, w("Please type five different numbers from 1 to 12."), "dicy-cards")


def _which_players(screen: Screen, game: str, headers: dict[str, str]) -> list[tuple[str, str]]:
    w = screen.w
    try:
        suggested = getpass.getuser().capitalize()[:LONGEST_NAME]
    except (OSError, KeyError, ImportError):
        suggested = w("Player %(n)s", n=1)
    seats = [(_name(screen, w("What is your name? Enter: %(name)s", name=suggested), suggested, game), HUMAN)]
    while len(seats) < max(GAMES[game].seats):
        larger = make_game(game, max(len(seats) + 1, 2), headers)
        if any(kind != HUMAN and kind.removeprefix("bot:") not in bots_for(larger) for _, kind in seats):
            break  # Somebody at the table plays in no larger company.
        kind = _which_opponent(screen, larger, seats, len(seats) in GAMES[game].seats)
        if kind == "start":
            break
        if kind == HUMAN:
            suggested = w("Player %(n)s", n=len(seats) + 1)
            name = _name(screen, w("What is the name? Enter: %(name)s", name=suggested), suggested, game)
            seats.append((_fresh(name, seats), HUMAN))
        else:
            seats.append((_fresh(kind.removeprefix("bot:").capitalize(), seats), kind))
    return seats


def _name(screen: Screen, question: str, suggested: str, game: str) -> str:
    def read(answer: str) -> str | None:
        name = answer or suggested
        return name if "|" not in name and len(name) <= LONGEST_NAME else None

    refusal = screen.w("A name has at most %(n)s characters and no “|”. Again, please.", n=LONGEST_NAME)
    return _until(screen, [Text(f" {question}", style="bold")], read, refusal, game)


def _which_opponent(screen: Screen, game: Game[Any, Any], seats: Sequence[tuple[str, str]], enough: bool) -> str:
    w = screen.w
    entries: list[tuple[str, str]] = []
    start = w("play alone, the solo game") if len(seats) == 1 else w("nobody else: start the game")
    if enough and len(seats) > 1:
        entries.append(("start", start))
    # The strongest bots come last in the table; a newcomer's best partner is the planner.
    bots = sorted(bots_here(game), key=lambda bot: bot != "planner")
    for bot in bots:
        text = w(BOT_TEXTS[bot]) if bot in BOT_TEXTS else ""
        waits = solving(game, [bot])
        if waits is not None:
            solved = w("solves these cards first") if waits.percent is not None else w("these cards are not solved")
            text = f"{text} ({solved})"
        entries.append((f"bot:{bot}", w("bot %(name)s", name=f"{bot:<9}") + text))
    entries.append((HUMAN, w("a friend at this keyboard")))
    if enough and len(seats) == 1:
        entries.append(("start", start))
    options = [Option(str(n), Text(label), value) for n, (value, label) in enumerate(entries, start=1)]
    question = w("Who plays against you?")
    if len(seats) > 1:
        names = w.all_of(screen.text(name) for name, _ in seats)
        question = w("At the table: %(names)s. Who else plays?", names=names)

    def check(kind: str) -> str:
        # A strong bot may need an optional part, or tables that are not solved yet.
        try:
            if kind.startswith("bot:"):
                make_bot(kind.removeprefix("bot:"), game)
        except StarfrostError as error:
            return screen.w.say(error)
        return ""

    chosen: str = _ask(screen, Menu(question, options, options[0]), game.name, check)
    return chosen
