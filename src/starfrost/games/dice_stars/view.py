"""The view of a game as JSON data (nothing is hidden), and a preview of what a take would change."""

from collections.abc import Mapping
from typing import Any

from starfrost.games.dice_stars.actions import Action, all_star_takes
from starfrost.games.dice_stars.components import COLOURS, STAR, Bag, colour_of, die_text, face_of
from starfrost.games.dice_stars.sheet import (
    CROSS,
    EMPTY,
    NO_PENALTY,
    ROWS,
    Sheet,
    multiplier,
    row_score,
    row_sum,
    total,
)
from starfrost.games.dice_stars.turn import Phase, State, apply


def view(state: State, solo_grid: int) -> dict[str, Any]:
    """Return a state as JSON data; seats count from 1, a space is None, "X" or a number."""
    seen: dict[str, Any] = {
        "game": "dice-stars",
        "phase": state.phase.name.lower(),
        "turn": state.seat + 1,
        "actor": None if state.phase in (Phase.ROLL, Phase.OVER) else state.seat + 1,
        "draw": state.draw,
        "bag": _counts(state.bag),
        "reserve": [
            {
                "die": die_text(shown),
                "colour": COLOURS[colour_of(shown)],
                "face": "*" if face_of(shown) == STAR else face_of(shown),
            }
            for shown in state.reserve
        ],
        "discard": _counts(state.discard),
        "sheets": [sheet_view(sheet) for sheet in state.sheets],
    }
    if solo_grid:
        seen["solo"] = {"boxes": solo_grid, "ticked": state.solo}
    return seen


def _counts(bag: Bag) -> dict[str, int]:
    return dict(zip(COLOURS, bag, strict=True))


def written(value: int) -> int | str | None:
    """Return what stands in a space: nothing, "X" or a number."""
    return None if value == EMPTY else "X" if value == CROSS else value


def sheet_view(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as JSON data: its rows with their scores, its penalty and its total."""
    return {
        "rows": [
            {
                "row": label,
                "spaces": [written(sheet.spaces[space]) for space in sheet.layout.row_spaces[row]],
                "stars": {"boxes": sheet.layout.stars[row], "ticked": sheet.ticked[row]},
                "sum": row_sum(sheet, row),
                "multiplier": multiplier(sheet, row),
                "score": row_score(sheet, row),
            }
            for row, label in enumerate(ROWS)
        ],
        "penalty": None if sheet.penalty == NO_PENALTY else sheet.penalty,
        "total": total(sheet),
    }


def preview(state: State, action: Action, solo_grid: int) -> Mapping[str, Any]:
    """Return what a take or a penalty would write, with the scores and the solo boxes after it.

    `spaces` lists row label, place in the row (from 0) and what is written; `stars` lists the boxes ticked per row.
    Raises IllegalAction if the rules do not allow the action here.
    """
    before = state.sheets[state.seat]
    following = apply(state, action, solo_grid)
    after = following.sheets[state.seat]
    row_spaces = before.layout.row_spaces
    spaces = [
        {"row": label, "place": space - row_spaces[row].start, "value": written(after.spaces[space])}
        for row, label in enumerate(ROWS)
        for space in row_spaces[row]
        if before.spaces[space] != after.spaces[space]
    ]
    return {
        "spaces": spaces,
        "stars": dict(zip(map(str, ROWS), all_star_takes(before.layout.stars).get(action, (0,) * 5), strict=True)),
        "penalty": None if after.penalty == NO_PENALTY else after.penalty,
        "rows": [row_score(after, row) for row in range(5)],
        "total": total(after),
        "gain": total(after) - total(before),
        "solo": following.solo - state.solo,
    }
