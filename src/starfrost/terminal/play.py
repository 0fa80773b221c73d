"""The game loop in the terminal: ask people, let bots and dice play, report and save every event."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, Final

from rich.text import Text

from starfrost.bots.progress import prepare, solving
from starfrost.bots.registry import bots_here, make_bot
from starfrost.errors import StarfrostError
from starfrost.games.core import CHANCE, rolls_at_once
from starfrost.games.kit import LONGEST_NAME, MODE
from starfrost.games.registry import GAMES
from starfrost.terminal.help import show_help
from starfrost.terminal.menu import Menu
from starfrost.terminal.registry import BOARDS
from starfrost.terminal.saves import rematch
from starfrost.terminal.screen import Closed, Screen, pad
from starfrost.terminal.session import Declined, Session
from starfrost.words.bots import STAND_IN, bot_name, usual_bot
from starfrost.words.numbers import percent
from starfrost.words.story import last_round, mode_label, narrate, result

HEIGHT: Final = 24
NARROWEST: Final = 60
"""The least columns that the tables need."""
FEWEST: Final = 3
"""The least lines that a menu needs; longer ones have pages."""


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
        going = True
        while going:
            try:
                going = self._step()
            except Declined as declined:
                self._hear(declined)
        self._finish()

    def _step(self) -> bool:
        """Let a person, a bot or chance play; return False once the game is over. Raises Declined."""
        session = self.session
        if session.is_human(session.actor):
            self.seat = session.actor
            if (action := self._decide()) is not None:
                session.apply(action)
        elif not (self._needs_pause() and self._taken_back()):
            if session.is_over:
                return False
            self._go_on()
        return True

    def _hear(self, declined: Declined) -> None:
        """Show why the server refused, until the person goes on."""
        said = self.w.say(declined)
        self.draw_table([Text("")], said)
        redraw = partial(self.draw_table, [Text("")], said)
        if answer := self.screen.ask(self.w("Enter: continue, q: quit"), redraw):
            self._command(answer)

    def _tell(self, state: Any, action: Any) -> str:
        return narrate(self.w, self.session.game, state, action, self.names)

    def _go_on(self) -> None:
        """Let chance or a bot play one event."""
        session, state = self.session, self.session.state
        if session.awaited:
            self.draw_table(
                [Text(" " + self.w("Waiting for %(name)s…", name=self.names[session.game.turn_of(state)]))], ""
            )
        if (action := session.next_event()) is None:
            return  # Somebody took a move back.
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
        names = {"bot": bot_name(self.w, waits.bot), "other": bot_name(self.w, STAND_IN)}
        if waits.percent is None:
            return self.w("These cards are not worked out here, so the %(bot)s plays like the %(other)s.", **names)
        return self.w(
            "The %(bot)s is working out these cards (%(percent)s%%). Until then it plays like the %(other)s.",
            percent=waits.percent,
            **names,
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
            redraw = partial(self.draw_table, [Text("")], message)
            redraw()
            answer = self.screen.ask(self.w("Enter: continue, u: undo"), redraw).lower()
            if answer in ("u", "undo"):
                if not (message := self._refusal_to_undo()):
                    return True
                continue
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
            topic = answer[1:] if command != "help" else ""
            return show_help(self.screen, topic, session.game.name, session.game)
        if command == "v":
            self.screen.read(self.table.everything(session.state))
        elif command == "h":
            events = zip(session.states, session.events, strict=False)
            story = [Text(self._tell(state, event.action)) for state, event in events]
            self.screen.read(story or [Text(self.w("Nothing has happened yet."))])
        elif command == "t":
            return self._tip()
        else:
            return None
        return ""

    def _decide(self) -> Any | None:
        """Ask the acting person until there is a legal action; None if a decision was undone instead."""
        menus = [self.table.menu(self.session.state)]
        message: str | None = ""
        while True:
            redraw = partial(self._draw_last, menus, message)
            redraw()
            menu = menus[-1]
            answer = self.screen.ask(self.hint(len(menus) > 1), redraw)
            lower = answer.lower()
            if (message := self._command(answer)) is not None:
                continue
            if lower in ("b", "back", "u", "undo") and len(menus) > 1:
                menus.pop()
            elif lower in ("u", "undo"):
                if not (message := self._refusal_to_undo()):
                    return None
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

    def _refusal_to_undo(self) -> str:
        """Undo the last decision; return why that is not possible, or nothing where it was."""
        try:
            if self.session.undo():
                return ""
        except Declined as declined:
            return self.w.say(declined)
        return self.w("Nothing to undo: dice have been rolled since your last decision.")

    def hint(self, inside: bool) -> str:
        """Return the keys that work at every prompt; `inside` a further menu one can go back."""
        w = self.w
        return " · ".join((w("? help"), w("b back") if inside else w("u undo"), w("t tip"), w("q quit")))

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

    def _tip(self) -> str:
        """Return what the coach would do, or the best bot that needs no time where the coach cannot judge."""
        # Few games need the coach, who takes a while to come.
        from starfrost.coach.judge import advise
        from starfrost.coach.registry import coach_of

        session, w = self.session, self.w
        game, state = session.game, session.state
        if not session.is_human(session.actor):
            return w("There is nothing for you to decide just now.")
        if session.at_server:
            return w("There are no tips in games on a server.")
        coach = coach_of(game)
        judge = coach.judge(game) if coach is not None and coach.can_judge(game) else None
        if coach is None or judge is None:
            bot = STAND_IN if STAND_IN in bots_here(game) else usual_bot(bots_here(game))
            chosen = self._tell(state, make_bot(bot, game).choose(game, state, Random(0)))
            return w("The %(bot)s would do this: %(move)s", bot=bot_name(w, bot), move=chosen)
        found = advise(judge, state)
        best, chance = game.parse_action(found.best), percent(w, found.chance)
        why = []
        if found.parts:
            why = coach.reasons(w, game, state, best, game.parse_action(found.other), found.parts)
        hope = (
            w("Your chance to win: %(chance)s.", chance=chance)
            if found.exact
            else w("Your chance to win: about %(chance)s.", chance=chance)
        )
        return " ".join([self._tell(state, best), *why, hope])

    # Drawing

    def _room(self, heading: Sequence[Text]) -> int:
        """Return the lines that are left for a menu: besides the table there are a title, a line of news, a prompt."""
        taken = 3 + len(heading) + sum(map(len, self.table.parts(self.session.state, self.seat)))
        return self._height - taken

    def _draw_last(self, menus: list[Menu], message: str | None) -> None:
        """Draw the table with the last of some menus, which gets pages where the window has no room for it."""
        self.screen.fit()
        menus[-1] = self._paged(menus[-1])
        self.draw(menus[-1], message)

    def _paged(self, menu: Menu) -> Menu:
        """Return a menu with whole options, as many on a page as there is room for."""
        room = self._room(menu.heading(self.screen))
        fits = not self.screen.console.is_terminal or room < FEWEST
        return menu if fits else menu.fitted(self.w, self.screen.width, room)

    def draw(self, menu: Menu, message: str | None = None) -> None:
        """Draw the table with a question below it."""
        heading = menu.heading(self.screen)
        room = self._room(heading)
        if self.screen.console.is_terminal and (self.screen.width < NARROWEST or room < FEWEST):
            self.screen.clear()
            rows = self._height - room + FEWEST
            size = {"columns": NARROWEST, "rows": rows}
            self.screen.say(self.w("The window is too small: the table needs %(columns)s × %(rows)s.", **size))
            return
        self.draw_table([*heading, *menu.lines(self.w, self.screen.width, room)], message)

    @property
    def _height(self) -> int:
        return self.screen.console.height if self.screen.console.is_terminal else HEIGHT

    def _title(self) -> Text:
        """Return the line at the top: the board's own, and the mode."""
        session = self.session
        mode = mode_label(self.w, session.game, session.headers.get(MODE))
        daily = self.w("Daily game, practice") if session.practice else self.w("Daily game")
        parts = (self.table.title(session.state), mode, daily if session.daily else "")
        return Text(f" {' · '.join(filter(None, parts))} ", style="bold reverse")

    def draw_table(self, below: list[Text], message: str | None) -> None:
        """Draw the table, as many of the latest events as fit, and the question."""
        screen, state = self.screen, self.session.state
        screen.fit()
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
        """Show the result."""
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
        self._leaders()

    def _leaders(self) -> None:
        """Show the leaderboard of a daily game."""
        for heading, places in self.session.leaders():
            self.screen.say(self.w(heading), "bold")
            for rank, name, points in places:
                self.screen.show(
                    Text(f" {'' if rank is None else rank:>3} {pad(self.screen.text(name), LONGEST_NAME)}{points:>5}")
                )

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
        screen.say(screen.w("Your game waits at the server. Continue with the same command."))
    else:
        game.say_where(screen.w("Saved. Continue with:"), "starfrost play --resume ")
    return status
