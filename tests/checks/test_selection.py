"""`pycuda.debug.check` selects kernel checks while a program runs."""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys

import pytest

import pycuda.debug
import pycuda.driver as drv

PROGRAM = """
import os, sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.debug
from pycuda import gpuarray
from pycuda.compiler import SourceModule

def say(text):
    drv.Context.synchronize()
    print("#", text, file=sys.stderr, flush=True)

ADD = '''__global__ void add(float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] += 1;
}'''
FLIP = '''__global__ void flip(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    a[threadIdx.x] = s[63 - threadIdx.x];
}'''
USE = '''__global__ void use(const float *a, float *b) {
    if (a[threadIdx.x] == 3) b[threadIdx.x] = 1;
}'''

def function(source, name):
    return SourceModule(source, cache_dir=False).get_function(name)

unchecked = function(ADD, "add")
before = drv.mem_alloc(400)
drv.memset_d32(before, 0, 100)
other_before = drv.mem_alloc(80)
array_before_2 = gpuarray.zeros(30, np.float32)
array_before = gpuarray.zeros(100, np.float32) * 2
square = gpuarray.zeros((64, 64), np.float32)
square @ square  # by a library, whose handle exists from now on
"""

SWITCHED = """
assert pycuda.debug.check("race, init continue,memory") == (
    "memory", "race", "init", "continue")
assert os.environ["PYCUDA_CPU_CHECK"] == "memory,race,init,continue"
add, flip, use = (function(s, n) for s, n in
                  ((ADD, "add"), (FLIP, "flip"), (USE, "use")))
out = gpuarray.zeros(64, np.float32)
say("old memory")
add(before, block=(128, 1, 1))
say("old array")
add(array_before, block=(128, 1, 1))
say("new memory")
add(gpuarray.zeros(100, np.float32), block=(128, 1, 1))
say("old memory, freed")
address = np.uintp(int(other_before))
other_before.free()
add(address, block=(1, 1, 1))
say("old array, freed")
pointer, array_before_2 = array_before_2.gpudata, None
address = np.uintp(int(pointer))
del pointer
add(address, block=(1, 1, 1))
say("race")
flip(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
say("written by unchecked kernels")
filled = gpuarray.empty(64, np.float32)
unchecked(filled, block=(64, 1, 1))
use(filled, out, block=(64, 1, 1))
use(array_before * 2, out, block=(64, 1, 1))
use((square @ square)[63], out, block=(64, 1, 1))
say("not written")
use(gpuarray.empty(64, np.float32), out, block=(64, 1, 1))
say("off")
assert pycuda.debug.check() == () and "PYCUDA_CPU_CHECK" not in os.environ
add(gpuarray.zeros(100, np.float32), block=(128, 1, 1))
flip(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
use(gpuarray.empty(64, np.float32), out, block=(64, 1, 1))
a = gpuarray.zeros(64, np.float32)
function(ADD, "add")(a, block=(64, 1, 1))
add(a, block=(64, 1, 1))
assert (a.get() == 2).all()
say("on again")
pycuda.debug.check(["memory", "continue"])
add(gpuarray.zeros(100, np.float32), block=(128, 1, 1))
flip(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
say("end")
"""

LATE = """
import warnings
pycuda.debug.check("sync")
os.environ["PYCUDA_CPU_CHECK"] = "sync,memory"
for _ in range(2):
    function(ADD, "add")
"""

FIRST = """
import numpy as np
import os
import pycuda.debug
pycuda.debug.check("memory")
import pycuda.autoinit
from pycuda.compiler import SourceModule
k = SourceModule("__global__ void k(int *a) { *a = 1; }").get_function("k")
try:
    k(np.intp(8), block=(1, 1, 1))
    pycuda.autoinit.context.synchronize()
except Exception as error:
    print(error)
"""


def run(code, **env):
    env = {**os.environ, "PYCUDA_DEVICE": "cpu", **env}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env, capture_output=True, text=True, timeout=120, cwd="/",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.cpu
def test_checks_are_switched_on_and_off():
    _, text = run(PROGRAM + SWITCHED)
    parts = {}
    for part in text.split("# ")[1:]:
        title, _, reports = part.partition("\n")
        parts[title] = reports
    assert parts["old memory"].count(": memory: ") == 2  # a read, a write
    assert "400 bytes allocated by cuMemAlloc" in parts["old memory"]
    assert "before checks were selected" in parts["old memory"]
    assert "0 bytes after the end of the 400 bytes" in parts["old array"]
    assert "before checks were selected" in parts["old array"]
    assert "0 bytes after the end of the 400 bytes" in parts["new memory"]
    for title, size in (("old memory, freed", 80), ("old array, freed", 120)):
        assert "use after free: offset 0 of the " in parts[title]
        assert f"the {size} bytes allocated by cuMemAlloc" in parts[title]
    assert "data race in shared memory ('s')" in parts["race"]
    assert parts["written by unchecked kernels"] == ""
    assert "init: read of 4 bytes, never written" in parts["not written"]
    assert parts["off"] == ""
    assert ": memory: " in parts["on again"]
    assert ": race: " not in parts["on again"]


@pytest.mark.cpu
def test_a_variable_that_is_set_too_late_warns_once():
    _, text = run(PROGRAM + LATE)
    assert text.count("PYCUDA_CPU_CHECK was set too late") == 1
    assert "nothing is checked for memory;" in text
    assert "pycuda.debug.check()" in text


@pytest.mark.cpu
def test_checks_can_be_selected_before_the_first_context():
    out, _ = run(FIRST)
    assert "memory: write of 4 bytes, null pointer (address 0x8)" in out


@pytest.mark.parametrize("names", ["memory,rase", ["memory", "rase"]])
def test_an_unknown_check_is_refused(names):
    with pytest.raises(ValueError, match="'rase' is not a kernel check; exp"):
        pycuda.debug.check(names)


@pytest.mark.gpu
def test_a_gpu_has_no_checks(context):
    with pytest.raises(drv.RuntimeError, match="need the CPU device"):
        pycuda.debug.check("memory")
    assert "PYCUDA_CPU_CHECK" not in os.environ


@pytest.mark.cpu
def test_blanks_around_names() -> None:
    program = (
        "import pycuda.autoinit, pycuda.driver as drv\n"
        "from pycuda.compiler import SourceModule\n"
        "k = SourceModule('__global__ void k(int *x) { x[threadIdx.x] = 1; }',"
        " cache_dir=False).get_function('k')\n"
        "k(drv.mem_alloc(64), block=(32, 1, 1))\n"
        "drv.Context.synchronize()\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=dict(
            os.environ,
            PYCUDA_DEVICE="cpu",
            PYCUDA_CPU_CHECK=" race, memory\t,sync ",
        ),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "memory: write of 4 bytes, out of bounds" in done.stderr
