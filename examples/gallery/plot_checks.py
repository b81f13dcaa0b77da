"""
One wrong kernel, four checks
=============================

The kernel below should add the numbers of each block. It has four errors, and
each check of the CPU device finds another one. Without checks it returns a
number, and nothing tells that it is wrong.
"""

import matplotlib.pyplot as plt
import numpy as np

import pycuda.debug
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void sums(const float *x, float *out, int n)
{
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float scale;
    part[threadIdx.x] = x[i];
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
            __syncthreads();
        }
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = scale * part[0];
}
"""


def run():
    """Sum 1000 ones in a context of its own; return the report."""
    context = cuda.Device(0).make_context()
    try:
        x = gpuarray.to_gpu(np.ones(1000, np.float32))
        out = gpuarray.zeros(4, np.float32)
        sums = SourceModule(SOURCE).get_function("sums")
        sums(x, out, np.int32(1000), block=(256, 1, 1), grid=(4, 1))
        return f"no report; the sum is {out.get().sum()}, and should be 1000"
    except cuda.Error as error:
        return str(error).split(": kernel.cu:", 1)[-1].split("\n - ")[0]
    finally:
        context.pop()
        context.detach()


# %%
# Each check runs the kernel again.

cuda.init()
for check in ("", "memory", "race", "sync", "init"):
    pycuda.debug.check(check)
    print(f"=== {check or 'no check'}\n{run()}\n")
pycuda.debug.check()

# %%
# The corrected kernel: a guard (memory), a start value (init), and a barrier
# that all threads reach (sync), after the first write, too (race).

SOURCE = SOURCE.replace("x[i];", "i < n ? x[i] : 0;\n    __syncthreads();")
SOURCE = SOURCE.replace("float scale;", "float scale = 1;")
inside = "            __syncthreads();\n        }"
SOURCE = SOURCE.replace(inside, "        }\n        __syncthreads();")
pycuda.debug.check("memory,race,sync,init")
print(run())
pycuda.debug.check()

# %%
# How much of a block each step of the tree uses:

plt.figure(figsize=(6, 2.4))
for level, half in enumerate((128, 64, 32, 16, 8, 4, 2, 1)):
    plt.barh(level, half, color="tab:blue")
    plt.barh(level, 256 - half, left=half, color="lightgray")
plt.xlabel("threads: working (blue) and idle")
plt.ylabel("step")
plt.gca().invert_yaxis()
plt.tight_layout()
plt.show()

# %%
# Try this: correct one error at a time, and see which report remains.
