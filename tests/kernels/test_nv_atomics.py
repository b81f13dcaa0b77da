"""__nv_atomic_*, 16-byte atomics, numbered barriers, aligned malloc."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")
BLOCK, GRID = 96, 40
THREADS = BLOCK * GRID
ORDER = "__NV_ATOMIC_RELAXED"


def launch(source, *arguments, block=BLOCK, grid=GRID):
    kernel = SourceModule(source).get_function("kernel")
    kernel(*arguments, block=(block, 1, 1), grid=(grid, 1))


@pytest.mark.parametrize("kind", ["int", "unsigned", "unsigned long long"])
def test_read_modify_write(kind):
    dtype = np.dtype({"int": "i4", "unsigned": "u4"}.get(kind, "u8"))
    names = ("add", "sub", "max", "min", "and", "or", "xor")
    body = "".join(
        f"__nv_atomic_{name}(x + {i}, v, {ORDER});"
        f" __nv_atomic_fetch_{name}(x + {i + 8}, v, {ORDER},"
        " __NV_THREAD_SCOPE_BLOCK);"
        for i, name in enumerate(names)
    )
    x = np.full(16, 77, dtype)
    launch(
        f"__global__ void kernel({kind} *x) {{"
        f" {kind} v = blockIdx.x * {BLOCK} + threadIdx.x + 3; {body} }}",
        cuda.InOut(x),
    )
    values = (np.arange(THREADS) + 3).astype(dtype)
    start = np.array([77], dtype)
    total = values.sum(dtype=dtype)
    wanted = [start + total, start - total, [values.max()], [3]]
    wanted += [[0], [np.bitwise_or.reduce(values) | 77]]
    wanted += [[np.bitwise_xor.reduce(values) ^ 77]]
    wanted = np.array(wanted, dtype).ravel()
    assert x[:7].tolist() == x[8:15].tolist() == wanted.tolist()


@pytest.mark.parametrize("kind", ["float", "double"])
def test_sums_of_floats(kind):
    x = np.zeros(4, {"float": np.float32, "double": np.float64}[kind])
    launch(
        f"__global__ void kernel({kind} *x) {{"
        f" __nv_atomic_add(x, ({kind})0.5, {ORDER});"
        f" __nv_atomic_fetch_sub(x + 1, ({kind})0.25, {ORDER}); }}",
        cuda.InOut(x),
    )
    assert x.tolist() == [THREADS / 2, -THREADS / 4, 0, 0]


WIDE = """
__global__ void kernel(float4 *x)
{
    float4 v = make_float4(1, 2, 3, threadIdx.x), old, next;
    __nv_atomic_load(x, &old, __NV_ATOMIC_ACQUIRE);
    do {
        next = make_float4(old.x + 1, old.y + 2, old.z + 3, old.w + v.w);
    } while (!__nv_atomic_compare_exchange(x, &old, &next, true,
                                           __NV_ATOMIC_SEQ_CST,
                                           __NV_ATOMIC_RELAXED));
    atomicAdd(x + 1, v);
    __nv_atomic_exchange(x + 2, &v, &old, __NV_ATOMIC_RELAXED);
    atomicAdd(x + 3, old);
    old = atomicExch(x + 4, v);
    atomicAdd(x + 5, old);
    float4 none = make_float4(0, 0, 0, 0);
    if (atomicCAS(x + 6, none, v).x == 0)
        atomicAdd(x + 7, make_float4(1, 0, 0, 0));
    __nv_atomic_store(x + 8, &v, __NV_ATOMIC_RELEASE);
}
"""


def test_sixteen_bytes_at_once():
    """Exchanges return exactly the values that were stored before."""
    x = np.zeros((9, 4), np.float32)
    launch(WIDE, cuda.InOut(x))
    lanes = GRID * BLOCK * (BLOCK - 1) // 2
    total = [THREADS, 2 * THREADS, 3 * THREADS, lanes]
    assert x[0].tolist() == x[1].tolist() == total
    assert (x[2] + x[3]).tolist() == (x[4] + x[5]).tolist() == total
    assert x[6, :3].tolist() == x[8, :3].tolist() == [1, 2, 3]
    assert x[7].tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("kind", ["char", "unsigned short", "long long"])
def test_loads_and_stores(kind):
    dtype = {"char": "i1", "unsigned short": "u2"}.get(kind, "i8")
    x = np.arange(BLOCK).astype(dtype)
    launch(
        f"__global__ void kernel({kind} *x) {{ int i = threadIdx.x;"
        f" {kind} v = __nv_atomic_load_n(x + i, {ORDER}) + 1, w;"
        f" __nv_atomic_store(x + i, &v, {ORDER});"
        f" __nv_atomic_load(x + i, &w, __NV_ATOMIC_SEQ_CST);"
        f" __nv_atomic_store_n(x + i, w * 2, {ORDER}); }}",
        cuda.InOut(x),
        grid=1,
    )
    assert x.tolist() == ((np.arange(BLOCK) + 1) * 2).astype(dtype).tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("__nv_atomic_load_n(x, __NV_ATOMIC_RELEASE)", "release"),
        ("__nv_atomic_store_n(x, 1, __NV_ATOMIC_ACQUIRE)", "acquire"),
        ("__nv_atomic_fetch_add(x, 1, *x)", "constant|literal"),
    ],
)
def test_wrong_orders(call, said):
    with pytest.raises(cuda.CompileError, match=said):
        SourceModule(f"__global__ void kernel(int *x) {{ {call}; }}")


NAMED = """
__global__ void kernel(int *out)
{
    __shared__ int box[2][64];
    int half = threadIdx.x / 64, i = threadIdx.x % 64, sum = 0;
    for (int round = 0; round < 5 + 3 * half; round++) {
        box[half][i] = round * 100 + i;
        __barrier_sync_count(1 + half, 64);
        sum += box[half][63 - i];
        __barrier_sync_count(1 + half, 64);
    }
    __barrier_sync(5);
    box[half][i] = sum;
    __barrier_sync(0);
    out[threadIdx.x] = box[1 - half][i];
}
"""


def test_numbered_barriers():
    """Each half of a block synchronizes separately, at its own pace."""
    out = np.zeros(128, np.int32)
    launch(NAMED, cuda.Out(out), block=128, grid=1)
    sums = [
        [sum(r * 100 + 63 - i for r in range(5 + 3 * half)) for i in range(64)]
        for half in range(2)
    ]
    assert out.tolist() == sums[1] + sums[0]


@pytest.mark.cpu
def test_a_numbered_barrier_that_is_never_met():
    own = cuda.Device(0).make_context()
    try:
        with pytest.raises(cuda.Error):
            launch(
                "__global__ void kernel() {"
                " if (threadIdx.x < 32) __barrier_sync_count(3, 64); }",
                grid=1,
            )
            own.synchronize()
    finally:
        own.pop()


def test_aligned_malloc():
    out = np.zeros(8, np.uint64)
    launch(
        "__global__ void kernel(unsigned long long *out) {"
        " for (int i = 0; i < 8; i++) {"
        "  char *p = (char *)__nv_aligned_device_malloc(100, 1ull << i + 2);"
        "  p[99] = 1; out[i] = (unsigned long long)p; free(p); } }",
        cuda.Out(out),
        block=1,
        grid=1,
    )
    assert (out != 0).all()
    assert not (out % (1 << np.arange(2, 10, dtype=np.uint64))).any()


CLUSTER = """
__global__ void {dims} kernel(unsigned *out)
{{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    out[threadIdx.x] = __clusterRelativeBlockRank() + __clusterSizeInBlocks();
}}
"""


@pytest.mark.cpu
def test_clusters_of_one_block():
    out = np.zeros(BLOCK, np.uint32)
    for dims in ("", "__cluster_dims__(1)", "__cluster_dims__(1, 1, 1)"):
        launch(CLUSTER.format(dims=dims), cuda.Out(out), grid=1)
        assert out.tolist() == [1] * BLOCK
    with pytest.raises(cuda.CompileError, match="__cluster_dims__"):
        SourceModule(CLUSTER.format(dims="__cluster_dims__(2, 1, 1)"))
    # Kernels that do not depend on the difference run.
    SourceModule("__global__ void __cluster_dims__(2, 1, 1) kernel() {}")


WIDE_TILES = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void kernel(const int *x, int *out)
{{
    __shared__ cg::block_tile_memory<256> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<{size}>(block);
    auto part = cg::tiled_partition<16>(tile);
    int i = block.thread_rank(), v = x[i];
    out[i] = cg::reduce(tile, v, cg::plus<int>());
    out[256 + i] = cg::inclusive_scan(tile, v);
    out[512 + i] = cg::exclusive_scan(tile, v);
    out[768 + i] = tile.shfl(v, 3) * 2 + tile.any(v == x[0]);
    out[1024 + i] = tile.all(v >= 0) * 10000 + tile.thread_rank() * 10
                    + tile.meta_group_rank();
    out[1280 + i] = part.meta_group_size() * 100 + part.meta_group_rank();
    if (tile.meta_group_rank() == 0) tile.sync();
    tile.sync();
}}
"""


