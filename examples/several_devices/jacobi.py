"""The part of Jacobi's method that one device computes.

Jacobi's method repeatedly sets each inner point of a plate to the mean of its
four neighbours. `Slab` holds some rows of the plate on a device, with one row
of each neighbouring slab above and below them: the halo. The programs
`jacobi_peers.py` and `jacobi_ranks.py` differ in how they exchange halos.
"""

from __future__ import annotations

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void step(float *to, const float *from, int first, int width)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    size_t i = (size_t)(first + blockIdx.y) * width + column;
    if (column > 0 && column < width - 1)
        to[i] = 0.25f * ((from[i - width] + from[i + width]) +
                         (from[i - 1] + from[i + 1]));
}
"""
THREADS = 256


def plate(rows: int, width: int) -> np.ndarray:
    """Return a plate whose upper edge is hot, and whose inside is uneven."""
    made = np.random.default_rng(3).random((rows + 2, width), np.float32)
    made[:, [0, -1]] = 0
    made[0], made[-1] = 1, 0
    return made


def expected(start: np.ndarray, steps: int) -> np.ndarray:
    """Return the plate after some steps, computed by NumPy."""
    now, after = start.copy(), start.copy()
    for _ in range(steps):
        after[1:-1, 1:-1] = np.float32(0.25) * (
            (now[:-2, 1:-1] + now[2:, 1:-1]) + (now[1:-1, :-2] + now[1:-1, 2:])
        )
        now, after = after, now
    return now


class Slab:
    """Some rows of the plate, in the current context.

    Parameters
    ----------
    start
        The rows, with one more row above and below. Or the number of rows
        and columns, for a slab of zeros.

    Attributes
    ----------
    now, after
        The rows with their halo, before and after a step.
    edges, inner
        Streams of the first and last row, and of the rows between them. The
        edges have priority: otherwise they wait until the blocks of the inner
        rows have begun, and the halos arrive too late for the next step.
    """

    def __init__(self, start: np.ndarray | tuple[int, int]) -> None:
        if isinstance(start, np.ndarray):
            self.now = gpuarray.to_gpu(np.ascontiguousarray(start))
        else:
            self.now = gpuarray.zeros((start[0] + 2, start[1]), np.float32)
        self.after = self.now.copy()
        self.rows, self.width = self.now.shape[0] - 2, self.now.shape[1]
        highest = drv.Context.priority_range()[1]
        self.edges = drv.Stream(priority=highest)
        self.inner = drv.Stream()
        self._function = SourceModule(SOURCE).get_function("step")
        self._finished = drv.Event(drv.event_flags.DISABLE_TIMING)
        drv.Context.synchronize()

    def _compute(self, first: int, rows: int, stream: drv.Stream) -> None:
        self._function(
            self.after,
            self.now,
            np.int32(first),
            np.int32(self.width),
            block=(THREADS, 1, 1),
            grid=(-(-self.width // THREADS), rows),
            stream=stream,
        )

    def start_step(self) -> None:
        """Start a step: the rows that the neighbours need, then the others."""
        self._compute(1, 1, self.edges)
        if self.rows > 1:
            self._compute(self.rows, 1, self.edges)
        first, left = 2, self.rows - 2
        while left > 0:  # a grid has at most 65535 rows
            rows = min(left, 65535)
            self._compute(first, rows, self.inner)
            first, left = first + rows, left - rows

    def end_step(self) -> None:
        """Let the next step follow both streams."""
        self._finished.record(self.inner)
        self.edges.wait_for_event(self._finished)
        self._finished.record(self.edges)
        self.inner.wait_for_event(self._finished)
        self.now, self.after = self.after, self.now
