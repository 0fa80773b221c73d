"""What workers do in the tests of bots; apart from those, so that a worker has little to import."""

import os
import time
from pathlib import Path
from random import Random
from typing import Any

import starfrost
from starfrost.errors import UsageError

GAME = starfrost.make("dicy-cards", seats=2)
STATE = GAME.apply(GAME.start(), GAME.sample(GAME.start(), Random(1)))
FIRST = str(GAME.legal_actions(STATE)[0])
LAST = str(GAME.legal_actions(STATE)[-1])


def think_last(*arguments: Any) -> str:
    return LAST


def think_for_ever(bot: str, *arguments: Any) -> str:
    while bot == "random":
        time.sleep(0.1)
    return LAST


def think_for_ever_once(*arguments: Any) -> str:
    trace = Path(os.environ["TRACE"])
    if not trace.exists():
        trace.touch()
        time.sleep(600)
    return LAST


def never_start(niceness: int) -> None:
    time.sleep(600)


def think_in_vain(*arguments: Any) -> str:
    raise UsageError("There is no such bot.")