@pytest.mark.parametrize("size", [64, 128, 256])
def test_tiles_of_more_than_a_warp(size):
    x = np.random.default_rng(size).integers(0, 99, 256).astype(np.int32)
    x[0] = 1000
    out = np.zeros((6, 256), np.int32)
    kernel = SourceModule(
        WIDE_TILES.format(size=size), no_extern_c=True
    ).get_function("kernel")
    kernel(cuda.In(x), cuda.Out(out), block=(256, 1, 1))
    rows = x.reshape(-1, size)
    ranks = np.arange(256) % size
    sums = rows.cumsum(1)
    assert (out[0].reshape(rows.shape) == sums[:, -1:]).all()
    assert (out[1].reshape(rows.shape) == sums).all()
    assert (out[2].reshape(rows.shape) == sums - rows).all()
    first = np.arange(256) < size
    wanted = np.repeat(rows[:, 3], size) * 2 + first
    assert out[3].tolist() == wanted.tolist()
    wanted = 10000 + ranks * 10 + np.arange(256) // size
    assert out[4].tolist() == wanted.tolist()
    assert out[5].tolist() == (size // 16 * 100 + ranks // 16).tolist()


@pytest.mark.cpu
def test_the_group_of_a_cluster_of_one_block():
    source = """
    #include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void kernel(int *out)
    {
        __shared__ int box[64];
        auto cluster = cg::this_cluster();
        box[threadIdx.x] = threadIdx.x;
        cluster.sync();
        int *there = cluster.map_shared_rank(box, 0);
        out[threadIdx.x] = there[63 - threadIdx.x] + cluster.block_rank()
                           + 1000 * cluster.num_blocks();
    }"""
    out = np.zeros(64, np.int32)
    kernel = SourceModule(source, no_extern_c=True).get_function("kernel")
    kernel(cuda.Out(out), block=(64, 1, 1))
    assert out.tolist() == list(range(1063, 999, -1))
