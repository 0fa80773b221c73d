"""The board of Dice Stars in the terminal: the reserve, a sheet, all points, and the menu of actions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from starfrost.bots.registry import bots_here
from starfrost.games.dice_stars import COLOURS, ROWS, Action, DiceStars, Phase, Sheet, State, preview
from starfrost.games.dice_stars.components import colour_of, face_of
from starfrost.games.dice_stars.sheet import CROSS, EMPTY, multiplier, row_score, row_sum, total
from starfrost.games.dice_stars.turn import line_count, tally
from starfrost.games.dice_stars.words import STAR, colour_name
from starfrost.games.registry import GAMES
from starfrost.terminal.menu import Menu, Option, ask_until, numbered
from starfrost.terminal.registry import TerminalKit
from starfrost.terminal.screen import WIDTH, Screen, pad, wrapped

# Every colour has a shape, so that colour is never the only difference.
SHAPES: Final = dict(zip(COLOURS, "■▲●◆", strict=True))
STYLES: Final = {
    "black": "#f5f5f5 on #33343f",
    "purple": "#ffffff on #8440c0",
    "blue": "#ffffff on #2572c8",
    "orange": "#1a1200 on #f49a2c",
}
# Two options stand side by side in 80 columns.
LABEL_WIDTH: Final = 35
# A number has its own digit as its key, stars have 1, colours the rest, so the keys stay the same during a game.
COLOUR_KEYS: Final = dict(zip(COLOURS, ("7", "8", "9", "10"), strict=True))


class DiceStarsBoard:
    """Draws a game of Dice Stars and asks its questions."""

    def __init__(self, screen: Screen, game: DiceStars, names: Sequence[str]) -> None:
        self.screen, self.w, self.game, self.names = screen, screen.w, game, names

    # Drawing

    def parts(self, state: State, seat: int) -> list[list[Text]]:
        return [self.standings(state), self._reserve(state), self.sheet(state.sheets[seat])]

    def title(self, state: State) -> str:
        bag, discard = self.w("bag %(n)s", n=sum(state.bag)), self.w("discard pile %(n)s", n=sum(state.discard))
        return f"Dice Stars · {bag} · {discard}"

    def standings(self, state: State) -> list[Text]:
        """Draw every seat's points and filled white spaces (of 20), and the solo grid."""
        cells = []
        for seat, sheet in enumerate(state.sheets):
            white = self.w("white %(n)s/20", n=(sheet.filled & sheet.layout.white).bit_count())
            turn = "▶" if seat == state.seat and state.phase is not Phase.OVER else " "
            name = (pad(self.names[seat], 16), "bold")
            cells.append(Text.assemble(f" {turn} ", name, f"{total(sheet):>4}  {pad(white, 13)}"))
        beside = 2 if 2 * cells[0].cell_len < self.screen.width else 1
        lines = [Text(" ").join(cells[first : first + beside]) for first in range(0, len(cells), beside)]
        if self.game.solo_boxes:
            ticked, boxes = state.solo, self.game.solo_boxes
            needed = self.w("to win: more than %(points)s", points=self.game.rules.box_points * ticked)
            label, rest = "   " + self.w("solo grid") + " ", f"{ticked}/{boxes}, {needed}"
            # The grid is drawn where it has room.
            room = min(40, self.screen.width - cell_len(label) - cell_len(rest) - 1)
            grid = "■" * ticked + "□" * (boxes - ticked) + " " if boxes <= room else ""
            lines.append(Text(f"{label}{grid}{rest}"))
        return lines

    def _reserve(self, state: State) -> list[Text]:
        if not state.reserve:
            return [Text(" " + self.w("The reserve is empty."), style="dim")]
        # Many dice have no gaps between them; where even that is too wide, they lie in two rows.
        gap = " " if 6 * len(state.reserve) < self.screen.width + 1 else ""
        most = (self.screen.width - 1) // (5 + len(gap))
        lines = []
        for first in range(0, len(state.reserve), most):
            top, middle, bottom = Text(" "), Text(" "), Text(" ")
            for die in state.reserve[first : first + most]:
                colour = COLOURS[colour_of(die)]
                style = STYLES[colour]
                top.append("┌───┐", style).append(gap)
                middle.append(f"│ {face_of(die) or STAR} │", style).append(gap)
                bottom.append(f"└─{SHAPES[colour]}─┘", style).append(gap)
            lines += [top, middle, bottom]
        return lines

    def sheet(self, sheet: Sheet) -> list[Text]:
        """Draw a sheet with the current score of every row."""
        w = self.w
        head = Text("   " + "".join(f"   {SHAPES[colour]} " for colour in COLOURS))
        head.append(" " + pad(w("bonus"), 20) + pad(w("stars"), 10) + w("points"), "dim")
        top = Text("   ┌────┬────┬────┬────╥────┬────┬────┬────┐")
        legend = " ".join(f"{SHAPES[colour]} {colour_name(w, colour)}" for colour in COLOURS)
        gap = " " * (1 if self.screen.width < WIDTH else 3)
        bottom = Text.assemble(f"   └────┴────┴────┴────┘{gap}", (legend, "dim"))
        return [head, top, *(self._row(sheet, row) for row in range(5)), bottom]

    def _row(self, sheet: Sheet, row: int) -> Text:
        line = Text(f" {ROWS[row]} │")
        spaces = sheet.layout.row_spaces[row]
        for place, space in enumerate(spaces):
            value = sheet.spaces[space]
            written = "    " if value == EMPTY else "  × " if value == CROSS else f"{value:>3} "
            line.append(written, "bold #e9ffe9 on #256b3a" if place >= 4 else "bold" if value >= 0 else "")
            line.append("║" if place == 3 and len(spaces) > 4 else "│")
        line.append(" " * (45 - line.cell_len))
        ticked = sheet.ticked[row]
        line.append(STAR * ticked, "bold #e6b422")
        line.append("☆" * (sheet.layout.stars[row] - ticked))
        line.append(" " * (55 - line.cell_len))
        times, points = multiplier(sheet, row), row_score(sheet, row)
        style = {0: "red", 1: "", 2: "bold #e6b422"}[times]
        whole = f" = {times} × {row_sum(sheet, row)}" if self.screen.width >= WIDTH else f"×{times}"
        line.append(f"{points:>3}{whole if times != 1 else ''}", style)
        return line

    # Questions

    def menu(self, state: State) -> Menu:
        w, name = self.w, self.names[state.seat]
        legal = self.game.legal_actions(state)
        if state.phase is Phase.REFILL:
            labels = {"keep": w("keep the reserve as it is"), "return": w("put the reserve back into the bag")}
            options = numbered((labels[action.verb], action) for action in legal)
            question = w("%(name)s, the discard pile is back in the bag. What about the reserve?", name=name)
        elif state.phase in (Phase.DRAW, Phase.REFILLED):
            options = []
            for action in legal:
                label = w.plural("draw and roll one die", "draw and roll %(n)s dice", action.number)
                options.append(Option(str(action.number), Text(label), action))
            question = w("%(name)s, how many dice do you draw?", name=name)
            if (held := sum(state.bag)) < 3:
                few = w.plural("The bag holds only one die.", "The bag holds only %(n)s dice.", held)
                question = f"{few} {question}"
        elif legal[0].verb == "penalty":
            options = [self._take_option(state, action) for action in legal]
            question = w("%(name)s, you cannot take anything. Which dice become your penalty?", name=name)
            if GAMES[self.game.name].last_round(self.game, state) is None:
                question += " " + w("A penalty ends the game with this round.")
        else:
            options = self._takes(state, legal)
            question = w("%(name)s, what do you take?", name=name)
        default = options[0] if len(options) == 1 else None
        columns = 2 if len(options) > 4 else 1
        return Menu(question, options, default, reasons=self._reasons(state, legal), columns=columns)

    def _reasons(self, state: State, legal: Sequence[Action]) -> dict[str, str]:
        """Return why dice in the reserve cannot be taken, and why fewer cannot be drawn."""
        w, reasons = self.w, {}
        if state.phase in (Phase.DRAW, Phase.REFILLED):
            number = legal[-1].number
            short = w("The bag does not hold that many dice (S4).")
            forced = w("The reserve shows no number, so you must draw 3 (S3).")
            for draw in {1, 2, 3} - {action.number for action in legal}:
                reasons[str(draw)] = reasons[f"draw {draw}"] = forced if draw < number else short
        elif state.phase is Phase.TAKE and legal[0].verb == "take":
            counted, lines = tally(state.reserve), {action.line for action in legal}
            for line in (*COLOURS, *map(str, ROWS)):
                if line not in lines and line_count(counted, line):
                    what = colour_name(w, line) if line in COLOURS else w("row %(row)s", row=line)
                    reason = w("Not enough empty spaces for that: %(what)s (F5).", what=what)
                    reasons[COLOUR_KEYS.get(line, line)] = reasons[f"take {line}"] = reason
        return reasons

    def _takes(self, state: State, legal: Sequence[Action]) -> list[Option]:
        stars = [action for action in legal if action.line == "stars"]
        options = [self._take_option(state, action) for action in legal if action.line != "stars"]
        options.sort(key=lambda option: int(option.key))
        if stars:
            count = len(stars[0].rows)
            label = self.w.plural("%(n)s star: choose a row", "%(n)s stars: choose rows", count)
            options.insert(0, Option("1", Text(f"{STAR} {label}"), menu=lambda: self._star_menu(state, stars)))
        return options

    def _take_option(self, state: State, action: Action) -> Option:
        seen = preview(self.game, state, action)
        if action.line in COLOURS:
            key, what = COLOUR_KEYS[action.line], f"{SHAPES[action.line]} {colour_name(self.w, action.line)}"
            faces = [face_of(die) for die in state.reserve if COLOURS[colour_of(die)] == action.line]
        else:
            key, what = action.line, self.w("all %(number)ss", number=action.line)
            faces = [face_of(die) for die in state.reserve if face_of(die) == int(action.line)]
        dice = " ".join(str(face or STAR) for face in sorted(faces, reverse=True))
        if action.verb == "penalty":
            label = f"→ −{sum(faces)}" if sum(faces) else "→ 0: " + self.w("stars score 0")
        else:
            row = seen["spaces"][-1]["row"]
            place = self.w("%(points)s in row %(row)s", points=sum(faces), row=row)
            label = f"→ {place} ({seen['gain']:+d})"
        whole = f"{what}: {dice} {label}"
        # Half a line has room for the result only; the dice themselves are on the table.
        return Option(key, Text(whole if cell_len(whole) <= LABEL_WIDTH else f"{what} {label}"), action)

    def _star_menu(self, state: State, ways: Sequence[Action]) -> Menu:
        """Return the menu of the rows for stars, the best way first."""
        before = state.sheets[state.seat]
        ranked = []
        for action in ways:
            gain, left, parts = preview(self.game, state, action)["gain"], 0, []
            for row in sorted(set(action.rows)):
                boxes, ticked = before.layout.stars[row - 2], before.ticked[row - 2] + action.rows.count(row)
                left += boxes - ticked
                parts.append(f"{row}: {ticked}/{boxes} ×{2 if ticked == boxes else 0}")
            ranked.append((-gain, left, action.rows, f"{gain:+d}".ljust(5) + ", ".join(parts)))
        ranked.sort()
        by_rows = {action.rows: action for action in ways}
        options = numbered((label, by_rows[rows]) for _, _, rows, label in ranked)
        if len(ways[0].rows) == 1:
            # The key of a single star is its row.
            options = [replace(option, key=str(option.action.rows[0])) for option in options]
        question = self.w("In which rows? You can also type them, such as 2 3.")
        columns = 2 if len(ways[0].rows) <= 2 else 1

        def read(text: str) -> Action | None:
            return by_rows.get(tuple(sorted(int(digit) for digit in text if digit.isdigit())))

        return Menu(question, options, read=read, columns=columns, page_size=4 * columns)

    def understand(self, state: State, text: str) -> Action:
        """Parse record notation, and also `blue`, `take blau` and `stars 2 3`."""
        words = text.lower().split()
        names = {self.screen.text(colour_name(self.w, colour)).lower(): colour for colour in COLOURS}
        words = [names.get(word, word) for word in words]
        if words and words[0] in (*COLOURS, "stars"):
            words.insert(0, "take" if self.game.legal_actions(state)[0].verb != "penalty" else "penalty")
        return self.game.parse_action(" ".join(words))

    def everything(self, state: State) -> list[Text]:
        lines = []
        for seat, sheet in enumerate(state.sheets):
            lines += [Text(f" {self.names[seat]}: {total(sheet)}", style="bold"), *self.sheet(sheet), Text("")]
        return lines

    def ending(self, state: State, seat: int) -> list[Text]:
        return self.sheet(state.sheets[seat])


def _ask_grid(screen: Screen, seats: int, headers: Mapping[str, str]) -> Mapping[str, str]:
    """Ask for the size of the solo grid (L5) when one person plays."""
    kit, w = GAMES["dice-stars"], screen.w
    boxes = kit.options[0]
    if seats > 1 or boxes.name in headers:
        return {}

    def read(answer: str) -> str | None:
        number = answer or str(boxes.default)
        return number if number.isdecimal() and boxes.least <= int(number) <= boxes.most_in_form else None

    why = w("Dice that you leave tick boxes. You win with more than 5 points for every ticked box.")
    many = w("How many boxes does the solo grid have? Enter: %(n)s", n=boxes.default)

    def question() -> list[Text]:
        return [*wrapped(screen, many, "bold"), *wrapped(screen, why, "dim")]

    refusal = w("Please type a number from %(least)s to %(most)s.", least=boxes.least, most=boxes.most_in_form)
    return {boxes.name: ask_until(screen, question, read, refusal, kit.id)}


# A draw is reported together with its roll.
KIT: Final = TerminalKit(
    board=DiceStarsBoard,
    ask_seated=_ask_grid,
    is_reported=lambda action: action.verb != "draw",
    is_analysed=lambda game: "strong" in bots_here(game),
)
