"""Effects of a report: errors, texts, options; the package's own kernels."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from isolated import HEAP

HERE = Path(__file__).parent

pytestmark = pytest.mark.cpu


def run(program, checks, tmp_path, **more):
    """Run a program; return its output and the reports as rows."""
    report = tmp_path / "report.jsonl"
    env = dict(
        os.environ,
        PYCUDA_DEVICE="cpu",
        PYCUDA_CPU_CHECK=checks,
        PYCUDA_CPU_CHECK_REPORT=str(report),
        **more,
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run(
        [sys.executable, path],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    rows = []
    if report.exists():
        rows = [json.loads(line) for line in report.read_text().splitlines()]
    return done, rows


HEAD = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

def launch(source, *args, **how):
    SourceModule(source).get_function("k")(*args, **how)
    drv.Context.synchronize()
"""

BEHIND = (
    HEAD
    + """
memory = drv.mem_alloc(64)  # MADE
source = '''
__global__ void k(int *p)
{
    p[threadIdx.x] = 1;
}
'''
try:
    launch(source, memory, block=(17, 1, 1))
except drv.LogicError as error:
    print("FIRST", error)
try:
    drv.mem_alloc(64)
except drv.LogicError as error:
    print("THEN", error)
"""
)


def test_exception_holds_the_report_and_sticks(tmp_path):
    done, rows = run(BEHIND, "memory", tmp_path)
    first, then = (
        next(line for line in done.stdout.splitlines() if word in line)
        for word in ("FIRST", "THEN")
    )
    made = BEHIND.split("\n").index("memory = drv.mem_alloc(64)  # MADE")
    assert "illegal memory access" in first and "kernel.cu:4:" in first
    assert "thread (16,0,0)" in first
    assert f"program.py:{made + 1}" in first
    assert "illegal memory access" in then
    assert "PYCUDA_CPU_CHECK: kernel.cu:4:" in done.stderr
    assert len(rows) == 1
    assert rows[0]["thread"] == [16, 0, 0]
    assert rows[0]["allocation"]["made_at"].endswith(f"py:{made + 1}")


def test_continue_goes_on(tmp_path):
    done, rows = run(BEHIND, "memory,continue", tmp_path)
    assert "FIRST" not in done.stdout and "THEN" not in done.stdout
    assert done.returncode == 0
    assert len(rows) == 1 and rows[0]["kind"] == "out-of-bounds"


def test_the_same_is_told_once_a_launch(tmp_path):
    program = BEHIND.replace("block=(17, 1, 1)", "block=(32, 1, 1)")
    repeated = "    launch(source, memory, block=(32, 1, 1))\n"
    program = program.replace("except", repeated + "except", 1)
    _, rows = run(program, "memory,continue", tmp_path)
    assert [row["thread"] for row in rows] == [[16, 0, 0]] * 2


IN_PACKAGE = (
    HEAD
    + """
one = drv.to_device(np.zeros(16, np.float32))  # MADE
launch("__global__ void k(float *p) { p[16] = 1; }", one, block=(1, 1, 1))
"""
)


def test_memory_is_made_by_who_called_the_package(tmp_path):
    _, rows = run(IN_PACKAGE, "memory", tmp_path)
    line = next(
        n for n, text in enumerate(IN_PACKAGE.split("\n"), 1) if "MADE" in text
    )
    assert rows[0]["allocation"]["made_at"].endswith(f"program.py:{line}")


NATIVE = r"""
#include "native.h"

int main(int argc, char **argv)
{
    CUcontext ctx;
    CUmodule module;
    CUfunction k;
    CUdeviceptr memory;
    void *arguments[] = {&memory};

    native_start(argc, argv);
    cu.cuInit(0);
    cu.cuDevicePrimaryCtxRetain(&ctx, 0);
    cu.cuCtxPushCurrent(ctx);
    cu.cuModuleLoadData(&module, native_compile(
        "extern \"C\" __global__ void k(int *p) { p[16] = 1; }", 0, NULL));
    cu.cuModuleGetFunction(&k, module, "k");
    cu.cuMemAlloc(&memory, 64);
    cu.cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    return cu.cuCtxSynchronize() != CUDA_ERROR_ILLEGAL_ADDRESS;
}
"""


