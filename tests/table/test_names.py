import pytest
from hypothesis import given
from hypothesis import strategies as st

from starfrost.errors import Refused
from starfrost.games.kit import LONGEST_NAME
from starfrost.table.names import clean_contribution, clean_key, clean_name, shorten_name

JOINERS, TAGS = "\u200c\u200d", range(0xE0020, 0xE0080)
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
        ("👩\u200d🚀 Ada", "👩\u200d🚀 Ada"),
        ("👨🏽\u200d👩🏽\u200d👧", "👨🏽\u200d👩🏽\u200d👧"),
        ("❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"),
        (
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
            "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        ),
        ("🇩🇪 1\ufe0f\u20e3", "🇩🇪 1\ufe0f\u20e3"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("An\u200dna\u200c", "Anna"),
        ("👩\u200d\u200d🚀\u200d", "👩\u200d🚀"),
        ("x\U000e0067", "x"),
        ("A\u3164nna", "Anna"),
    ],
)
def test_names_are_cleaned(given_name: str, clean: str) -> None:
    assert clean_name(given_name) == clean


BLANK = ["\u3164", "\uffa0", "\u115f\u1160", "\u2800 \u2800", "\u034f", "\u200d", "\u00ad", "\u17b4", "\ufe0f"]


@pytest.mark.parametrize("name", ["", " ", "\u202e", "\n\t", "\u0301", BIDI, "x" * (LONGEST_NAME + 1), *BLANK])
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
    assert "".join(sign for sign in clean if sign not in JOINERS and ord(sign) not in TAGS).isprintable()
    assert not set(clean) & set(BIDI + "|<>#")
    clean.encode()


@pytest.mark.parametrize("key", ["", "x" * 65, "a b", "ü", "a\n", None, 5])
def test_keys_and_contributions_are_checked(key: object) -> None:
    for check in (clean_key, clean_contribution):
        with pytest.raises(Refused):
            check(key)


@pytest.mark.parametrize("sign", ["👩\u200d🚀", "👍🏽", "🇩🇪", "🏴\U000e0067\U000e0062\U000e007f", "e\u0324"])
def test_a_name_is_never_cut_inside_a_sign(sign: str) -> None:
    for before in range(LONGEST_NAME - 6, LONGEST_NAME + 1):
        short = shorten_name("x" * before + sign * 3)
        assert len(short) <= LONGEST_NAME
        assert short.lstrip("x") == sign * ((len(short) - before) // len(sign))
