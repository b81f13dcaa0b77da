"""Random kernels in several settings, compared with what they should write.

Every kernel runs as thread loops and on fibers, optimised and not; each time
what it wrote has to be what its interpreter in NumPy says.  Kernels are
compiled in groups, one module a group.  There are kernels with barriers, with
warp operations, with neither, and with what else CUDA C++ has
(kernel_generator.py, warp_generator.py, grid_generator.py,
feature_generator.py).
"""

# SPDX-License-Identifier: MIT

import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from feature_generator import FeatureGenerator
from grid_generator import GridGenerator
from kernel_generator import Generator
from kernel_machine import INPUT
from warp_generator import WarpGenerator

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

HEAD = "#define umulhi __umulhi\n"
SWITCH = "PYCUDA_CPU_REGIONS"

AnyGenerator = Generator | FeatureGenerator
GENERATORS: dict[str, type[AnyGenerator]] = {
    "regions": Generator,
    "warps": WarpGenerator,
    "grids": GridGenerator,
    "features": FeatureGenerator,
}


class Setting(NamedTuple):
    """A way to compile and run a kernel."""

    regions: bool  # thread loops, or fibers
    level: int  # of optimisation

    def options(self) -> list[str]:
        # Not -O, which is the host compiler's.
        return [f"-Xptxas=-O{self.level}"]

    def __str__(self) -> str:
        return f"{'regions' if self.regions else 'fibers'} -O{self.level}"


# The first two differ in both.
SETTINGS = [
    Setting(True, 3), Setting(False, 0), Setting(True, 0), Setting(False, 3),
]  # fmt: skip


def compiled(kernels: list[AnyGenerator], setting: Setting) -> Any:
    """A module of all the kernels, compiled anew."""
    source = HEAD + "\n".join(kernel.text for kernel in kernels)
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = str(int(setting.regions))
    try:
        with tempfile.TemporaryDirectory() as cache, warnings.catch_warnings():
            # of comparisons of a value with itself
            warnings.simplefilter("ignore")
            return SourceModule(
                source,
                options=["-fmad=false", *setting.options()],
                cache_dir=cache,
            )
    finally:
        del os.environ[SWITCH]
        if before is not None:
            os.environ[SWITCH] = before


def output(module: Any, kernel: AnyGenerator, data: np.ndarray) -> np.ndarray:
    """What the kernel writes, on the device."""
    out = np.zeros(kernel.outputs(), np.uint32)
    module.get_function(kernel.name)(
        cuda.InOut(out),
        cuda.In(data),
        np.uint32(kernel.p),
        np.uint32(kernel.q),
        block=kernel.block,
        grid=kernel.grid,
    )
    return out


def differences(
    kind: str, seeds: Sequence[int], settings: list[Setting]
) -> Iterator[str]:
    """What is wrong with any of the kernels in any of the settings."""
    data = np.random.default_rng(seeds[0]).integers(
        0, 1 << 32, INPUT, dtype=np.uint32
    )
    make = GENERATORS[kind]
    kernels = [make(seed, f"kernel_{seed}") for seed in seeds]
    expected = [kernel.run(data) for kernel in kernels]
    for setting in settings:
        module = compiled(kernels, setting)
        for kernel, right in zip(kernels, expected, strict=True):
            out = output(module, kernel, data)
            wrong = np.flatnonzero(right != out)
            if wrong.size:
                yield (
                    f"{kind}, seed {kernel.seed}, {setting}: number "
                    f"{wrong[0]}, block {kernel.block}: "
                    f"wrote {out[wrong[0]]}, not {right[wrong[0]]}; "
                    f"{wrong.size} are wrong"
                )
