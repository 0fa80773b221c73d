"""Fair shares: groups by the time that they used, members of a group in turns."""

import pytest

from starfrost.workers.fair_queue import FairQueue


def served(queue: FairQueue[str], cost: dict[str, float] | None = None) -> list[str]:
    order = []
    while queue:
        owner, item = queue.take()
        order.append(item)
        queue.charge(owner, (cost or {}).get(owner[0], 1.0))
    return order


def test_groups_and_their_members_take_turns() -> None:
    queue: FairQueue[str] = FairQueue()
    for item in ("a1", "a2", "a3", "b1"):
        queue.put(("school", item[0]), item)
    queue.put(("home", "c"), "c1")
    assert len(queue) == 5
    assert queue.waiting("school") == 4
    assert served(queue) == ["a1", "c1", "b1", "a2", "a3"]
    assert queue.waiting("school") == len(queue) == 0
    with pytest.raises(IndexError):
        queue.take()


def test_shares_are_of_time_and_not_of_items() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(4):
        queue.put(("slow", ""), f"slow {number}")
        queue.put(("quick", ""), f"quick {number}")
    order = served(queue, {"slow": 3.0, "quick": 1.0})
    assert order.index("quick 3") < order.index("slow 2")


def test_nobody_saves_up_time_by_staying_away() -> None:
    queue: FairQueue[str] = FairQueue()
    for number in range(10):
        queue.put(("old", ""), f"old {number}")
    for _ in range(5):
        owner, _item = queue.take()
        queue.charge(owner, 1.0)
    for number in range(5):
        queue.put(("new", ""), f"new {number}")
    order = served(queue)
    assert order[:4] in (["new 0", "old 5", "new 1", "old 6"], ["new 0", "new 1", "old 5", "new 2"])


def test_what_is_known_of_groups_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starfrost.workers.fair_queue._MOST_KNOWN", 10)
    queue: FairQueue[str] = FairQueue()
    for number in range(100):
        queue.put((f"group {number}", ""), "item")
        queue.take()
    assert len(queue._used) <= 12
