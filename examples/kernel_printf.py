"""`printf` inside a kernel.

The lines come out when the context is synchronised, on the process's
standard output, below Python's own buffer.
"""

import sys

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
#include <stdio.h>

__global__ void say_hi(int base)
{
    printf("I am %d.%d of %d, and %.2f is a float\\n", threadIdx.x,
           threadIdx.y, base, base / 4.0f);
}
"""


def main() -> None:
    say_hi = SourceModule(SOURCE).get_function("say_hi")
    sys.stdout.flush()
    say_hi(np.int32(17), block=(2, 2, 1))
    cuda.Context.synchronize()
    print("Success")


if __name__ == "__main__":
    main()
