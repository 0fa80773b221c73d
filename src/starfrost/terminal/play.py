"""The game loop in the terminal: ask people, let bots and dice play, report and save every event."""

import shlex
from dataclasses import replace
from typing import Any, Final

from rich.text import Text

from starfrost.errors import StarfrostError
from starfrost.games.core import CHANCE, rolls_at_once
from starfrost.games.kit import MODE
from starfrost.games.registry import GAMES
from starfrost.players.progress import prepare, solving
from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu
from starfrost.terminal.registry import BOARDS
from starfrost.terminal.saves import rematch
from starfrost.terminal.screen import Closed, Screen
from starfrost.terminal.session import Session
from starfrost.words.story import last_round, mode_label, narrate, result

HEIGHT: Final = 24


class Play:
    """A session on a screen."""

    def __init__(self, screen: Screen, session: Session) -> None:
        self.screen, self.session, self.w = screen, session, screen.w
        self.names = [screen.text(name) for name in session.names]
        self.kit = BOARDS[session.game.name]
        self.table = self.kit.board(screen, session.game, self.names)
        # The seat whose sheet is on the screen: the person who decides, or the one who decided last.
        self.seat = next((seat for seat in range(session.game.seats) if session.is_human(seat)), 0)

    def run(self) -> None:
        """Play until the game is over. Raises Closed when a person stops or the input ends."""
        session = self.session
        if session.is_over:
            self.screen.say(self.w("This game is over."))
            self._finish()
            return
        session.save()
        prepare(session.game, [bot.name for bot in session.bots.values()])
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

    def _tell(self, state: Any, action: Any) -> str:
        return narrate(self.w, self.session.game, state, action, self.names)

    def _go_on(self) -> None:
        """Let chance or a bot play one event."""
        session, state = self.session, self.session.state
        action = session.next_event()
        if len(session.bots) == session.game.seats:
            self.screen.say(self._tell(state, action))
        session.apply(action)

    def news(self) -> list[tuple[str, bool]]:
        """Return the events since the last turn of the person on the screen, and whether each is only a roll."""
        session, game = self.session, self.session.game
        events = list(zip(session.states, session.events, session.states[1:], strict=False))
        first = 0
        for index, (state, event, after) in enumerate(events):
            goes_on = game.actor(after) in (self.seat, CHANCE) and not game.starts_turn(after)
            if game.turn_of(state) == self.seat and event.seat in (self.seat, CHANCE) and not goes_on:
                first = index
        reported = []
        for state, event, _ in events[first:]:
            own, roll = game.turn_of(state) == self.seat, event.seat == CHANCE
            # The person's own first roll is on the table.
            if self.kit.is_reported(event.action) and not (own and roll and game.starts_turn(state)):
                reported.append((self._tell(state, event.action), roll and not own))
        if progress := self._solving():
            reported.append((progress, False))
        return reported

    def _solving(self) -> str:
        """Return the progress of solving the cards while a bot waits for it; empty otherwise."""
        waits = solving(self.session.game, (bot.name for bot in self.session.bots.values()))
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
            self._draw([Text("")], message)
            answer = self.screen.ask(self.w("Enter: continue, u: undo")).lower()
            if answer in ("u", "undo"):
                return self.session.undo()
            if not answer:
                return False
            if (message := self._command(answer)) is None:
                message = self.w("Press Enter to continue, u to undo, or ? for help.")

    def _command(self, answer: str) -> str | None:
        """Run a command that works at every prompt and return a message; None if the answer is not one."""
        session, command = self.session, answer.lower()
        if command in ("q", "quit", "exit"):
            raise Closed
        if command.startswith("?") or command == "help":
            return show_help(self.screen, answer[1:] if command != "help" else "", session.game.name)
        if command == "v":
            self.screen.read(self.table.everything(session.state))
        elif command == "h":
            events = zip(session.states, session.events, strict=False)
            story = [Text(self._tell(state, event.action)) for state, event in events]
            self.screen.read(story or [Text(self.w("Nothing has happened yet."))])
        else:
            return None
        return ""

    def _decide(self) -> Any | None:
        """Ask the acting person until there is a legal action; None if a decision was undone instead."""
        w = self.w
        menus = [self.table.menu(self.session.state)]
        message: str | None = ""
        while True:
            menu = menus[-1]
            self.draw(menu, message)
            answer = self.screen.ask(self.hint(len(menus) > 1))
            lower = answer.lower()
            if (message := self._command(answer)) is not None:
                continue
            if lower in ("b", "back", "u", "undo") and len(menus) > 1:
                menus.pop()
            elif lower in ("u", "undo"):
                if self.session.undo():
                    return None
                message = w("Nothing to undo: dice have been rolled since your last decision.")
            elif lower in ("m", "more") and menu.pages > 1:
                menus[-1] = replace(menu, page=(menu.page + 1) % menu.pages)
            else:
                found = self._understand(menu, answer)
                if isinstance(found, Menu):
                    menus.append(found)
                elif isinstance(found, str):
                    message = found
                else:
                    return found

    def hint(self, inside: bool) -> str:
        """Return the keys that work at every prompt; `inside` a further menu one can go back."""
        w = self.w
        return " · ".join((w("? help"), w("b back") if inside else w("u undo"), w("v view"), w("q quit")))

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

    # Drawing

    def draw(self, menu: Menu, message: str | None = None) -> None:
        """Draw the table with a question below it."""
        heading = menu.heading(self.screen)
        # Besides the table and the question: the title, a line of news and the prompt.
        taken = 3 + len(heading) + sum(map(len, self.table.parts(self.session.state, self.seat)))
        self._draw([*heading, *menu.lines(self.w, self.screen.width, self._height - taken)], message)

    @property
    def _height(self) -> int:
        return self.screen.console.height if self.screen.console.is_terminal else HEIGHT

    def _title(self) -> Text:
        """Return the line at the top: the board's own, and the mode."""
        session = self.session
        mode = mode_label(self.w, session.game, session.headers.get(MODE))
        daily = self.w("Daily game, practice") if session.practice else self.w("Daily game")
        parts = (self.table.title(session.state), mode, daily if session.at_server else "")
        return Text(f" {' · '.join(filter(None, parts))} ", style="bold reverse")

    def _draw(self, below: list[Text], message: str | None) -> None:
        """Draw the table, as many of the latest events as fit, and the question."""
        screen, state = self.screen, self.session.state
        if message and not screen.console.is_terminal:
            screen.say(message, "yellow")
            return
        parts = [part for part in self.table.parts(state, self.seat) if part]
        notes = list(Text(message, style="yellow").wrap(screen.console, screen.width - 2)) if message else []
        room = self._height - 2 - sum(map(len, parts)) - len(below) - len(notes)
        announcement = last_round(self.w, self.session.game, state, self.names)
        final = Text(announcement, style="bold yellow").wrap(screen.console, screen.width - 2) if announcement else ()
        room -= len(final)
        # On a crowded screen the last round is more important than what led to it.
        reported = self._recent(room) if room > 0 or not final else []
        room -= len(reported)
        screen.clear()
        screen.show(self._title(), *reported, *(Text.assemble(" ", line) for line in final))
        # If there is room, blank lines separate the parts; the one before the question comes first.
        blank = [Text("")]
        for index, part in enumerate(parts):
            screen.show(*(blank if room > len(parts) - index else []), *part)
        screen.show(*(blank if room > 0 and below[0] != blank[0] else []), *below)
        screen.show(*(Text.assemble(" ", note) for note in notes))

    def _recent(self, room: int) -> list[Text]:
        """Wrap the latest events into at most `room` lines; the oldest are dropped."""
        most = max(min(room, 8), 1)
        news = self.news()
        for reported in (news, [(sentence, roll) for sentence, roll in news if not roll]):
            text = Text(" ".join(sentence for sentence, _ in reported))
            lines = [str(line) for line in text.wrap(self.screen.console, self.screen.width - 4)]
            if len(lines) <= most:
                break
        if len(lines) > most:
            lines = ["… " + lines[-most], *lines[1 - most :]] if most > 1 else ["… " + lines[-1]]
        return [Text(f" {line}"[: self.screen.width], style="italic") for line in lines if line]

    def _finish(self) -> None:
        session, w, screen = self.session, self.w, self.screen
        state = session.state
        screen.clear()
        screen.show(
            self._title(),
            *self._recent(6),
            *self.table.standings(state),
            *self.table.ending(state, self.seat),
            Text(""),
        )
        screen.say(result(w, session.game, state, self.names), "bold")
        scores, winners = session.game.scores(state), session.game.winners(state)
        for seat in sorted(range(len(scores)), key=lambda seat: -scores[seat]) if len(scores) > 1 else ():
            crown = "★" if seat in winners else " "
            screen.show(Text(f"  {crown} {self.names[seat]:<16}{scores[seat]:>4}"))
        if self.kit.is_analysed(session.game):
            self.say_where(w("To see what each decision cost:"), "starfrost analyse ")
        else:
            self.say_where(w("The record of this game:"))

    def is_again(self) -> bool:
        """Ask whether to play again; nobody is asked if the input or the output is no terminal."""
        if (
            self.session.at_server
            or not self.screen.can_clear
            or not any(map(self.session.is_human, range(self.session.game.seats)))
        ):
            return False
        try:
            answer = self.screen.ask(self.w("a: play again with the same settings, Enter: leave"))
        except Closed:
            return False
        return answer.lower() in ("a", "again")

    def say_where(self, sentence: str, command: str = "") -> None:
        """Print where the record is, or a command for it, on its own line for copying."""
        self.screen.say(sentence)
        path = shlex.quote(str(self.session.path)) if command else self.session.path
        self.screen.console.print(Text(f" {command}{path}"), soft_wrap=True)


def play(screen: Screen, session: Session) -> int:
    """Play a session and rematches; return the exit status: 0 also for an unfinished saved game, 130 after Ctrl-C."""
    game, status = Play(screen, session), 0
    try:
        game.run()
        while game.is_again():
            game = Play(screen, rematch(game.session))
            game.run()
        return 0
    except Closed:
        pass
    except KeyboardInterrupt:
        screen.console.print()
        status = 130
    if game.session.at_server:
        screen.say(screen.w("Your game waits at the server. Go on with the same command."))
    else:
        game.say_where(screen.w("Saved. Go on with:"), "starfrost play --resume ")
    return status
