"""Types: pass arguments of the types that a kernel declares.

`scale(kernel, x, factor)` multiplies each number of the list x by `factor`, a
Python float, and returns the products as an array. `kernel` is

    __global__ void scale(float *x, int n, float factor)

It needs one thread for each number, in blocks of 64.
"""

# SPDX-License-Identifier: MIT

import numpy as np

from pycuda import gpuarray


def scale(kernel, x, factor):
    """Return the numbers of x times the factor."""
    # numpy.float32 is the type of a float, numpy.int32 that of an int.
    return np.zeros(len(x))
