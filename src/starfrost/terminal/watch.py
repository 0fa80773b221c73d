"""Watch a recorded game in the terminal, event by event."""

from functools import partial
from pathlib import Path

from rich.text import Text

from starfrost.games.core import OVER
from starfrost.games.record import Replay
from starfrost.terminal.play import Play
from starfrost.terminal.screen import Closed, Screen
from starfrost.terminal.session import HUMAN, Session
from starfrost.words.story import result


def watch(screen: Screen, path: Path, played: Replay) -> None:
    """Show the positions of a record: Enter goes on, b goes back, a number goes to that turn."""
    record, w = played.record, screen.w
    game, names = record.game, [screen.text(name) for name in record.players]
    session = Session(game, record.players, [HUMAN] * game.seats, path, headers=record.headers)
    table = Play(screen, session)
    starts = [at for at, state in enumerate(played.states) if game.starts_turn(state)]
    # An event that the next one reports, too, is not shown alone.
    shown = [0, *(at for at, event in enumerate(record.events, 1) if table.kit.is_reported(event.action))]
    last, here = shown[-1], 0
    while True:
        session.states, session.events = list(played.states[: here + 1]), list(record.events[:here])
        turn = sum(start <= here for start in starts)
        table.seat = game.turn_of(session.state)
        message = w("Turn %(turn)s of %(turns)s", turn=turn, turns=played.turns)
        if game.actor(session.state) == OVER:
            message = result(w, game, session.state, names)
        redraw = partial(table.draw_table, [Text(f" {message}", style="bold")], "")
        redraw()
        try:
            answer = screen.ask(w("Enter: go on, b: back, a number: that turn, q: quit"), redraw).lower()
        except Closed:
            return
        if answer in ("q", "quit") or (not answer and here == last):
            return
        if answer in ("b", "back"):
            here = max((at for at in shown if at < here), default=0)
        elif answer.isdecimal() and 0 < int(answer) <= len(starts):
            here = starts[int(answer) - 1]
        else:
            here = next((at for at in shown if at > here), last)
