"""Initialise CUDA and make a context on the default device.

Programs use ``context`` and ``device`` of this module.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import atexit

import pycuda.driver as _driver
from pycuda.tools import clear_context_caches, make_default_context

_driver.init()

context: _driver.Context = make_default_context()
device: _driver.Device = context.get_device()


def _finish_up() -> None:
    global context
    if _driver.Context.get_current() is not None:
        _driver.Context.pop()
    context = None  # type: ignore[assignment]  # the process ends
    clear_context_caches()


atexit.register(_finish_up)
