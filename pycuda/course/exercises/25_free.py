"""Lifetime: memory of the device must exist until its last use is over.

`square(kernel, x)` copies the float32 array x to memory from drv.mem_alloc,
runs the kernel, which squares each element in place, copies the result back,
and frees the memory. It returns the squares. `kernel` is

    __global__ void square(float *x, int n)

It needs one thread for each number, in blocks of 64.
"""

# SPDX-License-Identifier: MIT

import numpy as np

import pycuda.driver as drv


def square(kernel, x):
    """Return the squares of x."""
    memory = drv.mem_alloc(x.nbytes)
    # memcpy_htod copies to the device, memcpy_dtoh back to the host.
    memory.free()
    return np.zeros_like(x)
