"""Scenes of a table: what one reader sees at one step of a game.

A scene ends where a result can be seen: after a decision and the dice that follow it. A reader who lags behind is shown
one scene after another, so that the moves of others can be seen.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final, NamedTuple

from markupsafe import Markup, escape

from starfrost.games.core import CHANCE, OVER, rolls_at_once
from starfrost.table import ROLL, SeatView, TableView
from starfrost.table.moves import Move
from starfrost.web.boards import Position, board_of
from starfrost.web.coaching import Coaching
from starfrost.web.pages.problems import PAUSED, UPGRADING
from starfrost.web.render import Reader
from starfrost.web.views import endings
from starfrost.web.views.coach import Note
from starfrost.web.views.daily import daily_label
from starfrost.web.views.seats import own_absences, seat_names, tell_change
from starfrost.words import Words
from starfrost.words.story import ending, last_round, mode_label, narrate, result, tell

FAR: Final = 24
"""A reader who is this many scenes behind is shown the present at once."""

STORY: Final = 3
LOG: Final = 40
SAID: Final = 12
"""The most sentences that a screen reader is given at once."""

_BEFORE_DIE: Final = re.compile(r" (?=[0-9★]\b|★)")


@dataclass(frozen=True)
class Asking:
    """A move that the reader must confirm."""

    sentence: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Live:
    """A table around its board, as one reader sees it at one moment."""

    view: TableView
    title: str
    names: Sequence[str]
    me: int | None
    """The reader's seat that is shown, from 1; None for a watcher."""
    act: str = ""
    """The address that takes the reader's move."""
    key: str = field(default_factory=lambda: token_hex(12))
    step: int = 0
    """How many moves and rolls the board shows."""
    more: bool = False
    """Whether later scenes wait to be shown."""
    your_turn: bool = False
    turn: int | None = None
    """The seat whose turn it is, from 1; None when the game is over."""
    handover: str = ""
    """The name of the player to pass the device to, where several people share one; empty otherwise."""
    subtitle: str = ""
    story: Sequence[str] = ()
    said: str = ""
    """What a screen reader announces when this scene appears."""
    waiting: str = ""
    last_round: str = ""
    """The announcement of the last round, as long as it is played."""
    solving: str = ""
    """How far the cards are solved that a bot waits for."""
    undo: int | None = None
    held: bool = False
    """Whether bots wait for the undo."""
    vacant: SeatView | None = None
    """A seat that a bot plays and the reader may take, now or later."""
    away: Sequence[tuple[int, str]] = ()
    """The reader's own seats that a bot plays, each with a sentence that says why."""
    invitation: str = ""
    """The table's invitation, if the reader has it."""
    options: Sequence[tuple[str, str]] = ()
    """Every legal action and what it does in words, for the table in words; empty otherwise."""
    deadline: float | None = None
    error: str = ""
    asking: Asking | None = None
    coached: bool = False
    """Whether the reader may ask the coach."""
    hint: bool = False
    """Whether there is something to decide that the coach can give a hint on."""
    judge: int | None = None
    """The reader's last decision, which the coach can judge: the number of its event, from 0."""
    note: Note | None = None
    """What the coach has just said."""
    winners: Sequence[int] = ()
    standings: Sequence[tuple[int, int, str, int]] = ()
    """Place, seat, name and points, best first; empty while the game runs."""
    ending: endings.Ending | None = None
    """What the result says; None while the game runs."""
    log: str = ""
    """The last moves in words, newest first, as the items of an HTML list."""

    @property
    def status(self) -> str:
        """The status of the table; running as long as later scenes wait."""
        return "running" if self.more else self.view.status


def next_scene(view: TableView, after: int | None) -> int:
    """Return the step that a reader who has seen `after` steps is shown next."""
    last = len(view.moves)
    if after is None or after < 0 or after >= last:
        return last
    ends = [step for step in range(after + 1, last) if not rolls_at_once(view.game, view.state_at(step))]
    return ends[0] if 0 < len(ends) < FAR else last


