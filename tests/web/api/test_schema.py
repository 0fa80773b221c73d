"""Schemathesis over the whole JSON interface: whatever is sent, no answer is a server's fault."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error

from starfrost.web.app import create_app
from tests.serving import Player, Server

schema = schemathesis.openapi.from_dict(create_app().openapi())


class Target(NamedTuple):
    """A server with a table at which somebody sits."""

    url: str
    token: str
    table: str


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder: Path = tmp_path_factory.mktemp("schema")
    with Server(str(folder / "t.db"), folder / "log") as server:
        anna = Player(server.url)
        table = anna.open(seats=("open", "open"))
        anna.join(table, 1)
        anna.join(table, 2)
        yield Target(server.url, anna.token, table)
        assert '"level": "error"' not in server.log.read_text()


@schema.include(path_regex="^/api/").parametrize()
@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
def test_no_request_is_a_servers_fault(case: Any, target: Target) -> None:
    for known in (False, True):
        if known:
            case.headers["authorization"] = f"Bearer {target.token}"
            if "table" in case.path_parameters:
                case.path_parameters["table"] = target.table
        if case.path.endswith("/stream"):
            # A stream has no end to wait for; a table that is not there has an answer.
            case.path_parameters["table"] = "nobody"
        response = case.call(base_url=target.url, timeout=30)
        case.validate_response(response, checks=[not_a_server_error])
