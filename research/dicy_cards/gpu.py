"""Solve many sets at once on a GPU and follow perfect play through them, for the atlas.

The kernels are CUDA C++ (`cuda/*.cu`), compiled by CuPy on first use. This module packs the tables and launches the
kernels. It uses CuPy only through a `Machine`, so that tests can run the same kernels on an ordinary processor. The
kernels get their constants and tables from Python (`constants`).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from research.dicy_cards.tally import LEAST, TALLIES, Tally
from starfrost.errors import UsageError, require
from starfrost.games.dicy_cards import ALL_ACTIVE, CARDS_IN_A_GAME, MASKS, Change
from starfrost.games.dicy_cards.solver.card_set import ANSWERS, TIES, CardSet
from starfrost.games.dicy_cards.solver.lattice import KEPT, MULTISETS, ROLLS, lattice
from starfrost.games.dicy_cards.solver.shared import NEAR, SKIP, STOP
from starfrost.games.dicy_cards.solver.values import numbered

_POINTS, _OFFERS, _ENTRIES, _REPLICAS = 128, 512, 2688, 64
"""Rows for a set's points, its offers and their entries; copies of the tallies, so that blocks seldom wait."""
_LEVELS: Final = tuple(
    tuple(mask for mask in range(MASKS) if mask.bit_count() == size) for size in range(CARDS_IN_A_GAME + 1)
)
"""The masks by the number of active cards."""
_HOLDERS: Final = tuple(sum(mask & 1 for mask in level) for level in _LEVELS)
"""How many masks of a level hold a given card."""
_LEVEL: Final = max(map(len, _LEVELS)) * ROLLS
_SOLVE_BYTES: Final = 3 * _LEVEL * 8 + MASKS * 8 + 384
_FORWARD_BYTES: Final = (
    _SOLVE_BYTES + MASKS * ROLLS + MASKS * MULTISETS + 16 * _OFFERS + (32 + 32 * 12 + 6 * _POINTS) * 8
)


class Machine(Protocol):
    """A device that holds arrays and runs the kernels."""

    def array(self, values: NDArray[Any]) -> Any:
        """Return a copy of an array on the machine."""

    def empty(self, shape: tuple[int, ...]) -> Any:
        """Return an array of doubles, not filled."""

    def zeros(self, shape: tuple[int, ...]) -> Any:
        """Return an array of zeros."""

    def launch(self, kernel: str, grid: tuple[int, int], threads: int, memory: int, arguments: tuple[Any, ...]) -> None:
        """Run a kernel on a grid of blocks, each with some bytes of shared memory."""

    def numbers(self, array: Any) -> NDArray[Any]:
        """Return a copy of an array of the machine."""


def constants() -> str:
    """Return the tables and sizes that the kernels share with the rest of the solver, as C++."""
    numbers = {
        "ROLLS": ROLLS,
        "KEPT": KEPT,
        "LEVEL": _LEVEL,
        "POINTS": _POINTS,
        "OFFERS": _OFFERS,
        "ENTRIES": _ENTRIES,
        "CARDS": CARDS_IN_A_GAME,
        "RESET": int(Change.RESET),
        "SKIP": SKIP,
        "STOP": STOP,
        "TOLERANCE": NEAR,
        "TALLIES": TALLIES,
        "REPLICAS": _REPLICAS,
        **{name: int(place) for name, place in Tally.__members__.items()},
    }
    tables = {
        "MASK_AT": [mask for level in _LEVELS for mask in level],
        "FIRST_MASK": np.cumsum([0, *map(len, _LEVELS)]).tolist(),
        "HOLDERS": _HOLDERS,
        "HOLDERS_BEFORE": np.cumsum([0, *_HOLDERS[:-1]]).tolist(),
        "ANSWERS": ANSWERS.ravel().tolist(),
        "TWICE_TIES": (2 * TIES).astype(int).ravel().tolist(),
    }
    first = " : ".join(f"size == {size} ? {place}" for size, place in enumerate(lattice().first[:-1]))
    return "\n".join(
        [
            *(f"#define {name} {number}" for name, number in numbers.items()),
            "typedef unsigned char u8;",
            *(f"__constant__ u8 {name}[] = {{{', '.join(map(str, row))}}};" for name, row in tables.items()),
            "// Where the multisets of a size start.",
            f"__device__ constexpr int first_of(int size) {{ return {first} : {MULTISETS}; }}",
            "",
        ]
    )


def source() -> str:
    """Return the source of the kernels."""
    folder = Path(__file__).parent / "cuda"
    parts = ((folder / name).read_text("utf-8") for name in ("turn.cu", "solve.cu", "forward.cu"))
    return "\n".join([constants(), *parts])


class Cupy:
    """The GPU that CuPy finds."""

    def __init__(self) -> None:
        require("Solving on a GPU needs CuPy, for example: pip install cupy-cuda13x.", "cupy")
        import cupy

        self._cupy = cupy
        self._module = cupy.RawModule(code=source(), options=("--std=c++17",))
        self._ready: dict[str, Any] = {}

    def array(self, values: NDArray[Any]) -> Any:
        return self._cupy.asarray(values)

    def empty(self, shape: tuple[int, ...]) -> Any:
        return self._cupy.empty(shape)

    def zeros(self, shape: tuple[int, ...]) -> Any:
        return self._cupy.zeros(shape)

    def launch(self, kernel: str, grid: tuple[int, int], threads: int, memory: int, arguments: tuple[Any, ...]) -> None:
        if kernel not in self._ready:
            self._ready[kernel] = self._module.get_function(kernel)
            self._ready[kernel].max_dynamic_shared_size_bytes = memory
        typed = tuple(np.int32(value) if isinstance(value, int) else value for value in arguments)
        self._ready[kernel](grid, (threads,), typed, shared_mem=memory)

    def numbers(self, array: Any) -> NDArray[Any]:
        return np.asarray(self._cupy.asnumpy(array))


