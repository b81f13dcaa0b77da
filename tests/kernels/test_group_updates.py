"""Cooperative groups: atomic updates by groups, types, rejected uses."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.cpu
HEAD = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
"""

UPDATES = """
extern "C++" {
typedef cuda::atomic<int, cuda::thread_scope_device> counter;
template <class Group>
__device__ void try_all(const Group &g, int t, int *out, int *words)
{
    int *o = out + 6 * t;
    cuda::atomic_ref<int, cuda::thread_scope_device> sum(words[0]);
    cuda::atomic_ref<int, cuda::thread_scope_device> most(words[1]);
    cuda::atomic_ref<int, cuda::thread_scope_device> product(words[2]);
    o[0] = cg::inclusive_scan_update(g, sum, t);
    o[1] = cg::exclusive_scan_update(g, sum, t, cg::plus<int>());
    o[2] = cg::exclusive_scan_update(g, most, t ^ 5, cg::greater<int>());
    o[3] = cg::inclusive_scan_update(g, product, t % 2 + 1,
                                     [](int a, int b) { return a * b; });
    cg::reduce_update_async(g, *(counter *)(words + 3), t, cg::bit_or<int>());
    cg::reduce_store_async(g, words + 4, t, cg::plus<int>());
    cg::reduce_store_async(g, *(counter *)(words + 5), t, cg::less<int>());
}
}
__global__ void k(int *out, int *words)
{
    auto block = cg::this_thread_block();
    int t = block.thread_rank();
    GROUP;
}
"""
# Groups of `size` threads without other threads: their sums are definite.
GROUPS = {
    "tile": ("try_all(cg::tiled_partition<16>(block), t, out, words)", 16),
    "typed tile": (
        "cg::thread_block_tile<32> g = cg::tiled_partition<32>(block);"
        "try_all(g, t, out, words)",
        32,
    ),
    "wide tile": (
        "try_all(cg::tiled_partition<64>(block), t, out, words)",
        64,
    ),
    "coalesced": ("try_all(cg::coalesced_threads(), t, out, words)", 20),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_atomics_that_a_group_updates(kind):
    statement, size = GROUPS[kind]
    module = SourceModule(HEAD + UPDATES.replace("GROUP", statement))
    out = np.zeros((size, 6), np.int32)
    words = np.array([1000, 7, 3, 64, 0, 0], np.int32)
    module.get_function("k")(
        cuda.Out(out), cuda.InOut(words), block=(size, 1, 1)
    )
    t = np.arange(size)
    sums = np.cumsum(t)
    assert np.array_equal(out[:, 0], 1000 + sums)
    assert np.array_equal(out[:, 1], 1000 + sums[-1] + sums - t)
    most = np.maximum.accumulate(np.concatenate([[7], t ^ 5]))
    assert np.array_equal(out[:, 2], most[:-1])
    product = np.cumprod((t % 2 + 1).astype(np.int32), dtype=np.int32)
    assert np.array_equal(out[:, 3], 3 * product)
    assert list(words) == [
        1000 + 2 * sums[-1],
        most[-1],
        3 * product[-1],
        64 | np.bitwise_or.reduce(t),
        sums[-1],
        0,
    ]


def test_members_of_a_grid_and_types_of_groups():
    """Group types have the numbers that compiled GPU code uses."""
    source = """
    __device__ unsigned sizes(cg::thread_group g) { return g.size(); }
    __global__ void k(unsigned *out)
    {
        auto grid = cg::this_grid();
        auto block = cg::this_thread_block();
        unsigned *o = out + 16 * grid.thread_rank();
        dim3 i = grid.thread_index(), n = grid.dim_threads();
        o[0] = i.x + 100 * i.y + 10000 * i.z;
        o[1] = n.x + 100 * n.y + 10000 * n.z;
        o[2] = grid.cluster_rank() + 100 * grid.num_clusters();
        dim3 c = grid.cluster_index(), d = grid.dim_clusters();
        o[3] = c.x + 10 * c.y + 100 * d.x + 1000 * d.y;
        cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
        auto part = cg::tiled_partition(grid, 4);
        cg::thread_group all = grid;
        o[4] = grid.get_type() + 10 * block.get_type() +
               100 * tile.get_type() +
               1000 * cg::coalesced_threads().get_type() +
               10000 * cg::this_cluster().get_type();
        o[5] = cg::thread_group(block).get_type() + 10 * part.get_type() +
               100 * all.get_type();
        o[6] = all.size();
        o[7] = all.thread_rank();
        o[8] = part.size() + 10 * part.thread_rank();
        o[9] = sizes(cg::this_cluster());
        auto self = cg::this_thread();
        o[10] = self.size() + 10 * self.thread_rank();
        o[11] = tile.match_any((signed char)(block.thread_rank() / 4 - 1));
    }
    """
    out = np.zeros((48, 16), np.uint32)
    SourceModule(HEAD + source).get_function("k")(
        cuda.InOut(out), block=(4, 2, 1), grid=(3, 2, 1)
    )
    rank = np.arange(48)
    block, thread = rank // 8, rank % 8
    x = block % 3 * 4 + thread % 4
    y = block // 3 * 2 + thread // 4
    assert np.array_equal(out[:, 0], x + 100 * y)
    assert (out[:, 1] == 12 + 100 * 4 + 10000).all()
    assert np.array_equal(out[:, 2], block + 600)
    assert np.array_equal(out[:, 3], block % 3 + 10 * (block // 3) + 2300)
    assert (out[:, 4] == 61143).all() and (out[:, 5] == 314).all()
    assert (out[:, 6] == 48).all() and np.array_equal(out[:, 7], rank)
    assert np.array_equal(out[:, 8], 4 + 10 * (thread % 4))
    assert (out[:, 9] == 8).all() and (out[:, 10] == 1).all()
    assert np.array_equal(out[:, 11], np.where(thread < 4, 0x0F, 0xF0))


REFUSED = {
    "default constructor": ("decltype(block) b;", "constructor"),
    "default tile": ("decltype(tile) b;", "constructor"),
    "group of a mask": ("cg::coalesced_group g(1u);", "constructor"),
    "assignment": ("auto b = part; b = part;", "deleted"),
    "exchange in a coalesced group": ("part.shfl_xor(1, 1);", "shfl_xor"),
    "member of a part of a size": (
        "cg::tiled_partition(block, 8).shfl(1, 0);",
        "shfl",
    ),
    "large values in a wide tile": (
        "cg::tiled_partition<64>(block).shfl(make_double2(1, 2), 1);",
        "up to 8 bytes",
    ),
    "copy of a grid": (
        "cg::memcpy_async(cg::this_grid(), p, p, 4);",
        "memcpy_async",
    ),
    "label": ("cg::labeled_partition(tile, 1.5f);", "label"),
    "match of a pointer": ("tile.match_any(p);", "integers"),
    "operation of another type": (
        "cg::reduce(tile, 1.5f, cg::plus<int>());",
        "another type",
    ),
    "update of no atomic": (
        "cg::reduce_update_async(tile, *p, 1, cg::plus<int>());",
        "reduce_update_async",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_nvrtc_refuses_of_groups(name):
    statement, said = REFUSED[name]
    source = f"""
    __global__ void k(int *p) {{
        auto block = cg::this_thread_block();
        auto tile = cg::tiled_partition<8>(block);
        auto part = cg::coalesced_threads();
        {statement}
    }}"""
    with pytest.raises(cuda.CompileError, match=said):
        compile(HEAD + source)


@pytest.mark.parametrize("size", [0, 5, 64])
def test_sizes_that_no_warp_has(size):
    """The kernel traps, as on a GPU."""
    source = """
    __global__ void k(int *p, int size) {
        p[0] = cg::tiled_partition(cg::this_thread_block(), size).size();
    }"""
    context = cuda.Device(0).make_context()
    try:
        kernel = SourceModule(HEAD + source).get_function("k")
        kernel(cuda.mem_alloc(4), np.int32(size), block=(64, 1, 1))
        with pytest.raises(cuda.Error):
            context.synchronize()
    finally:
        context.pop()


@pytest.mark.parametrize("part", ["reduce", "inclusive_scan", "wait"])
def test_collectives_need_their_header(part):
    source = f"""
    #include <cooperative_groups.h>
    using cooperative_groups::{part};"""
    with pytest.raises(cuda.CompileError, match=part):
        compile(source, no_extern_c=True)
