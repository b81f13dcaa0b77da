"""One MPI rank a device: scatter, compute on the device, gather.

Start it with as many ranks as there are devices (or fewer), for example on
four virtual CPU devices::

    export PYCUDA_DEVICE=cpu PYCUDA_CPU_DEVICES=4
    mpirun -n 4 python -m mpi4py tutorial_mpi.py

With ``-m mpi4py`` an exception in one rank ends all of them.
"""

import time

import numpy as np
from mpi4py import MPI

import pycuda.driver as cuda
from pycuda import gpuarray

STEPS = 100
ELEMENTS_PER_RANK = 2**16


def compute(part: np.ndarray, device_number: int) -> np.ndarray:
    """Multiply `part` by 0.9, `STEPS` times, on one device."""
    context = cuda.Device(device_number).make_context()
    try:
        part_gpu = gpuarray.to_gpu(part)
        for _ in range(STEPS):
            part_gpu = 0.9 * part_gpu
        return part_gpu.get()
    finally:
        context.pop()
        context.detach()


def main() -> None:
    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size
    cuda.init()
    devices = cuda.Device.count()
    if ranks > devices:
        raise ValueError(f"{ranks} ranks, but only {devices} devices")

    parts = None
    x = None
    started = time.perf_counter()
    if rank == 0:
        x = np.random.randn(ranks * ELEMENTS_PER_RANK).astype(np.float32)
        x *= np.float32(1e16)
        parts = list(x.reshape(ranks, ELEMENTS_PER_RANK))

    received = compute(comm.scatter(parts, root=0), rank)
    gathered = comm.gather((rank, received), root=0)

    if x is not None and gathered is not None:  # rank 0
        seconds = time.perf_counter() - started
        assert [number for number, _ in gathered] == list(range(ranks))
        result = np.concatenate([part for _, part in gathered])
        expected = x.copy()
        for _ in range(STEPS):
            expected = np.float32(0.9) * expected
        assert np.array_equal(result, expected), "wrong numbers"
        print(f"{ranks} ranks, {ranks} devices, {result.size} elements")
        print(f"time needed: {seconds * 1000:.1f} ms")
        print("Success")


if __name__ == "__main__":
    main()
