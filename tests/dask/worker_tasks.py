"""Tasks that the workers of the test cluster run.

The client sends this module's functions by value: workers do not import it.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np


def worker_name() -> int:
    from distributed.worker import Worker

    return next(iter(Worker._instances)).name


def make(number: float, count: int) -> Any:
    from pycuda import gpuarray

    return gpuarray.to_gpu(np.full(count, number, np.float32))


def made_by(how: str) -> Any:
    """Return an array of a certain layout or dtype."""
    from pycuda import gpuarray

    rng = np.random.default_rng(1)
    a = gpuarray.to_gpu(rng.normal(size=(600, 1000)))
    rows = {
        "C": lambda: a,
        "F": lambda: a.copy("F"),
        "strided": lambda: a[::2, ::-3],
        "part of a block": lambda: a[3:500],
        "complex": lambda: a + 1j * a,
        "record": lambda: gpuarray.to_gpu(
            np.zeros(99_999, [("x", "f4"), ("y", "i8", (2,))])
        ),
        "small": lambda: a[:2, :3].copy(),
        "empty": lambda: gpuarray.zeros((0, 3), np.int16),
        "0-d": lambda: a.sum(),
    }
    return rows[how]()


def fetched(array: Any) -> tuple[str, np.ndarray]:
    return type(array).__name__, array.get()


def device_number() -> tuple[int, int]:
    """Return (number of this process's device, number of devices)."""
    import pycuda.driver as drv
    from pycuda import gpuarray

    gpuarray.zeros(1, np.float32)
    devices = [drv.Device(k) for k in range(drv.Device.count())]
    return devices.index(drv.Context.get_device()), len(devices)


def ordinal(array: Any) -> int:
    import pycuda.driver as drv

    return [drv.Device(k) for k in range(drv.Device.count())].index(
        array.device
    )


def offered() -> tuple[int, int]:
    """Return how many arrays this process has offered, and keeps."""
    from pycuda._dask import offers

    now = offers._offers
    if now is None:
        return 0, 0
    return next(now._numbers), len(now._kept)


def refuse_ipc() -> None:
    """Make this worker unable to open memory of other processes."""
    from pycuda.gpuarray import GPUArray

    def fail(cls: Any, handle: Any) -> Any:
        import pycuda.driver as drv

        raise drv.LogicError("cuIpcOpenMemHandle failed: as requested")

    GPUArray.from_ipc_handle = classmethod(fail)


def allow_ipc() -> None:
    from pycuda.gpuarray import GPUArray

    del GPUArray.from_ipc_handle
