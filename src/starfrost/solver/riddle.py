"""A puzzle in words: the position, the choices, and what they are worth."""

from starfrost.games.dicy_cards import Phase
from starfrost.solver.puzzles import THEMES, Puzzle
from starfrost.solver.report import percent
from starfrost.words import Words
from starfrost.words.cards import card_name
from starfrost.words.story import tell

__all__ = ["ask", "choice_lines", "question", "solution", "title", "verdict"]


def title(w: Words, number: int, count: int) -> str:
    """Name a puzzle by its number."""
    return w("Puzzle %(number)s of %(count)s", number=number, count=count)


def ask(w: Words) -> str:
    """Ask for a choice."""
    return w("Your choice:")


def verdict(w: Words, right: bool) -> str:
    """Say whether the choice was the best one."""
    return w("Right!") if right else w("Not this time.")


def question(w: Words, puzzle: Puzzle) -> list[str]:
    """Set the scene: scores, cards, dice, and who is to decide."""
    state, game, names = puzzle.state, puzzle.game, puzzle.record.players
    lines = [w("Goal: %(goal)s points.", goal=game.goal)]
    for seat, name in enumerate(names):
        active = [card_name(w, card) for place, card in enumerate(game.cards) if state.active[seat] >> place & 1]
        frozen = [card_name(w, card) for place, card in enumerate(game.cards) if not state.active[seat] >> place & 1]
        score = w.plural("%(name)s has %(n)s point.", "%(name)s has %(n)s points.", state.scores[seat], name=name)
        lines.append(score)
        lines.append("  " + w("Active: %(cards)s", cards=", ".join(active) or w("none")))
        lines.append("  " + w("Frozen: %(cards)s", cards=", ".join(frozen) or w("none")))
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
        text = tell(w, puzzle.game, puzzle.state, action, puzzle.record.players)
        lines.append(f"  {number}. {text}" + (f" ({percent(w, worth)})" if worths else ""))
    return lines


def solution(w: Words, puzzle: Puzzle) -> list[str]:
    """Give the answer away, with its theme."""
    best = tell(w, puzzle.game, puzzle.state, puzzle.answer, puzzle.record.players)
    themes = ", ".join(w(THEMES[theme]) for theme in puzzle.themes)
    return [
        w("Best: %(best)s It wins %(gap)s more often than anything else.", best=best, gap=percent(w, puzzle.gap)),
        w("Theme: %(themes)s", themes=themes),
    ]
