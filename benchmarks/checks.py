"""Cost of PYCUDA_CPU_CHECK: kernels with each check, and without any.

Usage: ``python benchmarks/checks.py [--bits N]``.  One thread, 2**N elements
(16), matrices of 256 x 256; each set of checks runs in a separate process.  A
cell is the ratio of the kernel's time to the time without checks.

SPDX-License-Identifier: MIT
"""

import argparse
import json
import sys

import numpy as np
from common import HERE, describe_machine, least_seconds, print_table, run_json

ALL = "memory,race,sync,init"
CHECKS = ("memory", "race", "sync", "init", "streams", "bank", ALL)


def child(bits: int) -> None:
    """Print the kernels' seconds as JSON."""
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    from pycuda import cpu
    from pycuda.compiler import SourceModule

    files = [HERE / "cpu" / name for name in ("kernels.cu", "checked.cu")]
    module = SourceModule("\n".join(one.read_text() for one in files))
    cpu.finish_compilation()
    random = np.random.default_rng(1)
    n, side, width = 1 << bits, 256, 1 << bits // 2
    data = random.random(max(n, side * side), np.float32)
    x, y, out = (cuda.to_device(data) for _ in range(3))
    bytes_ = cuda.to_device(random.integers(0, 256, n, dtype=np.uint8))
    bins = cuda.to_device(np.zeros(256, np.int32))
    count, blocks = np.int32(n), n // 256
    row = (256, 1, 1)
    kernels = {
        "saxpy": ((y, x, np.float32(2), count), row, (blocks, 1)),
        "stencil": (
            (out, x, np.int32(width), np.int32(n // width)),
            (32, 8, 1),
            (width // 32, n // width // 8),
        ),
        "matmul": (
            (out, x, y, np.int32(side)),
            (16, 16, 1),
            (side // 16, side // 16),
        ),
        "block_sum": ((out, x, count), row, (blocks, 1)),
        "histogram": ((bins, bytes_, count), row, (min(blocks, 32), 1)),
        "scan": ((out, x, count), row, (blocks, 1)),
    }
    seconds = {}
    for name, (arguments, block, grid) in kernels.items():
        function = module.get_function(name)

        def run(function=function, passed=arguments, b=block, g=grid) -> None:
            function(*passed, block=b, grid=g)
            cuda.Context.synchronize()

        run()
        seconds[name] = least_seconds(run, rounds=1000, budget=0.3)
    print(json.dumps(seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bits", type=int, default=16)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.bits)
        return
    found = {}
    for checks in ("", *CHECKS):
        command = [sys.executable, __file__, "--child"]
        command += ["--bits", str(options.bits)]
        found[checks] = run_json(
            command,
            PYCUDA_CPU_CHECK=checks,
            PYCUDA_DEVICE="cpu",
            PYCUDA_CPU_THREADS="1",
        )
    describe_machine("one thread")
    table = [
        [
            name,
            plain * 1e6,
            *(f"{found[one][name] / plain:.1f}" for one in CHECKS),
        ]
        for name, plain in found[""].items()
    ]
    print_table(["kernel", "us unchecked", *CHECKS[:-1], "all"], table)


if __name__ == "__main__":
    main()
