"""The curve of the first seat's winning chance through a record, as text and as an SVG picture."""

from collections.abc import Sequence
from html import escape
from itertools import groupby, pairwise

from starfrost.coach.analysis import Analysis
from starfrost.coach.columns import screen_width
from starfrost.words import Words
from starfrost.words.numbers import whole_percent

_BLOCKS = " ▁▂▃▄▅▆▇█"


def _turn_starts(found: Analysis) -> dict[int, int]:
    """Return the first event of each turn."""
    turns = groupby(found.moments, key=lambda moment: moment.turn)
    return {turn: next(moments).event for turn, moments in turns}


def _label(w: Words, share: float) -> str:
    return f"{whole_percent(w, share):>5} ┤"


def curve_text(w: Words, found: Analysis, height: int = 8) -> list[str]:
    """Draw the curve as columns of blocks, with the scale on the left and the turns below.

    A label is on the row that its value just fills, so zero has its own line.
    """
    width, last = screen_width() - 10, len(found.curve) - 1
    values = [found.curve[round(place * last / (width - 1))] for place in range(width)]
    lines = []
    for row in range(height - 1, -1, -1):
        cells = (min(8, max(0, round((value * height - row) * 8))) for value in values)
        scale = {height - 1: _label(w, 1), height // 2 - 1: _label(w, 0.5)}.get(row, "      │")
        lines.append(f"{scale}{''.join(_BLOCKS[cell] for cell in cells)}".rstrip())
    floor = f"{whole_percent(w, 0):>5} └{'─' * width}"
    label, axis = w("Turn"), ""
    for turn, event in _turn_starts(found).items():
        place = round(event * (width - 1) / max(1, last))
        if place >= len(axis) + 2 or not axis:
            axis = axis.ljust(place) + str(turn)
    return [*lines, floor, f"{label:>6} {axis}"] if axis else [*lines, floor]


def curve_svg(w: Words, name: str, found: Analysis, worst: Sequence[str]) -> str:
    """Draw the curve with the costliest decisions numbered; `worst` has a sentence for each."""
    width, height, left, right, top, bottom = 720, 280, 58, 20, 44, 38
    last = max(1, len(found.curve) - 1)

    def place(event: int, value: float) -> tuple[float, float]:
        return left + event / last * (width - left - right), top + (1 - value) * (height - top - bottom)

    turns = escape(w("Turn"))
    title = escape(w("The winning chance of %(name)s", name=name))
    steps = [place(event, value) for event, value in enumerate(found.curve)]
    path = f"M{steps[0][0]:.1f} {steps[0][1]:.1f}" + "".join(
        f"H{after[0]:.1f}V{after[1]:.1f}" for _, after in pairwise(steps)
    )
    floor = place(0, 0)[1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{title}"'
        ' font-family="system-ui, sans-serif" font-size="13" fill="#1d2b3a">',
        f'<rect width="{width}" height="{height}" rx="10" fill="#f4f8fb"/>',
        f'<text x="{left}" y="26" font-size="15" font-weight="600">{title}</text>',
    ]
    for value in (0, 0.25, 0.5, 0.75, 1):
        x, y = place(0, value)
        stroke = 'stroke="#8fa3b5" stroke-dasharray="4 4"' if value == 0.5 else 'stroke="#d5dfe8"'
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{width - right}" {stroke}/>')
        parts.append(f'<text x="{x - 10:.1f}" y="{y + 4.5:.1f}" text-anchor="end">{whole_percent(w, value)}</text>')
    parts.append(f'<path d="{path}V{floor:.1f}H{left}Z" fill="#1769aa" opacity="0.12"/>')
    parts.append(f'<path d="{path}" fill="none" stroke="#1769aa" stroke-width="2" stroke-linejoin="round"/>')
    parts.append(f'<text x="{left - 10}" y="{height - 14}" text-anchor="end">{turns}</text>')
    free = 0.0
    for turn, event in _turn_starts(found).items():
        x = place(event, 0)[0]
        parts.append(f'<path d="M{x:.1f} {floor:.1f}v5" stroke="#8fa3b5"/>')
        if x >= free:
            parts.append(f'<text x="{x:.1f}" y="{height - 14}" text-anchor="middle">{turn}</text>')
            free = x + 26
    for number, (moment, sentence) in enumerate(zip(found.worst(len(worst)), worst, strict=True), 1):
        x, y = place(moment.event + 1, found.curve[moment.event + 1])
        parts.append(
            f'<g><title>{escape(sentence)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="#c2410c"/>'
            f'<text x="{x:.1f}" y="{y + 4.5:.1f}" text-anchor="middle" fill="#fff" font-weight="600">{number}</text>'
            "</g>"
        )
    return "\n".join([*parts, "</svg>", ""])
