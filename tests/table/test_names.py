import pytest
from hypothesis import given
from hypothesis import strategies as st

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME
from starfrost.table.names import clean_contribution, clean_key, clean_name

BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"


@pytest.mark.parametrize(
    ("given_name", "clean"),
    [
        ("Anna", "Anna"),
        ("  Anna   Bo ", "Anna Bo"),
        ("An\u202ena", "Anna"),
        ("An\x00n\x1ba\x7f", "Anna"),
        ("Anna\nBo", "Anna Bo"),
        ("A\u200bnna", "Anna"),
        ("a | b", "a b"),
        ("<b>x</b>", "b x /b"),
        ("Zoë", "Zoë"),
        ("Zoe\u0308", "Zoë"),
        ("ñandú 猫 🐈", "ñandú 猫 🐈"),
        ("e" + "\u0301" * 40, "é" + "\u0301\u0301"),
        ("\ud800x", "x"),
    ],
)
def test_names_are_cleaned(given_name: str, clean: str) -> None:
    assert clean_name(given_name) == clean


@pytest.mark.parametrize("name", ["", " ", "\u202e", "\n\t", "\u0301", BIDI, "x" * (LONGEST_NAME + 1)])
def test_names_that_cannot_be_seen_are_refused(name: str) -> None:
    with pytest.raises(Refused) as refusal:
        clean_name(name)
    assert refusal.value.code == "bad-name"


@given(st.text(max_size=60))
def test_whatever_comes_in_a_clean_name_is_clean(name: str) -> None:
    try:
        clean = clean_name(name)
    except Refused:
        return
    assert clean == clean_name(clean)
    assert clean.isprintable()
    assert not set(clean) & set(BIDI + "|<>#")
    clean.encode()


@pytest.mark.parametrize("key", ["", "x" * 65, "a b", "ü", "a\n", None, 5])
def test_keys_and_contributions_are_checked(key: object) -> None:
    for check in (clean_key, clean_contribution):
        with pytest.raises(Refused):
            check(key)
