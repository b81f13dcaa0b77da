"""Runs signal cases, each in a forked child, and prints their outcomes.

usage: signal_runner.py LIBRARY IMAGE < cases (JSON) > outcomes (JSON)

A case is [signal, handler, when, event, device]: the handler is installed
before, between or after two loads of a module (`when`), and then the event
happens. Without the device no part of it is opened, so that the outcome is the
system's own.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import select
import signal
import sys
import time
from pathlib import Path

import numpy as np

import pycuda.driver as drv

SECONDS = 10.0


class Case:
    """One case, run in a child."""

    def __init__(self, library: str, image: bytes, case: list) -> None:
        name, self.handler, self.when, self.event, self.device = case
        self.number = int(getattr(signal, name))
        self.library = ctypes.CDLL(library)
        self.image = image
        self.counted = 0

    def count(self, *_: object) -> None:
        """Handle the signal in Python."""
        self.counted += 1

    def install(self, when: str) -> None:
        """Install the handler if this is the selected time."""
        if when != self.when:
            return
        kind, number = self.handler, self.number
        if kind == "default":
            signal.signal(number, signal.SIG_DFL)
        elif kind == "ignore":
            signal.signal(number, signal.SIG_IGN)
        elif kind == "Python":
            signal.signal(number, self.count)
        elif kind == "faulthandler":
            faulthandler.enable()
        elif kind == "faulthandler off":
            faulthandler.enable()
            faulthandler.disable()
        elif kind == "faulthandler on again":
            faulthandler.enable()
            faulthandler.disable()
            faulthandler.enable()
        elif kind == "past the tables":
            libc = ctypes.CDLL(None)
            libc.signal.restype = ctypes.c_void_p
            libc.signal(number, ctypes.c_void_p(0))
            time.sleep(0.01)
        elif kind != "none":
            self.library.action_install(number, kind.encode())

    def load(self) -> None:
        """Load the module, and run one of its kernels."""
        if not self.device:
            return
        self.module = drv.module_from_buffer(self.image)
        host = np.zeros(4, np.int32)
        self.module.get_function("good")(drv.InOut(host), block=(4, 1, 1))
        assert list(host) == [0, 1, 2, 3]

    def kernel(self) -> str:
        """Run a kernel that faults; in a second context, a different one."""
        name = {signal.SIGILL: "traps"}.get(self.number, "writes")
        self.library.action_short_mapping.restype = ctypes.c_uint64
        address = 16
        if self.number == signal.SIGBUS:
            address = self.library.action_short_mapping()
        for turn in range(2):
            try:
                self.module.get_function(name)(
                    np.uint64(address), block=(1, 1, 1)
                )
                self.context.synchronize()
                return "no error"
            except drv.Error:
                self.context.pop()
                self.context = drv.Device(0).make_context()
                if turn == 0:
                    self.module = drv.module_from_buffer(self.image)
        self.load()
        return "error"

    def run(self) -> str:
        """Run the case and return a description of the outcome."""
        faulthandler.disable()
        # Ends cases that loop forever.
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        if self.device:
            signal.setitimer(signal.ITIMER_REAL, 5)
            drv.init()
            self.context = drv.Device(0).make_context()
        self.install("before")
        self.load()
        self.install("between")
        self.load()
        self.install("after")
        told = self.library.action_query(self.number)
        signal.setitimer(signal.ITIMER_REAL, 5 if self.device else 0.3)
        if self.event == "kernel":
            outcome = self.kernel()
            return f"{outcome} {self.library.action_calls()} {self.counted}"
        if self.device:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        jumps = None
        if self.event == "outside":
            if self.handler.startswith("jumps"):
                jumps = self.library.action_fault_thrice(self.number)
            else:
                self.library.action_fault(self.number)
        else:
            jumps = self.library.action_kill(self.number)
        calls = self.library.action_calls()
        masked = self.library.action_masked()
        return f"survived {calls} {self.counted} {masked} {jumps} {told}"


def run_child(library: str, image: bytes, case: list, end: int) -> None:
    """Run a case; the process ends here, or earlier."""
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    try:
        text = Case(library, image, case).run()
    except BaseException as error:
        text = f"raised {error!r}"
    os.write(end, text.encode())
    os._exit(0)


def outcome(library: str, image: bytes, case: list) -> str:
    """Run a case in a child; return its exit status and its output."""
    start, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        run_child(library, image, case, end)
    os.close(end)
    if not select.select([start], [], [], SECONDS)[0]:
        os.kill(pid, signal.SIGKILL)
    text = os.read(start, 1 << 16).decode()
    os.close(start)
    _, status = os.waitpid(pid, 0)
    return f"{os.waitstatus_to_exitcode(status)} {text}"


def main() -> None:
    """Read the cases, run them, write the outcomes."""
    library, image = sys.argv[1], Path(sys.argv[2]).read_bytes()
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    cases = json.load(sys.stdin)
    json.dump([outcome(library, image, case) for case in cases], sys.stdout)


main()
