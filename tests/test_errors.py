"""Errors: English as text, whole after a journey between processes, safe with any sign."""

import pickle

import pytest

from starfrost.errors import (
    IllegalAction,
    MissingExtra,
    NotationError,
    Phrase,
    RecordError,
    Refused,
    StarfrostError,
    UsageError,
)
from starfrost.games.record import parse_record
from starfrost.web.limits import TooMany
from starfrost.workers import map_ordered

ERRORS = [
    StarfrostError("%(file)s is no atlas.", file="a.csv"),
    UsageError("Dice Stars is for 1 to 4 players, not %(seats)s.", "players", seats=9),
    IllegalAction("Expected %(expected)s.", expected=Phrase("a roll of %(dice)s dice", dice=2)),
    NotationError("%(text)s is no die.", text="'x'"),
    RecordError(7, "Expected %(line)s.", line="a line"),
    MissingExtra("Solving needs Numba."),
    Refused("stale", "You saw %(seen)s.", 422, detail={"version": 4}, seen=3),
    TooMany(2.5),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_whole_after_pickling(error: StarfrostError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.args, again.sentence) == (str(error), error.args, error.sentence)
    assert {name: str(fact) for name, fact in again.facts.items()} == {
        name: str(fact) for name, fact in error.facts.items()
    }
    for name in ("about", "line", "code", "status", "detail", "wait"):
        assert getattr(again, name, None) == getattr(error, name, None)


def test_an_error_comes_home_from_another_process() -> None:
    with pytest.raises(RecordError) as caught:
        list(map_ordered(parse_record, ["nonsense", "more nonsense"], 2))
    assert (caught.value.line, caught.value.facts) == (1, {"version": "1"})


def test_a_phrase_within_a_phrase_is_english_as_text() -> None:
    assert str(ERRORS[2]) == "Expected a roll of 2 dice."
    assert ERRORS[2].args == ("Expected a roll of 2 dice.",)


def test_per_cent_signs_are_safe() -> None:
    assert str(UsageError("100 % sure.")) == "100 % sure."
    assert str(UsageError("There is no card %(card)s.", card="'%(x)s %d'")) == "There is no card '%(x)s %d'."
