"""Scenes of a table: what one reader sees at one step of a game.

A scene ends where somebody can look at the result: a decision together with the dice that fall on it. A reader who
lags behind is shown one scene after another, so that moves of others can be seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from secrets import token_hex
from typing import Any, Final

from starfrost.games.core import CHANCE, OVER
from starfrost.table import REACTIONS, ROLL, TableView
from starfrost.web.boards import Position, board_of
from starfrost.web.render import Reader
from starfrost.web.views.live import Asking, Live, is_scene
from starfrost.web.views.seats import seat_names
from starfrost.words import Words
from starfrost.words.story import result, tell

__all__ = ["Scene", "bot_progress", "draw_scene", "next_scene", "standings"]

FAR: Final = 14
"""So many scenes behind, a reader is shown the present at once."""

STORY: Final = 3
LOG: Final = 40


@dataclass(frozen=True)
class Scene:
    """A table around its board, ready for the template."""

    live: Live
    board: Any


def next_scene(view: TableView, after: int | None) -> int:
    """Return the step that a reader who has seen `after` steps is shown next."""
    last = len(view.moves)
    if after is None or after < 0 or after >= last:
        return last
    ends = [step for step in range(after + 1, last) if is_scene(view.game, view.state_at(step))]
    return ends[0] if 0 < len(ends) < FAR else last


def draw_scene(reader: Reader, view: TableView, step: int, error: str = "", asking: Asking | None = None) -> Scene:
    """Draw one step of a game for a reader."""
    w = reader.w
    game: Any = view.game
    state = view.state_at(step)
    now = step == len(view.moves)
    names = seat_names(w, view.seats)
    actor = game.actor(state)
    whose = game.turn_of(state) if actor == CHANCE else actor
    me = whose + 1 if whose + 1 in view.mine else min(view.mine, default=None)
    your_turn = now and view.status == "running" and me is not None and view.acting == me
    legal = view.legal if your_turn else ()
    past = view.moves[max(0, step - LOG) : step]
    told = [_told(w, game, move.before, move.action, tuple(names)) for move in past]
    over = actor == OVER
    several = len(view.mine) > 1
    if over:
        title = result(w, game, state, names)
    elif your_turn:
        title = w("%(name)s's turn", name=names[whose]) if several else w("Your turn")
    else:
        title = w("%(name)s is playing", name=names[whose])
    board = board_of(game.name)
    drawn = board.draw(
        w,
        Position(
            game=game,
            state=state,
            names=names,
            seats=view.seats,
            me=None if me is None else me - 1,
            legal=() if ROLL in legal else legal,
            may_roll=ROLL in legal,
            past=past,
        ),
    )
    said = " ".join([*told[-2:], *([title] if your_turn or over else [])])
    live = Live(
        id=view.id,
        version=view.version,
        step=step,
        more=not now,
        status=view.status if now else "running",
        game=game.name,
        title=title,
        subtitle=board.subtitle(w, game),
        names=names,
        seats=view.seats,
        me=me,
        your_turn=your_turn,
        acting=None if over else whose + 1,
        act=f"/t/{view.id}/act",
        key=token_hex(12),
        story=told[-STORY:],
        solving=bot_progress(w, view) if now else "",
        said=said,
        waiting="" if over else title,
        undo=view.undo[0] if now and view.undo else None,
        options=_options(w, game, state, legal, names) if reader.text else (),
        vacant=_vacant(view) if now and me is None else None,
        reactions=REACTIONS if view.version else (),
        deadline=view.deadline if now else None,
        host=view.host,
        error=error,
        asking=asking,
        winners=game.winners(state),
        standings=standings(game, state, names) if over else [],
        lost=over and not game.winners(state),
        rematch=view.rematch,
        log=list(reversed(told)),
    )
    return Scene(live, drawn)


@lru_cache(maxsize=20_000)
def _told(w: Words, game: Any, before: Any, action: Any, names: tuple[str, ...]) -> str:
    """Tell a move; every scene tells the last forty again."""
    return tell(w, game, before, action, names)


def _options(w: Words, game: Any, state: Any, legal: Sequence[Any], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every legal action as notation and in words, the most telling ones first."""
    told = [
        (str(action), w("Roll the dice") if action is ROLL else tell(w, game, state, action, names)) for action in legal
    ]
    return sorted(told, key=lambda option: option[0].startswith("reroll"))


def bot_progress(w: Words, view: TableView) -> str:
    """Return what there is to say about bots that prepare while their table runs; empty if nothing."""
    if view.status != "running":
        return ""
    bots = [str(seat.bot) for seat in view.seats if seat.kind == "bot"]
    return board_of(view.game.name).progress(w, view.game, bots)


def _vacant(view: TableView) -> int | None:
    """Return a seat whose person left and which the reader may take: their own, or any at a public table."""
    if view.status != "running":
        return None
    return next((s.seat for s in view.seats if s.vacated and (s.kept_for_you or view.public or view.host)), None)


def standings(game: Any, state: Any, names: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """Return place, seat, name and points of every seat, the best first."""
    scores, winners = game.scores(state), game.winners(state)
    order = sorted(range(len(names)), key=lambda seat: (seat not in winners, -scores[seat]))
    return [
        (1 if seat in winners else place + 1, seat + 1, names[seat], scores[seat]) for place, seat in enumerate(order)
    ]
