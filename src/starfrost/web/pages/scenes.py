"""Scenes of a table: what one reader sees at one step of a game.

A scene ends where a result can be seen: after a decision and the dice that follow it. A reader who lags behind is shown
one scene after another, so that the moves of others can be seen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markupsafe import Markup, escape

from starfrost.boards import Position, board_of
from starfrost.boards.drawing import Reader
from starfrost.boards.entry import Entry
from starfrost.boards.seats import look_of, own_absences, seat_names, tell_change
from starfrost.coach.registry import coach_of
from starfrost.games.core import CHANCE, OVER, rolls_at_once
from starfrost.table import ROLL, SeatView, TableView
from starfrost.table.moves import ENTER, Move
from starfrost.web.pages import endings
from starfrost.web.pages.problems import PAUSED, UPGRADING
from starfrost.web.pages.reasons import Reason
from starfrost.words import Words, mark
from starfrost.words.story import ending, last_round, mode_label, needed, result, tell

if TYPE_CHECKING:
    from starfrost.table.rooms.games import Around

FAR: Final = 24
"""A reader who is this many scenes behind is shown the present at once."""

STORY: Final = 3
"""The turns that the story tells."""
TURNS: Final = 6
"""The most that it tells where more players have moved since the reader's own turn."""
LOG: Final = 40
SAID: Final = 12
"""The most sentences that a screen reader is given at once."""

_UNDONE: Final = mark("%(name)s takes the last move back.")
_WANTS: Final = mark("%(name)s wants to play again")
_BEFORE_DIE: Final = re.compile(r" (?=[0-9★]\b|★)")


@dataclass(frozen=True)
class Asking:
    """A move that the reader must confirm."""

    sentence: str
    fields: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Note:
    """What the coach tells one player."""

    kind: str
    """`hint`; `best`, `slip`, `mistake` or `blunder`; `working` while cards are worked out; `none` for no answer."""
    heading: str
    text: str = ""
    estimate: bool = False
    event: int = -1
    """The move that is judged, from 0; -1 for a hint."""
    reasons: Sequence[Reason] = ()
    """Why the coach's move is better than the best other one, or than the one that was made."""
    step: int = -1
    """The step of the game whose dice the reasons name."""
    deed: str = ""
    """The move of a hint as the board lights it: the seat, from 1, and the action in notation."""


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
    deed: str = ""
    """The decision of somebody else that led here: the seat, from 1, and the action in notation."""
    story: Sequence[str] = ()
    said: str = ""
    """What a screen reader announces when this scene appears."""
    waiting: str = ""
    last_round: str = ""
    """The announcement of the last round, as long as it is played."""
    need: str = ""
    """What the reader needs in it for the lead; empty for nothing."""
    solving: str = ""
    """How far the cards are solved that a bot waits for."""
    undo: int | None = None
    held: bool = False
    """Whether bots wait for the undo."""
    vacant: SeatView | None = None
    """A seat that a bot plays and the reader may take, now or later."""
    away: Sequence[tuple[int, str]] = ()
    """The reader's own seats that a bot plays, each with a sentence that says why."""
    around: "Around | None" = None
    """The room of the table, for a reader who belongs to it."""
    watching: str = ""
    """What a reader without a seat is told: why, and when they play."""
    tell: bool = False
    """Whether the reader is asked if they want to be told of their turn."""
    offer: str = ""
    """Who wants to play again, as soon as somebody does."""
    gone: str = ""
    """That the person whom the reader waits for is gone; empty otherwise."""
    invitation: str = ""
    """The table's invitation, if the reader has it."""
    options: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ()
    """For the table in words: headings, each with its legal actions and what they do; empty otherwise."""
    deadline: float | None = None
    error: str = ""
    asking: Asking | None = None
    entry: Entry | None = None
    """The real dice that wait to be entered by the reader."""
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

    def look(self, seat: int) -> int:
        """Return the colour and shape of a seat for this reader."""
        return look_of(self.view.seats, seat)

    @property
    def people(self) -> int:
        """How many people play."""
        return sum(seat.kind == "person" for seat in self.view.seats)

    @property
    def cheered(self) -> bool:
        """Whether the reader may send reactions to other people: a player, or a watcher of the table's room."""
        others = any(seat.kind == "person" and not seat.yours for seat in self.view.seats)
        return others and (self.me is not None or self.around is not None)

    @property
    def status(self) -> str:
        """The status of the table; running as long as later scenes wait."""
        return "running" if self.more else self.view.status


def next_scene(view: TableView, after: int | None) -> int:
    """Return the step that a reader who has seen `after` steps is shown next."""
    last = len(view.moves)
    if after is None or after < 0 or after >= last:
        return last
    # A game that goes on from a position begins there.
    ends = [
        step for step in range(max(after + 1, view.given), last) if not rolls_at_once(view.game, view.state_at(step))
    ]
    return ends[0] if 0 < len(ends) < FAR else last


