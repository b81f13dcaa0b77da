"""Initialise CUDA and make the default device's primary context current.

The primary context is also the context of CUDA's runtime API. As with
``pycuda.autoinit``, it is current in the importing thread only;
``pycuda.driver.set_thread_context(context)`` gives it to the other threads.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import atexit

import pycuda.driver as _driver
from pycuda.tools import clear_context_caches, make_default_context

_driver.init()


def _retain(device: _driver.Device) -> _driver.Context:
    context = device.retain_primary_context()
    context.push()
    return context


context: _driver.Context = make_default_context(_retain)
device: _driver.Device = context.get_device()


def _finish_up() -> None:
    global context
    if _driver.Context.get_current() is not None:
        _driver.Context.pop()
    context = None  # type: ignore[assignment]  # the process ends
    clear_context_caches()


atexit.register(_finish_up)
