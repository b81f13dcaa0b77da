"""The contexts of Dask's workers: one device per worker process."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import os
import re
import sys
import threading
import warnings
from typing import Any

import pycuda.driver as drv
from pycuda import _driver
from pycuda.tools import _chosen_device

_lock = threading.Lock()
# this reference keeps the primary context alive
_chosen: drv.Context | None = None


def worker_of_process() -> Any:
    """Return the Dask worker that runs in this process, or None."""
    module = sys.modules.get("distributed.worker")
    workers = getattr(getattr(module, "Worker", None), "_instances", ())
    return next(iter(workers), None)


def _device() -> drv.Device:
    """Return the device of this process.

    CUDA_DEVICE names it.  Otherwise worker n of a cluster gets device n,
    modulo their number; dask-cuda gives each worker an order of devices, of
    which the first one is the worker's.
    """
    worker = worker_of_process()
    if worker is None or "CUDA_DEVICE" in os.environ:
        return drv.Device(_chosen_device(drv.Device.count()) or 0)
    if "dask_cuda" in sys.modules:
        return drv.Device(0)
    digits = re.search(r"(\d+)$", str(worker.name))
    is_address = "://" in str(worker.name)
    number = int(digits[1]) if digits and not is_address else 0
    return drv.Device(number % drv.Device.count())


def ensure_context() -> None:
    """Give threads without a context one: the process's oldest, or a new one.

    The new one is the primary context of the process's device.
    """
    global _chosen
    if drv.Context.get_current() is not None:
        return
    with _lock:
        if _chosen is None:
            drv.init()
            contexts = _driver._contexts()
            _chosen = (
                contexts[-1] if contexts
                else _device().retain_primary_context()
            )  # fmt: skip
            drv.set_thread_context(_chosen)


def _prepare() -> None:
    """Give a worker's process a context; warn if that fails."""
    try:
        ensure_context()
    except (drv.Error, RuntimeError, ValueError) as error:
        warnings.warn(
            f"this Dask worker has no device: {error}",
            RuntimeWarning,
            stacklevel=2,
        )


def register() -> None:
    """Prepare worker processes, in which `distributed` is loaded.

    A process that becomes a worker later is prepared then.  Other processes,
    such as those of clients, get a context when they receive an array.
    """
    if worker_of_process() is not None:
        _prepare()
        return
    from distributed.worker import Worker

    original = Worker.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        _prepare()

    Worker.__init__ = __init__
