"""Function: attributes, occupancy, and kinds of launches."""

import re
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void shared(int *out, int n)
{
    extern __shared__ int room[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = i;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += room[n - 1 - i];
    atomicAdd(out, sum);
}

/* Every block waits for all others, twice. */
__global__ void meet(volatile int *arrived, int *out)
{
    for (int turn = 1; turn <= 2; turn++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd((int *)arrived, 1);
            while (*arrived < turn * (int)gridDim.x) { }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = *arrived;
}

__global__ void mix(float *out, int a, float b, double c)
{
    out[blockIdx.x + gridDim.x * blockIdx.y] = a + b + (float)c;
}

__global__ void __launch_bounds__(64) small(int *out) { *out = blockDim.x; }
"""


def ints(drv: Any, count: int = 1) -> Any:
    return drv.to_device(np.zeros(count, np.int32))


def test_attributes(drv: Any, get: Any) -> None:
    shared = get("shared")
    which = drv.function_attribute
    assert shared.max_threads_per_block >= 256
    assert get("small").max_threads_per_block == 64
    assert shared.shared_size_bytes == 0 <= shared.num_regs
    assert shared.get_attribute(which.LOCAL_SIZE_BYTES) >= 0
    shared.set_attribute(which.MAX_DYNAMIC_SHARED_SIZE_BYTES, 50 << 10)
    found = shared.get_attribute(which.MAX_DYNAMIC_SHARED_SIZE_BYTES)
    assert found == 50 << 10 == shared.max_dynamic_shared_size_bytes
    with pytest.raises(drv.LogicError, match="cuFuncSetAttribute failed"):
        shared.set_attribute(which.NUM_REGS, 7)
    with pytest.raises(AttributeError, match="function_attribute"):
        _ = shared.no_such_thing
    assert shared.set_cache_config(drv.func_cache.PREFER_L1) is None
    with pytest.raises(TypeError):
        shared.set_cache_config("L1")


def test_more_than_48_kib_of_shared_memory(drv: Any, get: Any) -> None:
    """No attribute has to be set; too large a size is a clear error."""
    shared, out = get("shared"), ints(drv)
    most = drv.Device(0).max_shared_memory_per_block_optin
    n = most // 4
    shared(out, np.int32(n), block=(256, 1, 1), shared=4 * n)
    assert drv.from_device(out, 1, np.int32)[0] == np.arange(n).sum().astype(
        np.int32
    )
    shared.prepare("Pi")
    shared.prepared_call((1, 1), (64, 1, 1), out, 20000, shared_size=80000)
    drv.Context.synchronize()
    with pytest.raises(
        drv.LogicError,
        match=r"cuLaunchKernel failed: .*kernel 'shared', grid \(1, 1, 1\), "
        rf"block \(1, 1, 1\), {most + 4} bytes .*, arguments \("
        r"DeviceAllocation at 0x[0-9a-f]+, int32\(1\)\)",
    ):
        shared(out, np.int32(1), block=(1, 1, 1), shared=most + 4)


def test_cooperative(drv: Any, get: Any) -> None:
    """Blocks that wait for each other, as many as fit."""
    meet = get("meet")
    device = drv.Device(0)
    if not device.cooperative_launch:
        pytest.skip("the device has no cooperative launches")
    blocks = device.multiprocessor_count
    arrived, out = ints(drv), ints(drv, blocks)
    for _ in range(5):
        drv.memset_d32(arrived, 0, 1)
        meet(arrived, out, block=(32, 1, 1), grid=blocks, cooperative=True)
        assert (drv.from_device(out, blocks, np.int32) == 2 * blocks).all()
    with pytest.raises(drv.Error, match="all blocks must fit") as caught:
        meet(arrived, out, block=(32, 1, 1), grid=10**6, cooperative=True)
    fitting = int(
        re.search(r"and (\d+) of this shape do", str(caught.value))[1]
    )
    drv.memset_d32(arrived, 0, 1)
    out = ints(drv, fitting)
    meet(arrived, out, block=(32, 1, 1), grid=fitting, cooperative=True)
    assert (drv.from_device(out, fitting, np.int32) == 2 * fitting).all()
    with pytest.raises(drv.Error, match=f"and {fitting} of this shape do"):
        meet(
            arrived, out, block=(32, 1, 1), grid=fitting + 1, cooperative=True
        )


def test_clusters(drv: Any, get: Any) -> None:
    mix = get("mix")
    out = drv.to_device(np.zeros(4, np.float32))
    arguments = (out, np.int32(1), np.float32(2), np.float64(3))
    how = {"block": (1, 1, 1), "grid": (4, 1)}
    mix(*arguments, **how, cluster=None)
    with pytest.raises(
        ValueError, match="dimensions of cluster must be 1 or more"
    ):
        mix(*arguments, **how, cluster=(0, 1, 1))
    with pytest.raises(TypeError):
        mix(*arguments, **how, cluster="2")
    if drv.Device(0).cluster_launch:
        mix(*arguments, **how, cluster=(2, 1, 1))
        assert (drv.from_device(out, 4, np.float32) == 6).all()
        return
    with pytest.raises(drv.LogicError, match="compute capability 9.0 or hig"):
        mix(*arguments, **how, cluster=(2, 1, 1))


def test_occupancy(drv: Any, get: Any) -> None:
    shared = get("shared")
    device = drv.Device(0)
    blocks = shared.max_active_blocks_per_multiprocessor
    assert 1 <= blocks((128, 1, 1)) <= device.max_blocks_per_multiprocessor
    assert blocks(128) == blocks((16, 8)) == blocks(np.int64(128))
    assert blocks(128, shared=40 << 10) < blocks(128)
    # The occupancy; a launch-bounds limit on the block is another matter.
    assert get("small").max_active_blocks_per_multiprocessor(128) >= 1
    grid, threads = shared.max_potential_block_size()
    assert grid >= device.multiprocessor_count
    assert threads % 32 == 0 and 32 <= threads <= 1024
    assert shared.max_potential_block_size(limit=64)[1] == 64
    assert 1 <= get("small").max_potential_block_size(shared=16)[1] <= 64
    with pytest.raises(TypeError):
        blocks(1.5)
    with pytest.raises(drv.LogicError, match="cuOccupancyMax"):
        blocks(0)


def test_step_by_step(drv: Any, get: Any) -> None:
    """The launch methods of early PyCUDA, under their private names."""
    mix = get("mix")
    out = drv.to_device(np.zeros(6, np.float32))
    mix._set_block_shape(1, 1, 1)
    mix._set_shared_size(0)
    mix._param_set_size(24)
    mix._param_setv(0, np.uintp(int(out)))
    mix._param_seti(8, 5)
    mix._param_setf(12, 0.5)
    mix._param_setv(16, np.float64(2))
    mix._launch()
    assert drv.from_device(out, 2, np.float32).tolist() == [7.5, 0]
    mix._param_seti(8, np.int32(6))
    mix._launch_grid(3, 2)
    assert (drv.from_device(out, 6, np.float32) == 8.5).all()
    stream = drv.Stream()
    mix._param_setf(12, 1)
    mix._launch_grid_async(grid_width=3, grid_height=1, s=stream)
    stream.synchronize()
    assert drv.from_device(out, 4, np.float32).tolist() == [9, 9, 9, 8.5]
    with pytest.raises(drv.LogicError, match="at most 4096 bytes"):
        mix._param_seti(4094, 1)
    with pytest.raises(drv.LogicError, match="at most 4096 bytes"):
        mix._param_setv(4090, b"12345678")
    with pytest.raises(OverflowError):
        mix._param_seti(0, -1)
    with pytest.raises(TypeError):
        mix._set_block_shape(1, 1.5, 1)


def test_launch_kernel(drv: Any, get: Any) -> None:
    out = drv.to_device(np.zeros(2, np.float32))
    packed = np.zeros(24, np.uint8)
    packed[:8] = np.frombuffer(np.uintp(int(out)), np.uint8)
    packed[8:12] = np.frombuffer(np.int32(3), np.uint8)
    get("mix")._launch_kernel((2, 1), (1, 1, 1), packed, 0, None)
    assert drv.from_device(out, 2, np.float32).tolist() == [3, 3]
    with pytest.raises(drv.LogicError, match="cuLaunchKernel failed"):
        get("mix")._launch_kernel((0, 1), (1, 1, 1), packed, 0, None)


def test_functions_of_a_context_that_is_gone(drv: Any) -> None:
    from pycuda.compiler import SourceModule

    other = drv.Device(0).make_context()
    function = SourceModule(SOURCE, no_extern_c=False).get_function("small")
    other.detach()
    memory = ints(drv)
    for call in (
        lambda: function(memory, block=(1, 1, 1)),
        lambda: function.num_regs,
        lambda: function.max_potential_block_size(),
        lambda: function._launch(),
    ):
        with pytest.raises(drv.LogicError, match="was detached"):
            call()
