"""Times of MPI calls with device arrays, between ranks of one machine.

Usage, with one rank per device:
``mpirun -n N python -m mpi4py benchmarks/mpi_calls.py [TRANSFER]``. TRANSFER
is that of `pycuda.mpi.Communicator`. Rank 0 prints a table: half the time of a
round trip between ranks 0 and 1, and the time of collective calls, whose
sizes are those of the array of one rank.

SPDX-License-Identifier: MIT
"""

import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import pycuda.driver as drv
import pycuda.mpi
from pycuda import gpuarray

SIZES = [(1 << 10, 500), (1 << 16, 200), (1 << 20, 100), (16 << 20, 20)]
SIZES += [(256 << 20, 5)]


def seconds(
    comm: MPI.Comm, call: Callable[[], object], number: int
) -> tuple[float, float]:
    """Return the least and the mean time of one call, in seconds."""
    for _ in range(3):
        call()
    rounds = []
    for _ in range(5):
        drv.Context.synchronize()
        comm.Barrier()
        start = time.perf_counter()
        for _ in range(max(number // 5, 1)):
            call()
        drv.Context.synchronize()
        comm.Barrier()
        rounds.append((time.perf_counter() - start) / max(number // 5, 1))
    return min(rounds), sum(rounds) / len(rounds)


def main() -> None:
    """Print the table."""
    context = pycuda.mpi.context()
    transfer = sys.argv[1] if len(sys.argv) > 1 else None
    comm = pycuda.mpi.Communicator(transfer=transfer)
    rank, size = comm.rank, comm.size
    is_cpu = "CPU" in context.get_device().name()
    sizes = SIZES[:2] if is_cpu else SIZES
    if rank == 0:
        print(MPI.Get_library_version().split(",")[0].splitlines()[0])
        print(f"{size} ranks, {transfer}, {context.get_device().name()}")
        print("| call | size | us, least | us, mean | GB/s |")
        print("|---|---:|---:|---:|---:|")
    for nbytes, number in sizes:
        x = gpuarray.zeros(nbytes // 4, np.float32) + rank
        y = gpuarray.zeros_like(x)
        whole = gpuarray.zeros((size, nbytes // 4), np.float32)

        def ping(x: object = x, y: object = y) -> None:
            if rank == 0:
                comm.Send(x, 1)
                comm.Recv(y, 1)
            elif rank == 1:
                comm.Recv(y, 0)
                comm.Send(x, 0)

        calls: dict[str, tuple[Callable[[], object], float]] = {
            "Send, Recv": (ping, 2.0),
            "Sendrecv, ring": (
                lambda x=x, y=y: comm.Sendrecv(
                    x, (rank + 1) % size, 0, y, (rank - 1) % size, 0
                ),
                1.0,
            ),
            "Bcast": (lambda x=x: comm.Bcast(x), 1.0),
            "Allreduce": (lambda x=x, y=y: comm.Allreduce(x, y), 1.0),
            "Allgather": (lambda x=x, w=whole: comm.Allgather(x, w), 1.0),
            "Alltoall": (lambda w=whole: comm.Alltoall(w, w.copy()), 1.0),
        }
        if size == 1:
            del calls["Send, Recv"]
        for name, (call, halves) in calls.items():
            least, mean = (t / halves for t in seconds(comm, call, number))
            if rank == 0:
                print(
                    f"| {name} | {nbytes >> 10} KiB | {least * 1e6:.1f} "
                    f"| {mean * 1e6:.1f} | {nbytes / least / 1e9:.1f} |",
                    flush=True,
                )
    comm.Free()


if __name__ == "__main__":
    main()
