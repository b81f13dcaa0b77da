"""A solution of the exercise 24_streams."""

# SPDX-License-Identifier: MIT

import pycuda.driver as drv


def run(produce, consume, a, b):
    """Launch both kernels; return b."""
    first, second = drv.Stream(), drv.Stream()
    produce(a, block=(64, 1, 1), stream=first)
    event = drv.Event()
    event.record(first)
    second.wait_for_event(event)
    consume(a, b, block=(64, 1, 1), stream=second)
    second.synchronize()
    return b.get()