def draw_scene(
    reader: Reader,
    view: TableView,
    step: int,
    error: str = "",
    asking: Asking | None = None,
    after: int | None = None,
    note: Note | None = None,
    around: "Around | None" = None,
    looking_back: bool = False,
) -> tuple[Live, Any]:
    """Return what the templates show of one step of a game: the table as `live` and its board as `t`.

    `after` is the last step that the reader saw: everything since then is announced. Whoever looks back at a game sees
    it from the side of the player whose turn it is.
    """
    w = reader.w
    game: Any = view.game
    state = view.state_at(step)
    now = step == len(view.moves)
    upgrading = now and view.upgrading and view.status == "running"
    names = tuple(seat_names(w, view.seats))
    actor = game.actor(state)
    turn = game.turn_of(state) if actor == CHANCE else actor
    me = None if looking_back else turn + 1 if turn + 1 in view.mine else min(view.mine, default=None)
    your_turn = now and view.status == "running" and me is not None and view.acting == me and not upgrading
    legal = view.legal if your_turn else ()
    enters, decisions = ENTER in legal, () if {ROLL, ENTER} & set(legal) else legal
    past = view.moves[max(0, step - LOG) : step]
    told = _with_changes(w, view, names, step, _tell(w, view, names, past, step - len(past)))
    if now and view.undone is not None:
        told.append(_line(0, w.told(names[view.undone - 1], _UNDONE, mark("You take the last move back."))))
    unseen = min(SAID, max(1, step - after)) if after is not None and after >= 0 else 2
    over = actor == OVER
    # Whoever is gone themselves learns nothing from it.
    gone = view.gone if now and view.gone not in view.mine else None
    if over:
        title = result(w, game, state, names)
    elif upgrading:
        title = w(PAUSED)
    elif now and view.paused:
        title = w("The game waits until somebody comes back.")
    elif gone:
        title = w("%(name)s is away", name=names[gone - 1])
    elif enters and turn + 1 not in view.mine:
        title = w("Roll for %(name)s", name=names[turn])
    elif your_turn:
        title = w("%(name)s's turn", name=names[turn]) if len(view.mine) > 1 else w("Your turn")
    else:
        title = w.told(names[turn], mark("%(name)s is playing"), mark("Your turn"))
    # Somebody may have to decide something in the turn of another player, such as which card to freeze.
    waiting = title
    if not (over or upgrading or gone or your_turn or view.paused or actor == CHANCE) and game.turn_of(state) != actor:
        waiting = w("%(name)s must decide something first.", name=names[actor])
    away = own_absences(w, view) if now else []
    offer = _offer(w, view, names, around) if over and now else ""
    missed = w("%(name)s has been away for a while.", name=names[gone - 1]) if gone else ""
    last_words = [missed] if gone else [title] if your_turn or over else [w(UPGRADING)] if upgrading else []
    last_words = [offer] if offer else last_words
    if away and view.changes[-1].step >= step:
        # A bot has just taken over from the reader.
        last_words += [text for _, text in away]
    passed_on = your_turn and len(view.mine) > 1 and turn + 1 in view.mine and view.dice != "pad"
    board = board_of(game.name)
    announcement = last_round(w, game, state, names)
    need = needed(w, game, state, me - 1) if me is not None and not over else ""
    last_words = [*last_words, need] if need and your_turn else last_words
    position = Position(
        game=game,
        state=state,
        names=names,
        seats=view.seats,
        me=None if me is None else me - 1,
        legal=decisions,
        may_roll=ROLL in legal,
        past=past,
        first=your_turn and reader.first == view.id,
    )
    coached = now and bool(view.coach) and coach_of(game) is not None
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
        handover=names[turn] if passed_on else "",
        subtitle=" · ".join(
            filter(None, (endings.daily_label(w, view.daily), mode_label(w, game, view.mode), board.subtitle(w, game)))
        ),
        deed=_deed(view, step),
        story=_story(told, view.mine),
        # Where nothing else has happened, only that is news.
        said=_said(
            [] if step == after and (gone or offer) else told[-unseen:], last_words, announcement if your_turn else ""
        ),
        waiting="" if over else w(UPGRADING) if upgrading else waiting,
        last_round=announcement,
        need=need,
        solving=bot_progress(w, view) if now else "",
        undo=view.undo[0] if now and view.undo and not upgrading else None,
        held=now and view.held is not None,
        vacant=_vacant(view) if now and me is None else None,
        away=away,
        around=around,
        watching=_watching(w, view, around) if me is None and not (over or away or looking_back) else "",
        offer=offer,
        gone=missed,
        invitation=view.invitation or "" if not view.mine else "",
        options=_options(w, position, legal) if reader.text and not enters else (),
        deadline=view.deadline if now and not upgrading else None,
        error=error,
        asking=asking,
        entry=board.entry(w, game, state) if enters else None,
        coached=coached,
        hint=coached and your_turn and len(decisions) > 1,
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

    seat: int
    """Whose turn it was, from 1; 0 for a change of seats."""
    story: str
    spoken: str
    """The same with what it brings on, such as the last round, which the page shows beside the story."""
    item: str
    """The same as an item of the log."""


