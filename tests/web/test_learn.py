"""Lessons: every chapter by the rules and in every language; by taps, by keys and without scripts; the final check."""

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import BrowserContext, Frame, Page, expect

from starfrost.boards import boards
from starfrost.boards.lessons import ROLL, Chapter, Lesson, Progress
from starfrost.games.core import CHANCE
from starfrost.words import LANGUAGES, Words
from tests.web.conftest import DESK, PHONE
from tests.web.player import Player
from tests.web.test_access import THEMES, serious

MakePlayer = Callable[..., Player]
LESSONS: dict[str, Lesson] = {board.id: board.lesson for board in boards() if board.lesson}
GAMES = pytest.mark.parametrize("game", list(LESSONS))
CHAPTERS = pytest.mark.parametrize(
    ("game", "chapter"), [(game, chapter) for game, lesson in LESSONS.items() for chapter in lesson.chapters]
)


def number_of(game: str, chapter: str) -> int:
    return [one.id for one in LESSONS[game].chapters].index(chapter) + 1


# The data: all of it is played by the rules.


@CHAPTERS
def test_every_step_is_played_by_the_rules(game: str, chapter: Chapter) -> None:
    rules, learner = chapter.scene.game, chapter.scene.learner
    assert len(chapter.stops) == len(chapter.steps) + 1
    for step, played in zip(chapter.steps, chapter.stops, strict=False):
        state = played.states[-1]
        assert bool(step.do) == bool(step.action)
        if step.action == ROLL:
            assert rules.actor(state) == CHANCE
            assert rules.starts_turn(state)
            assert rules.turn_of(state) == learner
        elif step.action:
            assert rules.actor(state) == learner
            legal = {str(action) for action in rules.legal_actions(state) if step.offers(str(action))}
            assert step.action in legal
            # Whatever else the board offers is explained.
            assert all(LESSONS[game].explain(step, other) for other in legal - {step.action})
            assert all(any(f"{other} ".startswith(f"{start} ") for other in legal) for start in step.other)


@CHAPTERS
def test_a_chapter_takes_about_a_minute_in_every_language(game: str, chapter: Chapter) -> None:
    assert 3 <= len(chapter.steps) <= 11
    for language in LANGUAGES:
        w = Words(language)
        words = sum(len(f"{w(step.say)} {w(step.do)}".split()) for step in chapter.steps)
        # At 200 words a minute, with time to tap.
        assert words < 260, (language, words)
        # While the learner acts, the text must leave room for the board.
        for step in chapter.steps:
            assert len(f"{w(step.say)} {w(step.do)}".split()) <= (52 if step.do else 66), (language, step.say)


@CHAPTERS
def test_the_others_are_seen_to_play(game: str, chapter: Chapter) -> None:
    """Every decision of another player is reported, before or after it happens."""
    texts = [*(step.say for step in chapter.steps), chapter.end]
    seen = 0
    for at, (before, after) in enumerate(zip(chapter.stops, chapter.stops[1:], strict=False)):
        decided = [one for one in after.events[len(before.events) :] if one.seat not in (CHANCE, chapter.scene.learner)]
        assert not decided or "Ben" in texts[at] + texts[at + 1], (at + 1, decided)
        seen += len(decided)
    assert seen or chapter.scene.game.seats == 1 or chapter.id in ("refill", "choice", "draw")


