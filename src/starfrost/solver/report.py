"""The coach's report for people: sentences, and the curve of the winning chance as text and as SVG."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from babel.numbers import format_decimal

from starfrost.games.record import Replay
from starfrost.solver.coach import Analysis, Moment
from starfrost.words import Words
from starfrost.words.story import tell

__all__ = ["curve_svg", "curve_text", "percent", "report", "worst_sentences"]

_BLOCKS = " ▁▂▃▄▅▆▇█"


def percent(w: Words, share: float, pattern: str = "0.0") -> str:
    """Write a probability in per cent, as the language writes numbers."""
    return f"{format_decimal(100 * share, format=pattern, locale=w.language)} %"


def worst_sentences(w: Words, played: Replay, found: Analysis, count: int = 3) -> list[str]:
    """Tell the dearest decisions: what was done, what it cost, what was better."""
    return [_sentence(w, played, moment) for moment in found.worst(count)]


def _sentence(w: Words, played: Replay, moment: Moment) -> str:
    record, state = played.record, played.states[moment.event]
    return w(
        "Turn %(turn)s: %(played)s That cost %(loss)s. Better: %(best)s",
        turn=moment.turn,
        played=tell(w, record.game, state, moment.action, record.players),
        loss=percent(w, moment.loss),
        best=tell(w, record.game, state, moment.best, record.players),
    )


def report(w: Words, played: Replay, found: Analysis) -> list[str]:
    """Write the report, line by line."""
    names = played.record.players
    lines = [
        w(
            "%(name)s began with a winning chance of %(start)s; it ended at %(end)s.",
            name=names[0],
            start=percent(w, found.curve[0]),
            end=percent(w, found.curve[-1]),
        ),
        "",
        *curve_text(found.curve),
        "",
    ]
    for name, tally in zip(names, found.tallies, strict=True):
        lines.append(
            w(
                "%(name)s: accuracy %(accuracy)s; luck %(luck)s; decisions cost %(loss)s.",
                name=name,
                accuracy=percent(w, tally.accuracy),
                luck=percent(w, tally.luck, "+0.0;-0.0"),
                loss=percent(w, tally.loss),
            )
        )
        mistakes = w.plural(
            "%(n)s decision cost more than 1 %%.", "%(n)s decisions cost more than 1 %%.", tally.mistakes
        )
        lines.append(f"  {mistakes}")
    worst = worst_sentences(w, played, found)
    lines += ["", w("The dearest decisions:") if worst else w("Nobody made a mistake.")]
    lines += [f"{place}. {sentence}" for place, sentence in enumerate(worst, 1)]
    return lines


def curve_text(curve: Sequence[float], height: int = 6, width: int = 72) -> list[str]:
    """Draw the first seat's winning chance as columns of blocks, with the scale at the left."""
    columns = min(width, len(curve))
    last = len(curve) - 1
    values = [curve[round(place * last / max(1, columns - 1))] for place in range(columns)]
    lines = []
    for row in range(height - 1, -1, -1):
        cells = (min(8, max(0, round((value * height - row) * 8))) for value in values)
        scale = {height - 1: "100 %", 0: "  0 %"}.get(row, "     ")
        lines.append(f"{scale} │{''.join(_BLOCKS[cell] for cell in cells)}")
    return lines


def curve_svg(w: Words, played: Replay, found: Analysis) -> str:
    """Draw the first seat's winning chance as an SVG picture that stands alone; the dearest decisions are marked."""
    width, height, left, top = 720, 260, 52, 34
    last = max(1, len(found.curve) - 1)

    def place(event: int, value: float) -> tuple[float, float]:
        return left + event / last * (width - left - 16), top + (1 - value) * (height - top - 34)

    title = escape(w("The winning chance of %(name)s", name=played.record.players[0]))
    steps = [place(event, value) for event, value in enumerate(found.curve)]
    path = f"M{steps[0][0]:.1f} {steps[0][1]:.1f}" + "".join(
        f"H{after[0]:.1f}V{after[1]:.1f}" for _, after in pairwise(steps)
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}"'
        ' font-family="system-ui, sans-serif" font-size="13" fill="#1d2b3a">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#f4f8fb"/>',
        f'<text x="{left}" y="22" font-weight="600">{title}</text>',
    ]
    for value in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(0, value)
        parts.append(
            f'<path d="M{x:.1f} {y:.1f}H{width - 16}" stroke="#c9d6e2" stroke-width="{2 if value == 0.5 else 1}"/>'
        )
        parts.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{100 * value:.0f} %</text>')
    parts.append(f'<path d="{path}" fill="none" stroke="#1769aa" stroke-width="2"/>')
    for moment in found.worst():
        x, y = place(moment.event + 1, found.curve[moment.event + 1])
        about = escape(_sentence(w, played, moment))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#c2410c"><title>{about}</title></circle>')
    for moment in found.moments:
        if moment.event and moment.turn % 4 == 1 and moment.turn != found.moments[moment.event - 1].turn:
            x, y = place(moment.event, 0)
            parts.append(f'<text x="{x:.1f}" y="{y + 20:.1f}" text-anchor="middle">{moment.turn}</text>')
    return "\n".join([*parts, "</svg>", ""])
