"""The game loop in the terminal: ask people, let bots and dice play, report and save every event."""

from dataclasses import replace
from typing import Any, Final

from rich.console import RenderableType
from rich.text import Text

from starfrost.errors import StarfrostError
from starfrost.games.core import CHANCE, rolls_at_once
from starfrost.games.registry import GAMES
from starfrost.players.core import Bot
from starfrost.players.progress import prepare, solving
from starfrost.players.registry import make_bot
from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu
from starfrost.terminal.registry import BOARDS
from starfrost.terminal.screen import Closed, Screen
from starfrost.terminal.session import HUMAN, Session
from starfrost.words.story import result, tell

HEIGHT: Final = 24


class Quit(Exception):
    """A person wants to stop; everything is already saved."""


class Play:
    """A session on a screen."""

    def __init__(self, screen: Screen, session: Session) -> None:
        self.screen, self.session, self.w = screen, session, screen.w
        self.names = [screen.text(name) for name in session.names]
        game = session.game
        self.kit = BOARDS[game.name]
        self.table = self.kit.board(screen, game, self.names)
        self.bots: dict[int, Bot] = {
            seat: make_bot(kind.removeprefix("bot:"), game) for seat, kind in enumerate(session.kinds) if kind != HUMAN
        }
        # The seat whose sheet is on the screen: the person who decides, or the one who decided last.
        self.seat = next((seat for seat, kind in enumerate(session.kinds) if kind == HUMAN), 0)

    def run(self) -> None:
        """Play until the game is over. Raises Quit when a person stops, Closed when the input ends."""
        session = self.session
        if session.is_over:
            self.screen.say(self.w("This game is over."))
            self._finish()
            return
        session.save()
        prepare(session.game, [bot.name for bot in self.bots.values()])
        while True:
            if session.is_human(session.actor):
                self.seat = session.actor
                if (action := self._decide()) is not None:
                    session.apply(action)
            elif self._needs_pause() and self._taken_back():
                continue
            elif session.is_over:
                break
            else:
                self._go_on()
        self._finish()

    def _tell(self, action: Any) -> str:
        return tell(self.w, self.session.game, self.session.state, action, self.names)

    def _go_on(self) -> None:
        """Let chance or a bot play one event."""
        session, state = self.session, self.session.state
        rng = session.random()
        if session.actor == CHANCE:
            action = session.game.sample(state, rng)
        else:
            action = self.bots[session.actor].choose(session.game, state, rng)
        if len(self.bots) == session.game.seats:
            self.screen.say(self._tell(action))
        session.apply(action)

    def news(self) -> list[tuple[str, bool]]:
        """Return the events since the last turn of the person on the screen, and whether each is only a roll."""
        session, game = self.session, self.session.game
        first = 0
        for index, event in enumerate(session.events):
            if event.seat in (self.seat, CHANCE) and self._ends_turn(index):
                first = index
        reported = []
        for state, event in list(zip(session.states, session.events, strict=False))[first:]:
            own = game.turn_of(state) == self.seat
            # The person's own first roll is on the table.
            if self.kit.is_reported(event.action) and not (own and event.seat == CHANCE and game.starts_turn(state)):
                sentence = tell(self.w, game, state, event.action, self.names)
                reported.append((sentence, event.seat == CHANCE and not own))
        if progress := self._solving():
            reported.append((progress, False))
        return reported

    def _ends_turn(self, index: int) -> bool:
        """Return whether an event ended a turn of the person on the screen."""
        game, before, after = self.session.game, self.session.states[index], self.session.states[index + 1]
        left = game.actor(after) in (self.seat, CHANCE) and not game.starts_turn(after)
        return game.turn_of(before) == self.seat and not left

    def _solving(self) -> str:
        """Return the progress of solving the cards while a bot waits for it; empty otherwise."""
        waits = solving(self.session.game, (bot.name for bot in self.bots.values()))
        if waits is None or self.session.is_over:
            return ""
        bot = waits.bot.capitalize()
        if waits.percent is None:
            return self.w("These cards are not solved here, so %(bot)s plays as planner.", bot=bot)
        return self.w(
            "%(bot)s is solving these cards: %(percent)s %%. Until then it plays as planner.",
            bot=bot,
            percent=waits.percent,
        )

    # Asking

    def _needs_pause(self) -> bool:
        """Return whether a person's last decision can be undone now but not after the next event."""
        session = self.session
        return session.last_by_human() and not rolls_at_once(session.game, session.state)

    def _taken_back(self) -> bool:
        """Wait until a person has seen the effect of the last decision; return whether it was undone."""
        message: str | None = ""
        while True:
            prompt = self.w("Enter: go on, u: take it back")
            self._draw([Text("")], message or "")
            answer = self.screen.ask(prompt).lower()
            if answer in ("u", "undo"):
                return self.session.undo()
            if not answer:
                return False
            message = self._command(answer)
            if message is None:
                message = self.w("Press Enter to go on, u to take your decision back, or ? for help.")

    def _command(self, answer: str) -> str | None:
        """Run a command that works at every prompt and return a message; None if the answer is not one."""
        if answer.lower() in ("q", "quit", "exit"):
            raise Quit
        if answer.startswith("?") or answer.lower() == "help":
            topic = answer[1:] if answer.startswith("?") else ""
            return show_help(self.screen, topic, self.session.game.name)
        elif answer.lower() == "v":
            self.screen.read(self.table.everything(self.session.state))
        elif answer.lower() == "h":
            self.screen.read(self._story())
        else:
            return None
        return ""

    def _story(self) -> list[Text]:
        pairs = zip(self.session.states, self.session.events, strict=False)
        return [Text(tell(self.w, self.session.game, state, event.action, self.names)) for state, event in pairs] or [
            Text(self.w("Nothing has happened yet."))
        ]

    def _decide(self) -> Any | None:
        """Ask the acting person until there is a legal action; None if a decision was undone instead."""
        session, state = self.session, self.session.state
        menus = [self.table.menu(state)]
        message = ""
        while True:
            menu = menus[-1]
            self.draw(menu, message)
            answer = self.screen.ask(self.hint(len(menus) > 1))
            lower = answer.lower()
            if (message := self._command(answer) or "") or answer[:1] == "?" or lower in ("v", "h", "help"):
                continue
            if lower in ("b", "back", "u", "undo") and len(menus) > 1:
                menus.pop()
            elif lower in ("u", "undo"):
                if session.undo():
                    return None
                message = self.w("There is nothing to take back: dice have fallen since your last decision.")
            elif lower in ("m", "more") and menu.more():
                pages = -(-len(menu.options) // menu.page_size)
                menus[-1] = replace(menu, page=(menu.page + 1) % pages)
            else:
                found = self._understand(menu, answer)
                if isinstance(found, Menu):
                    menus.append(found)
                elif isinstance(found, str):
                    message = found
                else:
                    return found

    def _understand(self, menu: Menu, answer: str) -> Any:
        """Return the meaning of an answer: an action, a further menu, or the reason why it is not possible."""
        if option := menu.find(answer.lower()):
            if option.refusal:
                return option.refusal
            return option.menu() if option.menu else option.action
        if answer in menu.reasons:
            return menu.reasons[answer]
        if not answer:
            return self.w("Please choose: type a number from the menu, or ? for help.")
        if (read := menu.read(answer)) is not None:
            return read
        session = self.session
        words = answer.split()
        if len(words) > 1 and words[0] == str(session.actor + 1) and not words[1].isdigit():
            words = words[1:]
        try:
            action = self.table.understand(session.state, " ".join(words))
        except StarfrostError:
            example = GAMES[session.game.name].example
            return self.w(
                "“%(answer)s” is not in the menu. Type its number, a move such as “%(example)s”, or ? for help.",
                answer=answer[:20],
                example=example,
            )
        if action in session.game.legal_actions(session.state):
            return action
        reasons = {alias: option.refusal for option in menu.options for alias in option.aliases if option.refusal}
        reason = menu.reasons.get(str(action)) or next((reasons[w] for w in str(action).split() if w in reasons), "")
        return reason or self.w("“%(move)s” is not possible now.", move=str(action)[:40])

    def hint(self, inside: bool) -> str:
        """Return the keys that work at every prompt."""
        keys = [self.w("? help"), self.w("b back") if inside else self.w("u undo"), self.w("v view"), self.w("q quit")]
        return " · ".join(keys)

    # Drawing

    def draw(self, menu: Menu, message: str = "") -> None:
        """Draw the table with a question below it."""
        question = Text(f" {menu.question}", style="bold")
        self._draw([question, *menu.lines(self.w, self.screen.width)], message)

    def _draw(self, below: list[RenderableType], message: str) -> None:
        """Draw the table, as many of the latest events as fit, and the question."""
        screen, state = self.screen, self.session.state
        if message and not screen.console.is_terminal:
            screen.say(message, "yellow")
            return
        parts = [part for part in self.table.parts(state, self.seat) if part]
        height = screen.console.height if screen.console.is_terminal else HEIGHT
        notes = list(Text(message, style="yellow").wrap(screen.console, screen.width - 2)) if message else []
        room = height - 2 - sum(map(len, parts)) - len(below) - len(notes)
        reported = self._recent(room)
        room -= len(reported)
        screen.clear()
        screen.show(Text(f" {self.table.title(state)} ", style="bold reverse"), *reported)
        # If there is room, blank lines separate the parts; the one before the question comes first.
        blank = [Text("")]
        for index, part in enumerate(parts):
            screen.show(*(blank if room > len(parts) - index else []), *part)
        screen.show(*(blank if room > 0 and below[0] != blank[0] else []), *below)
        for note in notes:
            screen.show(Text.assemble(" ", note))

    def _recent(self, room: int) -> list[Text]:
        """Wrap the latest events into at most `room` lines; the oldest are dropped."""
        most = max(min(room, 8), 1)
        news = self.news()
        lines = self._wrapped([sentence for sentence, _ in news])
        if len(lines) > most:
            lines = self._wrapped([sentence for sentence, dice in news if not dice])
        if len(lines) > most:
            lines = ["… " + lines[-most], *lines[1 - most :]] if most > 1 else ["… " + lines[-1]]
        return [Text(f" {line}"[: self.screen.width], style="italic") for line in lines if line]

    def _wrapped(self, sentences: list[str]) -> list[str]:
        return [str(line) for line in Text(" ".join(sentences)).wrap(self.screen.console, self.screen.width - 4)]

    def _finish(self) -> None:
        session, w, screen = self.session, self.w, self.screen
        state = session.state
        screen.clear()
        screen.show(
            Text(f" {self.table.title(state)}", style="bold reverse"),
            *self._recent(6),
            *self.table.standings(state),
            *self.table.ending(state, self.seat),
            Text(""),
        )
        screen.say(result(w, session.game, state, self.names), "bold")
        order = sorted(range(session.game.seats), key=lambda seat: -session.game.scores(state)[seat])
        winners = session.game.winners(state)
        if len(order) > 1:
            for seat in order:
                crown = "★" if seat in winners else " "
                screen.show(Text(f"  {crown} {self.names[seat]:<16}{session.game.scores(state)[seat]:>4}"))
        if self.kit.is_analysed(session.game):
            self.say_where(w("What was every decision worth? starfrost analyse knows it from the record of this game:"))
        else:
            self.say_where(w("The record of this game:"))

    def say_where(self, sentence: str) -> None:
        """Print where the record is, with its path on its own line for copying."""
        self.screen.say(sentence)
        self.screen.console.print(Text(f" {self.session.path}"), soft_wrap=True)

    def say_saved(self) -> None:
        """Print that the game is saved and how to resume it."""
        self.say_where(self.w("Saved. Go on with starfrost play --resume and this file:"))


def play(screen: Screen, session: Session) -> int:
    """Play a session and return the exit status: 0 also for an unfinished saved game, 130 after Ctrl-C."""
    game = Play(screen, session)
    try:
        game.run()
    except (Quit, Closed):
        game.say_saved()
    except KeyboardInterrupt:
        screen.console.print()
        game.say_saved()
        return 130
    return 0
