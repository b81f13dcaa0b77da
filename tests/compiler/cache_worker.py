"""A process of the multi-process tests: compiles and runs kernels.

Run as ``cache_worker.py COUNT``; exit status 0 if every kernel was right.
Prints the number of kernels that it compiled itself.
"""

# SPDX-License-Identifier: MIT

import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
import pycuda.autoinit  # noqa: E402, F401
import pycuda.driver as drv  # noqa: E402
from pycuda._compile import nvrtc  # noqa: E402
from pycuda.compiler import SourceModule  # noqa: E402

compiled = 0
run_compiler = nvrtc.run


def counted(*args):
    """Count a run of the compiler."""
    global compiled
    compiled += 1
    return run_compiler(*args)


nvrtc.run = counted

SOURCE = """
__global__ void add(int *x)
{
    x[threadIdx.x] += NUMBER;
}
"""


def main(count: int) -> int:
    """Compile and run `count` kernels; return the number of wrong results."""
    wrong = 0
    for number in range(count):
        module = SourceModule(SOURCE.replace("NUMBER", str(number)))
        data = np.arange(8, dtype=np.int32)
        module.get_function("add")(drv.InOut(data), block=(8, 1, 1))
        wrong += (data != np.arange(8) + number).any()
    print(compiled)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
