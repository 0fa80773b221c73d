"""The fast lane: an ordinary move passes here without a task and without the layers that other requests need.

Whatever is not ordinary (a refusal, a table or a guest that must be read first, a repeated key, a write that fails) is
left to the app, so there is one place that decides what is refused and how that is said. A move that the lane hands
over has had no effect.
"""

import re
import time
from functools import partial
from typing import Final

from starlette.requests import Request

from starfrost.errors import Refused
from starfrost.table import Answer, TableService
from starfrost.web.api.parts import answer_body
from starfrost.web.api.tables import act_route, read_move
from starfrost.web.exchange import Exchange
from starfrost.web.forward import Forwarder
from starfrost.web.guard import Guard, address_in
from starfrost.web.guests import token_of
from starfrost.web.limits import Limits

__all__ = ["Lane"]

_MOVE: Final = re.compile(r"/api/tables/([A-Za-z0-9_-]{1,32})/act")


class Lane:
    """Answers ordinary moves of the JSON interface."""

    def __init__(self, service: TableService, guard: Guard, limits: Limits, forwarder: Forwarder | None) -> None:
        self._service = service
        self._guard = guard
        self._limits = limits
        self._forwarder = forwarder

    def take(self, exchange: Exchange) -> bool:
        """Begin to answer a request that is here as a whole; return False if the app must answer it."""
        scope = exchange.scope
        move = _MOVE.fullmatch(scope["path"]) if scope["method"] == "POST" else None
        if move is None:
            return False
        began = time.perf_counter()
        address = address_in(scope)
        token = token_of(Request(scope))
        guest = self._service.guests.recent(token) if token else None
        if guest is None or self._guard.refusal(scope, address) is not None:
            return False
        try:
            self._service.upkeep.exceptions.check(guest.id)
            self._limits.command.check(guest.id, 1)
            done = partial(self._stored, exchange, address, began)
            if not self._service.act_now(move[1], guest, **read_move(exchange.body), done=done):
                return False
        except Refused:
            return False
        scope["route"] = act_route
        self._guard.begin(address)
        self._limits.command.pay(guest.id, 1)
        if self._forwarder is not None:
            self._forwarder.asked_here(move[1])
        return True

    def _stored(self, exchange: Exchange, address: str, began: float, answer: Answer | None) -> None:
        scope, seconds = exchange.scope, time.perf_counter() - began
        if answer is None:
            self._guard.forget(address)
            exchange.start()
        else:
            exchange.write_json(answer_body(answer), self._guard.lines(scope))
            self._guard.end(address, scope, 200, seconds)
