"""PTX of LLVM's NVPTX back end, in zig's clang, on the CPU device."""

import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import pycuda.driver as drv

CLANG = Path(sysconfig.get_path("platlib")) / "ziglang/zig"
FLAGS = (
    "-triple nvptx64-nvidia-cuda -aux-triple x86_64-unknown-linux-gnu"
    " -fcuda-is-device -nostdsysteminc -nobuiltininc -std=c++17 -S -x cuda"
)
pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.skipif(
        not CLANG.exists() and not shutil.which("clang-19"),
        reason="needs a clang with LLVM's NVPTX back end",
    ),
]

HEAD = """
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define KERNEL extern "C" __global__ void
#define T __nvvm_read_ptx_sreg_tid_x()
#define I (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + T)
extern "C" __device__ int vprintf(const char *, void *);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
"""
N = 1000
X = np.random.default_rng(3).integers(1, 1000, N)


def compile_ptx(
    source: str, arch: int, level: str, clang: list | None = None
) -> bytes:
    """Compile the source to PTX by LLVM's back end."""
    default = [CLANG, "clang"] if CLANG.exists() else ["clang-19"]
    done = subprocess.run(
        [
            *(clang or default),
            "-cc1",
            *FLAGS.split(),
            *("-target-cpu", f"sm_{arch}", "-target-feature", "+ptx70"),
            *(level, "-o", "-", "-"),
        ],
        input=(HEAD + source).encode(),
        capture_output=True,
        check=True,
    )
    return done.stdout


def same(values):
    """Return integers of 32 bits, as a kernel stores them."""
    return np.asarray(values).astype(np.int64).astype(np.int32)


def collatz(x):
    """Return the number of steps to 1."""
    steps = 0
    while x != 1:
        x = 3 * x + 1 if x & 1 else x // 2
        steps += 1
    return steps


