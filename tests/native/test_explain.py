"""The command ``python -m pycuda.cpu explain``, and kernels with line info."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from pycuda.cpu._explain import code

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

SOURCE = """\
extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
extern "C" __global__ void sum(float *out, const float *in)
{
    __shared__ float s[256];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    for (int step = 128; step; step >>= 1) {
        if (i < step)
            s[i] += s[i + step];
        __syncthreads();
    }
    out[i] = s[0];
}
extern "C" __global__ void chase(int *out, const int *next)
{
    int i = threadIdx.x;
    while (i != 0)
        i = next[i];
    out[threadIdx.x] = i;
}
extern "C" __global__ void wait(int *flag)
{
    if (threadIdx.x == 0)
        *(volatile int *)flag = 1;
    while (*(volatile int *)flag == 0)
        ;
}
extern "C" __global__ void halve(int *out, const int *in)
{
    int i = threadIdx.x, x = in[i], k = 0;
    while (x > 100 || x & 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        ++k;
    }
    out[i] = k;
}
"""


def _explain(path, *words, options=(), **variables):
    return subprocess.run(
        [
            *(sys.executable, "-m", "pycuda.cpu", "explain"),
            *(*words, path, *options),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ, PYCUDA_CPU_CHECK="", **variables),
        cwd=path.parent,
    )


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "some.cu"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def told(source):
    done = _explain(source, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _kernel(told, name):
    return next(row for row in told["kernels"] if row["name"] == name)


def test_levels(told):
    levels = {row["name"]: row["level"] for row in told["kernels"]}
    assert levels == {
        "saxpy": "loop",
        "sum": "regions",
        "chase": "loop",
        "wait": "fibers",
        "halve": "loop",
    }


def test_regions_have_the_barriers_lines(told):
    rows = _kernel(told, "sum")["regions"]
    assert [(row["from"], row["line"]) for row in rows] == [
        ("start", 7),
        ("barrier", 12),
        ("barrier", 16),
    ]
    assert _kernel(told, "sum")["static_shared"] == 1024


def test_fibers_have_a_reason(told):
    row = _kernel(told, "wait")
    assert "waits for other threads" in row["reason"]
    assert row["regions"] == []
    assert _kernel(told, "saxpy")["reason"] == ""


WAITING = """\
extern "C" __global__ void retry(int *word, int *out)
{
    int t = threadIdx.x, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, seen + t);
    } while (old != seen);
    out[t] = old;
}
extern "C" __global__ void turns(int *turn, int *out, int n)
{
    int t = threadIdx.x, tries = 0;
    bool done = false;
    while (!done) {
        if (*(volatile int *)turn == t) {
            *(volatile int *)turn = t - 1;
            done = true;
        }
        for (int k = 0; k < n; k++)
            tries = tries * 5 + out[k];
        out[n + t] = tries;
    }
}
"""


def test_who_waits_and_who_tries_again(tmp_path):
    """The value that was read may influence the branch through a variable."""
    path = tmp_path / "waiting.cu"
    path.write_text(WAITING)
    told = json.loads(_explain(path, "--json").stdout)
    assert _kernel(told, "retry")["level"] == "loop"
    row = _kernel(told, "turns")
    assert row["level"] == "fibers"
    assert row["reason"] == "the loop at line 14 waits for other threads"


def test_loops_that_several_threads_run_at_once(source, told):
    (row,) = _kernel(told, "halve")["loops"]
    assert row["line"] == 37
    assert row["threads"] in (4, 8, 16)
    for name in ("saxpy", "sum", "chase", "wait"):
        assert _kernel(told, name)["loops"] == []
    assert (
        "    loop with a trip count per thread, line 37: run for "
        f"{row['threads']} threads at once" in _explain(source).stdout
    )


def test_remarks_are_at_the_users_lines(told):
    texts = {}
    for row in told["remarks"]:
        assert row["file"] == "some.cu"
        texts.setdefault(row["line"], []).append(row["text"])
    assert any(t.startswith("vectorized loop") for t in texts[1])
    assert any("loop not vectorized: " in t for t in texts[23])


SCATTER = """\
__global__ void scatter(const float *__restrict__ x, float *__restrict__ y,
                        const int *__restrict__ at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[at[i]] = x[i];
}
"""


def test_restrict_does_not_hide_that_threads_are_independent(tmp_path):
    """No compiler can know where `y` is written."""
    path = tmp_path / "scatter.cu"
    path.write_text(SCATTER)
    remarks = json.loads(_explain(path, "--json").stdout)["remarks"]
    over_threads = [row["text"] for row in remarks if row["line"] == 1]
    assert [text.split(" (")[0] for text in over_threads] == [
        "vectorized loop"
    ]


@pytest.mark.parametrize(
    "function", ["sinf(x[i])", "cos((double)x[i])", "fmodf(x[i], 3)"]
)
def test_functions_with_rare_slow_cases_are_vectors(tmp_path, function):
    """Rare arguments take a slow-path call in a separate branch."""
    path = tmp_path / "rare.cu"
    path.write_text(
        'extern "C" __global__ void k(float *y, const float *x)\n{\n'
        f"    int i = threadIdx.x;\n    y[i] = {function};\n}}\n"
    )
    remarks = json.loads(_explain(path, "--json").stdout)["remarks"]
    texts = [row["text"].split(" (")[0] for row in remarks if row["line"] == 1]
    assert texts == ["vectorized loop"]


ROWS = """\
extern "C" __global__ void %s(float *out, const float *in, int n)
{
    __shared__ float s[256];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    float sum = s[255 - i];
    for (int k = 0; k < n; k++)
        sum += in[%s];
    out[i] = sum;
}
"""


def test_threads_go_together_where_they_read_side_by_side(tmp_path):
    """Joint execution needs an array of the threads' intermediate values."""
    path = tmp_path / "rows.cu"
    path.write_text(
        ROWS % ("side", "256 * k + i") + ROWS % ("apart", "n * i + k")
    )
    told = json.loads(_explain(path, "--json").stdout)
    most = 1024 * 4  # bytes of one value of each thread
    side, apart = _kernel(told, "side"), _kernel(told, "apart")
    assert side["frame_bytes"] > most > apart["frame_bytes"]
    assert [row["packs"] for row in apart["regions"]] == [False, True]