def test_numbers_in_the_texts_are_those_of_the_game() -> None:
    """A text that promises points keeps its word."""
    checked = 0
    for lesson in LESSONS.values():
        for chapter in lesson.chapters:
            rules = chapter.scene.game
            for step, before in zip(chapter.steps, chapter.stops, strict=False):
                # A question names what would be scored; a task, what is.
                said = re.match(r"Score (\d+) with[^?]*$", step.do)
                if said:
                    state = before.states[-1]
                    after = rules.apply(state, rules.parse_action(step.action))
                    gain = rules.scores(after)[chapter.scene.learner]
                    assert gain - rules.scores(state)[chapter.scene.learner] == int(said[1])
                    checked += 1
    assert checked > 10
    ends = {chapter.id: chapter.stops[-1].states[-1] for chapter in LESSONS["dicy-cards"].chapters}
    assert ends["game"].scores == (66, 53)
    assert ends["end"].scores == (106, 106)
    stars = {chapter.id: chapter for chapter in LESSONS["dice-stars"].chapters}
    for chapter, scores in (("end", (88, 131)), ("game", (89, 77))):
        assert stars[chapter].scene.game.scores(stars[chapter].stops[-1].states[-1]) == scores


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_are_the_same_in_every_language(language: str) -> None:
    w = Words(language)
    for lesson in LESSONS.values():
        texts = [text for one in lesson.chapters for step in one.steps for text in (step.say, step.do)]
        texts += [one.end for one in lesson.chapters]
        texts += [text for one in lesson.questions for text in (one.ask, one.hint, one.answer)]
        for text in texts:
            # English "6s" is a word elsewhere, and "nothing" may be 0 points.
            english = re.sub(r"\b\ds\b", "", text) if language != "en" else text
            assert set(re.findall(r"\d+", w(text))) - {"0"} == set(re.findall(r"\d+", english)) - {"0"}, text


@GAMES
def test_the_check_has_six_questions_that_the_rules_decide(game: str) -> None:
    questions = LESSONS[game].questions
    assert len(questions) == 6
    for question in questions:
        legal = question.scene.game.legal_actions(question.scene.played.states[-1])
        assert 0 < len(question.right) < len(legal), question.ask
        assert len(question.right) <= 2


def test_progress_survives_a_cookie() -> None:
    lesson = LESSONS["dicy-cards"]
    progress = Progress().finish("aim").answer(1, True).answer(2, False).answer(2, True).answer(3, False)
    assert Progress.read(str(progress)) == progress
    assert progress.next_chapter(lesson) == 2
    assert progress.passed(lesson) == 2
    assert not progress.checked(lesson)
    assert Progress.read("x" * 1000) == Progress()
    everything = Progress(frozenset(chapter.id for chapter in lesson.chapters))
    assert everything.next_chapter(lesson) is None


# The pages, as a plain client sees them.


@GAMES
def test_all_chapters_without_a_browser(site: str, game: str) -> None:
    lesson = LESSONS[game]
    with httpx.Client(base_url=site, follow_redirects=True) as client:
        for number, chapter in enumerate(lesson.chapters, 1):
            start = client.get("/").text
            assert f'href="/learn/{game}/{number}" id="learn-{game}"' in start
            assert chapter.title in start.replace("&#39;", "'")
            page = client.get(f"/learn/{game}/{number}")
            for at, step in enumerate(chapter.steps, 1):
                assert page.url.path == f"/learn/{game}/{number}/{at}"
                assert (step.do or step.say) in page.text.replace("&#39;", "'")
                page = client.post(page.url.path, data={"action": step.action} if step.action else {})
            assert page.url.path == f"/learn/{game}/{number}/{len(chapter.steps) + 1}"
            assert chapter.end in page.text.replace("&#39;", "'")
        assert f'href="/learn/{game}/check" id="learn-{game}"' in client.get("/").text
        overview = client.get(f"/learn/{game}").text
        assert overview.count(">done<") == len(lesson.chapters)


@GAMES
def test_the_check_without_a_browser(site: str, game: str) -> None:
    """The first answer is wrong at the first try, the second one twice, all others are right."""
    questions = LESSONS[game].questions
    with httpx.Client(base_url=site, follow_redirects=True) as client:
        for number, question in enumerate(questions, 1):
            address = f"/learn/{game}/check/{number}"
            assert question.ask in client.get(address).text
            legal = question.scene.game.legal_actions(question.scene.played.states[-1])
            wrong = str(next(action for action in legal if action not in question.right))
            right = str(question.right[0])
            if number <= 2:
                first = client.post(f"{address}?tries=0", data={"action": wrong})
                assert first.status_code == 422
                assert question.hint in first.text.replace("&#39;", "'")
                assert question.answer not in first.text
                assert f'action="{address}?tries=1"' in first.text
            tries = 1 if number <= 2 else 0
            last = client.post(f"{address}?tries={tries}", data={"action": wrong if number == 2 else right})
            assert last.status_code == 200
            assert question.answer in last.text.replace("&#39;", "'")
            assert ("Right!" in last.text) == (number != 2)
            assert ("This would be right:" in last.text) == (number == 2)
        assert "You answered 4 of 6 questions correctly on the first try." in client.get(f"/learn/{game}").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language(site: str, language: str) -> None:
    w = Words(language)
    for game, lesson in LESSONS.items():
        overview = httpx.get(f"{site}/learn/{game}?lang={language}").text
        for number, chapter in enumerate(lesson.chapters, 1):
            assert w(chapter.title) in overview
            text = httpx.get(f"{site}/learn/{game}/{number}/1?lang={language}").text
            assert w(chapter.steps[0].say) in text.replace("&#39;", "'")