CASES = {
    "guard": (
        "KERNEL k(int *o, const int *x, int n)"
        " { int i = I; if (i < n) o[i] = 3 * x[i] + 1; }",
        lambda x: 3 * x + 1,
    ),
    "loop": (
        "KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; int v = x[i], s = 0; while (v != 1)"
        " { v = v & 1 ? 3 * v + 1 : v / 2; s++; } o[i] = s; }",
        lambda x: [collatz(v) for v in x],
    ),
    "switch": (
        "KERNEL k(int *o, const int *x, int n) { int i = I, r; if (i >= n)"
        " return; switch (x[i] % 9) { case 0: r = x[i] / 7; break; case 1:"
        " r = -x[i]; break; case 2: r = x[i] << 3; break; case 3:"
        " r = x[i] ^ 77; break; case 4: r = x[i] % 5; break; case 5:"
        " r = x[i] * x[i]; break; default: r = 1; } o[i] = r; }",
        lambda x: np.choose(
            x % 9, [x // 7, -x, x << 3, x ^ 77, x % 5, x * x, 1, 1, 1]
        ),
    ),
    "function": (
        "__attribute__((noinline)) __device__ int f(int a, long b)"
        " { return a > 500 ? a - (int)b : a + (int)b; }"
        " KERNEL k(int *o, const int *x, int n) { int i = I;"
        " if (i < n) o[i] = f(x[i], 5) + f(i, 7); }",
        lambda x: (
            np.where(x > 500, x - 5, x + 5)
            + np.where(np.arange(N) > 500, np.arange(N) - 7, np.arange(N) + 7)
        ),
    ),
    "struct": (
        "struct P { int a[5]; double d; };"
        " __attribute__((noinline)) __device__ P g(P p, int v)"
        " { for (int j = 0; j < 5; j++) p.a[j] *= v; p.d += v; return p; }"
        " KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; P p = {{1, 2, 3, 4, 5}, 0.5}; p = g(p, x[i]);"
        " o[i] = p.a[x[i] % 5] + (int)(p.d * 2); }",
        lambda x: (x % 5 + 1) * x + 2 * x + 1,
    ),
    "recursion": (
        "__device__ int f(int v) { return v < 2 ? 1 : v + f(v / 2 + v % 2); }"
        " KERNEL k(int *o, const int *x, int n) { int i = I;"
        " if (i < n) o[i] = f(x[i]); }",
        lambda x: [halves(int(v)) for v in x],
    ),
    "pointers": (
        "__device__ int a(int v) { return v + 1; } __device__ int b(int v)"
        " { return v * 2; } typedef int F(int);"
        " __device__ F *table[2] = {a, b};"
        " KERNEL k(int *o, const int *x, int n) { int i = I;"
        " if (i < n) o[i] = table[x[i] & 1](x[i]); }",
        lambda x: np.where(x & 1, 2 * x, x + 1),
    ),
    "local": (
        "KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; int h[16]; for (int j = 0; j < 16; j++) h[j] = j;"
        " for (int j = 0; j < 40; j++) h[(x[i] + j * j) & 15] += j;"
        " o[i] = h[x[i] & 15] * h[3]; }",
        lambda x: [table(int(v)) for v in x],
    ),
    "wide": (
        "KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; long v = x[i] * 123456789L; unsigned long u = v;"
        " o[i] = (int)(v >> 20) ^ (int)(u % 1000007UL) ^ (int)(v / -77); }",
        lambda x: (
            (x * 123456789 >> 20)
            ^ (x * 123456789 % 1000007)
            ^ -(x * 123456789 // 77)
        ),
    ),
    "floats": (
        "KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; float f = x[i]; double d = f / 3.0; f = f * 0.5f + 0.25f;"
        " bool p = f > 100.0f && d < 200.0; o[i] = (int)(f * 4) + (p ? 7 : 0)"
        " + (int)d; }",
        lambda x: (
            2 * x
            + 1
            + np.where((x * 0.5 + 0.25 > 100) & (x / 3.0 < 200), 7, 0)
            + (x / 3.0).astype(int)
        ),
    ),
    "constant": (
        "__constant__ short c[4] = {3, -4, 500, 6}; __device__ char g = 9;"
        " KERNEL k(int *o, const int *x, int n) { int i = I;"
        " if (i < n) o[i] = c[x[i] & 3] + g; }",
        lambda x: np.array([3, -4, 500, 6])[x & 3] + 9,
    ),
    "heap": (
        "KERNEL k(int *o, const int *x, int n) { int i = I; if (i >= n)"
        " return; int *p = (int *)malloc(80); for (int j = 0; j < 20; j++)"
        " p[j] = j * x[i]; o[i] = p[x[i] % 20]; free(p); }",
        lambda x: x % 20 * x,
    ),
}


def halves(v: int) -> int:
    """Return what the kernel "recursion" computes."""
    return 1 if v < 2 else v + halves(v // 2 + v % 2)


def table(v: int) -> int:
    """Return what the kernel "local" computes."""
    h = list(range(16))
    for j in range(40):
        h[(v + j * j) & 15] += j
    return h[v & 15] * h[3]


def check_kernel(name: str, ptx: bytes) -> None:
    """Compare the results of a kernel with those expected."""
    module = drv.module_from_buffer(ptx)
    out = np.zeros(N, dtype=np.int32)
    module.get_function("k")(
        drv.Out(out),
        drv.In(X.astype(np.int32)),
        np.int32(N),
        block=(128, 1, 1),
        grid=(8, 1),
    )
    assert np.array_equal(out, same(CASES[name][1](X)))


@pytest.mark.parametrize(
    ("arch", "level"), [(70, "-O2"), (75, "-O1"), (80, "-O0"), (90, "-O3")]
)
@pytest.mark.parametrize("name", CASES)
def test_kernel(name, arch, level):
    check_kernel(name, compile_ptx(CASES[name][0], arch, level))


@pytest.mark.skipif(not shutil.which("clang-14"), reason="needs clang-14")
@pytest.mark.parametrize(("arch", "level"), [(75, "-O2"), (80, "-O0")])
@pytest.mark.parametrize("name", CASES)
def test_kernel_of_an_older_clang(name, arch, level):
    ptx = compile_ptx(CASES[name][0], arch, level, ["clang-14"])
    check_kernel(name, ptx)


SUM = """
__constant__ float scale[2] = {1.5f, 2.0f};
KERNEL k(float *o, const float *a, int n)
{
    __shared__ float s[256];
    int t = T, i = I;
    s[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int d = 128; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        o[__nvvm_read_ptx_sreg_ctaid_x()] = s[0] * scale[1];
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O3"])
def test_shared_memory(level):
    module = drv.module_from_buffer(compile_ptx(SUM, 80, level))
    data = np.arange(N, dtype=np.float32)
    out = np.zeros(4, dtype=np.float32)
    module.get_function("k")(
        drv.Out(out),
        drv.In(data),
        np.int32(N),
        block=(256, 1, 1),
        grid=(4, 1),
    )
    padded = np.append(data, np.zeros(24, np.float32)).reshape(4, 256)
    assert np.array_equal(out, 2 * padded.sum(axis=1))


def test_printf(capfd):
    source = (
        "KERNEL k() { struct { int a; double b; } v = {7, 1.5};"
        ' vprintf("%d %.2f\\n", &v); }'
    )
    module = drv.module_from_buffer(compile_ptx(source, 80, "-O2"))
    module.get_function("k")(block=(2, 1, 1))
    drv.Context.synchronize()
    assert capfd.readouterr().out.count("7 1.50\n") == 2