# A sanitizer would be loaded between the program and its library.
@pytest.mark.no_sanitizer
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_memory_is_made_by_a_function_of_a_program_in_c(tmp_path):
    from pycuda import cpu

    (tmp_path / "native.c").write_text(NATIVE)
    program, report = tmp_path / "made_here", tmp_path / "report.jsonl"
    native = HERE.parent / "native"
    subprocess.run(
        ["cc", "-rdynamic", f"-I{native}", f"-I{native.parents[1] / 'src'}"]
        + [tmp_path / "native.c", "-o", program, "-ldl"],
        check=True,
    )
    env = os.environ | {"PYCUDA_CPU_CHECK": "memory"}
    env |= {"PYCUDA_CPU_CHECK_REPORT": str(report)}
    subprocess.run([program, cpu.library()], env=env, check=True, timeout=60)
    made_at = json.loads(report.read_text())["allocation"]["made_at"]
    assert made_at.startswith("main in made_here+0x")


def test_the_line_moves_with_the_source(tmp_path):
    moved = BEHIND.replace("{\n", "{\n\n\n// a line more\n", 1)
    _, rows = run(moved, "memory", tmp_path)
    assert rows[0]["line"] == 7


def test_without_checks_nothing_is_reported(tmp_path):
    done, rows = run(BEHIND, "", tmp_path)
    assert rows == []
    assert "PYCUDA_CPU_CHECK" not in done.stderr


def test_unknown_word(tmp_path):
    done, _ = run("import pycuda.autoinit", "memory,rase", tmp_path)
    assert done.returncode != 0
    assert "'rase'" in done.stderr and "race" in done.stderr


@pytest.mark.parametrize("check", ["race", "init", "sync"])
def test_other_checks_end_the_launch(check, tmp_path):
    spec = importlib.util.spec_from_file_location(
        "cases", HERE / f"cases_{check}.py"
    )
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    case = cases.CASES[0]
    names = ", ".join(
        f"drv.mem_alloc({getattr(a, 'nbytes', a)})" for a in case["args"]
    )
    program = f"{HEAD}\nlaunch({case['source']!r}, {names}, "
    program += "block=(64, 1, 1))\n"
    done, rows = run(program, check, tmp_path)
    assert done.returncode != 0
    error = done.stderr[done.stderr.rindex("LaunchError") :]
    assert rows[0]["kind"] == case["kind"]
    assert rows[0]["message"] in error


@pytest.mark.parametrize("index", [0, 1])
def test_deadlock_is_named(index, tmp_path):
    spec = importlib.util.spec_from_file_location(
        "cases", HERE / "cases_sync.py"
    )
    cases = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(cases)
    case = cases.DEADLOCKS[index]
    program = f"{HEAD}\nlaunch({case['source']!r}, drv.mem_alloc(256), "
    program += "block=(32, 1, 1))\n"
    done, rows = run(program, "sync", tmp_path)
    assert done.returncode != 0
    assert rows[0]["kind"] == "deadlock"
    assert case["text"] in rows[0]["message"]


