"""A puzzle in words: the position, the choices, and what they are worth."""

from collections.abc import Sequence

from starfrost.coach.columns import wrapped
from starfrost.coach.puzzle_reasons import lesson
from starfrost.coach.puzzles import THEMES, Puzzle
from starfrost.games.dicy_cards import Phase
from starfrost.words import Words
from starfrost.words.dicy_cards import card_name
from starfrost.words.numbers import percent
from starfrost.words.story import tell

__all__ = ["ask", "ask_again", "checked", "choice_lines", "question", "solution", "title", "verdict"]


def title(w: Words, number: int, count: int) -> str:
    """Name a puzzle by its number."""
    return w("Puzzle %(number)s of %(count)s", number=number, count=count)


def ask(w: Words, count: int) -> str:
    """Ask for a choice."""
    return w("Your choice (1 to %(count)s, or nothing to see the answer):", count=count)


def ask_again(w: Words, count: int) -> str:
    """Say what a choice looks like."""
    return w("Type a number from 1 to %(count)s.", count=count)


def verdict(w: Words, right: bool) -> str:
    """Say whether the choice was the best one."""
    return w("Right!") if right else w("Not this time.")


def checked(w: Words, count: int, wrong: Sequence[int]) -> list[str]:
    """Say how many puzzles are right, and which are not."""
    lines = [w("%(right)s of %(count)s puzzles are right.", right=count - len(wrong), count=count)]
    if wrong:
        lines += wrapped(w("Not right: %(numbers)s.", numbers=", ".join(map(str, wrong))))
    return lines


def question(w: Words, puzzle: Puzzle) -> list[str]:
    """Set the scene: scores, cards, dice, and who is to decide."""
    state, game, names = puzzle.state, puzzle.game, puzzle.record.players
    lines = [w("Goal: %(goal)s points.", goal=game.goal)]
    for seat, name in enumerate(names):
        active = [card_name(w, card) for place, card in enumerate(game.cards) if state.active[seat] >> place & 1]
        frozen = [card_name(w, card) for place, card in enumerate(game.cards) if not state.active[seat] >> place & 1]
        score = w.plural("%(name)s has %(n)s point.", "%(name)s has %(n)s points.", state.scores[seat], name=name)
        lines.append(score)
        lines += wrapped("  " + w("Active: %(cards)s", cards=", ".join(active) or w("none")), "    ")
        lines += wrapped("  " + w("Frozen: %(cards)s", cards=", ".join(frozen) or w("none")), "    ")
    if state.dice:
        lines.append(w("The dice: %(dice)s", dice=" ".join(state.dice)))
    name = names[puzzle.seat]
    if state.phase is Phase.FREEZE:
        lines.append(w("%(name)s must freeze a card. Which one?", name=name))
    elif state.phase is Phase.RESET:
        lines.append(w("%(name)s must reset a card. Which one?", name=name))
    else:
        lines.append(w("%(name)s is to play. What is best?", name=name))
    return lines


def choice_lines(w: Words, puzzle: Puzzle, order: list[int], worths: bool = False) -> list[str]:
    """List the choices in an order, numbered from 1, with what they are worth if asked."""
    lines = []
    for number, place in enumerate(order, 1):
        action, worth = puzzle.choices[place]
        told = f"{percent(w, worth):>7}  " if worths else ""
        text = tell(w, puzzle.game, puzzle.state, action, puzzle.record.players)
        lines += wrapped(f"  {number}. {told}{text}", " " * (5 + len(told)))
    return lines


def solution(w: Words, puzzle: Puzzle) -> list[str]:
    """Give the answer away: how much better it is, and what there is to learn from it."""
    best = tell(w, puzzle.game, puzzle.state, puzzle.answer, puzzle.record.players)
    worth, next_best = puzzle.choices[0].value, max(choice.value for choice in puzzle.choices[1:])
    won = w(
        "Best: %(best)s That wins %(worth)s of all games, the next best choice %(next)s.",
        best=best,
        worth=percent(w, worth),
        next=percent(w, next_best),
    )
    lines = wrapped(won)
    for theme in puzzle.themes:
        lines += wrapped(w("Theme: %(theme)s. %(lesson)s", theme=w(THEMES[theme]), lesson=lesson(w, puzzle, theme)))
    return lines