def _line(seat: int, sentence: str) -> _Line:
    return _Line(seat, sentence, sentence, f"<li>{escape(sentence)}</li>")


def _offer(w: Words, view: TableView, names: Sequence[str], around: "Around | None") -> str:
    """Return who wants to play again; empty if nobody does, or the reader has nothing to do with it."""
    if around is not None and around.next:
        return w(_WANTS, name=around.by) if around.by else w("The next game is open")
    if not (view.rematch and view.member):
        return ""
    by = names[view.offered - 1] if view.offered else ""
    return w("The next game is open") if not by or view.offered in view.mine else w(_WANTS, name=by)


def _watching(w: Words, view: TableView, around: "Around | None") -> str:
    """Return what somebody without a seat is told."""
    told = [] if any(seat.takeable for seat in view.seats) else [w("The table is full: you are watching.")]
    if around is not None and around.waits:
        told.append(w("You play in the next game."))
    return " ".join(told or [w("You are watching")])


def _said(told: Sequence[_Line], last_words: Sequence[str], announcement: str) -> str:
    """Return what a screen reader says of a scene; whoever acts in the last round is reminded of it once."""
    spoken = " ".join([*(line.spoken for line in told), *last_words])
    return spoken if announcement in spoken else f"{spoken} {announcement}"


def _story(told: Sequence[_Line], mine: Sequence[int]) -> list[str]:
    """Return the last turns, a paragraph each: all since the reader's own, so that each can be read to its end."""
    turns = [(seat, list(lines)) for seat, lines in islice(groupby(reversed(told), lambda line: line.seat), TURNS)]
    since = next((1 + place for place, (seat, _) in enumerate(turns) if seat in mine), TURNS if mine else STORY)
    return [" ".join(line.story for line in reversed(lines)) for _, lines in reversed(turns[: max(STORY, since)])]


def _deed(view: TableView, step: int) -> str:
    """Return the decision of somebody else after which a scene is seen; empty if there is none."""
    rolled = step > 1 and rolls_at_once(view.game, view.state_at(step - 1))
    move = view.moves[step - 1 - rolled] if step else None
    return f"{move.seat + 1} {move.action}" if move and move.seat != CHANCE and move.seat + 1 not in view.mine else ""


_UNKNOWN: Final = None, None


@lru_cache(maxsize=1000)
def _kept(table: str, w: Words, game: Any, names: tuple[str, ...]) -> dict[int, tuple[Move, _Line]]:
    """Return the last moves of a table in words, by their number: every scene tells forty of them again."""
    return {}


def _tell(w: Words, view: TableView, names: tuple[str, ...], past: Sequence[Move], first: int) -> list[_Line]:
    """Return the last moves before a step in words; the first of them has this number."""
    game: Any = view.game
    kept, told = _kept(view.id, w, game, names), []
    for number, move in enumerate(past, first):
        known, line = kept.get(number, _UNKNOWN)
        # Another move may have taken the place of one that was taken back.
        if known is not move or line is None:
            story = tell(w, game, move.before, move.action, names)
            after = view.state_at(number + 1)
            spoken = f"{story} {ending(w, game, move.before, move.action, names, after)}".rstrip()
            actor = game.actor(move.before)
            seat = 1 + (game.turn_of(move.before) if actor == CHANCE else actor)
            line = _Line(seat, unbroken(story), spoken, f"<li>{escape(unbroken(spoken))}</li>")
            kept[number] = move, line
        told.append(line)
    for number in list(kept)[: -2 * LOG]:
        del kept[number]
    return told


def unbroken(text: str) -> str:
    """Return a text in which no line begins with a single die, so that the dice of a roll stay together."""
    return _BEFORE_DIE.sub("\N{NO-BREAK SPACE}", text)


def _with_changes(w: Words, view: TableView, names: Sequence[str], step: int, told: list[_Line]) -> list[_Line]:
    """Insert what happened to the seats between the last moves up to a step."""
    first = step - len(told)
    for change in reversed(view.changes):
        # A move before it may have been taken back.
        place = min(change.step, len(view.moves))
        if first <= place <= step:
            told.insert(place - first, _line(0, tell_change(w, change, names)))
    return told


def _options(w: Words, position: Position, legal: Sequence[Any]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every legal action as notation and in words below its heading, rerolls last."""
    board, found = board_of(position.game.name), dict[str, list[tuple[str, str]]]()
    for action in sorted(legal, key=lambda action: str(action).startswith("reroll")):
        heading, text = ("", w("Roll the dice")) if action is ROLL else board.option(w, position, action)
        found.setdefault(heading, []).append((str(action), text))
    return list(found.items())


def bot_progress(w: Words, view: TableView) -> str:
    """Return what there is to say about bots that prepare while their table runs; empty if nothing."""
    if view.status != "running":
        return ""
    bots = [str(seat.bot) for seat in view.seats if seat.kind == "bot"]
    return board_of(view.game.name).progress(w, view.game, bots) if bots else ""


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
