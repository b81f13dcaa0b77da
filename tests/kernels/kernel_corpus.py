"""Random kernels in several settings, compared with their expected output.

Every kernel runs as thread loops and on fibers, optimized and unoptimized;
each time its output must equal the result of its interpreter in NumPy. Kernels
are compiled in groups of one module each. The generators make kernels with
barriers (kernel_generator.py), with warp operations (warp_generator.py),
without either (grid_generator.py), the latter with memory accesses in loops
(pack_generator.py), with barriers and such loops (barrier_pack_generator.py),
and with other features of CUDA C++ (feature_generator.py).
"""

# SPDX-License-Identifier: MIT

import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from barrier_pack_generator import BarrierPackGenerator
from feature_generator import FeatureGenerator
from grid_generator import GridGenerator
from kernel_generator import Generator
from kernel_machine import INPUT
from pack_generator import PackGenerator
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
    "packs": PackGenerator,
    "barrier_packs": BarrierPackGenerator,
    "features": FeatureGenerator,
}


class Setting(NamedTuple):
    """A way to compile and run a kernel."""

    regions: bool  # thread loops if true, fibers if false
    level: int  # optimization level

    def options(self) -> list[str]:
        # The option -O would select the level of the host compiler instead.
        return [f"-Xptxas=-O{self.level}"]

    def __str__(self) -> str:
        return f"{'regions' if self.regions else 'fibers'} -O{self.level}"


# The first two settings differ in both respects.
SETTINGS = [
    Setting(True, 3), Setting(False, 0), Setting(True, 0), Setting(False, 3),
]  # fmt: skip


def compiled(kernels: list[AnyGenerator], setting: Setting) -> Any:
    """Compile all the kernels into one module, bypassing the cache."""
    source = HEAD + "\n".join(kernel.text for kernel in kernels)
    # A quick version would be the same in all settings.
    chosen = {SWITCH: str(int(setting.regions)), "PYCUDA_CPU_QUICK": "0"}
    before = {name: os.environ.get(name) for name in chosen}
    os.environ.update(chosen)
    try:
        with tempfile.TemporaryDirectory() as cache, warnings.catch_warnings():
            # silences warnings about comparisons of a value with itself
            warnings.simplefilter("ignore")
            return SourceModule(
                source,
                options=["-fmad=false", *setting.options()],
                cache_dir=cache,
            )
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def launch_shape(kernel: AnyGenerator) -> dict[str, tuple[int, ...]]:
    """Return the block and the grid with which the kernel is launched."""
    block, grid = kernel.block, kernel.grid
    if getattr(kernel, "turned", False):
        block, grid = ((s[1], s[0], s[2]) for s in (block, grid))
    return {"block": block, "grid": grid}


def output(module: Any, kernel: AnyGenerator, data: np.ndarray) -> np.ndarray:
    """Run the kernel on the device and return its output."""
    out = np.zeros(kernel.outputs(), np.uint32)
    module.get_function(kernel.name)(
        cuda.InOut(out),
        cuda.In(data),
        np.uint32(kernel.p),
        np.uint32(kernel.q),
        **launch_shape(kernel),
    )
    return out


def differences(
    kind: str, seeds: Sequence[int], settings: list[Setting]
) -> Iterator[str]:
    """Describe all wrong results of the kernels in the settings."""
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
