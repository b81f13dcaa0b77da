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
def outcomes(tmp_path_factory):
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
