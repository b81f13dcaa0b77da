"""Functions that `children.call` runs in a separate process.

Each returns a value that JSON can express, or raises.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import Any

from pycuda._installation import topology

_THREADS = 64
_SOURCE = """
__global__ void doctor(unsigned *out, unsigned seed)
{
    out[threadIdx.x] = seed * (threadIdx.x + 1) ^ 0x5a5a;
}
"""


def _run_kernel(drv: Any, compile_module: Any) -> dict[str, Any]:
    """Compile a kernel without the cache, run it and check its result."""
    import numpy as np

    start = time.perf_counter()
    kernel = compile_module(_SOURCE, cache_dir=False).get_function("doctor")
    compiled = time.perf_counter()
    out = np.zeros(_THREADS, np.uint32)
    kernel(drv.Out(out), np.uint32(2654435761), block=(_THREADS, 1, 1))
    threads = np.arange(1, _THREADS + 1, dtype=np.uint32)
    expected = (np.uint32(2654435761) * threads) ^ np.uint32(0x5A5A)
    if not np.array_equal(out, expected):
        wrong = int(np.flatnonzero(out != expected)[0])
        raise ArithmeticError(
            f"the kernel wrote {out[wrong]} at {wrong}, not {expected[wrong]}"
        )
    return {
        "compile_seconds": round(compiled - start, 4),
        "run_seconds": round(time.perf_counter() - compiled, 4),
    }


def _device(drv: Any, driver: Any, ordinal: int) -> dict[str, Any]:
    from pycuda.compiler import SourceModule

    device = drv.Device(ordinal)
    found: dict[str, Any] = {
        "ordinal": ordinal,
        "name": device.name(),
        "compute_capability": list(device.compute_capability()),
        "memory_bytes": device.total_memory(),
    }
    context = device.make_context()
    try:
        path, major, minor, _ = driver._nvrtc_info()
        found["nvrtc"] = {"path": path, "version": f"{major}.{minor}"}
        found["kernel"] = _run_kernel(drv, SourceModule)
    except Exception as error:  # the report describes any failure
        found["error"] = f"{type(error).__name__}: {error}"
    finally:
        context.pop()
    return found


def _peers(drv: Any) -> dict[str, Any]:
    """Return which devices can access each other's memory, and their links.

    ``peers[k][n]``: kernels of device k can access the memory of device n.
    """
    all_devices = [drv.Device(k) for k in range(drv.Device.count())]
    found: dict[str, Any] = {
        "peers": [
            [one == other or one.can_access_peer(other)
             for other in all_devices]
            for one in all_devices
        ]
    }  # fmt: skip
    try:
        found["links"] = topology.links([
            device.pci_bus_id() for device in all_devices
        ])  # fmt: skip
    except (OSError, AttributeError) as error:
        found["links_error"] = str(error)
    return found


def devices() -> dict[str, Any]:
    """Describe the devices that PYCUDA_DEVICE selects; run a kernel on each.

    Raises
    ------
    pycuda.driver.Error
        If there is no such device.
    """
    from pycuda import _driver
    from pycuda import driver as drv

    drv.init()
    several = drv.Device.count() > 1
    return {
        **(_peers(drv) if several else {}),
        "kind": _driver._device_kind(),
        "driver_version": drv.get_driver_version(),
        "devices": [
            _device(drv, _driver, ordinal)
            for ordinal in range(drv.Device.count())
        ],
    }


def mpi() -> dict[str, str]:
    """Return the versions of mpi4py and of the MPI library.

    Raises
    ------
    ImportError
        If mpi4py is not installed, or its library is not found.
    """
    import mpi4py

    mpi4py.rc.initialize = False
    from mpi4py import MPI

    library = MPI.Get_library_version().strip("\0").splitlines()[0]
    return {"mpi4py": mpi4py.__version__, "library": library.strip()}


def nccl() -> dict[str, str]:
    """Return path and version of the NCCL library.

    Raises
    ------
    OSError
        If there is none.
    """
    places = [os.path.join(p, "nvidia/nccl/lib") for p in sys.path if p]
    names = [os.path.join(p, "libnccl.so.2") for p in places]
    found = [name for name in names if os.path.exists(name)]
    path = found[0] if found else "libnccl.so.2"
    version = ctypes.c_int()
    code = ctypes.CDLL(path).ncclGetVersion(ctypes.byref(version))
    if code:
        raise OSError(f"ncclGetVersion of {path} returned {code}")
    number = version.value
    major, rest = divmod(number, 10000 if number >= 10000 else 1000)
    return {"path": path, "version": f"{major}.{rest // 100}.{rest % 100}"}
