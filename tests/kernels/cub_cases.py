"""Kernels that call one primitive of CUB each, with NumPy's results.

A value of the type under test is made of an integer key: the key as int,
float or double, or a struct of the key and twice the key.  All results are
values again, so that one function compares those of every type.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ITEMS = 3  # per thread, in primitives of blocks
RUNS = 4  # longest run that is decoded
TYPES = {
    "int": np.dtype("i4"),
    "float": np.dtype("f4"),
    "double": np.dtype("f8"),
    "struct": np.dtype([("key", "i4"), ("twice", "f4")]),
}
SIZES = (32, 48, 128, 256)

HEAD = """
#include <cub/cub.cuh>

struct Pair {
    int key;
    float twice;
};
__device__ Pair operator+(Pair a, Pair b)
{
    return {a.key + b.key, a.twice + b.twice};
}
__device__ Pair operator-(Pair a, Pair b)
{
    return {a.key - b.key, a.twice - b.twice};
}
__device__ Pair &operator+=(Pair &a, Pair b) { return a = a + b; }
__device__ bool operator==(Pair a, Pair b) { return a.key == b.key; }
__device__ bool operator!=(Pair a, Pair b) { return a.key != b.key; }
__device__ bool operator<(Pair a, Pair b) { return a.key < b.key; }

