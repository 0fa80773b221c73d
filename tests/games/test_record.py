"""Records: written, parsed, replayed and checked, for both games."""

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starfrost.errors import RecordError
from starfrost.games.core import CHANCE, OVER, Game
from starfrost.games.dicy_cards import CARDS
from starfrost.games.record import Event, Record, decode, parse_record, replay, write_record
from starfrost.games.registry import make_game
from tests.games.records import GOOD, RECORDS, bent

SOLO = (RECORDS / "game-11.sfr").read_text()
EXPECTED: dict[str, dict[str, Any]] = json.loads((RECORDS / "expected.json").read_text())

NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"], include_characters=" |#:,*1"), min_size=1
).filter(lambda name: name == name.strip() and not {"|"} & set(name.split()))
"""Any text on one line without a lone bar."""


def random_record(game: Game[Any, Any], players: tuple[str, ...], seed: int, most: int) -> Record:
    """Play a limited number of random events."""
    rng, state = Random(seed), game.start()
    events: list[Event] = []
    while game.actor(state) != OVER and len(events) < most:
        actor = game.actor(state)
        action = game.sample(state, rng) if actor == CHANCE else rng.choice(game.legal_actions(state))
        events.append(Event(actor, action))
        state = game.apply(state, action)
    return Record(game, players, tuple(events))


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Make a game of either kind, with any names, played for a while or to its end."""
    name = draw(st.sampled_from(["dicy-cards", "dice-stars"]))
    seats = draw(st.integers(2 if name == "dicy-cards" else 1, 4))
    cards = draw(st.lists(st.sampled_from(list(CARDS)), min_size=5, max_size=5, unique=True))
    headers = {"cards": " ".join(cards), "goal": str(draw(st.integers(1, 30))), "solo-boxes": "40"}
    players = tuple(draw(st.lists(NAMES, min_size=seats, max_size=seats)))
    game = make_game(name, seats, headers)
    return random_record(game, players, draw(st.integers(0, 2**32)), draw(st.sampled_from([0, 1, 7, 50, 100_000])))


@pytest.mark.parametrize("file", EXPECTED)
def test_the_vectors(file: str) -> None:
    expected = EXPECTED[file]
    text = decode((RECORDS / file).read_bytes())
    if not expected["ok"]:
        with pytest.raises(RecordError) as fault:
            replay(parse_record(text))
        assert expected["line"] in (None, fault.value.line)
        return
    played = replay(parse_record(text))
    assert played.record.game.name == expected["game"]
    assert played.finished == expected["finished"]
    assert list(played.scores) == expected["scores"]
    assert [seat + 1 for seat in played.winners] == expected["winners"]
    assert played.turns == expected["turns"]
    assert played.record.game.extra_results(played.final).get("solo") == expected.get("solo")


@pytest.mark.parametrize("file", [file for file, expected in EXPECTED.items() if expected["ok"]])
def test_a_good_record_is_rewritten_without_a_change_of_meaning(file: str) -> None:
    record = parse_record(decode((RECORDS / file).read_bytes()))
    again = parse_record(write_record(record))
    assert again.events == record.events
    assert again.players == record.players
    assert again.game == record.game
    assert replay(again).states == replay(record).states


@given(records())
@settings(max_examples=60, deadline=None)
def test_written_parsed_and_written_again_is_the_same(record: Record) -> None:
    text = write_record(record)
    again = parse_record(decode(text.encode()))
    assert (again.game, again.players, again.events) == (record.game, record.players, record.events)
    assert write_record(again) == text
    played = replay(again)
    assert played.finished == ("result" in again.headers) == ("winners" in again.headers)
    assert len(played.states) == len(record.events) + 1


@given(records(), st.data())
@settings(max_examples=60, deadline=None)
def test_every_beginning_of_a_record_is_an_unfinished_record(record: Record, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, max(0, len(record.events) - 1)))
    if record.events:
        played = replay(parse_record(write_record(replace(record, events=record.events[:number]))))
        assert not played.finished
        assert played.winners == ()


@given(records(), st.sampled_from(["\r\n", "\n# a note\n", "\n   # a note: with a colon\n"]))
@settings(max_examples=30, deadline=None)
def test_comments_and_line_ends_change_nothing(record: Record, end: str) -> None:
    text = write_record(record)
    assert parse_record(decode(b"\xef\xbb\xbf" + text.replace("\n", end).encode())) == parse_record(text)


def test_the_record_that_is_bent_below_is_good() -> None:
    played = replay(parse_record(GOOD))
    assert (played.finished, played.scores, played.winners, played.turns) == (True, (3, 25), (1,), 4)
    assert write_record(played.record) == GOOD


@pytest.mark.parametrize(
    "changes",
    [
        {7: None},
        {8: None},
        {7: None, 8: None},
        {7: None, 8: None, 20: None},
        {6: None},
        {6: "x-é:  odd   value : with # signs | and bars "},
        {6: "mode:"},
        {6: "# only a comment"},
        {9: "# before\n\n# and after"},
        {9: "   "},
        {9: "\n\n\n"},
        {11: "1   reroll 12  freeze\todds  "},
        {11: "1\treroll 12 freeze odds"},
        {10: "* 124455"},
        {15: "  2 score any-two 12"},
        {5: "goal:     5   "},
        {5: "goal: 005"},
        {4: "cards:  any-two   no-sixes odds straight two-pairs"},
        {3: "players: Ada|Ada | 1 * #:"},
        {3: "players:   Ada   |   Ada"},
        {8: "winners:  2 "},
        {20: "2 score two-pairs 6655\n\n\n"},
    ],
)
def test_what_readers_allow(changes: dict[int, str | None]) -> None:
    record = parse_record(bent(changes))
    replay(record)
    text = write_record(record)
    assert write_record(parse_record(text)) == text


def test_names_may_hold_bars_but_not_lone_ones() -> None:
    record = parse_record(bent({3: "players: a|b | |c| || d|"}))
    assert record.players == ("a|b", "|c| || d|")


def test_shared_winners_stand_in_any_order() -> None:
    text = (RECORDS / "game-09.sfr").read_text()
    assert "winners: 1 2" in text
    assert replay(parse_record(text.replace("winners: 1 2", "winners: 2 1"))).winners == (0, 1)


def test_other_keys_are_kept_in_their_order() -> None:
    text = bent({6: "zebra: 1\nseed: abc\ncommitment: def\nalpha:\nmode: x y"})
    keys = [line.split(":")[0] for line in write_record(parse_record(text)).split("\n\n")[0].split("\n")]
    assert keys[:5] == ["starfrost", "game", "players", "cards", "goal"]
    assert keys[5:] == ["zebra", "seed", "commitment", "alpha", "mode", "result", "winners"]


def test_a_set_up_of_the_other_game_is_just_another_key() -> None:
    text = bent({6: "solo-boxes: 12"})
    assert "solo-boxes: 12" in write_record(parse_record(text))


def test_the_goal_is_100_and_the_grid_has_30_boxes_if_absent() -> None:
    assert parse_record(bent({5: None})).game.headers()["goal"] == "100"
    solo = "starfrost: 1\ngame: dice-stars\nplayers: Ada\n"
    assert parse_record(solo).game.headers()["solo-boxes"] == "30"


def test_a_solo_game_claims_its_boxes() -> None:
    assert "solo: 22" in SOLO
    for wrong in ("solo: 21", "solo: none", "solo:"):
        with pytest.raises(RecordError, match="Expected 'solo: 22'"):
            replay(parse_record(SOLO.replace("solo: 22", wrong)))
    with pytest.raises(RecordError, match="Expected 'winners: none'"):
        replay(parse_record(SOLO.replace("winners: none", "winners: 1")))


def test_a_head_without_events_is_a_game_that_has_not_begun() -> None:
    head = GOOD.split("result")[0]
    for text in (head, head.rstrip(), head + "\n", head + "\n\n# nothing yet"):
        played = replay(parse_record(text))
        assert (played.turns, played.scores, played.finished) == (0, (0, 0), False)


@pytest.mark.parametrize(("number", "turns"), [(0, 0), (1, 1), (4, 1), (5, 2), (7, 2), (8, 3), (11, 4)])
def test_turns_are_counted_when_they_begin(number: int, turns: int) -> None:
    record = parse_record(GOOD)
    assert replay(Record(record.game, record.players, record.events[:number])).turns == turns


@pytest.mark.parametrize(
    "players",
    [
        ("Ada", "B | o"),
        ("Ada", "|"),
        ("Ada", ""),
        ("Ada", " Bo"),
        ("Ada", "Bo\nwinners: 1"),
        ("Ada", "Bo\0"),
        ("Ada", "Bo\ud800"),
        ("Ada",),
        ("Ada", "Bo", "Cy"),
    ],
)
def test_a_name_that_would_not_read_back_is_not_written(players: tuple[str, ...]) -> None:
    with pytest.raises(RecordError):
        write_record(replace(parse_record(GOOD), players=players))


@pytest.mark.parametrize(
    ("key", "value"), [("a b", "x"), ("a:", "x"), ("#a", "x"), ("", "x"), ("a", "x\n\n1 skip"), ("a", "\0")]
)
def test_a_header_that_would_not_read_back_is_not_written(key: str, value: str) -> None:
    with pytest.raises(RecordError, match="stands on one line"):
        write_record(replace(parse_record(GOOD), headers={key: value}))


def test_headers_cannot_change_the_set_up() -> None:
    lies = {"starfrost": "2", "game": "dice-stars", "players": "X", "cards": "odds", "goal": "1", "result": "9 9"}
    assert write_record(replace(parse_record(GOOD), headers={**lies, "date": "2024-05-01"})) == GOOD


def test_an_illegal_event_is_not_written() -> None:
    record = parse_record(GOOD)
    with pytest.raises(RecordError, match="Expected a roll of six dice"):
        write_record(replace(record, events=record.events[1:]))


def test_a_very_long_game_is_read() -> None:
    turns = "* 665211\n1 skip\n* 665211\n2 skip\n" * 20_000
    head = bent({7: None, 8: None}).split("\n\n")[0]
    assert replay(parse_record(f"{head}\n\n{turns}")).turns == 40_000


def test_the_page_about_records_is_true() -> None:
    page = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
    # The session in the middle is run by the tests of the docs' samples.
    record, _, cards, stars = re.findall(r"^```.*?\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert write_record(parse_record(record)) == GOOD
    for name, block in (("dicy-cards", cards), ("dice-stars", stars)):
        game = make_game(name, 2, {"cards": "any-two no-sixes odds straight two-pairs"})
        for line in block.splitlines():
            event = line[:30].rstrip()
            assert f"{event[0]} {game.parse_action(event[2:])}" == event
