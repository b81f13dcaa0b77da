"""The exercises: their files, and how they are checked."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pycuda.course import _host_cases as host
from pycuda.course import _kernel_cases as kernel
from pycuda.course._kernel_cases import Case, Kernels

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Exercise:
    """One exercise of the course.

    Attributes
    ----------
    name : str
        Number and subject, such as ``"01_map"``; the name of its files.
    title : str
        The subject in words.
    cases : callable
        Runs the learner's kernel or function on several inputs; yields, for
        each, a description, the result and the right result.
    suffix : str
        ``".cu"`` if the learner writes CUDA C++, ``".py"`` if Python.
    seconds : callable or None
        Returns the time of the learner's kernel, which must be at most half
        the time of the template.
    accesses : callable or None
        Launches the learner's kernel.  On the CPU device, none of its lines
        may need more than twice the ideal number of memory transactions.
    """

    name: str
    title: str
    cases: Callable[[Kernels], Iterator[Case]]
    suffix: str = ".cu"
    seconds: Callable[[Kernels], float] | None = None
    accesses: Callable[[Kernels], None] | None = None

    @property
    def file(self) -> str:
        """The name of the learner's file, such as ``"01_map.cu"``."""
        return self.name + self.suffix

    @property
    def template(self) -> str:
        """The source that the learner completes."""
        return (_FOLDER / "exercises" / self.file).read_text()

    @property
    def solution(self) -> str:
        """A right source."""
        return (_FOLDER / "solutions" / self.file).read_text()


#: All exercises, by name.
EXERCISES = {
    exercise.name: exercise
    for exercise in (
        Exercise("01_map", "Map, with a guard", kernel.map_cases),
        Exercise("02_mirror", "Two indices", kernel.mirror_cases),
        Exercise("03_stride", "A grid-stride loop", kernel.stride_cases),
        Exercise(
            "04_reverse", "Shared memory and a barrier", kernel.reverse_cases
        ),
        Exercise("05_smooth", "Neighbours of a block", kernel.smooth_cases),
        Exercise("06_histogram", "Atomic functions", kernel.histogram_cases),
        Exercise("07_sum", "A sum as a tree", kernel.sum_cases),
        Exercise("08_warp", "Shuffles within a warp", kernel.warp_cases),
        Exercise(
            "09_matmul", "A matrix product in tiles", kernel.matmul_cases
        ),
        Exercise(
            "10_transpose",
            "A transpose in tiles",
            kernel.transpose_cases,
            accesses=kernel.transpose_accesses,
        ),
        Exercise("11_grid", "Grid size", host.grid_cases, ".py"),
        Exercise("12_types", "Types of arguments", host.types_cases, ".py"),
        Exercise("13_printf", "Output of kernels", kernel.printf_cases),
        Exercise("14_assert", "Assertions", kernel.assert_cases),
        Exercise("15_stencil", "A stencil in place", kernel.stencil_cases),
        Exercise("16_dynamic", "Dynamic shared memory", kernel.dynamic_cases),
        Exercise("17_local", "Arrays of a thread", kernel.local_cases),
        Exercise("18_initial", "Initial values", kernel.initial_cases),
        Exercise("19_maximum", "A maximum of all", kernel.maximum_cases),
        Exercise("20_barrier", "A barrier for all", kernel.barrier_cases),
        Exercise("21_scan", "Prefix sums", kernel.scan_cases),
        Exercise("22_vector", "Vector loads", kernel.vector_cases),
        Exercise("23_last", "The last block", kernel.last_cases),
        Exercise(
            "24_streams", "Streams and events", host.streams_cases, ".py"
        ),
        Exercise("25_free", "Lifetime of memory", host.free_cases, ".py"),
        Exercise(
            "26_speed",
            "Faster",
            kernel.speed_cases,
            seconds=kernel.speed_seconds,
        ),
    )
}
