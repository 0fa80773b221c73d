"""Pig, declared for the rest of Starfrost."""

from pig.game import FACES, GOAL, MOST_GOAL, SEATS, Action, Pig, State

from starfrost.games.kit import Draw, GameKit, Option

GOAL_OPTION = Option("goal", "the points that end the game", default=GOAL, most=MOST_GOAL)


def outcome(game: Pig, state: State, draw: Draw) -> Action:
    """Roll the die of a table with verifiable dice."""
    return FACES[draw(6, 1, "face")]


KIT = GameKit(
    id="pig",
    title="Pig",
    seats=SEATS,
    make=lambda seats, headers: Pig(seats, GOAL_OPTION.number(headers)),
    outcome=outcome,
    example="roll",
    options=(GOAL_OPTION,),
    words="pig.words:KIT",
    bots="pig.bots:BOTS",
    board="pig.web:PigBoard",
    terminal="pig.terminal:KIT",
)
