"""The CPU device's mathematics compared with gcc's.

Usage: ``python benchmarks/cpu_math.py [NAME...]``.

Each function runs over 2^20 numbers in a kernel, and in a loop that gcc -O3
-ffast-math compiles for the same instructions, which calls glibc's vector
library if that has the function.  One thread each, taking turns; the least
time of several counts.  Results are compared before times are.
``PYCUDA_CPU_TARGET=x86-64-v3`` measures for AVX2 on both sides.
"""

import ctypes
import os
import sys
import time

import numpy as np
from common import BUILD, build_c, describe_machine, print_table

os.environ["PYCUDA_DEVICE"] = "cpu"
os.environ.setdefault("PYCUDA_CPU_THREADS", "1")

COUNT = 1 << 20
FLOAT = """
    sinf cosf tanf asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf
    expf exp2f exp10f expm1f logf log2f log10f log1pf sqrtf cbrtf erff erfcf
    powf atan2f hypotf fmodf
"""
DOUBLE = """
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2
    exp10 expm1 log log2 log10 log1p sqrt cbrt erf pow atan2 hypot
"""
TWO = ("pow", "atan2", "hypot", "fmod")
# Least required speed, as a multiple of gcc's; 0.5 for other functions.
WANTED = dict.fromkeys(("sinf", "cosf", "expf", "logf", "powf", "sqrtf"), 0.9)
RANGES = {
    "asin": (-1, 1),
    "acos": (-1, 1),
    "atanh": (-0.99, 0.99),
    "acosh": (1, 10),
}


def loops(names: list[str], head: str) -> str:
    """Return one C function or kernel per name; `head` is its first lines."""
    text = []
    for name in names:
        kind = "float" if name.endswith("f") and name != "erf" else "double"
        call = "x[i], y[i]" if name.removesuffix("f") in TWO else "x[i]"
        text.append(
            head.replace("NAME", name)
            .replace("TYPE", kind)
            .replace("VALUE", f"{name}({call})")
        )
    return "\n".join(text)


C_LOOP = """
void bench_NAME(TYPE *restrict out, const TYPE *restrict x,
                const TYPE *restrict y, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = VALUE;
}
"""
KERNEL = """
__global__ void bench_NAME(TYPE *out, const TYPE *x, const TYPE *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = VALUE;
}
"""


def least_of_both(mine, other, budget: float = 0.25) -> tuple[float, float]:
    """Return the least seconds of two calls, in turns for `budget` seconds."""
    best = [float("inf"), float("inf")]
    end = time.perf_counter() + budget
    while time.perf_counter() < end:
        for i, call in enumerate((mine, other)):
            start = time.perf_counter()
            call()
            best[i] = min(best[i], time.perf_counter() - start)
    return best[0], best[1]


class Bench:
    """Arrays on both sides, the kernels and the C functions."""

    def __init__(self, names: list[str]) -> None:
        import pycuda.autoinit
        from pycuda import cpu
        from pycuda.compiler import SourceModule

        self.device = pycuda.autoinit.device.name()
        self.module = SourceModule(loops(names, KERNEL))
        cpu.finish_compilation()
        march = os.environ.get("PYCUDA_CPU_TARGET", "native")
        head = "#define _GNU_SOURCE\n#include <math.h>\n"
        flags = ("-O3", f"-march={march}", "-ffast-math")
        BUILD.mkdir(parents=True, exist_ok=True)
        source = BUILD / "cpu_math.c"
        source.write_text(head + loops(names, C_LOOP))
        self.c = ctypes.CDLL(str(build_c(str(source), *flags, shared=True)))

    def row(self, name: str) -> list[object]:
        import pycuda.driver as cuda
        from pycuda import gpuarray

        single = name.endswith("f") and name != "erf"
        dtype = np.float32 if single else np.float64
        base = name.removesuffix("f") if single else name
        rng = np.random.default_rng(2)
        x = rng.uniform(*RANGES.get(base, (0.01, 10)), COUNT).astype(dtype)
        y = rng.uniform(0.1, 3, COUNT).astype(dtype)
        out = np.empty_like(x)
        on_device = [gpuarray.to_gpu(v) for v in (out, x, y)]
        kernel = self.module.get_function(f"bench_{name}")
        loop = getattr(self.c, f"bench_{name}")
        pointers = [v.ctypes.data_as(ctypes.c_void_p) for v in (out, x, y)]

        def mine() -> None:
            kernel(
                *on_device,
                np.int32(COUNT),
                block=(256, 1, 1),
                grid=(COUNT // 256, 1),
            )
            cuda.Context.synchronize()

        def theirs() -> None:
            loop(*pointers, ctypes.c_long(COUNT))

        mine()
        theirs()
        if not np.allclose(on_device[0].get(), out, rtol=1e-4, atol=1e-6):
            sys.exit(f"{name}: the kernel and the loop differ")
        seconds, reference = least_of_both(mine, theirs)
        wanted = WANTED.get(name, 0.5)
        speed = reference / seconds
        return [
            name,
            seconds / COUNT * 1e9,
            reference / COUNT * 1e9,
            f"{speed:.2f}",
            f">= {wanted}",
            "yes" if speed >= wanted else "no",
        ]


def main() -> None:
    names = sys.argv[1:] or (FLOAT + DOUBLE).split()
    bench = Bench(names)
    rows = [bench.row(name) for name in names]
    describe_machine(bench.device)
    print_table(["ns a number", "kernel", "gcc", "speed", "goal", "met"], rows)


if __name__ == "__main__":
    main()
