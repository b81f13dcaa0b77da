"""Weak scaling: the time of the same work per device, on one and on all.

Usage: ``mpirun -n N python -m mpi4py benchmarks/weak_scaling.py`` with one
rank per device, or ``python benchmarks/weak_scaling.py peers`` for one process
with all devices. Rank 0 first computes alone. The efficiency is its time,
divided by that of all ranks. The work is Jacobi's method
(`examples/several_devices`), with halos by MPI, by NCCL or by peer copies, and
a kernel that needs no other device.

SPDX-License-Identifier: MIT
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES / "several_devices"))

ROWS, WIDTH, STEPS = 32768, 8192, 100  # 1 GiB per device and array
SMALL = 256, 512, 20  # on the CPU device
ROUNDS = 4
SOURCE = """
__global__ void orbit(float *x, int steps)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float value = x[i];
    for (int step = 0; step < steps; ++step)
        value = 3.7f * value * (1 - value);
    x[i] = value;
}
"""


def sizes() -> tuple[int, int, int]:
    """Return rows, columns and steps for the current device."""
    is_cpu = "CPU" in drv.Context.get_device().name()
    return SMALL if is_cpu else (ROWS, WIDTH, STEPS)


class Orbits:
    """Independent work of one device: a kernel on 2^24 numbers."""

    def __init__(self) -> None:
        self.count = sizes()[0] * 512
        self.x = gpuarray.to_gpu(
            np.linspace(0.1, 0.9, self.count, dtype=np.float32)
        )
        self.function = SourceModule(SOURCE).get_function("orbit")

    def run(self, launches: int) -> float:
        """Return the seconds of some launches."""
        drv.Context.synchronize()
        begin = time.perf_counter()
        for _ in range(launches):
            self.function(
                self.x,
                np.int32(1000),
                block=(256, 1, 1),
                grid=(self.count // 256, 1),
            )
        drv.Context.synchronize()
        return time.perf_counter() - begin


def print_row(name: str, number: int, one: float, every: float) -> None:
    """Print a row of the table, with times of one step in seconds."""
    print(
        f"| {name} | {number} | {one * 1e6:.0f} | {every * 1e6:.0f} "
        f"| {one / every:.3f} |",
        flush=True,
    )


def print_head(devices: str) -> None:
    """Print the head of the table."""
    print(f"{devices}; step of {sizes()[0]} x {sizes()[1]} points per device")
    print("| work | devices | us, one device | us, all | efficiency |")
    print("|---|---:|---:|---:|---:|")


def scale_ranks() -> None:
    """Measure MPI ranks."""
    from jacobi import Slab
    from jacobi_ranks import HalosByMpi, HalosByNccl, run
    from mpi4py import MPI

    import pycuda.mpi

    comm = MPI.COMM_WORLD
    context = pycuda.mpi.context(comm)
    rows, width, steps = sizes()
    if comm.rank == 0:
        print_head(context.get_device().name())

    def measure(name: str, work: Callable[[MPI.Comm], float]) -> None:
        alone = comm.Split(comm.rank != 0)
        one = work(alone) if comm.rank == 0 else 0.0
        comm.Barrier()
        every = comm.allreduce(work(comm), MPI.MAX)
        if comm.rank == 0:
            print_row(name, comm.size, one, every)
        alone.Free()

    def orbits(group: MPI.Comm) -> float:
        work = Orbits()
        work.run(2)
        group.Barrier()
        return min(work.run(20) for _ in range(ROUNDS)) / 20

    def jacobi(kind: type) -> Callable[[MPI.Comm], float]:
        def work(group: MPI.Comm) -> float:
            slab, halos = Slab((rows, width)), kind(group)
            run(slab, halos, 3)
            rounds = []
            for _ in range(ROUNDS):
                group.Barrier()
                mine = run(slab, halos, steps)
                rounds.append(group.allreduce(mine, MPI.MAX))
            halos.close()
            return min(rounds) / steps

        return work

    measure("independent kernel", orbits)
    measure("Jacobi, MPI", jacobi(HalosByMpi))
    measure("Jacobi, NCCL", jacobi(HalosByNccl))


def scale_peers() -> None:
    """Measure the devices of one process."""
    from jacobi_peers import Devices

    drv.init()
    number = drv.Device.count()
    context = drv.Device(0).retain_primary_context()
    with context:
        rows, width, steps = sizes()
        print_head(drv.Device(0).name())

    def work(devices: int) -> float:
        made = Devices([(rows, width)] * devices)
        rounds = []
        for _ in range(ROUNDS):
            made.wait()
            begin = time.perf_counter()
            for _ in range(steps):
                made.step()
            made.wait()
            rounds.append(time.perf_counter() - begin)
        made.close()
        return min(rounds) / steps

    one = work(1)
    print_row("Jacobi, peer copies", number, one, work(number))
    context.detach()


if __name__ == "__main__":
    if sys.argv[1:] == ["peers"]:
        scale_peers()
    else:
        scale_ranks()
