"""Jacobi's method on several devices, one MPI rank for each.

Each rank computes a slab of rows. The halos are exchanged by MPI, or by NCCL
if the first argument is `nccl`, while the device computes the inner rows. To
run it on four virtual CPU devices::

    export PYCUDA_DEVICE=cpu PYCUDA_CPU_DEVICES=4
    mpirun -n 4 python -m mpi4py jacobi_ranks.py
    mpirun -n 4 python -m mpi4py jacobi_ranks.py nccl
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from jacobi import Slab, expected, plate
from mpi4py import MPI

import pycuda.driver as drv
import pycuda.mpi
from pycuda import nccl


class HalosByMpi:
    """Exchanges halos with the ranks above and below by MPI."""

    def __init__(self, comm: MPI.Comm) -> None:
        self.comm = pycuda.mpi.Communicator(comm)
        self.above = comm.rank - 1 if comm.rank else MPI.PROC_NULL
        last = comm.rank == comm.size - 1
        self.below = MPI.PROC_NULL if last else comm.rank + 1

    def exchange(self, slab: Slab) -> None:
        """Send the edge rows of `slab.after`, and receive its halo."""
        rows, comm = slab.after, self.comm
        with slab.edges.use():
            halos = [
                comm.Irecv(rows[0], self.above, 1),
                comm.Irecv(rows[-1], self.below, 0),
            ]
            edges = [
                comm.Isend(rows[1], self.above, 0),
                comm.Isend(rows[-2], self.below, 1),
            ]
            pycuda.mpi.Request.Waitall(halos + edges)

    def close(self) -> None:
        """Free the communicator."""
        self.comm.Free()


class HalosByNccl:
    """Exchanges halos with the ranks above and below by NCCL."""

    def __init__(self, comm: MPI.Comm) -> None:
        self.comm: Any = nccl.Communicator.from_mpi(comm)
        self.rank, self.size = comm.rank, comm.size

    def exchange(self, slab: Slab) -> None:
        """Send the edge rows of `slab.after`, and receive its halo."""
        rows, comm = slab.after, self.comm
        with slab.edges.use(), nccl.group():
            if self.rank > 0:
                comm.send(rows[1], self.rank - 1)
                comm.recv(rows[0], self.rank - 1)
            if self.rank < self.size - 1:
                comm.send(rows[-2], self.rank + 1)
                comm.recv(rows[-1], self.rank + 1)

    def close(self) -> None:
        """Free the communicator."""
        self.comm.destroy()


def run(slab: Slab, halos: Any, steps: int) -> float:
    """Return the seconds of some steps."""
    drv.Context.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        slab.start_step()
        halos.exchange(slab)
        slab.end_step()
    drv.Context.synchronize()
    return time.perf_counter() - begin


def main() -> None:
    """Compare some steps with NumPy's, and print the time of one."""
    comm = MPI.COMM_WORLD
    context = pycuda.mpi.context(comm)
    kind = HalosByNccl if sys.argv[1:] == ["nccl"] else HalosByMpi
    rows, width, steps = 64, 512, 50
    start = plate(comm.size * rows, width)
    slab = Slab(start[comm.rank * rows : (comm.rank + 1) * rows + 2])
    halos = kind(comm)
    seconds = run(slab, halos, steps)
    right = expected(start, steps)[1:-1]
    mine = right[comm.rank * rows : (comm.rank + 1) * rows]
    if not np.array_equal(slab.now.get()[1:-1], mine):
        raise ValueError("wrong numbers")
    comm.Barrier()
    if comm.rank == 0:
        name = context.get_device().name()
        print(f"{comm.size} ranks, {name}, {kind.__name__}")
        print(f"{seconds / steps * 1e6:.0f} us for a step")
        print("Success")
    halos.close()


if __name__ == "__main__":
    main()