def test_a_condition_on_the_index_bounds_the_loop_over_threads(
    tmp_path,
):
    """The last steps of a tree are loops over two and four threads.

    For AVX2 alone LLVM does not vectorize such short loops.
    """
    path = tmp_path / "tree.cu"
    path.write_text(SOURCE.replace("out[i] = s[0]", "if (!i) *out = s[0]"))
    told = _explain(path, "--json", PYCUDA_CPU_TARGET="x86-64-v4")
    rows = json.loads(told.stdout)["remarks"]
    texts = " ".join(row["text"] for row in rows if row["line"] == 7)
    assert "vectorization width: 2," in texts
    assert "vectorization width: 4," in texts


def test_text(source):
    done = _explain(source)
    assert "some.cu:7: sum" in done.stdout
    assert "regions: loops over the threads between barriers" in done.stdout
    assert "threads loop from the kernel's start, line " in done.stdout
    assert "some.cu:23:5: loop not vectorized" in done.stdout


OTHERS = """\
extern "C" __global__ void turn(float *out, const float *in)
{
    __shared__ float s[256];
    int i = threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    out[i] = s[255 - i];
}
extern "C" __global__ void keep(float *out, int n)
{
    float own[100];
    for (int i = 0; i < n; i++)
        own[i] = i;
    out[threadIdx.x] = own[threadIdx.x];
}
__device__ float large(int n)
{
    float own[4000];
    for (int i = 0; i < n; i++)
        own[i] = i;
    return own[n / 2];
}
__device__ float small(int n) { return n; }
extern "C" __global__ void choose(float *out, int n)
{
    float (*f)(int) = n ? large : small;
    *out = f(n);
}
"""


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "others.cu"
    path.write_text(OTHERS)
    return json.loads(_explain(path, "--json").stdout)


