"""Random requests to every route; `python -m tests.torture.fuzz` sends 50,000 of them."""

from pathlib import Path

from tests.torture.fuzz import fuzz


async def test_no_request_makes_the_server_fail(tmp_path: Path) -> None:
    found = await fuzz(tmp_path, requests=1000, seed=20)
    assert not found.faults, "\n".join(found.faults[:5])
    # They reach the routes, and are not all refused at the door.
    assert found.statuses[200] > 100
    assert found.statuses[422] > 100
