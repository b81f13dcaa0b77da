"""Time of an array's way from one Dask worker to another of the same host.

usage: python benchmarks/dask_transfer.py [MIB ...]

Each of two workers has a device of its own.  A task of one worker takes an
array that the other one made; the time is that of the whole task, and that of
a second task with the array, which needs no transfer, is subtracted.  The
ratio is to a host copy of the same size (``numpy.copyto``) in the same run.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

_REPEATS = 9


def make(number: int, count: int) -> Any:
    from pycuda import gpuarray

    array = gpuarray.to_gpu(np.full(count, number, np.float32))
    array[-1].get()
    return array


def last(array: Any) -> tuple[float, int]:
    """Return the last element and the number of the array's device."""
    import pycuda.driver as drv

    devices = [drv.Device(k) for k in range(drv.Device.count())]
    return float(array[-1].get()), devices.index(array.device)


def host_copy(nbytes: int) -> float:
    """Return the milliseconds of a copy on the host."""
    source, target = np.ones(nbytes, np.uint8), np.ones(nbytes, np.uint8)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        np.copyto(target, source)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def transfer(client: Any, names: list[str], mib: int) -> list[float]:
    """Return the milliseconds of each transfer."""

    def run(array: Any) -> float:
        start = time.perf_counter()
        task = client.submit(last, array, workers=[names[1]], pure=False)
        value, device = task.result(timeout=60)
        assert value == number, (value, number)
        assert device == devices[1], (device, devices)
        return 1e3 * (time.perf_counter() - start)

    from distributed import wait

    count, times = mib << 18, []
    devices = [client.run(device_of, workers=[n])[n] for n in names]
    for number in range(_REPEATS):
        array = client.submit(
            make, number, count, workers=[names[0]], pure=False
        )
        wait(array)
        first = run(array)
        times.append(first - min(run(array), run(array)))
    return times


def device_of() -> int:
    import pycuda.driver as drv
    from pycuda import gpuarray

    gpuarray.zeros(1, np.float32)
    devices = [drv.Device(k) for k in range(drv.Device.count())]
    return devices.index(drv.Context.get_device())


def main() -> None:
    from distributed import Client, LocalCluster

    sizes = [int(word) for word in sys.argv[1:]] or [1, 64]
    for ipc in ("1", "0"):
        os.environ["PYCUDA_DASK_IPC"] = ipc
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        )
        with cluster, Client(cluster) as client:
            names = list(client.scheduler_info()["workers"])
            for mib in sizes:
                times = transfer(client, names, mib)
                copy = host_copy(mib << 20)
                print(
                    f"{'IPC' if ipc == '1' else 'host copy'} {mib} MiB: "
                    f"first {times[0]:.1f} ms, median "
                    f"{np.median(times):.1f} ms, least {min(times):.1f} ms, "
                    f"{np.median(times) / copy:.1f} host copies",
                    flush=True,
                )


if __name__ == "__main__":
    main()