def test_loops_over_threads_are_where_they_begin(others):
    lines = {
        row["line"]
        for row in others["remarks"]
        if row["text"].startswith("vectorized loop")
    }
    assert {1, 6} <= lines


def test_private_memory_and_frames(others):
    assert _kernel(others, "turn")["local_bytes"] == 0
    assert _kernel(others, "keep")["local_bytes"] == 400
    # functions that it may call
    assert 16000 < _kernel(others, "choose")["frame_bytes"] < 20000


def test_the_lines_move_with_the_source(source, tmp_path):
    path = tmp_path / "some.cu"
    path.write_text("\n\n" + SOURCE)
    told = json.loads(_explain(path, "--json").stdout)
    assert _kernel(told, "sum")["regions"][1]["line"] == 14


@pytest.mark.parametrize(
    ("form", "target", "vector"),
    [
        ("--ir", "x86-64-v3", "<8 x float>"),
        ("--ir", "x86-64-v4", "<16 x float>"),
        ("--asm", "x86-64-v3", "ymm"),
        ("--asm", "x86-64-v4", "zmm"),
    ],
)
def test_the_code_itself(source, form, target, vector):
    done = _explain(source, form, PYCUDA_CPU_TARGET=target)
    assert done.returncode == 0, done.stderr
    assert "kernel.saxpy" in done.stdout and vector in done.stdout
    done = _explain(source, options=["-G", form], PYCUDA_CPU_TARGET=target)
    assert done.returncode == 0, done.stderr
    assert "kernel.saxpy" in done.stdout and vector not in done.stdout


def test_forms_are_one_or_the_other(source):
    done = _explain(source, "--ir", "--json")
    assert done.returncode == 2
    assert "--json and --ir: one of them" in done.stderr
    with pytest.raises(ValueError, match="'obj'; it must be 'ir' or 'asm'"):
        code(source, "obj")


def test_errors(tmp_path):
    path = tmp_path / "wrong.cu"
    path.write_text("__global__ void k() { undefined(); }\n")
    done = _explain(path)
    assert done.returncode == 1
    assert "wrong.cu:1:23: error" in done.stderr
    path.unlink()
    assert _explain(path).returncode == 1


PROGRAM = """
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule, compile
source = '''
__device__ int twice(int v)
{
    return 2 * v;
}
__global__ void k(int *out)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    s[i] = i;
    __syncthreads();
    out[i] = twice(s[blockDim.x - 1 - i]);
}
'''
OPTIONS = ["-lineinfo"]
image = compile(source, options=OPTIONS)
open("image", "wb").write(image)
module = SourceModule(source, options=OPTIONS)
module.get_function("k")(drv.mem_alloc(256), block=(64, 1, 1))
drv.Context.synchronize()
print("ended")
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_line_tables_on_request(program):
    def image(text):
        program.write_text(text)
        subprocess.run(
            [sys.executable, program],
            check=True,
            cwd=program.parent,
            timeout=60,
            env=dict(os.environ, PYCUDA_DEVICE="cpu"),
        )
        return (program.parent / "image").read_bytes()

    assert b".debug_line" in image(PROGRAM)
    assert b".debug_line" not in image(PROGRAM.replace('["-lineinfo"]', "[]"))
    assert b".debug_line" in image(PROGRAM.replace("-lineinfo", "-G"))


# Whole vectors, and fewer threads than one vector has.
@pytest.mark.skipif(not shutil.which("gdb"), reason="no gdb")
@pytest.mark.parametrize(
    "option, target, threads",
    [("-lineinfo", "", 64), ("-lineinfo", "x86-64-v3", 5), ("-G", "", 64)],
)
def test_a_debugger_stops_at_a_line(program, option, target, threads):
    text = PROGRAM.replace("-lineinfo", option)
    program.write_text(text.replace("(64, 1, 1)", f"({threads}, 1, 1)"))
    commands = [
        "set breakpoint pending on",
        "handle SIGSEGV nostop noprint pass",
        "break kernel.cu:4",
        "run",
        "backtrace 2",
        "delete",
        "continue",
    ]
    words = [word for c in commands for word in ("-ex", c)]
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", *words, "--args", sys.executable]
        + [str(program)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=program.parent,
        env=dict(os.environ, PYCUDA_DEVICE="cpu", PYCUDA_CPU_TARGET=target),
    )
    if "ptrace: Operation not permitted" in done.stdout + done.stderr:
        pytest.skip("no debugger may attach here")
    assert "hit Breakpoint 1" in done.stdout, done.stdout + done.stderr
    assert "#0  twice () at" in done.stdout
    assert "#1  k () at" in done.stdout and "kernel.cu:12" in done.stdout
    assert "ended" in done.stdout


LISTED = """
import ctypes, gc, subprocess, sys
import pycuda.autoinit
from pycuda.compiler import SourceModule