@pytest.mark.parametrize(
    "path",
    [
        "/learn/chess/1",
        "/learn/chess",
        "/learn/dicy-cards/99",
        "/learn/dicy-cards/0",
        "/learn/dicy-cards/1/99",
        "/learn/dicy-cards/check/7",
        "/learn/chess/check",
    ],
)
def test_lessons_that_do_not_exist(site: str, path: str) -> None:
    answer = httpx.get(site + path)
    assert answer.status_code == 404
    assert 'href="/"' in answer.text


@pytest.mark.parametrize("path", ["/learn/dice-stars/4/1", "/learn/dice-stars/check/2"])
def test_a_forged_form_moves_nothing(site: str, path: str) -> None:
    for forged in ({}, {"do": "<forged>"}, {"action": "score odds 9"}, {"do": "take", "take": "stars", "row": "9"}):
        answer = httpx.post(site + path, data=forged)
        assert answer.status_code == 422
        assert answer.url.path == path
        assert "<forged>" not in answer.text


# The pages in a browser.


def tick(page: Page, box: str) -> None:
    """Tick the first such box that is not ticked."""
    boxes = page.locator(box)
    place = boxes.evaluate_all("all => all.findIndex(one => !one.checked)")
    boxes.nth(place).check()


def do(page: Page | Frame, action: str, pick_dice: bool = False) -> None:
    """Play an action by taps."""
    verb, *rest = action.split()
    if verb == "reroll":
        for value in rest[0]:
            tick(page, f"[name=die][value='{value}']")
        page.locator(f"[name=card][value={rest[2]}]").check()
        page.locator("#again:visible, #reroll:visible").first.click()
        return
    for value in rest[1] if pick_dice else "":
        tick(page, f"[name=die][value='{value}']")
    if verb in ("score", "freeze", "reset"):
        page.locator(f"[name=card][value={rest[0]}]").check()
    elif verb in ("take", "penalty"):
        page.locator(f"[name=take][value='{rest[0]}']").check()
        for row in rest[1:]:
            tick(page, f"[name=row][value='{row}']")
    else:
        verb = action
    if verb == "skip" and page.locator("#skip").count():
        page.locator("#skip").click()
    page.locator(f".bar button[value='{verb}']:visible:enabled").first.click()


def walk(page: Page | Frame, game: str, chapter: str) -> None:
    number = number_of(game, chapter)
    found = LESSONS[game].chapters[number - 1]
    for at, step in enumerate(found.steps, 1):
        page.locator(f"main[data-address$='/learn/{game}/{number}/{at}']").wait_for()
        expect(page.locator(".teacher")).to_contain_text(step.do or step.say)
        if step.action:
            do(page, step.action, pick_dice=chapter == "fewer")
        else:
            page.locator("#go").click()
    expect(page.locator(".teacher")).to_contain_text(found.end)


@pytest.mark.parametrize(
    ("game", "chapters"),
    [("dicy-cards", ("aim", "again", "fewer", "effects")), ("dice-stars", ("stars", "refill", "penalty"))],
    ids=["dicy-cards", "dice-stars"],
)
def test_chapters_by_taps(player: MakePlayer, game: str, chapters: tuple[str, ...]) -> None:
    page = player(viewport=PHONE).open(f"/learn/{game}").page
    for chapter in chapters:
        page.locator(f"#chapter-{chapter}").click()
        walk(page, game, chapter)
        page.locator("#lesson-home").click()
        expect(page.locator(f"#chapter-{chapter}")).to_contain_text("done")