OWN = """
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as ga
import pycuda.cumath as cm
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
import pycuda.curandom as cr

rng = np.random.default_rng(1)
h = rng.random(1000).astype(np.float32)
a, b = ga.to_gpu(h), ga.to_gpu(h + 1)
c = 2 * a + b ** 2 - a / b
assert np.allclose(c.get(), 2 * h + (h + 1) ** 2 - h / (h + 1), rtol=1e-5)
assert np.allclose(cm.exp(a).get(), np.exp(h), rtol=1e-5)
assert np.isclose(ga.sum(a).get(), h.sum(), rtol=1e-4)
assert np.isclose(ga.dot(a, b).get(), h @ (h + 1), rtol=1e-4)
assert ga.max(a).get() == h.max()
n = np.arange(3000, dtype=np.int32)
g = ga.to_gpu(n)
InclusiveScanKernel(np.int32, "a+b")(g)
assert (g.get() == np.cumsum(n)).all()
g = ga.to_gpu(n)
ExclusiveScanKernel(np.int32, "a+b", 0)(g)
assert (g.get() == np.cumsum(n) - n).all()
k = ElementwiseKernel("float *x, float s", "x[i] = s * x[i]", "scale")
k(a, 3)
r = ReductionKernel(np.float32, "0", "a+b", "x[i]*x[i]", "float *x")
assert np.isclose(r(b).get(), ((h + 1) ** 2).sum(), rtol=1e-4)
m = ga.to_gpu(rng.random((30, 40)).astype(np.float32))
m.T.copy().get()
m[3:20:2, ::3].copy().get()
ga.take(a, ga.to_gpu(np.arange(0, 900, 7, dtype=np.uint32))).get()
ga.if_positive(a, b, c).get()
a.fill(2)
ga.zeros(100, np.float64).get()
ga.arange(0, 100, 1, dtype=np.float32).get()
cr.rand((500,)).get()
z = ga.to_gpu(np.ones(50, np.complex64))
(z * z.conj()).real.get()
print("done")
"""


def test_the_packages_own_kernels_are_clean(tmp_path):
    done, rows = run(OWN, "memory,race,sync,init", tmp_path)
    assert done.stdout.strip() == "done", done.stderr[-3000:]
    assert rows == []


FILLED = (
    HEAD
    + """
SOURCE = ("__global__ void k(int *out, const int *in)"
          "{ out[threadIdx.x] = in[threadIdx.x]; }")
out, filled = drv.mem_alloc(256), drv.mem_alloc(256)
drv.memset_d32(filled, 7, WORDS)
launch(SOURCE, out, filled, block=(64, 1, 1))
assert (drv.from_device(out, WORDS, np.int32) == 7).all()
"""
)


