"""Whatever is left when a process ends is released without a message."""

import pytest
from isolated import run

PARTS = {
    "memory": "keep.append(drv.mem_alloc(1000))",
    "stream": "keep.append(drv.Stream())",
    "event": "keep.append(drv.Event().record())",
    "module": "keep.append(SourceModule('__global__ void k() {}'))",
    "function": "keep.append(SourceModule('__global__ void k() {}')"
    ".get_function('k')); keep[-1](block=(1, 1, 1))",
    "pinned": "keep.append(drv.pagelocked_zeros(10, 'i4'))",
    "managed": "keep.append(drv.managed_zeros(10, 'i4'))",
    "pool": "keep.append(drv.DeviceMemoryPool().allocate(10))",
    "array": "keep.append(gpuarray.zeros(10, 'f4') + 1)",
    "handler": "keep.append(drv.In(np.zeros(4))); keep[-1].get_device_alloc()",
    "texture": "keep.append(SourceModule('texture<float, 2> t; "
    "__global__ void k(float *a) { *a = tex2D(t, 0, 0); }'));"
    " drv.matrix_to_texref(np.zeros((2, 2), 'f4'),"
    " keep[-1].get_texref('t'), 'C')",
}
HEAD = """
import sys
import numpy as np
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
keep = []
"""


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    "ending",
    [
        "",  # everything still alive, the context on the stack
        "del context",
        "drv.Context.pop()",
        "context.detach()",
        "context.detach(); del keep[:]",
        "sys.modules.clear()",
        "keep.append(keep); del keep",  # left to the collector
    ],
)
def test_context_of_ones_own(part: str, ending: str) -> None:
    code = HEAD + "drv.init(); context = drv.Device(0).make_context()\n"
    run(code + PARTS[part] + "\n" + ending + "\n")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_automatic_context(part: str, module: str) -> None:
    run(f"import pycuda.{module}\n" + HEAD + PARTS[part] + "\n")


def test_left_in_a_thread() -> None:
    run(
        HEAD
        + """
import threading
drv.init()
def work():
    context = drv.Device(0).make_context()
    keep.append(drv.mem_alloc(100))
    keep.append(drv.Stream())
thread = threading.Thread(target=work)
thread.start()
thread.join()
keep.clear()
"""
    )


def test_two_contexts_stacked() -> None:
    run(
        "import pycuda.autoinit, pycuda.autoprimaryctx\n"
        + HEAD
        + "keep.append(drv.mem_alloc(10))\n"
    )


def test_sys_exit_and_uncaught_error() -> None:
    run("import pycuda.autoinit, sys\nsys.exit(3)", status=3)
    run(
        "import pycuda.autoinit, os\n"
        "import pycuda.driver as drv\n"
        "a = drv.mem_alloc(10)\nos._exit(4)",
        status=4,
    )
