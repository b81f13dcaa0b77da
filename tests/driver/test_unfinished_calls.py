"""Daemon threads inside the driver when the program ends.

``slow_calls.c`` is a driver with slow calls, which abort the
process if the library or the context is destroyed before they return.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import drivers
import pytest

pytestmark = drivers.marks

PROGRAM = """
import ctypes, os, sys, threading, time
import numpy as np
import pycuda.driver as drv
drv.init()
context = drv.Device(0).make_context()
stream, event = drv.Stream(), drv.Event()
memory, host = drv.mem_alloc(1 << 20), np.zeros(1 << 20, np.uint8)
event.record()
def work():
    context.push()
    {call}
def alone():
    drv.Device(0).make_context()  # which the thread's stack alone has
    {call}
first = threading.Thread(target={target}, daemon=True)
first.start()
def wait_for_first():
    # The C library's destructors run after Python has seen the end.
    while os.path.exists("/proc/self/task/" + str(first.native_id)):
        time.sleep(0.01)
slow = ctypes.CDLL(os.environ["PYCUDA_CPU_LIBRARY"])
calls = ctypes.c_int.in_dll(slow, "slow_calls")
while calls.value == 0:
    time.sleep(0.001)
{more}
print("ends")
"""
FORK = """
start = time.monotonic()
if os.fork() == 0:
    sys.exit(0)
os.wait()
assert time.monotonic() - start < 4  # of 5 s
os._exit(0 if print("ends", flush=True) is None else 1)
"""
# Calls return, and their threads wait for the GIL until the program ends.
QUEUE = """
wait_for_first()
def wait_repeatedly():
    context.push()
    stream = drv.Stream()
    while True:
        stream.synchronize()
for i in range(8):
    threading.Thread(target=wait_repeatedly, daemon=True).start()
while calls.value < 9:
    time.sleep(0.001)
sys.setswitchinterval(0.5)
until = time.monotonic() + 0.6  # twice as long as calls take
while time.monotonic() < until:
    pass
"""
# A thread that runs Python code when the program ends has used the driver.
PYTHON = """
wait_for_first()
def runs():
    context.push()
    {call}
    done.set()
    while True:
        pass
done = threading.Event()
threading.Thread(target=runs, daemon=True).start()
done.wait()
"""
# At its end the process waits for another thread's call while a third thread
# runs Python code.
BOTH = """
def waits():
    context.push()
    event.synchronize()
threading.Thread(target=waits, daemon=True).start()
while calls.value < 2:
    time.sleep(0.001)
""" + PYTHON.format(call="drv.Event().query()")
# Library threads that are joined during finalization have left Python.
LIBRARY = """
wait_for_first()
slow.slow_thread_begin.restype = ctypes.c_void_p
slow.slow_thread_join.argtypes = [ctypes.c_void_p]
@ctypes.CFUNCTYPE(None)
def uses():
    context.push()
    drv.Event().query()
    stream.synchronize()
    context.pop()
class Threads:
    def __init__(self):
        self.threads = [slow.slow_thread_begin(uses) for _ in range(3)]
    def __del__(self, join=slow.slow_thread_join, clock=time.monotonic,
                write=os.write):
        start = clock()
        for thread in self.threads:
            join(thread)
        if clock() - start > 4:  # each ends in 0.3 s
            write(2, b"they were waited for")
threads = Threads()
"""
# A callback becomes due in its stream when the program ends; its thread has
# used the driver before.
FUNCTION = """
from pycuda.compiler import SourceModule
add = SourceModule(
    "__global__ void add(volatile int *p, int n)"
    "{ for (int i = 0; i < n; i++) { *p += i; } }"
).get_function("add")
def function():
    stream.synchronize()
    done.set()
done, ordered = threading.Event(), drv.Stream()
ordered.add_callback(function)
done.wait()
wait_for_first()
add(memory, np.int32(300_000_000), block=(1, 1, 1), stream=ordered)
ordered.add_callback(function)
"""
CALLS = {
    "stream": "stream.synchronize()",
    "context": "drv.Context.synchronize()",
    "copy": "drv.memcpy_htod(memory, host)",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drivers.build("slow_calls.c", tmp_path_factory.mktemp("slow"))


def ends(
    library: Path, call: str, target: str = "work", more: str = ""
) -> None:
    code = PROGRAM.format(call=call, target=target, more=more)
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", code],
        env=os.environ
        | {"PYCUDA_CPU_LIBRARY": str(library), "PYCUDA_DEVICE": "cpu"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "ends\n"


@pytest.mark.parametrize("call", CALLS)
def test_they_end_before_the_library_does(library: Path, call: str) -> None:
    ends(library, CALLS[call])


def test_a_context_of_the_thread_alone(library: Path) -> None:
    ends(library, CALLS["context"], "alone")


def test_threads_that_wait_for_the_interpreter(library: Path) -> None:
    ends(library, CALLS["stream"], more=QUEUE)


@pytest.mark.parametrize(
    "call", ["drv.Stream().synchronize()", "drv.Event().query()"]
)
def test_threads_that_run_python(library: Path, call: str) -> None:
    ends(library, CALLS["stream"], more=PYTHON.format(call=call))


def test_as_long_as_for_a_call_that_never_ends(library: Path) -> None:
    ends(library, CALLS["stream"], more=BOTH)


def test_threads_of_a_library(library: Path) -> None:
    ends(library, CALLS["stream"], more=LIBRARY)


def test_the_thread_that_calls_functions_of_streams(library: Path) -> None:
    ends(library, CALLS["stream"], more=FUNCTION)


def test_one_that_never_ends_does_not_keep_the_program(library: Path) -> None:
    ends(library, "event.synchronize()")


def test_a_child_does_not_wait_for_its_parents_calls(library: Path) -> None:
    ends(library, "event.synchronize()", more=FORK)