template <class T> struct Make {
    static __device__ T of(int key) { return (T)key; }
    static __device__ int key(T value) { return (int)value; }
};
template <> struct Make<Pair> {
    static __device__ Pair of(int key) { return {key, 2.0f * key}; }
    static __device__ int key(Pair value) { return value.key; }
};
struct Plus {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};
struct Minus {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a - b;
    }
};
struct Larger {
    template <class T> __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
struct Less {
    template <class T> __device__ bool operator()(T a, T b) const
    {
        return a < b;
    }
};
struct Differ {
    template <class T> __device__ bool operator()(T a, T b) const
    {
        return a != b;
    }
};
using T = %(type)s;
using M = Make<T>;
enum { ITEMS = %(items)d, RUNS = %(runs)d };

template <int N> __device__ void load(T (&x)[ITEMS], const T *in)
{
    for (int j = 0; j < ITEMS; j++) {
        x[j] = in[threadIdx.x * ITEMS + j];
    }
}
template <class V> __device__ void store(T *out, const V (&x)[ITEMS])
{
    for (int j = 0; j < ITEMS; j++) {
        out[threadIdx.x * ITEMS + j] = x[j];
    }
}
__device__ void store_keys(T *out, const int (&x)[ITEMS])
{
    for (int j = 0; j < ITEMS; j++) {
        out[threadIdx.x * ITEMS + j] = M::of(x[j]);
    }
}
"""
# i: the thread's index; x: its items; first: its first item; W: the width of
# the logical warps, w the index of the thread's one, l its lane there.
KERNEL = """
extern "C" __global__ void %(name)s_%(size)d(T *out, const T *in)
{
    constexpr int N = %(size)d, W = N %% 32 ? 16 : 32;
    const int i = threadIdx.x, w = i / W, l = i %% W;
    T x[ITEMS], first = in[i];
    load<N>(x, in);
    %(body)s
    (void)w, (void)l, (void)first;
}
"""


@dataclass
class Case:
    """The body of a kernel, and its result for keys (the block's size)."""

    body: str
    expected: Callable[[np.ndarray, int], np.ndarray]
    arithmetic: bool = False  # not for structs
    power_of_two: bool = False  # only for blocks of such sizes


def width(size: int) -> int:
    return 16 if size % 32 else 32


def per_warp(
    function: Callable[[np.ndarray], np.ndarray],
) -> Callable[[np.ndarray, int], np.ndarray]:
    """Apply `function` to the rows of the matrix (warps, lanes)."""
    return lambda k, n: function(k[:n].reshape(-1, width(n))).ravel()


def block(kind: str, body: str, more: str = "") -> str:
    return (
        f"using B = cub::{kind}<T, N{more}>; "
        f"__shared__ typename B::TempStorage t; {body}"
    )


def warp(kind: str, body: str) -> str:
    return (
        f"using B = cub::{kind}; "
        f"__shared__ typename B::TempStorage t[N / W]; {body}"
    )


def broadcast(value: np.ndarray, count: int) -> np.ndarray:
    return np.repeat(value[..., None], count, -1)


def exclusive(k: np.ndarray) -> np.ndarray:
    return np.cumsum(k, -1) - k


def shifted(k: np.ndarray, by: int, fill: np.ndarray) -> np.ndarray:
    """Return k[i - by], with `fill` where there is none."""
    result = np.roll(k, by)
    edge = slice(0, by) if by > 0 else slice(by, None)
    result[edge] = fill[edge]
    return result


def flags(k: np.ndarray, heads: bool) -> np.ndarray:
    change = k[1:] != k[:-1]
    ends = ([True], change) if heads else (change, [True])
    return np.concatenate(ends).astype("i8")


def striped(k: np.ndarray) -> np.ndarray:
    """Return items of threads whose blocked order was `k`, striped."""
    return k.reshape(ITEMS, -1).T.ravel()


def decoded(k: np.ndarray, n: int) -> np.ndarray:
    runs = k[:n] % RUNS + 1
    result = np.zeros(RUNS * n, "i8")
    found = np.repeat(k[:n], runs)
    result[: len(found)] = found
    return result


CASES: dict[str, Case] = {}
for _name, _algorithm in (
    ("raking", "RAKING"),
    ("warps", "WARP_REDUCTIONS"),
    ("commutative", "RAKING_COMMUTATIVE_ONLY"),
):
    CASES[f"block_reduce_{_name}"] = Case(
        block(
            "BlockReduce",
            "T r = B(t).Reduce(x, Plus()); if (!i) out[0] = r;",
            f", cub::BLOCK_REDUCE_{_algorithm}",
        ),
        lambda k, n: k.sum(keepdims=True),
    )
CASES["block_reduce_valid"] = Case(
    block(
        "BlockReduce",
        "T r = B(t).Reduce(first, Larger(), N - 5); if (!i) out[0] = r;",
    ),
    lambda k, n: k[: n - 5].max(keepdims=True),
)
for _name, _algorithm in (
    ("raking", "RAKING"),
    ("memoize", "RAKING_MEMOIZE"),
    ("warps", "WARP_SCANS"),
):
    CASES[f"block_scan_{_name}"] = Case(
        block(
            "BlockScan",
            "B(t).InclusiveScan(x, x, Plus()); store(out, x);",
            f", cub::BLOCK_SCAN_{_algorithm}",
        ),
        lambda k, n: np.cumsum(k),
    )
CASES |= {
    "block_scan_exclusive": Case(
        block(
            "BlockScan",
            "T all; B(t).ExclusiveScan(x, x, M::of(7), Plus(), all);"
            " store(out, x); if (!i) out[N * ITEMS] = all;",
        ),
        lambda k, n: np.append(7 + exclusive(k), k.sum()),
    ),
    "block_merge_sort": Case(
        block(
            "BlockMergeSort", "B(t).Sort(x, Less()); store(out, x);", ", ITEMS"
        ),
        lambda k, n: np.sort(k),
        power_of_two=True,
    ),
    "block_merge_sort_pairs": Case(
        block(
            "BlockMergeSort",
            "int y[ITEMS]; for (int j = 0; j < ITEMS; j++)"
            " y[j] = i * ITEMS + j;"
            " B(t).StableSort(x, y, Less()); store_keys(out, y);",
            ", ITEMS, int",
        ),
        lambda k, n: np.argsort(k, kind="stable"),
        power_of_two=True,
    ),
    "block_radix_sort": Case(
        block("BlockRadixSort", "B(t).Sort(x); store(out, x);", ", ITEMS"),
        lambda k, n: np.sort(k),
        arithmetic=True,
    ),
    "block_radix_sort_descending": Case(
        block(
            "BlockRadixSort",
            "B(t).SortDescending(x); store(out, x);",
            ", ITEMS",
        ),
        lambda k, n: np.sort(k)[::-1],
        arithmetic=True,
    ),
    "block_radix_sort_values": Case(
        "using B = cub::BlockRadixSort<int, N, ITEMS, T>;"
        " __shared__ typename B::TempStorage t; int y[ITEMS];"
        " for (int j = 0; j < ITEMS; j++) y[j] = M::key(x[j]) % 16;"
        " B(t).Sort(y, x, 0, 4); store(out, x);",
        lambda k, n: k[np.argsort(k % 16, kind="stable")],
    ),
    "block_radix_sort_striped": Case(
        block(
            "BlockRadixSort",
            "B(t).SortBlockedToStriped(x); store(out, x);",
            ", ITEMS",
        ),
        lambda k, n: striped(np.sort(k)),
        arithmetic=True,
    ),
    "block_exchange_to_striped": Case(
        block(
            "BlockExchange",
            "B(t).BlockedToStriped(x, x); store(out, x);",
            ", ITEMS",
        ),
        lambda k, n: striped(k),
    ),
    "block_exchange_to_blocked": Case(
        block(
            "BlockExchange",
            "B(t).StripedToBlocked(x, x); store(out, x);",
            ", ITEMS",
        ),
        lambda k, n: k.reshape(n, ITEMS).T.ravel(),
    ),
    "block_exchange_scatter": Case(
        block(
            "BlockExchange",
            "int y[ITEMS]; for (int j = 0; j < ITEMS; j++)"
            " y[j] = N * ITEMS - 1 - (i * ITEMS + j);"
            " B(t).ScatterToBlocked(x, x, y); store(out, x);",
            ", ITEMS",
        ),
        lambda k, n: k[::-1],
    ),
    "block_load_guarded": Case(
        block(
            "BlockLoad",
            "B(t).Load(in, x, N * ITEMS - 5, M::of(9)); store(out, x);",
            ", ITEMS, cub::BLOCK_LOAD_TRANSPOSE",
        ),
        lambda k, n: np.append(k[:-5], [9] * 5),
    ),
    "block_load_striped": Case(
        block(
            "BlockLoad",
            "B(t).Load(in, x); store(out, x);",
            ", ITEMS, cub::BLOCK_LOAD_STRIPED",
        ),
        lambda k, n: striped(k),
    ),
    "block_load_vectorized": Case(
        block(
            "BlockLoad",
            "B(t).Load(in, x); store(out, x);",
            ", ITEMS, cub::BLOCK_LOAD_VECTORIZE",
        ),
        lambda k, n: k,
    ),
    "block_store_transposed": Case(
        block(
            "BlockStore",
            "B(t).Store(out, x);",
            ", ITEMS, cub::BLOCK_STORE_TRANSPOSE",
        ),
        lambda k, n: k,
    ),
    "block_store_striped": Case(
        block(
            "BlockStore",
            "B(t).Store(out, x, N * ITEMS - 5);",
            ", ITEMS, cub::BLOCK_STORE_STRIPED",
        ),
        lambda k, n: k.reshape(n, ITEMS).T.ravel()[:-5],
    ),
    "block_discontinuity_heads": Case(
        block(
            "BlockDiscontinuity",
            "int y[ITEMS]; B(t).FlagHeads(y, x, Differ());"
            " store_keys(out, y);",
        ),
        lambda k, n: flags(k, True),
    ),
    "block_discontinuity_tails": Case(
        block(
            "BlockDiscontinuity",
            "int y[ITEMS]; B(t).FlagTails(y, x, Differ());"
            " store_keys(out, y);",
        ),
        lambda k, n: flags(k, False),
    ),
    "block_difference_left": Case(
        block(
            "BlockAdjacentDifference",
            "B(t).SubtractLeft(x, x, Minus()); store(out, x);",
        ),
        lambda k, n: np.append(k[0], k[1:] - k[:-1]),
    ),
    "block_difference_right": Case(
        block(
            "BlockAdjacentDifference",
            "B(t).SubtractRight(x, x, Minus()); store(out, x);",
        ),
        lambda k, n: np.append(k[:-1] - k[1:], k[-1]),
    ),
    "block_shuffle_offset": Case(
        block(
            "BlockShuffle",
            "T r = first; B(t).Offset(first, r, 2); out[i] = r;",
        ),
        lambda k, n: shifted(k[:n], -2, k[:n]),
    ),  # fmt: skip
    "block_shuffle_rotate": Case(
        block("BlockShuffle", "T r; B(t).Rotate(first, r, 5); out[i] = r;"),
        lambda k, n: np.roll(k[:n], -5),
    ),
    "block_shuffle_up": Case(
        block(
            "BlockShuffle",
            "T y[ITEMS]; for (int j = 0; j < ITEMS; j++) y[j] = x[j];"
            " B(t).template Up<ITEMS>(x, y); if (!i) y[0] = M::of(1);"
            " store(out, y);",
        ),
        lambda k, n: np.append(1, k[:-1]),
    ),
    "block_run_length_decode": Case(
        "using B = cub::BlockRunLengthDecode<T, N, 1, RUNS>;"
        " __shared__ typename B::TempStorage t; unsigned all = 0;"
        " T v[1] = {first};"
        " unsigned runs[1] = {(unsigned)(M::key(first) % RUNS) + 1};"
        " B b(t, v, runs, all); T y[RUNS]; b.RunLengthDecode(y, 0);"
        " for (unsigned j = 0; j < RUNS; j++) { unsigned at = i * RUNS + j;"
        " out[at] = at < all ? y[j] : M::of(0); }",
        decoded,
    ),
    "warp_reduce": Case(
        warp(
            "WarpReduce<T, W>",
            "T r = B(t[w]).Reduce(first, Plus()); if (!l) out[w] = r;",
        ),
        per_warp(lambda k: k.sum(1)),
    ),
    "warp_reduce_valid": Case(
        warp(
            "WarpReduce<T, W>",
            "T r = B(t[w]).Reduce(first, Larger(), 11); if (!l) out[w] = r;",
        ),
        per_warp(lambda k: k[:, :11].max(1)),
    ),
    "warp_reduce_segments": Case(
        warp(
            "WarpReduce<T, W>",
            "T r = B(t[w]).HeadSegmentedReduce(first, l % 8 == 0, Plus());"
            " if (l % 8 == 0) out[i / 8] = r;",
        ),
        lambda k, n: k[:n].reshape(-1, 8).sum(1),
    ),
    "warp_reduce_of_eight": Case(
        "using B = cub::WarpReduce<T, 8>;"
        " __shared__ typename B::TempStorage t[N / 8];"
        " T r = B(t[i / 8]).Reduce(first, Plus());"
        " if (i % 8 == 0) out[i / 8] = r;",
        lambda k, n: k[:n].reshape(-1, 8).sum(1),
    ),
    "warp_scan": Case(
        warp(
            "WarpScan<T, W>",
            "T r; B(t[w]).InclusiveScan(first, r, Plus()); out[i] = r;",
        ),
        per_warp(lambda k: np.cumsum(k, 1)),
    ),
    "warp_scan_exclusive": Case(
        warp(
            "WarpScan<T, W>",
            "T r; B(t[w]).ExclusiveScan(first, r, M::of(3), Plus());"
            " out[i] = r;",
        ),
        per_warp(lambda k: 3 + exclusive(k)),
    ),
    "warp_scan_broadcast": Case(
        warp("WarpScan<T, W>", "out[i] = B(t[w]).Broadcast(first, 6);"),
        per_warp(lambda k: broadcast(k[:, 6], k.shape[1])),
    ),
    "warp_merge_sort": Case(
        warp(
            "WarpMergeSort<T, 1, W>",
            "T y[1] = {first}; B(t[w]).Sort(y, Less()); out[i] = y[0];",
        ),
        per_warp(lambda k: np.sort(k, 1)),
    ),
    "warp_exchange": Case(
        warp(
            "WarpExchange<T, ITEMS, W>",
            "B(t[w]).BlockedToStriped(x, x); store(out, x);",
        ),
        lambda k, n: k.reshape(-1, ITEMS, width(n)).transpose(0, 2, 1).ravel(),
    ),
    "warp_load": Case(
        warp(
            "WarpLoad<T, ITEMS, cub::WARP_LOAD_TRANSPOSE, W>",
            "B(t[w]).Load(in + w * W * ITEMS, x); store(out, x);",
        ),
        lambda k, n: k,
    ),
    "warp_store": Case(
        warp(
            "WarpStore<T, ITEMS, cub::WARP_STORE_TRANSPOSE, W>",
            "B(t[w]).Store(out + w * W * ITEMS, x);",
        ),
        lambda k, n: k,
    ),
    "thread_reduce": Case(
        "out[i] = cub::ThreadReduce(x, Plus());",
        lambda k, n: k.reshape(n, ITEMS).sum(1),
    ),
    "thread_load_store": Case(
        "cub::ThreadStore<cub::STORE_CG>(out + i,"
        " cub::ThreadLoad<cub::LOAD_CA>(in + i));",
        lambda k, n: k[:n],
    ),
}


def names(kind: str, size: int) -> list[str]:
    """Return the names of the cases for a type and a size of the block."""
    return [
        name
        for name, case in CASES.items()
        if not (kind == "struct" and case.arithmetic)
        and not (size & (size - 1) and case.power_of_two)
    ]


def source(kind: str, sizes: tuple[int, ...] = SIZES) -> str:
    """Return the kernels of a type for blocks of these sizes."""
    head = HEAD % {
        "type": "Pair" if kind == "struct" else kind,
        "items": ITEMS,
        "runs": RUNS,
    }
    return head + "".join(
        KERNEL % {"name": name, "size": size, "body": CASES[name].body}
        for size in sizes
        for name in names(kind, size)
    )


def values(keys: np.ndarray, kind: str) -> np.ndarray:
    """Return keys as values of a type."""
    result = np.empty(len(keys), TYPES[kind])
    if kind == "struct":
        result["key"], result["twice"] = keys, 2 * keys
    else:
        result[:] = keys
    return result
