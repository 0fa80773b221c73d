"""The fast lane: an ordinary move passes here without a task and without the layers that other requests need.

Whatever is not ordinary (a refusal, a table or a guest that must be read first, a repeated key, a write that fails) is
left to the app, so there is one place that decides what is refused and how that is said. A move that the lane hands
over has had no effect.
"""

import re
import time
from functools import partial
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.types import Scope

from starfrost.errors import Refused
from starfrost.table import Answer, TableService
from starfrost.table.guests import hash_token
from starfrost.table.tables import Told
from starfrost.web.api.parts import answer_body
from starfrost.web.api.tables import act_route, read_move
from starfrost.web.batches import BATCH, Move, read_moves, write_answers
from starfrost.web.exchange import Exchange
from starfrost.web.forward import Forwarder
from starfrost.web.guard import Guard, address_in
from starfrost.web.guests import token_of
from starfrost.web.limits import Limits

__all__ = ["Lane", "Moves", "PeerLane"]

_MOVE: Final = re.compile(r"/api/tables/([A-Za-z0-9_-]{1,32})/act")


class _Head(NamedTuple):
    """What the head of an ordinary move says; a connection that sends the same head again gives it back."""

    table: str
    address: str
    token_hash: str


class Moves:
    """Begins ordinary moves."""

    def __init__(self, service: TableService, limits: Limits) -> None:
        self.service = service
        self._limits = limits

    def begin(self, move: Move, done: Told) -> bool:
        """Begin to play a move; return False if the app must look at it. `done` is that of `TableService.act_now`."""
        guest = self.service.guests.recent(move.token_hash)
        if guest is None:
            return False
        try:
            self.service.upkeep.exceptions.check(guest.id)
            self._limits.command.check(guest.id, 1)
            if not self.service.act_now(move.table, guest, **read_move(move.body), done=done):
                return False
        except Refused:
            return False
        self._limits.command.pay(guest.id, 1)
        return True


class Lane:
    """Answers ordinary moves of clients."""

    def __init__(self, moves: Moves, guard: Guard, forwarder: Forwarder | None) -> None:
        self.moves = moves
        self._guard = guard
        self._forwarder = forwarder

    def take(self, exchange: Exchange) -> bool:
        """Begin to answer a request that is here as a whole; return False if the app must answer it."""
        head: _Head | None = exchange.known
        if head is None:
            head = _head_of_move(exchange.scope)
            if head is None or self._guard.refusal_of_head(exchange.scope) is not None:
                return False
            exchange.known = head
        # A known head has another length.
        if len(exchange.body) > self._guard.largest_body:
            return False
        if self._guard.refusal_now(exchange.scope, head.address) is not None:
            return False
        answered = partial(self._answered, exchange, head.address, time.perf_counter())
        move = Move(head.table, head.token_hash, exchange.body)
        if self._forwarder is None or self.moves.service.tables.owns(head.table):
            if not self.moves.begin(move, lambda answer: answered(answer_body(answer) if answer else None)):
                return False
            exchange.scope["route"] = act_route
            if self._forwarder is not None:
                self._forwarder.asked_here(head.table)
        elif not self._forwarder.forward_now(move, exchange.scope, answered):
            return False
        self._guard.begin(head.address)
        return True

    def _answered(self, exchange: Exchange, address: str, began: float, answer: bytes | None) -> None:
        if answer is None:
            self._guard.forget(address)
            exchange.start()
        else:
            exchange.write_json(answer, self._guard.lines(exchange.scope))
            self._guard.end(address, exchange.scope, 200, time.perf_counter() - began)


class PeerLane:
    """Answers batches of moves that another server forwards; that server has guarded them."""

    def __init__(self, moves: Moves, forwarder: Forwarder) -> None:
        self._moves = moves
        self._forwarder = forwarder

    def take(self, exchange: Exchange) -> bool:
        """Begin to answer a request that is here as a whole; return False if the app must answer it."""
        server: str | None = exchange.known
        if server is None:
            sender = self._forwarder.listener.sender(exchange.scope) if exchange.scope["path"] == BATCH else None
            if sender is None:
                return False
            server = exchange.known = sender.server
        moves = read_moves(exchange.body)
        if moves is None:
            return False
        answers = _Answers(exchange, len(moves))
        for place, move in enumerate(moves):
            if not self._moves.service.tables.owns(move.table):
                answers.add(place, None)
            elif self._moves.begin(move, partial(answers.add, place)):
                self._forwarder.asked_from(move.table, server)
            else:
                answers.add(place, None)
        return True


class _Answers:
    """The answers to a batch, which are sent when all of them are here."""

    def __init__(self, exchange: Exchange, count: int) -> None:
        self._exchange = exchange
        self._found: list[bytes | None] = [None] * count
        self._left = count

    def add(self, place: int, answer: Answer | None) -> None:
        """Add the answer to the move at a place of the batch; None if the other server must ask again."""
        self._found[place] = None if answer is None else answer_body(answer)
        self._left -= 1
        if not self._left:
            self._exchange.write_json(write_answers(self._found), b"")


def _head_of_move(scope: Scope) -> _Head | None:
    """Read the head of a request that plays a move of a guest; None if it does something else."""
    found = _MOVE.fullmatch(scope["path"]) if scope["method"] == "POST" else None
    token = None if found is None else token_of(Request(scope))
    return _Head(found[1], address_in(scope), hash_token(token)) if found and token else None
