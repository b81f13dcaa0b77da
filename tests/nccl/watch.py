"""The time limit of libraries that have none: the package observes the calls.

Run as ``watch.py``. The CPU device's own limit is switched off.

SPDX-License-Identifier: MIT
"""

import time

import numpy as np
from ranks import ranks  # the folder of this file

import pycuda.driver as drv
from pycuda import gpuarray, nccl

nccl._OBSERVE = True


def work(comm):
    """Make calls that complete, then one that rank 1 does not make."""
    array = gpuarray.zeros(8, np.float32)
    for _ in range(500):
        comm.all_reduce(array, array)
    stream = drv.Stream()
    with stream.capture(), stream:
        comm.all_reduce(array, array)
    with nccl.group():
        comm.send(array, 1 - comm.rank)
        comm.recv(array, 1 - comm.rank)
    drv.Context.synchronize()
    time.sleep(1.3)  # longer than the limit
    assert comm.error() is None
    if comm.rank == 1:
        return
    value = start = time.monotonic()
    try:
        value = comm.all_reduce(array).get()
    except nccl.CommunicationError as error:
        print(f"after {time.monotonic() - start:.3g} s: {error}")
    assert value is start, "a wrong value was returned"
    try:
        comm.all_reduce(array)
    except nccl.CommunicationError as error:
        assert str(error) == comm.error()
    else:
        raise AssertionError("a failed communicator works")


if __name__ == "__main__":
    drv.init()
    with ranks(2, 1.0) as group:
        group.check(work)
