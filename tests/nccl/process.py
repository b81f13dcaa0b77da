"""One process of a communicator: ``process.py RANK SIZE ID_FILE [die]``.

SPDX-License-Identifier: MIT
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray, nccl


def shared_id(rank, path):
    """Return rank 0's id, passed by a file."""
    if rank == 0:
        made = nccl.unique_id()
        path.with_suffix(".new").write_bytes(made)
        path.with_suffix(".new").rename(path)
        return made
    while not path.exists():
        time.sleep(0.01)
    return path.read_bytes()


def work(comm):
    """Compare some calls with the expected values."""
    mine = np.arange(100_000, dtype=np.float32) + comm.rank
    total = comm.all_reduce(gpuarray.to_gpu(mine)).get()
    wanted = comm.size * np.arange(100_000) + sum(range(comm.size))
    np.testing.assert_array_equal(total, wanted.astype(np.float32))
    small = gpuarray.to_gpu(np.full(3, comm.rank, np.int64))
    np.testing.assert_array_equal(
        comm.all_gather(small).get()[:, 0], np.arange(comm.size)
    )
    other = gpuarray.empty_like(small)
    with nccl.group():
        comm.send(small, (comm.rank + 1) % comm.size)
        comm.recv(other, (comm.rank - 1) % comm.size)
    assert (other.get() == (comm.rank - 1) % comm.size).all()


def main(rank, size, path, *options):
    drv.init()
    context = drv.Device(rank % drv.Device.count()).retain_primary_context()
    context.push()
    try:
        comm = nccl.Communicator(size, rank, shared_id(rank, Path(path)))
        work(comm)
        if options == ("die",):
            if rank == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            start = time.monotonic()
            try:
                comm.all_reduce(gpuarray.zeros(5, np.float32)).get()
            except drv.Error as error:
                print(f"after {time.monotonic() - start:.3g} s: {error}")
        comm.destroy()
    finally:
        drv.Context.pop()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
