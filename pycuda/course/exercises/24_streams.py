"""Streams: work of two streams is not ordered unless you order it.

`run(produce, consume, a, b)` launches the kernel `produce` in one stream and
`consume` in another one, and returns the array b as a NumPy array. `produce`
writes a and takes long; `consume` reads a and writes b:

    __global__ void produce(float *a)
    __global__ void consume(const float *a, float *b)

Both need one block of 64 threads. Do not wait on the host between them.
"""

# SPDX-License-Identifier: MIT

import pycuda.driver as drv


def run(produce, consume, a, b):
    """Launch both kernels; return b."""
    first, second = drv.Stream(), drv.Stream()
    # event.record(first) marks a position; second.wait_for_event(event) waits.
    return b.get()
