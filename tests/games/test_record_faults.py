"""Faulty records: every fault is reported as one sentence with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starfrost.errors import RecordError
from starfrost.games.record import SIZE_LIMIT, decode, parse_record, replay, write_record
from tests.games.records import GOOD, RECORDS, bent

MUTANTS = [(RECORDS / file).read_text() for file in ("game-02.sfr", "game-11.sfr", "game-20.sfr")]


def assert_one_sentence(fault: RecordError) -> None:
    sentence = str(fault)
    assert sentence.isprintable()
    assert sentence.endswith(".")
    assert len(sentence) < 500


@pytest.mark.parametrize(
    ("changes", "line", "says"),
    [
        # the first line
        ({1: None}, 1, "'starfrost: 1' as the first line"),
        ({1: "# a comment\nstarfrost: 1"}, 1, "'starfrost: 1' as the first line"),
        ({1: "\nstarfrost: 1"}, 1, "'starfrost: 1' as the first line"),
        ({1: "starfrost 1"}, 1, "'starfrost: 1' as the first line"),
        ({1: "starfrost: 2"}, 1, "Expected format version 1; this record has version '2'."),
        ({1: "starfrost: 1.0"}, 1, "version '1.0'"),
        ({1: "starfrost:"}, 1, "version ''"),
        ({1: "starfrost: " + "9" * 5000}, 1, "Expected format version 1"),
        # headers
        ({2: None}, 8, "Expected a header 'game'"),
        ({3: None}, 8, "Expected a header 'players'"),
        ({4: None}, 8, "the header 'cards'"),
        ({2: "game: chess"}, 2, "no game 'chess'; expected one of dicy-cards, dice-stars"),
        ({2: "game:"}, 2, "no game ''"),
        ({2: "Game: dicy-cards"}, 9, "Expected a header 'game'"),
        ({3: "players: Ada"}, 3, "2 to 4 players, not 1"),
        ({3: "players: A | B | C | D | E"}, 3, "2 to 4 players, not 5"),
        ({3: "players: Ada |"}, 3, "a name for every player"),
        ({3: "players: | Bo"}, 3, "a name for every player"),
        ({3: "players: Ada |  | Bo"}, 3, "a name for every player"),
        ({3: "players:"}, 3, "a name for every player"),
        ({3: "players: Ada|Bo"}, 3, "2 to 4 players, not 1"),
        ({4: "cards: any-two no-sixes odds straight"}, 4, "five different cards, not 4"),
        ({4: "cards: any-two no-sixes odds straight straight"}, 4, "five different cards"),
        ({4: "cards: any-two no-sixes odds straight players"}, 4, "no card 'players'"),
        ({4: "cards: any-two no-sixes odds straight goal"}, 4, "no card 'goal'"),
        ({4: "cards: any-two, no-sixes, odds, straight, two-pairs"}, 4, "no card 'any-two,'"),
        ({5: "goal: 0"}, 5, "1 to 999999"),
        ({5: "goal: -1"}, 5, "1 to 999999"),
        ({5: "goal: " + "9" * 4000}, 5, "1 to 999999"),
        ({5: "goal: ５"}, 5, "1 to 999999"),
        ({5: "goal:"}, 5, "1 to 999999"),
        ({6: "goal: 5"}, 6, "the header 'goal' only once"),
        ({6: "starfrost: 1"}, 6, "the header 'starfrost' only once"),
        ({6: "game: dicy-cards"}, 6, "the header 'game' only once"),
        ({6: "date 2024-05-01"}, 6, "Expected a header 'key: value'"),
        ({6: "date:2024-05-01"}, 6, "Expected a header 'key: value'"),
        ({6: ": 2024-05-01"}, 6, "Expected a header 'key: value'"),
        ({6: ""}, 7, "starts with '*' or a seat from 1 to 2"),
        ({9: None}, 9, "an empty line before the events"),
        # whose turn it is
        ({11: "2 reroll 21 freeze odds"}, 11, "Expected seat 1 to score or freeze one of any-two"),
        ({11: "* 21"}, 11, "Expected seat 1"),
        ({10: "1 skip"}, 10, "Expected a roll of six dice; found '1 skip'."),
        ({16: "2 freeze odds"}, 16, "Expected seat 1 to freeze one of"),
        ({13: "3 skip"}, 13, "a seat from 1 to 2"),
        ({13: "0 skip"}, 13, "a seat from 1 to 2"),
        ({13: "5 skip"}, 13, "a seat from 1 to 2"),
        ({13: "-1 skip"}, 13, "a seat from 1 to 2"),
        ({13: "01 skip"}, 13, "a seat from 1 to 2"),
        ({13: "１ skip"}, 13, "a seat from 1 to 2"),
        ({13: "skip"}, 13, "a seat from 1 to 2"),
        ({13: "Ada skip"}, 13, "a seat from 1 to 2"),
        ({13: "11 skip"}, 13, "a seat from 1 to 2"),
        # what is allowed
        ({11: "1 reroll 66 freeze odds"}, 11, "with dice among 554421"),
        ({11: "1 reroll 21 freeze sixes"}, 11, "one of any-two, no-sixes, odds, straight, two-pairs"),
        ({11: "1 reroll 21 freeze evens"}, 11, "no card 'evens'"),
        ({11: "1 reroll 27 freeze odds"}, 11, "digits from 1 to 6"),
        ({11: "1 reroll"}, 11, "not an action of Dicy Cards"),
        ({11: "1"}, 11, "not an action of Dicy Cards"),
        ({15: "2 score odds 21"}, 15, "Expected seat 2"),
        ({15: "2 score odds 7"}, 15, "digits from 1 to 6"),
        ({15: "2 freeze odds"}, 15, "Expected seat 2 to score"),
        ({16: "1 reset odds"}, 16, "Expected seat 1 to freeze one of"),
        ({16: "1 freeze sixes"}, 16, "Expected seat 1 to freeze one of"),
        ({16: None}, 16, "Expected seat 1 to freeze one of"),
        ({13: "1 skip\n2 reset odds"}, 14, "Expected a roll of six dice"),
        ({13: "1 skip # because"}, 13, "not an action of Dicy Cards"),
        # chance
        ({10: "* 55442"}, 10, "Expected a roll of six dice"),
        ({10: "* 5544211"}, 10, "Expected a roll of six dice"),
        ({10: "* 554427"}, 10, "digits from 1 to 6"),
        ({10: "* 5 5 4 4 2 1"}, 10, "not an action of Dicy Cards"),
        ({10: "*554421"}, 10, "starts with '*'"),
        ({10: "*"}, 10, "not an action of Dicy Cards"),
        ({10: "* skip"}, 10, "Expected a roll of six dice"),
        ({12: "* 631"}, 12, "Expected a roll of 2 dice"),
        ({12: "* " + "6" * 5000}, 12, "this line has 5002 characters"),
        # the end
        ({20: "2 score two-pairs 6655\n* 665511"}, 21, "no further event, since the game is over; found '* 665511'"),
        ({20: "2 score two-pairs 6655\n1 skip"}, 21, "no further event, since the game is over"),
        ({7: "result: 3 26"}, 7, "Expected 'result: 3 25'; found 'result: 3 26'."),
        ({7: "result: 25 3"}, 7, "Expected 'result: 3 25'"),
        ({7: "result: 3"}, 7, "Expected 'result: 3 25'"),
        ({7: "result:"}, 7, "Expected 'result: 3 25'"),
        ({7: "result: 03 25"}, 7, "Expected 'result: 3 25'"),
        ({8: "winners: 1"}, 8, "Expected 'winners: 2'"),
        ({8: "winners: 1 2"}, 8, "Expected 'winners: 2'"),
        ({8: "winners: 2 2"}, 8, "Expected 'winners: 2'"),
        ({8: "winners: none"}, 8, "Expected 'winners: 2'"),
        ({8: "winners:"}, 8, "Expected 'winners: 2'"),
        ({8: "solo: 3"}, 8, "Expected no header 'solo' in this game"),
        ({20: None}, 7, "no header 'result' while the game is unfinished"),
        ({7: None, 20: None}, 7, "no header 'winners' while the game is unfinished"),
        # the first of two faults
        ({11: "1 score odds 3", 15: "2 frobnicate"}, 11, "Expected seat 1"),
        ({11: "1 frobnicate", 7: "result: 1 1"}, 11, "not an action of Dicy Cards"),
        ({11: "1 reroll 1 freeze sixes", 13: "9 skip"}, 11, "Expected seat 1"),
        # what does not belong into a text
        ({11: "1 \x1b[31mskip"}, 11, "not an action of Dicy Cards"),
        ({11: "x" * 100_000}, 11, "this line has 100000 characters"),
        ({11: "(" * 50_000}, 11, "this line has 50000 characters"),
    ],
)
def test_a_fault_is_given_with_its_line_and_a_sentence(changes: dict[int, str | None], line: int, says: str) -> None:
    with pytest.raises(RecordError) as fault:
        replay(parse_record(bent(changes)))
    assert (fault.value.line, says in str(fault.value)) == (line, True), f"{fault.value.line}: {fault.value}"
    assert_one_sentence(fault.value)


@pytest.mark.parametrize(
    ("data", "line", "says"),
    [
        (b"", 1, "'starfrost: 1' as the first line"),
        (b"\n\n", 1, "'starfrost: 1' as the first line"),
        (b"starfrost: 1", 1, "Expected a header 'game'"),
        (b"\x89PNG\r\n\x1a\n", 1, "Expected UTF-8 text"),
        (GOOD.encode("utf-16"), 1, "Expected UTF-8 text"),
        (GOOD.encode() + b"\xff", 21, "Expected UTF-8 text"),
        (b"\xef\xbb\xbf\n\n\xff", 3, "Expected UTF-8 text"),
        (GOOD.encode() + b"\0", 21, "binary file"),
        (GOOD.replace("\n", "\r").encode(), 1, "Expected format version 1"),
        (b" " * (SIZE_LIMIT + 1), 1, "at most 4 MB"),
        (b"#" * SIZE_LIMIT, 1, "'starfrost: 1' as the first line"),
        (b"\xef\xbb\xbf\xef\xbb\xbf" + GOOD.encode(), 1, "'starfrost: 1' as the first line"),
    ],
)
def test_what_is_no_record_at_all(data: bytes, line: int, says: str) -> None:
    with pytest.raises(RecordError) as fault:
        parse_record(decode(data))
    assert (fault.value.line, says in str(fault.value)) == (line, True), f"{fault.value.line}: {fault.value}"
    assert_one_sentence(fault.value)


@given(st.binary(max_size=300))
def test_random_bytes_give_a_record_error(data: bytes) -> None:
    with pytest.raises(RecordError):
        parse_record(decode(data))


@given(st.sampled_from(MUTANTS), st.data())
@settings(max_examples=250, deadline=None)
def test_a_bent_record_is_read_or_refused_and_nothing_else(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        lines = text.split("\n")
        where = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "double", "swap", "cut", "insert"])):
            case "drop":
                del lines[where]
            case "double":
                lines.insert(where, lines[where])
            case "swap":
                other = data.draw(st.integers(0, len(lines) - 1))
                lines[where], lines[other] = lines[other], lines[where]
            case "cut":
                lines[where] = lines[where][: data.draw(st.integers(0, 40))]
            case "insert":
                place = data.draw(st.integers(0, len(lines[where])))
                lines[where] = lines[where][:place] + data.draw(st.text(max_size=3)) + lines[where][place:]
        text = "\n".join(lines) or "\n"
    fault = played = None
    try:
        played = replay(parse_record(decode(text.encode())))
    except RecordError as error:
        fault = error
    if played:
        written = write_record(played.record)
        assert write_record(parse_record(written)) == written
    elif fault:
        assert 1 <= fault.line <= text.count("\n") + 1
        assert_one_sentence(fault)
