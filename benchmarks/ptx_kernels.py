"""Kernels of the CPU device from PTX, compared with the same from C++.

Usage: ``python benchmarks/ptx_kernels.py [ROUNDS]``.  The kernels of
`cpu/kernels.cu` are compiled from C++ to an image, and from C++ to PTX by
LLVM's NVPTX back end and from that to an image.  Both run in turn, ROUNDS
times (9); the table has the median of the ratios of the processor time that
the process used, and their geometric mean.  The last line is the time in which
a small module in PTX loads.
"""

import os
import re
import sys
import time
from collections.abc import Callable
from statistics import geometric_mean, median

from common import build_c, describe_machine, print_table
from cpu.rows import HERE, Workload

os.environ["PYCUDA_DEVICE"] = "cpu"
os.environ["PYCUDA_CPU_QUICK"] = "0"
os.environ["PYCUDA_DISABLE_CACHE"] = "1"
FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]
LEAST = 0.02  # seconds of processor time per measurement
SMALL = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k%d(.param .u64 out)
{
    .reg .u64 %%d<3>;
    .reg .u32 %%t;
    ld.param.u64 %%d1, [out];
    mov.u32 %%t, %%tid.x;
    mul.wide.u32 %%d2, %%t, 4;
    add.u64 %%d1, %%d1, %%d2;
    st.global.u32 [%%d1], %%t;
    ret;
}
"""


def module_through_ptx(source: str):
    """Compile the source to PTX and load that, without the image in it."""
    import pycuda.driver as cuda
    from pycuda import compiler

    text = compiler.compile(
        'extern "C" {\n' + source + "\n}", target="ptx", cache_dir=False
    ).decode()
    assert "LLVM NVPTX" in text
    text = re.sub(r"^//.*\n", "", text.rstrip("\0"), flags=re.MULTILINE)
    return cuda.module_from_buffer(text.encode())


def processor_time(call: Callable, repeats: int) -> float:
    """Return the seconds of all threads of the process, per call."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def ratios(direct: Callable, other: Callable, rounds: int) -> list[float]:
    """Return the ratios of the times of both, which run in turn."""
    direct()
    other()
    repeats = max(1, round(LEAST / max(processor_time(direct, 1), 1e-6)))
    found = []
    for i in range(rounds):
        pair = [direct, other] if i % 2 == 0 else [other, direct]
        times = {call: processor_time(call, repeats) for call in pair}
        found.append(times[other] / times[direct])
    return found


def load_time() -> float:
    """Return the least seconds in which a small module loads."""
    import pycuda.driver as cuda

    best = float("inf")
    for i in range(10):
        start = time.perf_counter()
        cuda.module_from_buffer((SMALL % i).encode())
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    workload = Workload(str(build_c("cpu/reference.c", *FLAGS, shared=True)))
    describe_machine(workload.device)
    direct = workload.rows()
    workload.module = module_through_ptx((HERE / "kernels.cu").read_text())
    table, all_ratios = [], []
    for one, other in zip(direct, workload.rows(), strict=True):
        other.kernel()
        other.loop()
        assert other.right(), other.name
        found = sorted(ratios(one.kernel, other.kernel, rounds))
        middle = median(found)
        all_ratios.append(middle)
        table.append([one.name, middle, found[0], found[-1]])
    print_table(["kernel", "PTX / C++", "least", "greatest"], table)
    print(f"geometric mean {geometric_mean(all_ratios):.3f}")
    print(f"a small module loads in {load_time():.4f} s")


if __name__ == "__main__":
    main()
