"""Snapshots: one per version, unchanged by what happens later, made without a replay."""

import dataclasses

import pytest

from starfrost.errors import Refused
from starfrost.games.core import CHANCE
from starfrost.games.dicy_cards import DicyCards
from starfrost.table import ROLL, TableService
from starfrost.table.moves import Move, Moves
from tests.table.helpers import guests, open_and_join, seen


def test_moves_are_shared_but_never_change() -> None:
    moves = Moves().plus([Move(0, "a", 1), Move(CHANCE, "b", 2)])
    longer = moves.plus([Move(0, "c", 3)])
    other = longer.first(2).plus([Move(1, "d", 3)])
    assert [move.action for move in moves] == ["a", "b"]
    assert [move.action for move in longer] == ["a", "b", "c"]
    assert [move.action for move in other] == ["a", "b", "d"]
    assert moves[-1].action == "b"
    assert [move.action for move in longer[-2:]] == ["b", "c"]
    with pytest.raises(IndexError):
        moves[2]


async def test_a_snapshot_is_the_same_after_later_moves_and_undo(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    rolled = (await service.act(table, people[0], 1, ROLL, version=3, key="r")).snapshot
    moves, state, legal = list(rolled.moves), rolled.state, rolled.legal
    score = next(action for action in legal if action.verb == "score")
    scored = (await service.act(table, people[0], 1, score, version=4, key="s")).snapshot
    undone = (await service.undo(table, people[0], 1, version=5, key="u")).snapshot
    assert (list(rolled.moves), rolled.state, rolled.legal, rolled.version) == (moves, state, legal, 4)
    assert scored.moves[-1] == Move(0, score, state)
    assert (list(undone.moves), undone.state, undone.legal, undone.version) == (moves, state, legal, 6)
    assert scored.moves[-1] == Move(0, score, state)
    with pytest.raises(dataclasses.FrozenInstanceError):
        rolled.version = 9  # type: ignore[misc]
    assert await service.snapshot(table) is undone


async def test_a_typed_action_is_what_its_notation_is(service: TableService) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people)
    typed = await service.act(table, people[0], 1, ROLL, version=3, key="r")
    assert await service.act(table, people[0], 1, "roll", version=3, key="r") == typed
    score = typed.snapshot.legal[0]
    with pytest.raises(Refused, match="not allowed"):
        await service.act(table, people[0], 1, score._replace(dice="9"), version=4, key="x")
    played = await service.act(table, people[0], 1, score, version=4, key="s")
    assert played.event["action"] == str(score)
    assert await service.act(table, people[0], 1, str(score), version=4, key="s") == played


async def test_reading_a_long_game_plays_no_move_again(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    people = await guests(service, 2)
    table = await open_and_join(service, people, options={"mode": "glacial", "goal": "900"})
    applied = []
    apply = DicyCards.apply
    monkeypatch.setattr(DicyCards, "apply", lambda *args: (applied.append(args), apply(*args))[1])
    for number in range(20):
        snapshot = await service.snapshot(table)
        applied.clear()
        assert snapshot.acting is not None
        guest, action = people[snapshot.acting], snapshot.legal[0]
        answer = await service.act(
            table, guest, snapshot.acting + 1, action, version=snapshot.version, key=f"m{number}"
        )
        assert len(applied) == len(answer.snapshot.moves) - len(snapshot.moves)
        applied.clear()
        await seen(service, table, guest)
        assert not applied
