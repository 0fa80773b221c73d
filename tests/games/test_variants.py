"""Rules as data: what a file can say, what is refused and how; a variant is never taken for the official game."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

import starfrost
from starfrost.errors import RecordError, UsageError
from starfrost.games.dicy_cards import CARDS, DicyCards, card_of, options
from starfrost.games.dicy_cards.expressions import condition, number
from starfrost.games.record import Record, parse_record, replay, write_record
from starfrost.games.registry import GAMES
from starfrost.games.setup import Setup, read_variant, variant_of
from starfrost.games.variants import read_file
from tests.variants import (
    CARD_VARIANTS,
    EVERY_DIE,
    FULL_HOUSE,
    GENEROUS_ODDS,
    LUCKY,
    STAR_VARIANTS,
    STARRY_DICE,
    game_of,
)

CARD_HEAD = 'game = "dicy-cards"\nname = "Mine"\n'
STAR_HEAD = 'game = "dice-stars"\nname = "Mine"\n'


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "my.toml: the key game is missing."),
        ("goal = ", "my.toml is not valid TOML: Invalid value (at end of document)."),
        ("{" * 9000, "my.toml is not valid TOML: "),
        ('game = "chess"', "my.toml: game must be one of dicy-cards, dice-stars, not 'chess'."),
        ('game = "dicy-cards"', "my.toml: the key name is missing."),
        ('game = "dicy-cards"\nname = 7', "my.toml: name must be a name of at most 40 characters, not '7'."),
        (
            CARD_HEAD + "gaol = 7",
            "my.toml: there is no key 'gaol'; expected one of game, dice, card, goal, handicap, cards",
        ),
        (CARD_HEAD + "goal = 0", "my.toml: goal must be a whole number from 1 to 999999, not '0'."),
        (CARD_HEAD + "goal = true", "my.toml: goal must be a whole number from 1 to 999999, not 'true'."),
        (CARD_HEAD + "goal = 50\nhandicap = [50]", "my.toml: handicap must be less than the goal of 50, not '[50]'."),
        (CARD_HEAD + "handicap = [-1]", "my.toml: handicap must be a list of 1 to 4 whole numbers from 0 to 999999"),
        (CARD_HEAD + "dice = [1, 2]", "my.toml: dice must be a list of the six faces of a die, each from 1 to 6"),
        (CARD_HEAD + "dice = 5", "(the number of dice is always 6), not '5'."),
        (CARD_HEAD + "dice = [1, 2, 3, 4, 5, true]", "my.toml: dice must be a list of the six faces of a die"),
        (CARD_HEAD + 'cards = ["odds"]', "my.toml: cards must be a list of five different cards among any-two, "),
        (CARD_HEAD + "card = 7", "my.toml: card must be a table of tables, such as [card.NAME], not '7'."),
        (CARD_HEAD + "[card.Odds]", "my.toml: card.Odds must be lower-case words joined by dashes"),
        (CARD_HEAD + "[card.odds]\nfun = 1", "my.toml: there is no key 'card.odds.fun'; expected one of pattern, "),
        (CARD_HEAD + '[card.odds]\npoints = "sum ^ 2"', "my.toml: card.odds.points must be a formula such as "),
        (CARD_HEAD + '[card.odds]\npoints = "sum sum"', "my.toml: card.odds.points must be a formula such as "),
        (CARD_HEAD + '[card.odds]\npoints = "2*sum*"', "my.toml: card.odds.points must be a formula such as "),
        (CARD_HEAD + '[card.odds]\nwhen = "sum"', "my.toml: card.odds.when must be a condition such as 'sum >= 20', "),
        (CARD_HEAD + "[card.odds]\nwhen = 7", "my.toml: card.odds.when must be a condition such as "),
        (CARD_HEAD + '[card.x]\nwhen = "sum > 99"', "my.toml: card.x.values must be such that some dice"),
        (CARD_HEAD + '[card.odds]\npoints = "sum // 9"', "for every selection; 1 would score 0, not 'sum // 9'."),
        (CARD_HEAD + '[card.odds]\npoints = "sum - 1"', "for every selection; 1 would score 0, not 'sum - 1'."),
        (CARD_HEAD + '[card.odds]\npoints = "99 * sum"', "must be 1 to 400 points for every selection; 555555 would"),
        (
            CARD_HEAD + '[card.x]\ndice = "4-2"',
            "my.toml: card.x.dice must be a number of dice such as 3, '2-4' or 'all'",
        ),
        (CARD_HEAD + '[card.x]\npattern = "two pairs"\ndice = 3', "card.x.dice must be 4 with the pattern two pairs"),
        (CARD_HEAD + '[card.x]\npattern = "odd"', "card.x.pattern must be one of any, different, alike, consecutive"),
        (CARD_HEAD + '[card.x]\neffect = "boom"', "card.x.effect must be one of none, neighbours freeze, "),
        (CARD_HEAD + '[card.x]\nvalues = [2]\npattern = "consecutive"', "card.x.values must be such that some dice"),
        (
            STAR_HEAD + "goal = 5",
            "my.toml: there is no key 'goal'; expected one of game, green, stars, handicap, solo-boxes",
        ),
        (STAR_HEAD + "green = [1]", "my.toml: green must be a list of 5 whole numbers from 0 to 4, not '[1]'."),
        (STAR_HEAD + "green = [4, 4, 4, 4, 4]", "my.toml: green must be at most 12 green spaces in all rows"),
        (STAR_HEAD + "stars = [8, 1, 1, 1, 1]", "my.toml: stars must be a list of 5 whole numbers from 0 to 7"),
        (
            STAR_HEAD + "green = [0, 0, 0, 0, 3]",
            "my.toml: green must be at most 8 green spaces and star boxes together",
        ),
        (STAR_HEAD + "solo-boxes = 0", "my.toml: solo-boxes must be a whole number from 1 to 999999, not '0'."),
        (
            STAR_HEAD + "[dice.green]\nnumber = 3",
            "my.toml: there is no key 'dice.green'; expected one of black, purple",
        ),
        (
            STAR_HEAD + "[dice.blue]\nnumber = 9",
            "my.toml: dice must be 3 to 15 dice of all colours together, not '19'.",
        ),
        (STAR_HEAD + "[dice.blue]\nfaces = [1]", 'my.toml: dice.blue.faces must be a list of six faces, each "*" or'),
        ("#" * 20_001, "my.toml is longer than 20000 characters, more than rules need."),
    ],
)
def test_a_fault_is_one_sentence_with_the_file_and_the_key(text: str, refusal: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_variant(text, "my.toml")
    assert refusal in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.about == "rules"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.toml cannot be read: No such file"):
        read_file(tmp_path / "nothing.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"bytes\.toml is not a text in UTF-8\."):
        read_file(tmp_path / "bytes.toml")


@pytest.mark.parametrize("rules", [*CARD_VARIANTS, *STAR_VARIANTS])
def test_the_canonical_text_reads_back_to_itself_and_names_the_rules(rules: str) -> None:
    variant = read_variant(rules)
    again = read_variant(variant.text)
    assert again == variant
    assert again.options == variant.options
    commented = read_variant(f"# a comment\n{rules}")
    assert commented.digest == variant.digest
    assert read_variant(rules.replace("name = ", "name = 'x' #")).digest != variant.digest


def test_the_cards_of_a_variant() -> None:
    game = game_of(GENEROUS_ODDS)
    assert isinstance(game, DicyCards)
    assert dict(options(game.kind("odds"), "553211"))["5531"] == 17
    assert dict(options("odds", "553211"))["5531"] == 14
    assert game.kind("straight") == "straight"
    assert card_of(game.kind("odds")).effect.value == "neighbours reset"
    other = game_of(EVERY_DIE)
    assert isinstance(other, DicyCards)
    assert options(other.kind("two-twins"), "553322") == (("5533", 9), ("5522", 9), ("3322", 9))
    assert options(other.kind("low-six"), "432211") == (("432211", 13),)
    assert options(other.kind("low-six"), "532211") == ()
    assert dict(options(other.kind("spread"), "665311")) == {"6531": 9, "653": 9, "651": 9, "631": 9, "531": 9}
    lucky = game_of(LUCKY, 3)
    assert isinstance(lucky, DicyCards)
    assert lucky.goal == 40
    assert lucky.scores(lucky.start()) == (0, 4, 2)
    assert dict(options(lucky.kind("four-lowest"), "644321")) == {"4321": 20, "321": 24}
    weights = {str(roll): weight for roll, weight in lucky.chance_outcomes(lucky.start())}
    assert sum(weights.values()) == 6**6
    assert weights["666666"] == 2**6
    assert all("5" not in roll for roll in weights)


def test_cards_with_conditions_and_expressions() -> None:
    game = game_of(FULL_HOUSE)
    assert isinstance(game, DicyCards)
    assert options(game.kind("full-house"), "554441") == (("55444", 52),)
    assert options(game.kind("full-house"), "555441") == (("55544", 53),)
    assert options(game.kind("full-house"), "555555") == ()
    big = dict(options(game.kind("big"), "666521"))
    assert (big["6662"], big["66"], "665" in big, "666" in big) == (20, 12, True, False)
    even = dict(options(game.kind("even"), "554311"))
    assert (even["4"], even["51"], "55" in even, "3" in even) == (3, 4, False, False)
    assert dict(options(game.kind("capped"), "665111"))["66"] == 6
    assert dict(options(game.kind("capped"), "665111"))["6651"] == 11


@pytest.mark.parametrize(
    "text",
    [
        "sum.real", "__import__('os')", "1000", "sum ** 9", "sum / 2", "sum // 0", "sum % 0", "sum // dice",
        "(lambda: 1)()", "min(3)", "cup", "[1][0]", "'a'", "sum if 1 else 2", "True", "min(*[1, 2])", "sum and 1",
        "max(1, 2, key=3)", "f'{sum}'", "(x := 3)", "sum + " * 30 + "1", "(" * 110, "sum\n+ 1; 2", "~sum", "0xffffff",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(text: str) -> None:
    for read in (number, condition):
        with pytest.raises(UsageError):
            read(text)


def test_the_official_cards_keep_their_kinds() -> None:
    assert all(card_of(card) is CARDS[card] and CARDS[card].kind == card for card in CARDS)
    assert DicyCards().kinds == DicyCards().cards


def test_the_sheet_and_the_dice_of_a_variant() -> None:
    game = game_of(STARRY_DICE, 1)
    state = game.start()
    assert game.scores(state) == (5,)
    assert game.headers()["solo-boxes"] == "40"
    view = game.view(state, 0)
    assert [len(row["spaces"]) for row in view["sheets"][0]["rows"]] == [4, 5, 6, 7, 8]
    assert [row["stars"]["boxes"] for row in view["sheets"][0]["rows"]] == [3, 0, 2, 2, 2]
    assert view["bag"] == {"black": 1, "purple": 3, "blue": 4, "orange": 6}
    drawn = game.apply(state, game.parse_action("draw 3"))
    assert sum(weight for _, weight in game.chance_outcomes(drawn)) == 364 * 6**3
    taken = game.apply(game.apply(drawn, game.parse_action("orange* orange* blue5")), game.parse_action("take blue"))
    # Only stars are left: one box.
    assert game.extra_results(taken) == {"solo": 1}
    starred = game.apply(game.apply(drawn, game.parse_action("orange* blue6 blue3")), game.parse_action("take stars 2"))
    # Nine points at four a box.
    assert game.extra_results(starred) == {"solo": 3}


@pytest.mark.parametrize("rules", [*CARD_VARIANTS, *STAR_VARIANTS])
def test_a_record_carries_its_rules(rules: str) -> None:
    variant = read_variant(rules)
    played = starfrost.play(game_of(rules), ["random", "greedy"], seed=5)
    text = write_record(played)
    assert text.startswith("starfrost: 1-variant\n")
    assert f"\nvariant: {variant.digest} {variant.name}\nrules: {variant.text}\n" in text
    back = replay(parse_record(text))
    assert back.finished
    assert back.record.game == played.game
    assert write_record(back.record) == text
    assert variant_of(back.record.game) == {"name": variant.name, "digest": variant.digest}
    for state in back.states[:: max(1, len(back.states) // 20)]:
        assert played.game.parse_position(played.game.position_text(state)) == state


def _of(rules: str) -> str:
    return write_record(Record(game_of(rules), ("A", "B")))


def test_a_record_with_changed_rules_is_refused() -> None:
    text = _of(GENEROUS_ODDS)
    with pytest.raises(RecordError, match=r"Expected 'variant: [0-9a-f]{12} Generous odds'; found"):
        parse_record(text.replace("sum + 3", "sum + 4"))
    with pytest.raises(RecordError, match="Expected a header 'rules'"):
        parse_record("\n".join(line for line in text.split("\n") if not line.startswith("rules:")))
    with pytest.raises(RecordError, match=r"card\.odds\.points must be a formula") as refused:
        parse_record(text.replace("sum + 3", "many"))
    assert text.split("\n")[refused.value.line - 1].startswith("rules: ")


def test_a_reader_of_official_records_refuses_a_variant_and_old_records_keep_their_meaning() -> None:
    first = _of(GENEROUS_ODDS).split("\n")[0]
    # A reader that knows only version 1 refuses any other first line (`shared/rules/records.md`).
    assert first != "starfrost: 1"
    old = "starfrost: 1\ngame: dice-stars\nplayers: A | B\nrules: our own\nvariant: house\n\n"
    record = parse_record(old)
    assert variant_of(record.game) is None
    assert write_record(record).split("\n")[3:5] == ["rules: our own", "variant: house"]


def test_the_host_decides_over_the_file() -> None:
    chosen = Setup.of("dicy-cards", 2, rules=LUCKY, goal=70, mode="c").make(Random(0))
    assert isinstance(chosen, DicyCards)
    assert (chosen.goal, chosen.cards) == (70, ("no-sixes", "straight", "double-pair", "distinct-fours", "forty-minus"))
    own = Setup.of("dicy-cards", 2, rules=LUCKY, cards="lucky-twins odds sixes straight low-run").make(Random(0))
    assert isinstance(own, DicyCards)
    assert own.cards[0] == "lucky-twins"
    with pytest.raises(UsageError, match="There is no card 'lucky-twins'"):
        Setup.of("dicy-cards", 2, cards="lucky-twins odds sixes straight any-two").make(Random(0))
    with pytest.raises(UsageError, match="handicap must be less than the goal of 3"):
        Setup.of("dicy-cards", 2, rules=LUCKY, goal=3).make(Random(0))
    with pytest.raises(UsageError, match="rules: game must be one of dice-stars, not 'dicy-cards'"):
        Setup.of("dice-stars", 2, rules=LUCKY).make(Random(0))


def test_every_game_with_rules_takes_its_canonical_text_as_an_option() -> None:
    for rules in (*CARD_VARIANTS, *STAR_VARIANTS):
        variant = read_variant(rules)
        option = GAMES[variant.game].option("rules")
        assert option is not None
        assert option.clean(rules) == variant.text


@pytest.mark.parametrize("rules", [*CARD_VARIANTS, *STAR_VARIANTS])
@pytest.mark.parametrize("seats", [2, 4])
def test_bots_play_variants(rules: str, seats: int) -> None:
    game: Any = game_of(rules, seats)
    names = starfrost.bot_names(game)
    assert "planner" in names
    assert not {"strong", "master"} & set(names)
    played = starfrost.play(game, ["planner", "greedy", "random", "planner"][:seats], seed=1)
    assert replay(played).finished


@pytest.mark.parametrize(("rules", "bot", "seats"), [(STARRY_DICE, "strong", 2), (LUCKY, "master", 3)])
def test_bots_that_learned_the_official_rules_say_so(rules: str, bot: str, seats: int) -> None:
    with pytest.raises(UsageError, match=f"{bot} learned the official rules of dic.* and does not play variants"):
        starfrost.make_bot(bot, game_of(rules, seats))