@GAMES
def test_a_chapter_without_scripts(context: Callable[..., BrowserContext], site: str, game: str) -> None:
    page = context(java_script_enabled=False, viewport=DESK).new_page()
    page.goto(site)
    page.locator(f"#learn-{game}").click()
    walk(page, game, "aim")
    page.locator("#lesson-next").click()
    expect(page).to_have_url(re.compile(rf"/learn/{game}/2/1$"))
    page.goto(site)
    expect(page.locator(f"#learn-{game}")).to_contain_text(LESSONS[game].chapters[1].title)
    page.goto(f"{site}/learn/{game}")
    page.locator("#play-now").click()
    page.locator("main[data-table], .lobby").first.wait_for()


def test_keys_alone(player: MakePlayer) -> None:
    one = player().open("/learn/dicy-cards/1/1")
    page = one.page
    for at, keys in enumerate((["Enter"], ["Enter"], ["r", "Enter"], ["Enter"], ["Enter"]), 1):
        expect(page).to_have_url(re.compile(rf"/learn/dicy-cards/1/{at}$"))
        # A key that follows at once is taken for a second tap.
        expect(page.locator(".bar .resting")).to_have_count(0)
        for key in keys:
            if key == "Enter":
                # For a moment after a move, no button can be pressed by accident.
                page.locator(".bar .go:visible:not([aria-disabled=true])").first.wait_for()
            one.press(key)
    expect(page).to_have_url(re.compile("/learn/dicy-cards/1/6$"))


def test_another_move_is_explained(player: MakePlayer) -> None:
    page = player().open("/learn/dicy-cards/1/3").page
    alert = page.get_by_role("alert")
    # What was not taught yet is not there, and the lesson says what to do.
    expect(page.locator("#skip, #reroll, .question:visible")).to_have_count(0)
    do(page, "score any-two 66")
    expect(alert).to_have_text("That would score too, but less than Two pairs. Choose Two pairs and score.")
    do(page, "score two-pairs 6644")
    expect(page).to_have_url(re.compile("/learn/dicy-cards/1/4$"))
    page.go_back()
    expect(page.locator(".teacher")).to_contain_text("Choose Two pairs and score.")


def test_the_check_by_taps(player: MakePlayer) -> None:
    page = player(viewport=PHONE).open("/learn/dicy-cards/check").page
    do(page, "score sixes 666")
    expect(page.get_by_role("alert")).to_contain_text("Look at the effects")
    do(page, "score any-two 66")
    expect(page.locator(".teacher")).to_contain_text("Right!")
    expect(page.locator(".lane.seat-1 .score")).to_contain_text("46")
    page.locator("#lesson-next").click()
    expect(page).to_have_url(re.compile("/learn/dicy-cards/check/2$"))


@THEMES
def test_axe(player: MakePlayer, theme: str) -> None:
    one = player(color_scheme=theme, viewport=PHONE if theme == "light" else DESK, errors=False)
    for path in ("/learn/dicy-cards", "/learn/dicy-cards/2/1", "/learn/dicy-cards/1/6", "/learn/dice-stars/4/1"):
        assert not serious(one.open(path).page), path
    do(one.open("/learn/dicy-cards/1/3").page, "score any-two 66")
    one.page.get_by_role("alert").wait_for()
    assert not serious(one.page)


def test_the_lesson_in_words(player: MakePlayer) -> None:
    page = player(cookies={"board": "text"}).open("/learn/dice-stars/1/1").page
    page.locator("#go").click()
    expect(page).to_have_url(re.compile("/learn/dice-stars/1/2$"))
    page.locator("#go").click()
    expect(page).to_have_url(re.compile("/learn/dice-stars/1/3$"))
    page.locator("#action").select_option("take 5")
    page.locator("#go").click()
    expect(page).to_have_url(re.compile("/learn/dice-stars/1/4$"))
