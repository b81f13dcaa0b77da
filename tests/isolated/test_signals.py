"""Fault signals: kernel faults are errors, all others the program's own.

Outcomes without a kernel fault are compared with those of the same program
without the CPU device.
"""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from isolated import run

from pycuda.compiler import compile

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

HERE = Path(__file__).parent
SIGNALS = ["SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL"]
HANDLERS = [
    "none",
    "default",
    "ignore",
    "returns",
    "jumps",
    "jumps with information",
    "chains",
    "once",
    "signal()",
    "Python",
    "faulthandler",
    "faulthandler off",
    "faulthandler on again",
    "past the tables",
]
TIMES = ["before", "between", "after"]
SOURCE = """
__global__ void good(int *a) { a[threadIdx.x] = threadIdx.x; }
__global__ void writes(int *a) { *a = 1; }
__global__ void traps(int *a) { __trap(); }
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, compiler):
    """Return a function that runs cases."""
    folder = tmp_path_factory.mktemp("signals")
    library, image = folder / "signal_actions.so", folder / "image"
    subprocess.run(
        ["gcc", "-O1", "-shared", "-fPIC", "-o", library,
         HERE / "signal_actions.c"],
        check=True,
    )  # fmt: skip
    image.write_bytes(compile(SOURCE))

    def run(cases):
        environment = dict(os.environ, PYCUDA_DEVICE="cpu")
        environment.pop("PYTHONFAULTHANDLER", None)
        done = subprocess.run(
            [sys.executable, "-P", HERE / "signal_runner.py", library, image],
            input=json.dumps(cases),
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def different(outcomes, signals, handlers, times, event):
    """Return cases whose outcomes with and without the device differ."""
    cases = list(itertools.product(signals, handlers, times, [event]))
    ours = outcomes([[*case, True] for case in cases])
    system = outcomes([[*case, False] for case in cases])
    return [
        (case, is_, should)
        for case, is_, should in zip(cases, ours, system, strict=True)
        if is_ != should
    ]


def failing(outcomes, handlers, times):
    """Return kernel faults that are not errors, or that reach a handler."""
    cases = [
        [*case, "kernel", True]
        for case in itertools.product(
            ["SIGSEGV", "SIGBUS", "SIGILL"], handlers, times
        )
    ]
    wanted = "0 error 0 0"
    return [
        (case, outcome)
        for case, outcome in zip(cases, outcomes(cases), strict=True)
        if outcome != wanted
    ]


@pytest.mark.parametrize("when", TIMES)
def test_faults_of_kernels(outcomes, when):
    """Each fault is an error, and the program's handler is not called."""
    assert failing(outcomes, HANDLERS, [when]) == []


@pytest.mark.parametrize("event", ["outside", "kill"])
def test_other_faults_and_signals(outcomes, event):
    """The program's handler works as without the CPU device."""
    assert different(outcomes, ["SIGSEGV"], HANDLERS, ["after"], event) == []


@pytest.mark.slow
@pytest.mark.parametrize("event", ["outside", "kill"])
@pytest.mark.parametrize("name", SIGNALS)
def test_all_faults_and_signals(outcomes, event, name):
    assert different(outcomes, [name], HANDLERS, TIMES, event) == []


CHILDREN = """
import os, signal, subprocess, sys
import pycuda.autoinit
from pycuda.compiler import SourceModule

SourceModule("__global__ void k(int *a) { *a = 1; }")
NUMBERS = [signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL]
SHOW = ["cat", "/proc/self/status"]


def ignored(text):
    mask = int(text.split("SigIgn:")[1].split()[0], 16)
    return [n for n in NUMBERS if mask >> (n - 1) & 1]


def run():
    return subprocess.run(SHOW, capture_output=True, text=True).stdout


def fork():
    end, start = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(start, 1)
        os.execvp(SHOW[0], SHOW)
    os.waitpid(child, 0)
    return os.read(end, 4096).decode()


def fork_with_handlers():
    child = os.fork()
    if child == 0:
        for number in NUMBERS:
            signal.signal(number, signal.SIG_DFL)
        os._exit(0)
    os.waitpid(child, 0)


caught = []
for number in NUMBERS:
    signal.signal(number, lambda n, frame: caught.append(n))
for start in (run, fork, fork_with_handlers):
    start()
    for number in NUMBERS:
        os.kill(os.getpid(), number)
    assert caught == NUMBERS, (start, caught)
    caught.clear()
assert ignored(run()) == ignored(fork()) == []
for number in NUMBERS:
    signal.signal(number, signal.SIG_IGN)
assert ignored(run()) == ignored(fork()) == NUMBERS
for number in NUMBERS:
    os.kill(os.getpid(), number)
try:
    SourceModule("__global__ void f(int *a) { *(int *)8 = 1; }").get_function(
        "f"
    )(pycuda.driver.mem_alloc(4), block=(1, 1, 1))
    pycuda.autoinit.context.synchronize()
except pycuda.driver.LogicError:
    print("an error")
"""


@pytest.mark.cpu
def test_child_processes():
    """A child's handlers are its own; it inherits what is ignored."""
    assert (
        run(CHILDREN, environment={"PYTHONWARNINGS": "ignore"}) == "an error\n"
    )
