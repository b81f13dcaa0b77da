"""Modules that come and go, for ``soak.py``.

Threads load PTX, link it, launch kernels that launch kernels, and on the CPU
device compile kernels that first run a quick version.  Each kernel adds a
known number to all elements of an array.

SPDX-License-Identifier: MIT
"""

import atexit
import collections
import itertools
import os
import random
import shutil
import struct
import tempfile
from typing import Any

import numpy as np

import pycuda.driver as cuda
from pycuda import _driver
from pycuda.compiler import DynamicSourceModule, SourceModule

KEPT_MODULES = 4  # modules of each thread with quick versions
HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
ADD = """.func (.param .f32 s) plus(.param .f32 a)
{
    .reg .f32 v;
    ld.param.f32 v, [a];
    add.f32 v, v, 0f%s;
    st.param.f32 [s], v;
    ret;
}
"""
KERNEL = """
.visible .entry k(.param .u64 x, .param .u32 n)
{
    .reg .pred p;
    .reg .u32 i, b, t, c;
    .reg .u64 a, o;
    .reg .f32 v;
    mov.u32 b, %ctaid.x;
    mov.u32 t, %ntid.x;
    mov.u32 i, %tid.x;
    mad.lo.u32 i, b, t, i;
    ld.param.u32 c, [n];
    setp.ge.u32 p, i, c;
    @p ret;
    ld.param.u64 a, [x];
    cvta.to.global.u64 a, a;
    mul.wide.u32 o, i, 4;
    add.u64 a, a, o;
    ld.global.f32 v, [a];
    { .param .f32 q; .param .f32 s;
      st.param.f32 [q], v;
      call (s), plus, (q);
      ld.param.f32 v, [s]; }
    st.global.f32 [a], v;
    ret;
}
"""
CHILDREN = """
__global__ void add(float *x, int n, float number)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] += number; }
}
__global__ void k(float *x, int n)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cudaStream_t stream;
        cudaEvent_t event;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        add<<<gridDim.x, blockDim.x, 0, stream>>>(x, n, 1);
        cudaEventRecord(event, stream);
        cudaStreamWaitEvent(0, event, 0);
        add<<<gridDim.x, blockDim.x>>>(x, n, 1);
        add<<<gridDim.x, blockDim.x, 0, cudaStreamTailLaunch>>>(x, n, -3);
    }
}
"""
SLOW = """
__global__ void k%d(float *x, int n)
{
    __shared__ float tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    const float other = tile[threadIdx.x ^ 1];
    if (i < n) { x[i] = tile[threadIdx.x] + 2 + (other == other ? 0 : 1); }
}
"""


def prepare() -> None:
    """Select quick versions, and a cache that ends with the process.

    Called before the driver is initialized.
    """
    os.environ["PYCUDA_CPU_QUICK"] = "always"
    folder = tempfile.mkdtemp(prefix="pycuda-soak-")
    os.environ["PYCUDA_CACHE_DIR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)


class Modules:
    """Loads modules for one thread; counts those of each kind."""

    numbers = itertools.count()

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.loaded: list[Any] = []
        self.counts = dict.fromkeys(["ptx", "linked", "children", "quick"], 0)
        self.parent: Any = None
        self.kinds = [self.ptx, self.linked]
        try:
            module = DynamicSourceModule(CHILDREN)
            self.parent = module.get_function("k")
            self.kinds.append(self.children)
        except RuntimeError as error:  # no libcudadevrt for a GPU
            if "libcudadevrt" not in str(error):
                raise
        if _driver._device_kind() == "cpu":
            self.kinds.append(self.quick)

    def add(self, x: Any, value: int) -> tuple[Any, int, str]:
        """Add a number by a kernel of some module; also return its kind."""
        kind = self.draw.choice(self.kinds)
        function, number = kind()
        function(
            x, np.int32(x.size), block=(128, 1, 1), grid=(-(-x.size // 128), 1)
        )
        self.counts[kind.__name__] += 1
        return x, value + number, kind.__name__

    def ptx(self) -> tuple[Any, int]:
        number = self.draw.randrange(-4, 5)
        bits = struct.pack(">f", number).hex()
        module = cuda.module_from_buffer((HEAD + ADD % bits + KERNEL).encode())
        return module.get_function("k"), number

    def linked(self) -> tuple[Any, int]:
        number = self.draw.randrange(-4, 5)
        bits = struct.pack(">f", number).hex()
        declared = ADD[: ADD.index("{")].rstrip()
        linker = cuda.Linker()
        for text in (f".extern {declared};{KERNEL}", f".visible {ADD % bits}"):
            part = (HEAD + text).encode()
            linker.add_data(part, cuda.jit_input_type.PTX, "part")
        return linker.link_module().get_function("k"), number

    def children(self) -> tuple[Any, int]:
        return self.parent, -1

    def quick(self) -> tuple[Any, int]:
        """A new kernel, or one whose full version may be ready."""
        if self.draw.random() < 0.3 or not self.loaded:
            number = next(self.numbers)
            module = SourceModule(SLOW % number, cache_dir=False)
            self.loaded.append(module.get_function(f"k{number}"))
        if len(self.loaded) > KEPT_MODULES:
            del self.loaded[self.draw.randrange(KEPT_MODULES)]
        return self.draw.choice(self.loaded), 2


def report(all_modules: list[Modules | None]) -> str:
    """Return in one line how many kernels of each kind have run."""
    counts: collections.Counter[str] = collections.Counter()
    for modules in all_modules:
        counts.update(modules.counts if modules else {})
    return "kernels: " + ", ".join(f"{n} {kind}" for kind, n in counts.items())
