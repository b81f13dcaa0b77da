"""The compute capability of the CPU device, and what follows from it."""

# SPDX-License-Identifier: MIT

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

PROGRAM = """
import json
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

device = drv.Context.get_device()
names = (
    "COMPUTE_CAPABILITY_MAJOR", "COMPUTE_CAPABILITY_MINOR",
    "MAX_THREADS_PER_MULTIPROCESSOR", "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "RESERVED_SHARED_MEMORY_PER_BLOCK",
)
kinds = drv.device_attribute
values = [device.get_attribute(getattr(kinds, name)) for name in names]
source = '''
extern __shared__ int s[];
__global__ void k(int *a, int last)
{
    s[last] = 5;
    a[0] = __CUDA_ARCH__;
    a[1] = s[last];
}'''
import numpy as np
kernel = SourceModule(source).get_function("k")
out = np.zeros(2, "i4")
most = values[5]
kernel(drv.Out(out), np.int32(most // 4 - 1), block=(1, 1, 1), shared=most)
try:
    kernel(drv.Out(out), np.int32(0), block=(1, 1, 1), shared=most + 4)
    refused = False
except drv.Error:
    refused = True
print(json.dumps({
    "values": values, "out": out.tolist(), "refused": refused,
    "version": kernel.get_attribute(drv.function_attribute.BINARY_VERSION),
}))
"""
# Limits of a multiprocessor: of V100, T4, A100, A10, L4 and H100. The numbers
# are those of the CUDA programming guide: threads, blocks, KiB of shared
# memory for all blocks and for one block.
LIMITS = {
    "7.0": (2048, 32, 96, 96),
    "7.5": (1024, 16, 64, 64),
    "8.0": (2048, 32, 164, 163),
    "8.6": (1536, 16, 100, 99),
    "8.9": (1536, 24, 100, 99),
    "9.0": (2048, 32, 228, 227),
}


def run(arch: str | None) -> dict:
    environment = os.environ | {"PYCUDA_DEVICE": "cpu"}
    environment.pop("PYCUDA_CPU_ARCH", None)
    if arch is not None:
        environment["PYCUDA_CPU_ARCH"] = arch
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("arch", "capability"),
    [
        (None, "8.0"),
        ("", "8.0"),
        ("sm_70", "7.0"),
        ("75", "7.5"),
        ("compute_80", "8.0"),
        ("8.6", "8.6"),
        ("sm_89", "8.9"),
        ("9.0", "9.0"),
    ],
)
def test_attributes(arch: str | None, capability: str) -> None:
    said = run(arch)
    major, minor = (int(x) for x in capability.split("."))
    threads, blocks, shared, opt_in = LIMITS[capability]
    assert said["values"] == [
        major,
        minor,
        threads,
        blocks,
        shared << 10,
        opt_in << 10,
        1024 if major >= 8 else 0,
    ]
    assert said["out"] == [100 * major + 10 * minor, 5]
    assert said["refused"]
    assert said["version"] == 10 * major + minor


def test_features_of_the_default_architecture() -> None:
    """Code for sm_80 and later is compiled without an option."""
    module = SourceModule(
        """
#if __CUDA_ARCH__ < 800
#error "no sm_80"
#endif
#include <cuda_bf16.h>
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned i = threadIdx.x;
    __pipeline_memcpy_async(&s[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    out[0] = __reduce_add_sync(0xffffffff, s[i]);
    out[1] = __reduce_max_sync(0xffffffff, s[i]);
    out[2] = cg::reduce(warp, s[i], cg::plus<int>());
    __nv_bfloat16 b = __hfma(__float2bfloat16(3.0f), __float2bfloat16(5.0f),
                             __float2bfloat16(1.0f));
    out[3] = (int)__bfloat162float(b);
}
""",
        no_extern_c=True,
    )
    numbers = np.arange(32, dtype="i4") * 3 - 7
    out = np.zeros(4, "i4")
    module.get_function("k")(drv.In(numbers), drv.Out(out), block=(32, 1, 1))
    total = int(numbers.sum())
    assert out.tolist() == [total, int(numbers.max()), total, 16]


def test_occupancy() -> None:
    """Blocks are limited by threads, their number and shared memory."""
    kernel = SourceModule("__global__ void k() {}").get_function("k")
    device = drv.Context.get_device()
    names = drv.device_attribute
    most = device.get_attribute(names.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
    kernel.set_attribute(
        drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES,
        device.get_attribute(names.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
    )
    counted = {
        (threads, shared): kernel.max_active_blocks_per_multiprocessor(
            threads, shared
        )
        for threads in (32, 256, 1024)
        for shared in (0, 1, 20 << 10, 163 << 10)
    }
    for (threads, shared), blocks in counted.items():
        each = -(-shared // 128) * 128 + 1024
        assert blocks == min(2048 // threads, 32, most // each)