class Entry(ctypes.Structure):
    pass

Entry._fields_ = [
    ("next", ctypes.POINTER(Entry)), ("previous", ctypes.POINTER(Entry)),
    ("file", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]

class Descriptor(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32), ("action", ctypes.c_uint32),
        ("relevant", ctypes.POINTER(Entry)), ("first", ctypes.POINTER(Entry))]

line = next(s for s in open("/proc/self/maps") if "libpycuda_cpu.so" in s)
base, path = int(line.split("-")[0], 16), line.split()[-1]
symbols = subprocess.run(["nm", path], capture_output=True, text=True).stdout
(found,) = (s for s in symbols.splitlines() if "__jit_debug_descriptor" in s)
there = Descriptor.from_address(base + int(found.split()[0], 16))

def files():
    entry, before = there.first, None
    while entry:
        assert bool(entry[0].previous) == (before is not None)
        yield ctypes.string_at(entry[0].file, entry[0].bytes)
        entry, before = entry[0].next, entry

source = "__global__ void %s(int *p) { *p = 1; }"
plain = SourceModule(source % "plain")
assert there.version == 1 and not list(files())
first = SourceModule(source % "first", options=["-lineinfo"])
second = SourceModule(source % "second", options=["-G"])
newest, oldest = files()
told = ctypes.addressof(there.relevant[0])
assert there.action == 1 and told == ctypes.addressof(there.first[0])
for text, name in ((newest, b"second"), (oldest, b"first")):
    assert text.startswith(b"\\x7fELF") and b".debug_line" in text
    assert name in text
del first
gc.collect()
assert list(files()) == [newest] and there.action == 2
del second
gc.collect()
assert not list(files())
print("ended")
"""


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm")
def test_a_debugger_finds_kernels_with_lines(program):
    """Only those kernels are registered through GDB's JIT interface."""
    program.write_text(LISTED)
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=program.parent,
        env=dict(os.environ, PYCUDA_DEVICE="cpu"),
    )
    assert done.returncode == 0, done.stderr
    assert "ended" in done.stdout


def test_packs_and_limits(tmp_path):
    barriers = "s[t] += s[t ^ 1]; __syncthreads();\n" * 130
    path = tmp_path / "limits.cu"
    path.write_text(
        'extern "C" __global__ void many(float *out)\n'
        "{ __shared__ float s[64]; int t = threadIdx.x; s[t] = t;\n"
        "__syncthreads();\n" + barriers + "out[t] = s[t]; }\n"
        'extern "C" __global__ void columns(float *o, const float *a, int n)\n'
        "{ int t = blockIdx.x * blockDim.x + threadIdx.x; float sum = 0;\n"
        "if (t < n) { for (int i = 0; i < n; i++) sum += a[i * n + t];\n"
        "o[t] = sum; } }\n"
    )
    told = json.loads(_explain(path, "--json").stdout)
    many, columns = told["kernels"]
    assert many["level"] == "fibers"
    assert many["reason"].startswith("it has 131 barriers")
    assert columns["level"] == "packs"


def test_a_box_of_comments_is_no_long_search(tmp_path):
    path = tmp_path / "box.cu"
    box = 40 * "/* ---------------------------------------------- */\n"
    path.write_text(box + "__global__ void k(float *x) { *x = 1; }\n")
    told = json.loads(_explain(path, "--json").stdout)
    assert [row["name"] for row in told["kernels"]] == ["k"]
