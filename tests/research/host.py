"""Runs the CUDA kernels on an ordinary processor: one thread a block, blocks in turn."""

import ctypes
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from research.dicy_cards import gpu

SHIM = """
#define __device__ static
#define __global__
#define __constant__ static const
#define __shared__
#define __syncthreads()
#define __align__(bytes) alignas(bytes)
#define __launch_bounds__(...)
struct Dim { int x, y; };
static Dim threadIdx{0, 0}, blockIdx{0, 0}, blockDim{1, 1};
static inline void atomicAdd(double *place, double value) { *place += value; }
extern "C" { double shared[65536]; }
"""


class Host:
    """The processor in place of a GPU."""

    def __init__(self, folder: Path, compiler: str) -> None:
        text = SHIM + gpu.source()
        for name, parameters in re.findall(
            r'extern "C" __global__ void __launch_bounds__\([^)]*\)\s+(\w+)\(([^)]*)\)', text
        ):
            arguments = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(","))
            text += (
                f'extern "C" void run_{name}(int grid_x, int grid_y, {parameters}) {{'
                " for (blockIdx.y = 0; blockIdx.y < grid_y; blockIdx.y++)"
                f" for (blockIdx.x = 0; blockIdx.x < grid_x; blockIdx.x++) {name}({arguments}); }}\n"
            )
        (folder / "kernels.cpp").write_text(text)
        library = folder / "kernels.so"
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", "-std=c++17", "-w", "-o", str(library), str(folder / "kernels.cpp")],
            check=True,
        )
        self.library = ctypes.CDLL(str(library))

    def array(self, values: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(values)

    def empty(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.full(shape, np.nan)

    def zeros(self, shape: tuple[int, ...]) -> np.ndarray:
        return np.zeros(shape)

    def numbers(self, array: np.ndarray) -> np.ndarray:
        return array

    def launch(self, kernel: str, grid: tuple[int, int], threads: int, memory: int, arguments: tuple[Any, ...]) -> None:
        assert memory <= 65536 * 8
        passed = [
            ctypes.c_void_p(value.ctypes.data)
            if isinstance(value, np.ndarray)
            else (ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int(value))
            for value in arguments
        ]
        getattr(self.library, f"run_{kernel}")(*grid, *passed)
