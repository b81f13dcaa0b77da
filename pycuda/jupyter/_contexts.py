"""The context of a notebook: made when needed, replaced after a fault."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib
import signal
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pycuda.driver as drv
from pycuda import _driver
from pycuda.tools import clear_context_caches, make_default_context

# Modules whose import makes a context, and that have it as an attribute.
_AUTOMATIC = ("pycuda.autoinit", "pycuda.autoprimaryctx")


def ensure() -> None:
    """Make a context by pycuda.autoinit if none is current."""
    if drv.Context.get_current() is None:
        loaded = [name for name in _AUTOMATIC if name in sys.modules]
        if loaded:
            replace()
        else:
            importlib.import_module(_AUTOMATIC[0])


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt; restore the handler at the end.

    The kernel of a notebook has another handler while asynchronous cells run.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        # `before` is None if C code had installed the previous handler.
        if before is not None:
            signal.signal(signal.SIGINT, before)


class Waiter:
    """Waits for the work of all contexts, and reports each failure once."""

    def __init__(self) -> None:
        self._failed: weakref.WeakSet[drv.Context] = weakref.WeakSet()
        #: Whether the last call of `wait` found a context that has failed.
        self.has_failed = False
        #: Whether any call of `wait` found a context that has failed.
        self.has_ever_failed = False

    def wait(self) -> Exception | KeyboardInterrupt | None:
        """Wait; return an error that no earlier call has returned."""
        first: Exception | KeyboardInterrupt | None = None
        self.has_failed = False
        # waiting for the device would invalidate the captures
        if _driver._has_captures():
            return None
        with _stoppable():
            for context in _driver._contexts():
                if context not in self._failed:
                    error = self._wait_for(context)
                    first = first or error
        return first

    def _note_failure(self, context: drv.Context) -> None:
        self._failed.add(context)
        self.has_failed = self.has_ever_failed = True

    def _wait_for(
        self, context: drv.Context
    ) -> Exception | KeyboardInterrupt | None:
        """Wait for one context; note whether it has failed."""
        error: Exception | KeyboardInterrupt | None = None
        try:
            context.push()
        except drv.Error as raised:
            self._note_failure(context)
            return raised
        try:
            drv.Context.synchronize()
        except (drv.Error, KeyboardInterrupt) as raised:
            error = raised
        if error is not None:
            # If the interrupt has ended the kernels, the context has failed.
            try:
                drv.Context.synchronize()
            except drv.Error:
                self._note_failure(context)
        drv.Context.pop()
        return error


def replace() -> drv.Device:
    """End all contexts, and make a new one as the current context.

    Memory, streams and modules of the old contexts are lost.

    Returns
    -------
    pycuda.driver.Device
        The device of the new context.
    """
    device = _end_all()
    names = [name for name in _AUTOMATIC if name in sys.modules]
    primary = names == ["pycuda.autoprimaryctx"]

    def make(chosen: drv.Device) -> drv.Context:
        if not primary:
            return chosen.make_context()
        context = chosen.retain_primary_context()
        context.push()
        return context

    if device is None and not names:
        importlib.import_module(_AUTOMATIC[0])
        return drv.Context.get_device()
    context = make_default_context(make) if device is None else make(device)
    for name in names:
        module = sys.modules[name]
        module.context = context  # type: ignore[attr-defined]
        module.device = context.get_device()  # type: ignore[attr-defined]
    return context.get_device()


def _end_all() -> drv.Device | None:
    """End all contexts; return the device of the one that was current."""
    device = None
    while drv.Context.get_current() is not None:
        if device is None:
            try:
                device = drv.Context.get_device()
            except drv.Error:
                device = None
        drv.Context.pop()
    clear_context_caches()
    for context in _driver._contexts():
        # detach() may raise the error because of which the context ends.
        with suppress(drv.Error):
            context.detach()
    return device
