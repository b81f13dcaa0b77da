"""Out-of-bounds indices of a thread's own arrays on the CPU device.

They must not reach the stack of the runtime, which would end the process or
let the launch never end. Each case has a context of its own; a process runs
them all, and works afterwards.
"""

# SPDX-License-Identifier: MIT

import pytest
from isolated import run

pytestmark = pytest.mark.cpu

PROGRAM = """
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = '''
#define LOCAL(T, name, extra)                                          \\
    __global__ void name(int *out, unsigned at, int count)             \\
    {                                                                  \\
        T a[64];                                                       \\
        for (int i = 0; i < 64; i++) { a[i] = T(out[i] + i); }         \\
        extra;                                                         \\
        for (int i = 0; i < count; i++) { a[at + i] = T(65); }         \\
        extra;                                                         \\
        for (int i = 0; i < 64; i++) { out[i] = (int)a[i]; }           \\
    }
struct wide { double x, y; __device__ wide() {}
  __device__ explicit wide(int v) : x(v), y(v) {}
  __device__ explicit operator int() const { return (int)x; } };
LOCAL(char, bytes, )
LOCAL(int, words, )
LOCAL(wide, wides, )
LOCAL(int, barriers, __syncthreads())
LOCAL(int, fibers, if (threadIdx.x & 1) { __syncwarp(__activemask()); })
__global__ void good(int *a) { a[threadIdx.x] = threadIdx.x; }
'''
drv.init()
for name in ("bytes", "words", "wides", "barriers", "fibers"):
    # A loop beyond the end, an index far beyond it, wrapped indices.
    for at, count in ((64, 1 << 22), (1 << 26, 1), (2**32 - 1, 1),
                      (2**32 - 7, 3), (2**31, 1)):
        for threads in (1, 32):
            context = drv.Device(0).make_context()
            module = SourceModule(SOURCE, no_extern_c=False)
            out = drv.mem_alloc(256)
            drv.memset_d8(out, 0, 256)
            try:
                module.get_function(name)(
                    out, np.uint32(at), np.int32(count),
                    block=(threads, 1, 1), grid=(3, 1))
                context.synchronize()
            except drv.Error as error:
                assert "illegal memory access" in str(error), error
            else:
                raise AssertionError((name, at, count, threads))
            finally:
                context.pop()
            del out, module, context
context = drv.Device(0).make_context()
host = np.zeros(32, np.int32)
SourceModule(SOURCE, no_extern_c=False).get_function("good")(
    drv.InOut(host), block=(32, 1, 1))
assert (host == np.arange(32)).all()
context.pop()
print("works")
"""


def test_indices_beyond_arrays_of_a_thread():
    assert run(PROGRAM) == "works\n"