def pack(chosen: CardSet) -> NDArray[np.uint16]:
    """Return a set's numbers in the layout of the kernels."""
    offer_count, entry_count = int(chosen.offer_first[5]), len(chosen.offer_points)
    if len(chosen.points) > _POINTS or offer_count >= _OFFERS or entry_count > _ENTRIES:
        raise UsageError("The set %(cards)s offers more than the kernels have room for.", cards=" ".join(chosen.cards))
    packed = np.zeros(32 + _POINTS + _OFFERS + _ENTRIES + 5 * ROLLS, np.uint16)
    packed[:5] = chosen.change
    packed[5:11] = chosen.points_first
    packed[11:17] = chosen.offer_first
    packed[32 : 32 + len(chosen.points)] = chosen.points
    at = 32 + _POINTS
    packed[at : at + offer_count + 1] = chosen.offer_start
    at += _OFFERS
    packed[at : at + entry_count] = chosen.offer_points
    packed[at + _ENTRIES :] = chosen.offer.ravel()
    return packed


class Batch(NamedTuple):
    """Several solved sets on a machine."""

    sets: tuple[tuple[str, ...], ...]
    goal: int
    gaps: int
    fixed: tuple[Any, ...]
    """The first arguments of every kernel: sets, lattice, values between turns and in last turns, goal, gaps."""

    @property
    def between(self) -> Any:
        """Values by set, seat, own score, other's score, other's mask, own mask."""
        return self.fixed[4]

    @property
    def last(self) -> Any:
        """The second seat's values in its last turn, by set, gap, other's mask, own mask."""
        return self.fixed[5]


def solve_batch(machine: Machine, sets: Sequence[Sequence[str]], goal: int, threads: int = 512) -> Batch:
    """Solve several sets side by side; the work is queued, not awaited."""
    chosen = [numbered(cards, goal) for cards in sets]
    dice = lattice()
    up = np.zeros((KEPT, 8), np.uint16)
    up[:, :6] = dice.up
    down = np.full((MULTISETS, 8), 0xFFFF, np.uint16)
    for kept in range(KEPT):
        down[dice.up[kept], range(6)] = kept
    gaps = max(one.most for one in chosen) + 2
    fixed = (
        machine.array(np.stack([pack(one) for one in chosen])),
        machine.array(up),
        machine.array(down),
        machine.array(dice.chance),
        machine.empty((len(sets), 2, goal, goal, MASKS, MASKS)),
        machine.empty((len(sets), gaps, MASKS, MASKS)),
        goal,
        gaps,
    )
    machine.launch("last_turns", (gaps * MASKS, len(sets)), threads, _SOLVE_BYTES, fixed)
    for total in range(2 * goal - 2, -1, -1):
        begin, end = max(0, total - goal + 1), min(goal, total + 1)
        where = (*fixed, total, begin)
        machine.launch("skip_phase", (end - begin, len(sets)), threads, _SOLVE_BYTES, where)
        machine.launch("main_phase", ((end - begin) * 2 * ALL_ACTIVE, len(sets)), threads, _SOLVE_BYTES, where)
    return Batch(tuple(one.cards for one in chosen), goal, gaps, fixed)


def follow_batch(machine: Machine, batch: Batch, threads: int = 1024, least: float = LEAST) -> NDArray[np.float64]:
    """Follow perfect play from the start through solved sets; return one row of tallies (see `Tally`) per set."""
    count, goal = len(batch.sets), batch.goal
    masses = machine.zeros((count, 2, goal, goal, MASKS, MASKS))
    last_masses = machine.zeros((count, batch.gaps, MASKS, MASKS))
    tallies = machine.zeros((count, _REPLICAS, TALLIES))
    masses[:, 0, 0, 0, ALL_ACTIVE, ALL_ACTIVE] = 1.0
    for total in range(2 * goal - 1):
        begin, end = max(0, total - goal + 1), min(goal, total + 1)
        where = (*batch.fixed, total, begin, masses, last_masses, tallies, least)
        machine.launch("forward", ((end - begin) * 2 * ALL_ACTIVE, count), threads, _FORWARD_BYTES, (*where, -1))
        # A skip leads to the opponent's mask 31, and another skip from there: a few rounds follow them all.
        for turn in range(6):
            machine.launch("forward", (end - begin, count), threads, _FORWARD_BYTES, (*where, turn % 2))
    closing = (*batch.fixed, last_masses, tallies, least)
    machine.launch("forward_last", (batch.gaps * MASKS, count), threads, _FORWARD_BYTES, closing)
    left = machine.numbers(masses.sum(axis=(1, 2, 3, 4, 5)))
    found: NDArray[np.float64] = machine.numbers(tallies).sum(axis=1)
    found[:, Tally.LOST] += left
    return found
