"""Cooperative groups: every group, its ranks and its operations."""

import ctypes
from pathlib import Path

import numpy as np
import pytest

import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

# On a GPU the headers are NVIDIA's own.
pytestmark = pytest.mark.cpu
HEAD = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
"""


def run(body, shape, block=(64, 1, 1), dtype=np.int32, head=""):
    """Run `body` with `out` and the thread's index `t`."""
    ctype = {"i4": "int", "u4": "unsigned", "f8": "double"}[
        np.dtype(dtype).str[1:]
    ]
    source = (
        HEAD + head + f"__global__ void k({ctype} *out) {{"
        "auto block = cg::this_thread_block();"
        f"int t = block.thread_rank(); (void)t; {body} }}"
    )
    out = np.zeros(shape, dtype)
    SourceModule(source).get_function("k")(cuda.InOut(out), block=block)
    return out


def test_numbers_of_a_block():
    out = run(
        "int *o = out + 10 * t; o[0] = block.size(); o[1] = t;"
        "o[2] = block.thread_index().y; o[3] = block.dim_threads().x;"
        "o[4] = block.group_index().x; o[5] = cg::group_size(block);"
        "block.sync(); cg::sync(block);",
        (60, 10),
        block=(4, 5, 3),
    )
    t = np.arange(60)
    assert (out[:, 0] == 60).all() and (out[:, 5] == 60).all()
    assert np.array_equal(out[:, 1], t)
    assert np.array_equal(out[:, 2], t // 4 % 5)
    assert (out[:, 3] == 4).all() and (out[:, 4] == 0).all()


def test_a_block_that_arrives_and_waits():
    out = run(
        """
        __shared__ int places[64];
        for (int turn = 0; turn < 3; turn++) {
            places[t] = t + turn;
            auto token = block.barrier_arrive();
            int own = turn * 100;
            block.barrier_wait(static_cast<decltype(token) &&>(token));
            out[t] += places[63 - t] + own;
            block.sync();
        }
        """,
        (64,),
    )
    assert np.array_equal(out, 3 * (63 - np.arange(64)) + 303)


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("size", [1, 2, 4, 8, 16, 32])
def test_tiles(size):
    out = run(
        f"""
        auto tile = cg::tiled_partition<{size}>(block);
        int *o = out + 10 * t, v = t * t;
        o[0] = tile.thread_rank();
        o[1] = tile.meta_group_rank() * 100 + tile.meta_group_size();
        o[2] = tile.shfl(v, 1);
        o[3] = tile.shfl_up(v, 1);
        o[4] = tile.shfl_down(v, 2);
        o[5] = tile.shfl_xor(v, 1);
        o[6] = tile.ballot(t % 3 == 0);
        o[7] = cg::reduce(tile, v, cg::plus<int>());
        o[8] = cg::inclusive_scan(tile, v);
        o[9] = cg::exclusive_scan(tile, v, cg::plus<int>());
        """,
        (64, 10),
    )
    v = (np.arange(64) ** 2).reshape(-1, size)
    r = np.arange(size)
    groups = 64 // size

    def column(i):
        return out[:, i].reshape(-1, size)

    assert np.array_equal(column(0), np.broadcast_to(r, v.shape))
    assert np.array_equal(column(1)[:, 0], np.arange(groups) * 100 + groups)
    assert (column(2) == v[:, [1 % size]]).all()
    assert np.array_equal(column(3), v[:, np.maximum(r - 1, 0)])
    after = np.where(r + 2 < size, r + 2, r)
    assert np.array_equal(column(4), v[:, after])
    partner = np.where((r ^ 1) < size, r ^ 1, r)
    assert np.array_equal(column(5), v[:, partner])
    votes = (np.arange(64) % 3 == 0).reshape(-1, size) @ (1 << r)
    assert (column(6).view(np.uint32) == votes[:, None]).all()
    assert (column(7) == v.sum(1, keepdims=True)).all()
    assert np.array_equal(column(8), v.cumsum(1))
    assert np.array_equal(column(9), v.cumsum(1) - v)


def test_tiles_of_tiles():
    """A tile's rank is relative to its parent, even if the type omits it."""
    out = run(
        """
        auto warp = cg::tiled_partition<32>(block);
        auto tile = cg::tiled_partition<4>(warp);
        cg::thread_block_tile<4> any = tile;
        cg::thread_block_tile<32> any_warp = warp;
        auto below = cg::tiled_partition<2>(any);
        int *o = out + 6 * t;
        o[0] = tile.meta_group_rank() * 100 + tile.meta_group_size();
        o[1] = any.meta_group_rank() * 100 + any.meta_group_size();
        o[2] = below.meta_group_rank() * 100 + below.meta_group_size();
        o[3] = any_warp.meta_group_rank() * 100 + any_warp.meta_group_size();
        o[4] = cg::reduce(any, t, cg::plus<int>());
        o[5] = any.thread_rank() * 100 + below.thread_rank();
        """,
        (64, 6),
    )
    t = np.arange(64)
    assert np.array_equal(out[:, 0], t % 32 // 4 * 100 + 8)
    assert np.array_equal(out[:, 1], out[:, 0])
    assert np.array_equal(out[:, 2], t % 4 // 2 * 100 + 2)
    assert np.array_equal(out[:, 3], t // 32 * 100 + 2)
    assert np.array_equal(out[:, 4], np.repeat(t.reshape(-1, 4).sum(1), 4))
    assert np.array_equal(out[:, 5], t % 4 * 100 + t % 2)


# Each group separately; `g` adds up in shared memory of its own.
GROUPS = {
    "block": ("block", 64),
    "tile": ("cg::tiled_partition<16>(block)", 16),
    "tile of a size": ("cg::tiled_partition(block, 8)", 8),
    "tile of a tile": ("cg::tiled_partition(cg::thread_group(tile), 4)", 4),
    "coalesced": ("cg::coalesced_threads()", 32),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_functions_that_take_any_group(kind):
    group, size = GROUPS[kind]
    out = run(
        f"""
        __shared__ int places[64];
        auto tile = cg::tiled_partition<16>(block);
        (void)tile;
        cg::thread_group g = {group};
        int *own = places + t / {size} * {size};
        out[3 * t] = sum_of(g, own, t * t);
        out[3 * t + 1] = cg::thread_rank(g);
        out[3 * t + 2] = g.size();
        cg::sync(g);
        """,
        (64, 3),
        head="""
        __device__ int sum_of(cg::thread_group g, int *places, int value)
        {
            int rank = g.thread_rank();
            for (int half = g.num_threads() / 2; half > 0; half /= 2) {
                places[rank] = value;
                g.sync();
                if (rank < half) {
                    value += places[rank + half];
                }
                g.sync();
            }
            return value;
        }
        """,
    )
    t = np.arange(64)
    sums = (t * t).reshape(-1, size).sum(1)
    assert np.array_equal(out[::size, 0], sums)
    assert np.array_equal(out[:, 1], t % size)
    assert (out[:, 2] == size).all()


def test_operations_and_wide_types():
    out = run(
        """
        auto tile = cg::tiled_partition<16>(block);
        struct wide { double a, b, c; int d; };
        wide w = {t + .5, t + .25, t + .125, t};
        w = tile.shfl(w, 3);
        double *o = out + 8 * t;
        o[0] = w.a + w.d;
        o[1] = cg::reduce(tile, t * 7 % 31, cg::less<int>());
        o[2] = cg::reduce(tile, t * 7 % 31, cg::greater<int>());
        o[3] = cg::reduce(tile, 1u << t % 5, cg::bit_or<unsigned>());
        o[4] = cg::reduce(tile, (unsigned)~t, cg::bit_and<unsigned>()) & 15;
        o[5] = cg::reduce(tile, t, cg::bit_xor<int>());
        o[6] = cg::reduce(tile, t + 0.5, cg::plus<double>());
        o[7] = cg::reduce(tile, (long long)t,
            [](long long a, long long b) { return a * 3 % 101 + b; });
        """,
        (64, 8),
        dtype=np.float64,
    )
    t = np.arange(64).reshape(4, 16)
    first = t[:, :1]
    assert np.array_equal(
        out.reshape(4, 16, 8)[..., 0], 0 * t + 2 * first + 6.5
    )
    rows = out.reshape(4, 16, 8)[:, 5]
    assert np.array_equal(rows[:, 1], (t * 7 % 31).min(1))
    assert np.array_equal(rows[:, 2], (t * 7 % 31).max(1))
    assert (rows[:, 3] == 31).all() and (rows[:, 4] == 0).all()
    assert np.array_equal(rows[:, 5], np.bitwise_xor.reduce(t, 1))
    assert np.array_equal(rows[:, 6], (t + 0.5).sum(1))


def test_coalesced_threads():
    out = run(
        """
        if (t % 3 == 1) {
            cg::coalesced_group g = cg::coalesced_threads();
            int *o = out + 8 * t;
            o[0] = g.size(); o[1] = g.thread_rank();
            o[2] = g.shfl(t, 2); o[3] = g.shfl_up(t, 1);
            o[4] = cg::reduce(g, t, cg::plus<int>());
            o[5] = cg::exclusive_scan(g, 1);
            o[6] = g.any(t == 7) * 10 + g.all(t < 32);
            o[7] = g.ballot(t & 1);
            g.sync();
        }
        """,
        (32, 8),
        block=(32, 1, 1),
    )
    t = np.arange(1, 32, 3)
    n = len(t)
    found = out[t]
    assert (found[:, 0] == n).all()
    assert np.array_equal(found[:, 1], np.arange(n))
    assert (found[:, 2] == t[2]).all()
    assert np.array_equal(found[:, 3], t[np.maximum(np.arange(n) - 1, 0)])
    assert (found[:, 4] == t.sum()).all()
    assert np.array_equal(found[:, 5], np.arange(n))
    assert (found[:, 6] == 11).all()
    assert (
        found[:, 7] == sum((int(x) & 1) << i for i, x in enumerate(t))
    ).all()
    assert not out[t - 1].any()


def test_labelled_and_binary_partitions():
    out = run(
        """
        auto warp = cg::tiled_partition<32>(block);
        auto same = cg::labeled_partition(warp, t % 5);
        auto half = cg::binary_partition(warp, t >= 20);
        int *o = out + 6 * t;
        o[0] = same.size(); o[1] = same.thread_rank();
        o[2] = same.meta_group_rank() * 10 + same.meta_group_size();
        o[3] = cg::reduce(same, t, cg::plus<int>());
        o[4] = half.size(); o[5] = half.thread_rank();
        """,
        (32, 6),
        block=(32, 1, 1),
    )
    t = np.arange(32)
    for label in range(5):
        here = t[t % 5 == label]
        assert (out[here, 0] == len(here)).all()
        assert np.array_equal(out[here, 1], np.arange(len(here)))
        assert (out[here, 2] == label * 10 + 5).all()
        assert (out[here, 3] == here.sum()).all()
    assert out[:, 4].tolist() == [20] * 20 + [12] * 12
    assert out[:, 5].tolist() == [*range(20), *range(12)]


@pytest.mark.slow
def test_partitions_at_run_time():
    out = run(
        """
        auto tile = cg::tiled_partition(block, 4 << (t >= 32));
        out[2 * t] = tile.thread_rank() + 100 * tile.size();
        auto part = cg::tiled_partition(cg::coalesced_threads(), 16);
        out[2 * t + 1] = part.thread_rank() + 100 * part.size();
        """,
        (64, 2),
    )
    t = np.arange(64)
    size = np.where(t < 32, 4, 8)
    assert np.array_equal(out[:, 0], t % size + 100 * size)
    assert np.array_equal(out[:, 1], t % 16 + 1600)


def test_copies_of_a_group():
    out = run(
        """
        __shared__ int tile[64];
        cg::memcpy_async(block, tile, source, sizeof(int) * 64);
        cg::wait(block);
        out[t] = tile[63 - t];
        block.sync();
        cg::memcpy_async(block, tile, 8, source + 8, 40);
        cg::wait_prior<0>(block);
        out[64 + t] = tile[t];
        cg::invoke_one(block, [&] { atomicAdd(out + 128, 5); });
        auto warp = cg::tiled_partition<32>(block);
        out[129 + t] = cg::invoke_one_broadcast(
            warp, [&] { return (int)warp.meta_group_rank() + 7; });
        """,
        193,
        head="__constant__ int source[64] = {"
        + ",".join(str(i * 3) for i in range(64))
        + "};",
    )
    source = np.arange(64) * 3
    assert np.array_equal(out[:64], source[::-1])
    assert np.array_equal(out[64:128], [*source[8:16], *source[8:]])
    assert out[128] == 5
    assert out[129:].tolist() == [7] * 32 + [8] * 32


GRID = (
    HEAD
    + """
__global__ void rounds(unsigned *data, unsigned *sums, int n)
{
    cg::grid_group grid = cg::this_grid();
    unsigned rank = grid.thread_rank(), size = grid.size();
    for (int round = 0; round < n; round++) {
        for (unsigned i = rank; i < 4096; i += size)
            data[i] += i * round;
        grid.sync();
        // Everyone reads what the others wrote.
        unsigned next = data[(rank * 37 + round) % 4096];
        grid.sync();
        atomicAdd(&sums[round], next);
        grid.sync();
        data[rank % 4096] ^= sums[round];
        grid.sync();
    }
    if (rank == 0) sums[n] = grid.is_valid() + 10 * grid.num_blocks();
}
__global__ void alone(int *out) { *out = cg::this_grid().is_valid(); }
__global__ void wrong(int *out) { cg::this_grid().sync(); }
"""
)


def test_a_cooperative_launch():
    library = ctypes.CDLL(
        str(Path(pycuda.__file__).parent / "lib" / "libpycuda_cpu.so")
    )
    blocks = cuda.Context.get_device().get_attribute(
        cuda.device_attribute.MULTIPROCESSOR_COUNT
    )
    image = compile(GRID)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.cuModuleLoadData(ctypes.byref(module), image) == 0
    assert (
        library.cuModuleGetFunction(ctypes.byref(function), module, b"rounds")
        == 0
    )
    data, rounds = np.arange(4096, dtype=np.uint32), 6
    sums = np.zeros(rounds + 1, np.uint32)
    data_gpu, sums_gpu = cuda.to_device(data), cuda.to_device(sums)
    values = [
        ctypes.c_uint64(int(data_gpu)),
        ctypes.c_uint64(int(sums_gpu)),
        ctypes.c_int(rounds),
    ]
    pointers = (ctypes.c_void_p * 3)(
        *(ctypes.addressof(value) for value in values)
    )

    def launch(grid):
        return library.cuLaunchCooperativeKernel(
            function, grid, 1, 1, 48, 1, 1, 0, None, pointers
        )

    assert launch(32 * blocks + 1) == 720, "too many blocks"
    blocks = min(blocks, 64)
    assert launch(blocks) == 0
    cuda.Context.synchronize()
    rank, i = np.arange(48 * blocks), np.arange(4096, dtype=np.uint32)
    for round in range(rounds):
        data += i * np.uint32(round)
        sums[round] = data[(rank * 37 + round) % 4096].sum(dtype=np.uint32)
        data[rank] ^= sums[round]
    sums[rounds] = 1 + 10 * blocks
    assert np.array_equal(cuda.from_device_like(sums_gpu, sums), sums)
    assert np.array_equal(cuda.from_device_like(data_gpu, data), data)
    library.cuModuleUnload(module)


def test_a_grid_barrier_needs_a_cooperative_launch():
    context = cuda.Device(0).make_context()
    try:
        module = SourceModule(GRID)
        out = np.full(1, 7, np.int32)
        module.get_function("alone")(cuda.InOut(out), block=(1, 1, 1))
        assert out[0] == 0
        module.get_function("wrong")(cuda.mem_alloc(4), block=(1, 1, 1))
        with pytest.raises(cuda.Error):
            context.synchronize()
    finally:
        context.pop()