def draw_scene(
    reader: Reader,
    view: TableView,
    step: int,
    error: str = "",
    asking: Asking | None = None,
    after: int | None = None,
    note: Note | None = None,
) -> tuple[Live, Any]:
    """Return what the templates show of one step of a game: the table as `live` and its board as `t`.

    `after` is the last step that the reader saw: everything since then is announced.
    """
    w = reader.w
    game: Any = view.game
    state = view.state_at(step)
    now = step == len(view.moves)
    upgrading = now and view.upgrading and view.status == "running"
    names = seat_names(w, view.seats)
    actor = game.actor(state)
    turn = game.turn_of(state) if actor == CHANCE else actor
    me = turn + 1 if turn + 1 in view.mine else min(view.mine, default=None)
    your_turn = now and view.status == "running" and me is not None and view.acting == me and not upgrading
    legal = view.legal if your_turn else ()
    past = view.moves[max(0, step - LOG) : step]
    tell_move = _teller(view.id, w, game, tuple(names))
    states_after = [*(move.before for move in past[1:]), state]
    told = _with_changes(w, view, step, [tell_move(*event) for event in zip(past, states_after, strict=False)])
    story = [line.story for line in told[-STORY:]]
    unseen = min(SAID, max(2, step - after)) if after is not None and after >= 0 else 2
    over = actor == OVER
    if over:
        title = result(w, game, state, names)
    elif upgrading:
        title = w(PAUSED)
    elif now and view.paused:
        title = w("The game waits until somebody comes back.")
    elif your_turn:
        title = w("%(name)s's turn", name=names[turn]) if len(view.mine) > 1 else w("Your turn")
    else:
        title = w("%(name)s is playing", name=names[turn])
    away = own_absences(w, view) if now else []
    last_words = [title] if your_turn or over else [w(UPGRADING)] if upgrading else []
    if away and view.changes[-1].step >= step:
        # A bot has just taken over from the reader.
        last_words += [text for _, text in away]
    board = board_of(game.name)
    announcement = last_round(w, game, state, names)
    position = Position(
        game=game,
        state=state,
        names=names,
        seats=view.seats,
        me=None if me is None else me - 1,
        legal=() if ROLL in legal else legal,
        may_roll=ROLL in legal,
        past=past,
    )
    coached = now and bool(view.coach) and Coaching.of(game) is not None
    live = Live(
        view,
        title,
        names,
        me,
        act=f"/t/{view.id}/act",
        step=step,
        more=not now,
        your_turn=your_turn,
        turn=None if over else turn + 1,
        handover=names[turn] if your_turn and len(view.mine) > 1 else "",
        subtitle=" · ".join(
            filter(None, (daily_label(w, view.daily), mode_label(w, game, view.mode), board.subtitle(w, game)))
        ),
        story=story,
        said=_said(told[-unseen:], last_words, announcement if your_turn else ""),
        waiting="" if over else w(UPGRADING) if upgrading else title,
        last_round=announcement,
        solving=bot_progress(w, view) if now else "",
        undo=view.undo[0] if now and view.undo and not upgrading else None,
        held=now and view.held is not None,
        vacant=_vacant(view) if now and me is None else None,
        away=away,
        invitation=view.invitation or "" if not view.mine else "",
        options=_options(w, game, state, legal, names) if reader.text else (),
        deadline=view.deadline if now and not upgrading else None,
        error=error,
        asking=asking,
        coached=coached,
        hint=coached and your_turn and ROLL not in legal and len(legal) > 1,
        judge=_last_decision(view) if coached else None,
        note=note,
        winners=game.winners(state),
        standings=standings(game, state, names) if over else (),
        ending=endings.ending(w, view, names) if over else None,
        log=Markup("".join(line.item for line in reversed(told))),
    )
    return live, board.draw(w, position)


class _Line(NamedTuple):
    """A move in words."""

    story: str
    spoken: str
    """The same with what it brings on, such as the last round, which the page shows beside the story."""
    item: str
    """The same as an item of the log."""


def _said(told: Sequence[_Line], last_words: Sequence[str], announcement: str) -> str:
    """Return what a screen reader says of a scene; whoever acts in the last round is reminded of it once."""
    spoken = " ".join([*(line.spoken for line in told), *last_words])
    return spoken if announcement in spoken else f"{spoken} {announcement}"


@lru_cache(maxsize=1000)
def _teller(table: str, w: Words, game: Any, names: tuple[str, ...]) -> Callable[[Move, Any], _Line]:
    """Return a function that puts a move of a table into words.

    It remembers the last moves, because every scene tells forty of them again.
    """

    @lru_cache(maxsize=2 * LOG)
    def tell_move(move: Move, after: Any) -> _Line:
        story = tell(w, game, move.before, move.action, names)
        spoken = f"{story} {ending(w, game, move.before, move.action, names, after)}".rstrip()
        return _Line(unbroken(story), spoken, f"<li>{escape(unbroken(spoken))}</li>")

    return tell_move


def unbroken(text: str) -> str:
    """Return a text in which no line begins with a single die, so that the dice of a roll stay together."""
    return _BEFORE_DIE.sub("\N{NO-BREAK SPACE}", text)


def _with_changes(w: Words, view: TableView, step: int, told: list[_Line]) -> list[_Line]:
    """Insert what happened to the seats between the last moves up to a step."""
    first = step - len(told)
    for change in reversed(view.changes):
        # A move before it may have been taken back.
        place = min(change.step, len(view.moves))
        if first <= place <= step:
            sentence = tell_change(w, change)
            told.insert(place - first, _Line(sentence, sentence, f"<li>{escape(sentence)}</li>"))
    return told


def _options(w: Words, game: Any, state: Any, legal: Sequence[Any], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every legal action as notation and in words, rerolls last."""
    told = [
        (str(action), w("Roll the dice") if action is ROLL else narrate(w, game, state, action, names))
        for action in legal
    ]
    return sorted(told, key=lambda option: option[0].startswith("reroll"))


def bot_progress(w: Words, view: TableView) -> str:
    """Return what there is to say about bots that prepare while their table runs; empty if nothing."""
    if view.status != "running":
        return ""
    bots = [str(seat.bot) for seat in view.seats if seat.kind == "bot"]
    return board_of(view.game.name).progress(w, view.game, bots)


def _last_decision(view: TableView) -> int | None:
    """Return the reader's last decision between several actions that still stands, if that is not long ago."""
    for event in range(len(view.moves) - 1, max(view.given, len(view.moves) - LOG) - 1, -1):
        move = view.moves[event]
        if move.seat + 1 in view.mine and len(view.game.legal_actions(move.before)) > 1:
            return event
    return None


def _vacant(view: TableView) -> SeatView | None:
    """Return the seat of somebody else that a bot holds and that the reader may take first."""
    held = [(seat.free_at, seat.seat, seat) for seat in view.seats if seat.free_at and not seat.kept_for_you]
    return min(held)[2] if held else None


def standings(game: Any, state: Any, names: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """Return place, seat, name and points of every seat, the best first."""
    scores, winners = game.scores(state), game.winners(state)
    order = sorted(range(len(names)), key=lambda seat: (seat not in winners, -scores[seat]))
    return [
        (1 if seat in winners else place + 1, seat + 1, names[seat], scores[seat]) for place, seat in enumerate(order)
    ]
