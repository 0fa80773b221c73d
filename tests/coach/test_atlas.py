"""The shipped atlas: complete, consistent, and true where it can be solved again quickly."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

import starfrost
from research.dicy_cards.atlas import compute
from research.dicy_cards.atlas import main as main_of_compute
from starfrost.cli import main
from starfrost.errors import StarfrostError
from starfrost.games.dicy_cards import CARDS, MODES
from starfrost.games.dicy_cards.coach.atlas import all_sets, atlas, card_means, read
from starfrost.games.dicy_cards.coach.atlas_charts import FIGURES, draw
from starfrost.games.dicy_cards.coach.atlas_tables import about_sets
from starfrost.games.dicy_cards.words import card_name
from starfrost.words import LANGUAGES, Words

DATA = Path(starfrost.__file__).parent / "games" / "dicy_cards" / "coach" / "atlas.csv"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    assert left.value.code == 0
    return capsys.readouterr().out


def test_all_sets_are_there_once() -> None:
    assert [entry.cards for entry in atlas()] == all_sets()


def test_every_entry_adds_up() -> None:
    for entry in atlas():
        assert sum(entry.decides_1) == pytest.approx(entry.first_player_wins, abs=1e-5)
        assert sum(entry.decides_1 + entry.decides_2) == pytest.approx(1, abs=1e-5)
        actions = sum(entry.scored_1 + entry.scored_2) + entry.skips_1 + entry.skips_2
        assert actions == pytest.approx(entry.turns, abs=1e-4)
        assert entry.left_out < 1e-6
        assert all(cost > 0 for cost in entry.frozen_1 + entry.frozen_2)


def test_going_first_is_a_disadvantage_everywhere() -> None:
    assert all(entry.first_player_wins < 0.5 for entry in atlas())
    glacial = next(entry for entry in atlas() if entry.cards == MODES["glacial"].cards)
    assert f"{glacial.first_player_wins:.9f}" == "0.470804850"


def test_the_command_filters_sorts_and_speaks_json(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = json.loads(run(capsys, "atlas", "--json", "--card", "sixes", "--without", "odds", "--sort", "turns"))
    assert 0 < len(chosen) < 792
    assert all("sixes" in entry["cards"] and "odds" not in entry["cards"] for entry in chosen)
    assert [entry["turns"] for entry in chosen] == sorted(entry["turns"] for entry in chosen)
    assert len(json.loads(run(capsys, "atlas", "--json"))) == 792
    told = " ".join(run(capsys, "atlas", "--limit", "1", "--lang", "en").split())
    assert "Going first is a disadvantage in 792 of 792 sets." in told
    assert "on average 0.463650" in told
    by_card = run(capsys, "atlas", "--by-card", "--lang", "en")
    fewer = run(capsys, "atlas", "--by-card", "--limit", "3", "--lang", "en")
    assert len([line for line in fewer.splitlines() if line.startswith("│")]) == 3
    with_sixes = [(entry, entry.cards.index("sixes")) for entry in atlas() if "sixes" in entry.cards]
    share = sum(entry.decides_1[place] + entry.decides_2[place] for entry, place in with_sixes) / len(with_sixes)
    assert f"{100 * share:.2f}%" in next(line for line in by_card.splitlines() if "│ sixes " in line)


def test_cards_may_be_spelt_as_anybody_likes(capsys: pytest.CaptureFixture[str]) -> None:
    plain = run(capsys, "atlas", "--json", "--card", "sixes", "--without", "odds")
    assert run(capsys, "atlas", "--json", "--card", " sIXES", "--without", "ODDS") == plain


def test_pictures_and_json_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = tmp_path / "pictures"
    (shown,) = json.loads(run(capsys, "atlas", "--cards", "b", "--json", "--figures", str(pictures)))
    assert tuple(shown["cards"]) == MODES["b"].cards
    assert len([*pictures.glob("*.svg")]) == len(FIGURES)
    listed = run(capsys, "atlas", "--cards", "b", "--figures", str(pictures)).split()
    assert sorted(listed) == sorted(map(str, pictures.glob("*.svg")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_speak_every_language(capsys: pytest.CaptureFixture[str], language: str) -> None:
    w = Words(language)
    for arguments in (["--limit", "0"], ["--by-card"], ["--cards", "c"]):
        told = run(capsys, "atlas", "--lang", language, *arguments)
        assert max(map(cell_len, told.splitlines())) <= 80
        assert "…" not in told
        if language != "en":
            assert not {"first player wins", "under perfect play", "disadvantage", "frozen", "cards"} & {*told.split()}
            assert "0," in told
            assert not re.search(r"\d[.]\d", told)
    assert (
        w("Going first is a disadvantage in this set: the first player wins %(chance)s.", chance="").split()[0] in told
    )
    by_card = run(capsys, "atlas", "--by-card", "--lang", language)
    assert all(name in by_card for name in CARDS)
    assert language == "en" or all(card_name(w, name).split()[0] in by_card for name in CARDS)


def test_one_set_is_spoken_of_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "atlas", "--cards", "glacial", "--lang", "en")
    assert "One set under perfect play" in told
    assert "Going first is a disadvantage in this set: the first player wins 0.470805." in told
    assert "average" not in told
    fair = replace(atlas()[0], first_player_wins=0.5)
    assert about_sets(Words("en"), [fair]).startswith("Going first is no disadvantage")


def test_what_hardly_differs_is_not_correlated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ("--card", "sixes", "--card", "any-two", "--goal", "1", "--lang", "en")
    without = ("odds", "straight", "two-pairs", "no-sixes", "double-pair", "distinct-sum")
    asked = [*few, *(word for name in without for word in ("--without", name))]
    told = [run(capsys, "atlas", "--compute", str(tmp_path / "atlas.csv"), *asked) for _ in range(2)]
    assert told[0] == told[1]
    assert "4 of 4 sets" in told[0]
    assert "correlation" not in told[0]
    for field in ("turns", "first_player_wins"):
        alike = [replace(entry, **{field: 0.4 + noise}) for entry, noise in zip(atlas(), (0, 1e-9, 3e-9), strict=False)]
        assert "correlation" not in about_sets(Words("en"), alike)
    assert "correlation" in about_sets(Words("en"), atlas()[:3])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--goal", "5"], "belong to --compute"),
        (["--gpu"], "belong to --compute"),
        (["--jobs", "2"], "belong to --compute"),
        (["--cards", "Interglacial"], "Interglacial draws its cards at the table; name five cards, or a mode"),
        (["--cards", "interglacial"], "glacial, b, c, d."),
        (["--cards", ""], "five different cards, not 0"),
        (["--card", "sixes", "--without", "sixes"], "No set of five cards passes these filters."),
        (["--card", "nine"], "There is no card 'nine'"),
        (["--figures", __file__], "cannot be saved"),
        (["--compute", "/nowhere/at/all.csv", "--goal", "1"], "There is no folder /nowhere/at"),
        (["--compute", str(DATA), "--goal", "7"], "is an atlas of the goal 100, not 7"),
    ],
)
def test_bad_wishes_get_a_sentence(capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["atlas", *arguments])
    assert left.value.code == 2
    assert sentence in capsys.readouterr().err


def test_computing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "atlas.csv"
    sets = all_sets()[:2]
    first = compute(path, goal=2, sets=sets[:1])
    told: list[int] = []
    both = compute(path, goal=2, sets=sets, tell=lambda done, count, seconds: told.append(done))
    assert told == [2]
    assert both[0] == first[0], "what a run computes is what the next one reads"
    assert [entry.cards for entry in compute(path, goal=2, sets=sets[1:])] == sets[1:]
    assert read(path) == both


def test_a_number_cut_short_is_not_taken_for_whole(tmp_path: Path) -> None:
    path = tmp_path / "atlas.csv"
    text = DATA.read_text(encoding="utf-8")
    path.write_text(text[:-3], encoding="utf-8")
    assert [entry.cards for entry in read(path)] == all_sets()[:-1]


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\xff\xfe", b"", b"cards,goal\n", b"@@"])
def test_a_file_that_is_no_atlas_gets_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "atlas.csv"
    if data == b"@@":
        data = b"\n".join(DATA.read_bytes().splitlines()[:2]).replace(b"0.47", b"nought") + b"\n"
    path.write_bytes(data)
    with pytest.raises(StarfrostError, match="atlas"):
        read(path)


def test_a_set_is_named_by_its_cards_or_its_mode(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    glacial = MODES["glacial"].cards
    for name in ("glacial", " ".join(reversed(glacial))):
        (shown,) = json.loads(run(capsys, "atlas", "--json", "--cards", name))
        assert tuple(shown["cards"]) == glacial
    path = tmp_path / "atlas.csv"
    main_of_compute([str(path), "--cards", "b", "--goal", "1"])
    computed = run(capsys, "atlas", "--json", "--cards", "glacial", "--compute", str(path), "--goal", "1")
    assert [tuple(entry["cards"]) for entry in json.loads(computed)] == [glacial]
    assert {entry.cards for entry in read(path)} == {glacial, MODES["b"].cards}
    with pytest.raises(SystemExit) as left:
        main_of_compute([str(path), "--cards", "odds sixes"])
    assert left.value.code == 2
    assert "five different cards" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main_of_compute([str(path), "--cards", "b", "--goal", "2"])
    assert left.value.code == 2
    assert "of the goal 1, not 2" in capsys.readouterr().err


def test_pictures_are_drawn(tmp_path: Path) -> None:
    saved = draw(atlas(), tmp_path)
    assert len(saved) == len(FIGURES)
    for path in saved:
        assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert max(card_means(atlas(), "scored"), key=card_means(atlas(), "scored").__getitem__) == "forty-minus"


def test_pictures_of_one_set_speak_of_one(tmp_path: Path) -> None:
    saved = {path.stem: path.read_text(encoding="utf-8") for path in draw(atlas()[:1], tmp_path)}
    assert "Going first is a disadvantage in this set" in saved["atlas-fairness"]
    assert not any("792" in text for text in saved.values())


def test_the_chapter_shows_the_pictures_of_today(tmp_path: Path) -> None:
    shown = Path(__file__).parents[2] / "docs" / "pictures"
    for path in draw(atlas(), tmp_path):
        words = [sorted(ElementTree.parse(folder / path.name).getroot().itertext()) for folder in (tmp_path, shown)]
        assert words[0] == words[1], "run starfrost atlas --figures docs/pictures"
