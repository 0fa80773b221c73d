"""Schemathesis over the whole JSON interface: whatever is sent, no answer is a server's fault."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error

from tests.serving import Player, Server

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    folder: Path = tmp_path_factory.mktemp("schema")
    with Server(str(folder / "t.db"), folder / "log") as server:
        anna = Player(server.url)
        table = anna.open(seats=("open", "open"))
        anna.join(table, 1)
        anna.join(table, 2)
        loaded = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
        yield loaded, anna.token, table, server
        assert '"level": "error"' not in server.log.read_text()


schema = schemathesis.pytest.from_fixture("loaded")


@pytest.fixture(scope="module")
def loaded(api):  # type: ignore[no-untyped-def]
    return api[0]


@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
)
def test_no_request_is_a_servers_fault(case, api) -> None:  # type: ignore[no-untyped-def]
    _, token, table, _ = api
    if case.path.endswith("/stream"):
        # A stream has no end to wait for; a table that is not there has an answer.
        case.path_parameters["table"] = "nobody"
    for known in (False, True):
        if known:
            case.headers = {**(case.headers or {}), "authorization": f"Bearer {token}"}
            if "table" in (case.path_parameters or {}) and not case.path.endswith("/stream"):
                case.path_parameters["table"] = table
        response = case.call(timeout=30)
        case.validate_response(response, checks=[not_a_server_error])