@pytest.mark.parametrize(("words", "reported"), [(64, 0), (63, 1)])
def test_filled_memory_is_written(words, reported, tmp_path):
    program = FILLED.replace("WORDS", str(words))
    done, rows = run(program, "init,continue", tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(rows) == reported


FROM_THE_HOST = (
    HEAD
    + """
FIRST = "__global__ void k(int *c) { c[0] = 1; }"
ALL = "__global__ void k(int *o, int *c) { o[threadIdx.x] = c[threadIdx.x]; }"
host, out = np.zeros(64, np.int32), np.zeros(64, np.int32)
launch(FIRST, drv.Out(host), block=(1, 1, 1))
host[:] = 5
launch(ALL, drv.Out(out), drv.In(host), block=(64, 1, 1))
assert (out == 5).all()
memory, other = drv.mem_alloc(256), drv.mem_alloc(256)
launch(FIRST, memory, block=(1, 1, 1))
drv.memcpy_dtod(other, memory, 256)
launch(ALL, drv.Out(out), other, block=(64, 1, 1))
"""
)


def test_what_the_host_has_is_written(tmp_path):
    """Host writes count as initialization; device copies copy the state."""
    done, rows = run(FROM_THE_HOST, "init,continue", tmp_path)
    assert done.returncode == 0, done.stderr
    assert [row["kind"] for row in rows] == ["uninitialised-global"]


RESIDENT = """
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 >> 20

def address_space():  # but reserved addresses, such as those of guards
    total = 0
    with open("/proc/self/maps") as file:
        for line in file:
            bounds, access = line.split()[:2]
            if access != "---p":
                start, end = (int(n, 16) for n in bounds.split("-"))
                total += end - start
    return total >> 20
"""
GONE = (
    HEAD
    + RESIDENT
    + """
SOURCE = '''__global__ void k(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }'''
kernel = SourceModule(SOURCE).get_function("k")
for turn in range(101):
    memory = drv.mem_alloc(4 << 20)
    kernel(memory, block=(256, 1, 1), grid=(4096, 1))
    host = drv.from_device(memory, 1 << 20, np.float32)
    assert (host == 1).all()
    held = resident()
    memory.free()
    if turn == 2:
        before, size = resident(), address_space()
print(resident() - before, address_space() - size, held - resident())
"""
)


@pytest.mark.no_sanitizer  # sanitizers delay the reuse of freed memory
@pytest.mark.parametrize(
    ("check", "most", "least"), [("race", 500, 10), ("init", 100, 6)]
)
def test_what_is_known_of_memory_goes_with_it(check, most, least, tmp_path):
    done, rows = run(GONE, check, tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows == []
    grown, size, gone = map(int, done.stdout.split())
    assert grown < 20  # MiB; two pages per granule would be 50
    assert size < most  # state for the bytes of each iteration would be 400
    assert gone > least  # the memory alone is 4


AGAIN = (
    HEAD
    + """
old = drv.mem_alloc(4096)
address = int(old)
old.free()  # FREED
others = [drv.mem_alloc(4096) for _ in range(50)]
assert address not in [int(other) for other in others]
try:
    launch("__global__ void k(int *p) { p[3] = 1; }", np.uintp(address),
           block=(1, 1, 1))
except drv.LogicError as error:
    print(error)
"""
)


def test_freed_memory_is_not_another_s_soon(tmp_path):
    """Without the delay, an access through a stale pointer would be valid."""
    done, rows = run(AGAIN, "memory", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "freed by" in done.stdout
    assert len(rows) == 1


LONG_AGO = (
    HEAD
    + """
many = [drv.mem_alloc(4096) for _ in range(2100)]
addresses = [int(one) for one in many]
for one in many:
    one.free()
try:
    launch("__global__ void k(int *p) { p[3] = 1; }",
           np.uintp(addresses[NUMBER]), block=(1, 1, 1))
except drv.LogicError as error:
    print(error)
"""
)


@pytest.mark.parametrize(("number", "known"), [(0, False), (2000, True)])
def test_what_was_freed_long_ago_is_forgotten(number, known, tmp_path):
    """Only the last thousand blocks are tracked, so that memory is bounded."""
    code = LONG_AGO.replace("NUMBER", str(number))
    done, rows = run(code, "memory", tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(rows) == 1
    assert ("freed by" in done.stdout) is known


KEPT = (
    HEAD
    + RESIDENT
    + """
SOURCE = '''__global__ void k(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }'''
kernel = SourceModule(SOURCE).get_function("k")
memory = drv.mem_alloc(64 << 20)
drv.memset_d32(memory, 0, 16 << 20)
drv.Context.synchronize()
before = resident()
size = address_space()
for piece in range(128):
    kernel(np.uintp(int(memory) + (piece << 19)), block=(256, 1, 1),
           grid=(512, 1))
    drv.Context.synchronize()
print(resident() - before, address_space() - size)
"""
)


@pytest.mark.no_sanitizer
def test_what_is_known_of_used_memory_goes_between_launches(tmp_path):
    done, rows = run(KEPT, "race", tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows == []
    resident, size = map(int, done.stdout.split())
    assert resident < 32  # MiB; state for all memory would be hundreds
    assert size < 250  # state for all memory would be 400


# Recursive threads have stacks of their own, freed with the launch.
STACKS = (
    HEAD
    + RESIDENT
    + """
SOURCE = '''
__device__ int down(int *before, int n) {
    int own[64];
    for (int i = 0; i < 64; ++i)
        own[i] = before[i & 3] + i;
    return n ? down(own, n - 1) + own[n & 63] : own[3];
}
__global__ void k(int *out, int n) {
    int first[4] = {1, 2, 3, 4};
    __shared__ int all[1024];
    all[threadIdx.x] = down(first, n);
    __syncthreads();
    out[threadIdx.x] = all[1023 - threadIdx.x];
}'''
kernel = SourceModule(SOURCE).get_function("k")
memory = drv.mem_alloc(4096)
for turn in range(23):
    drv.Context.set_limit(drv.limit.STACK_SIZE, (256 << 10) + 8192 * turn)
    kernel(memory, np.int32(30), block=(1024, 1, 1), grid=(1, 1))
    drv.Context.synchronize()
    if turn == 2:
        before = resident()
print(resident() - before)
"""
)


@pytest.mark.no_sanitizer
def test_what_is_known_of_stacks_goes_with_them(tmp_path):
    done, rows = run(STACKS, "init", tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows == []
    assert int(done.stdout) < 60  # MiB; about 12 of each launch would leak


QUICK = (
    HEAD
    + """
import time

SOURCE = '''__global__ void k(int *x, int *y, int n, int m)
{ for (int i = 0; i < n / m; i++) %s }'''
n = 1 << 20
x, y = drv.mem_alloc(4 * n), drv.mem_alloc(4 * n)
drv.memset_d32(y, 0, n)

def seconds(body, m):
    kernel = SourceModule(SOURCE % body).get_function("k")
    took = []
    for _ in range(5):
        start = time.process_time()  # others may use the machine
        kernel(x, y, np.int32(n), np.int32(m), block=(1, 1, 1))
        drv.Context.synchronize()
        took.append(time.process_time() - start)
    return min(took)

one_by_one = seconds("x[y[i] + i] = 1;", 1)
for body, m in [
    ("x[i] = 1;", 1),
    ("if (m < 5) x[i] = y[i];", 1),
    ("for (int j = 0; j < m; j++) x[m * i + j] = 1;", 2),
]:
    print(one_by_one / seconds(body, m))
"""
)


@pytest.mark.parametrize(
    ("check", "bodies"), [("memory", 3), ("race", 2), ("init", 2)]
)
def test_rows_are_looked_at_once(check, bodies, tmp_path):
    done, rows = run(QUICK, check, tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows == []
    # In fact 13 and more.
    assert min(map(float, done.stdout.split()[:bodies])) > 5


THREADS = (
    HEAD
    + HEAP
    + """
import os, threading, time

kernel = SourceModule(
    "__global__ void k(int *p)"
    "{ p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }"
).get_function("k")
memory = drv.mem_alloc(4 * 256 * 2000)
context = drv.Context.get_current()
for _ in range(10):
    kernel(memory, block=(256, 1, 1), grid=(2000, 1))
drv.Context.synchronize()

def work():
    context.push()
    for _ in range(30):
        kernel(memory, block=(1, 1, 1))
        drv.Context.synchronize()
    drv.Context.pop()

def growth():  # of 20 threads, one after another
    before = heap()
    for _ in range(20):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()  # waits for Python's part of it alone
        while os.path.exists(f"/proc/self/task/{thread.native_id}"):
            time.sleep(0.001)
    return heap() - before >> 10

# This thread and the one worker know what they ever will once each has run a
# block, and on a busy machine that may be late: in two of the rounds at most.
print(min(growth() for _ in range(4)))
"""
)


@pytest.mark.no_sanitizer
def test_what_a_thread_knows_goes_with_it(tmp_path):
    one = {"PYCUDA_CPU_THREADS": "1"}
    done, rows = run(THREADS, "memory,race", tmp_path, **one)
    assert done.returncode == 0, done.stderr
    assert rows == []
    assert int(done.stdout) < 500  # KiB; each of 20 threads would leak 506


LEVEL = (
    HEAD
    + """
x = np.arange(64, dtype=np.float32)
for storage in ("__shared__ volatile float s[64];",
                "extern __shared__ volatile float s[];"):
    out = np.zeros(1, np.float32)
    launch('''
__global__ void k(float *out, const float *in)
{
    STORAGE
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        volatile float *at = s + t;
        s[t] += s[t + 32]; s[t] += s[t + 16]; at[0] += at[8];
        for (int d = 4; d; d >>= 1) s[t] += s[t + d];
    }
    if (t == 0) out[0] = s[0];
}
'''.replace("STORAGE", storage),
           drv.Out(out), drv.In(x), block=(64, 1, 1), shared=256)
    print(out[0] == x.sum())
"""
)


@pytest.mark.parametrize("checks", ["memory", "memory,sync,race,init"])
def test_threads_of_a_warp_stay_level(checks, tmp_path):
    done, rows = run(LEVEL, checks, tmp_path)
    assert done.stdout.split() == ["True"] * 2, done.stderr
    assert rows == []
