"""Interrupted and overdue kernels for ``soak.py``, on the CPU device.

The main thread starts kernels that never end, each in a separate context.
SIGINT ends one, the time limit of ``PYCUDA_CPU_TIMEOUT`` the next.  Afterwards
the context must be unusable and a new one must compute the right numbers,
while the other threads keep working in the main context.

SPDX-License-Identifier: MIT
"""

import os
import signal
import statistics
import threading
import time
from typing import Any

import numpy as np

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

PERIOD = 10.0  # seconds from one pair of interruptions to the next
SOURCE = """
__global__ void endless(volatile int *a)
{ while (a[0] >= 0) { a[1 + threadIdx.x] = 1; } }
__global__ void endless_barriers(volatile int *a)
{ while (a[0] >= 0) { __syncthreads(); a[1 + threadIdx.x] = 1; } }
__global__ void squares(int *a) { a[threadIdx.x] = threadIdx.x * threadIdx.x; }
"""
THREADS = 64


class Wrong(Exception):
    """An interruption whose effect differs from the documented one."""


class Interruptions:
    """Interrupts kernels; counts the interruptions and their delays."""

    def __init__(self) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.limit = float(os.environ["PYCUDA_CPU_TIMEOUT"])
        self.interrupted = 0
        self.timed_out = 0
        self.delays: list[float] = []
        self.next = 0.0

    def when_due(self) -> None:
        """Interrupt one kernel, then let one exceed the time limit."""
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + PERIOD
        barriers = bool(self.interrupted % 2)
        self.in_context("endless_barriers" if barriers else "endless", True)
        self.in_context("endless" if barriers else "endless_barriers", False)

    def in_context(self, name: str, by_signal: bool) -> None:
        context = cuda.Device(0).make_context()
        try:
            kernel = SourceModule(SOURCE).get_function(name)
            memory = cuda.mem_alloc(4 * (THREADS + 1))
            cuda.memset_d32(memory, 0, THREADS + 1)
            kernel(memory, block=(THREADS, 1, 1), grid=(2, 1))
            if by_signal:
                self.interrupt(context)
            else:
                self.exceed(context)
            self.check_poisoned(context)
            del kernel, memory
        finally:
            context.pop()
            context.detach()
        self.check_replaced()

    def interrupt(self, context: Any) -> None:
        sent = 0.0

        def press() -> None:
            nonlocal sent
            sent = time.monotonic()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        timer = threading.Timer(0.05, press)
        try:
            timer.start()
            context.synchronize()
        except KeyboardInterrupt:
            self.delays.append(time.monotonic() - sent)
            self.interrupted += 1
        else:
            raise Wrong("an endless kernel ended without an interrupt")
        finally:
            timer.join()

    def exceed(self, context: Any) -> None:
        start = time.monotonic()
        try:
            context.synchronize()
        except cuda.LaunchError as error:
            seconds = time.monotonic() - start
            if "timed out" not in str(error):
                raise Wrong(f"the time limit gave {error}") from error
            if seconds < 0.8 * self.limit:
                raise Wrong(f"timed out after {seconds:.2f} s") from error
            self.timed_out += 1
        else:
            raise Wrong("an endless kernel ended before its time limit")

    def report(self) -> str:
        """Return a summary in one line."""
        middle = statistics.median(self.delays)
        return (
            f"{self.interrupted} kernels interrupted, {self.timed_out} timed "
            f"out; KeyboardInterrupt after {middle:.2f} s (median), "
            f"{max(self.delays):.2f} s (latest)"
        )

    @staticmethod
    def check_poisoned(context: Any) -> None:
        # A signal that arrives before the wait begins interrupts no kernel;
        # the kernel then reaches the time limit here.
        try:
            context.synchronize()
        except cuda.LaunchError:
            pass
        else:
            raise Wrong("an endless kernel has ended without an error")
        try:
            cuda.mem_alloc(4)
        except cuda.Error:
            return
        raise Wrong("the context of an abandoned kernel can still be used")

    @staticmethod
    def check_replaced() -> None:
        context = cuda.Device(0).make_context()
        try:
            result = np.empty(THREADS, np.int32)
            kernel = SourceModule(SOURCE).get_function("squares")
            kernel(cuda.Out(result), block=(THREADS, 1, 1))
            if (result != np.arange(THREADS) ** 2).any():
                raise Wrong(f"after an interruption: {result}")
        finally:
            context.pop()
            context.detach()
