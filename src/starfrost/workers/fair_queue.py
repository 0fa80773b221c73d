"""Fair shares of scarce time: work of many people, taken so that nobody waits for all of another's work."""

from collections import deque
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")
Owner = tuple[str, str]
"""Who asks: a group, such as an address, and a member of it."""

_MOST_KNOWN: Final = 10_000


class FairQueue(Generic[Item]):
    """Items that wait for their turn.

    The group that has used the least time is next, and within a group its members take turns. Whoever comes back after
    a pause has no advantage over those who waited.
    """

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, deque[Item]]] = {}
        self._used: dict[str, float] = {}
        self._level = 0.0
        """The time that the group which was served last has used."""
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def waiting(self, group: str) -> int:
        """Return how many items of a group wait."""
        return sum(map(len, self._groups.get(group, {}).values()))

    def put(self, owner: Owner, item: Item) -> None:
        """Add an item."""
        group, member = owner
        if group not in self._groups:
            self._groups[group] = {}
            if len(self._used) > _MOST_KNOWN:
                self._used = {name: used for name, used in self._used.items() if name in self._groups}
            self._used[group] = max(self._used.get(group, 0.0), self._level)
        self._groups[group].setdefault(member, deque()).append(item)
        self._count += 1

    def take(self) -> tuple[Owner, Item]:
        """Remove the item whose turn it is, and return it with its owner. Raises IndexError if nothing waits."""
        if not self._groups:
            raise IndexError("nothing waits")
        group = min(self._groups, key=self._used.__getitem__)
        self._level = self._used[group]
        members = self._groups.pop(group)
        member = next(iter(members))
        items = members.pop(member)
        item = items.popleft()
        if items:
            members[member] = items
        if members:
            # Behind the others, so that equals take turns.
            self._groups[group] = members
        self._count -= 1
        return (group, member), item

    def charge(self, owner: Owner, seconds: float) -> None:
        """Count time that was used for an owner."""
        self._used[owner[0]] = self._used.get(owner[0], self._level) + seconds
