"""The C++ library in kernels: traits, limits, tuples, algorithms, bits."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest
from standard_library import HEADERS, KERNELS

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile


def kernel(name: str) -> cuda.Function:
    source, options = KERNELS[name]
    module = SourceModule(source, options=options, no_extern_c=True)
    return module.get_function("k")


def numbers(name: str, count: int, dtype: str = "i4") -> list:
    out = np.full(count, -12345, dtype)
    kernel(name)(cuda.Out(out), block=(1, 1, 1))
    return out.tolist()


@pytest.mark.parametrize("standard", ["11", "14", "17", "20"])
@pytest.mark.parametrize("header", HEADERS)
def test_header_in_each_standard(header, standard):
    source = f"#include <{header}>\n__global__ void k(int *p) {{ *p = 1; }}"
    assert compile(source, options=[f"-std=c++{standard}"])


def test_traits():
    assert numbers("traits", 4) == [1, 2, 7, 8]


def test_a_false_trait_is_an_error():
    source, options = KERNELS["traits"]
    source = source.replace("YES(is_class<Plain>)", "NO(is_class<Plain>)")
    with pytest.raises(cuda.CompileError, match="is_class"):
        SourceModule(source, options=options, no_extern_c=True)


def test_limits():
    rows = np.array(numbers("limits", 72, "f8")).reshape(6, 12)
    for row, dtype in zip(rows, ["f4", "f8"], strict=False):
        info = np.finfo(dtype)
        assert row[:6].tolist() == [
            info.tiny, info.max, info.min, info.eps,
            info.smallest_subnormal, np.inf,
        ]  # fmt: skip
        assert np.isnan(row[6])
        assert row[7:].tolist() == [info.nmant + 1, info.precision, 0, 1, 1]
    for row, dtype in zip(rows[2:], ["i4", "u1", "i2", "u4"], strict=True):
        info = np.iinfo(dtype)
        signed = info.min < 0
        assert row[:7].tolist() == [info.min, info.max, info.min, 0, 0, 0, 0]
        digits10 = {8: 2, 15: 4, 31: 9, 32: 9}
        digits = info.bits - signed
        assert row[7:].tolist() == [digits, digits10[digits], 1, signed, 1]


def test_pairs_tuples_and_arrays():
    assert numbers("parts", 22) == [
        100000, 105, 3412, 123456, 13, 11, 49, 1, 0, 20, 8120, 6, 1, 1, 42,
        3, 4391, 144, 17, 9, 1, 6,
    ]  # fmt: skip


def test_algorithms():
    rng = np.random.default_rng(3)
    threads, n = 64, 37
    x = rng.integers(-20, 20, (threads, n)).astype("i4")
    x[0] = np.arange(n) - 5
    x[1] = 3
    up, down, sums = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    out = np.zeros((threads, 32), "i4")
    kernel("algorithms")(
        cuda.In(x), cuda.Out(up), cuda.Out(down), cuda.Out(sums),
        cuda.Out(out), block=(threads, 1, 1),
    )  # fmt: skip
    assert (up == np.sort(x, 1)).all()
    assert (down == np.sort(x, 1)[:, ::-1]).all()
    assert (sums == np.cumsum(x, 1)).all()
    for row, stored, got in zip(x, up, out, strict=True):
        unique = np.unique(row)
        backward = unique[::-1].copy()
        backward = np.concatenate([backward, stored[len(unique) :]])
        backward[:3] = 6
        assert got[:26].tolist() == [
            min(row[0], row[1]),
            max(row[0], row[1]),
            max(row[:3]),
            np.clip(row[0], -5, 5),
            row.argmin(),
            row.argmax(),
            row.sum(),
            np.bitwise_xor.reduce(row),
            row @ stored,
            (row == 3).sum(),
            (row < 0).sum(),
            row.tolist().index(row[20]),
            np.searchsorted(stored, 3),
            np.searchsorted(stored, 3, "right"),
            1,
            2 + (np.diff(row) >= 0).all(),
            (row % 2 == 0).sum(),
            len(unique),
            12,
            41,
            row[4] + stored[4],
            1,
            12012,
            1 + 2 * (row == stored).all(),
            n,
            40,
        ]


def test_what_came_with_cpp20():
    assert numbers("twenty", 12) == [
        12, 1 + 2, 4, 3, 8, 812, 3206, 24 + 100, 128064,
        0x18 + 128, 0x3F800000, 12 + 300,
    ]  # fmt: skip


@pytest.mark.cpu  # NVRTC 13.0 treats unordered numbers as equal
def test_nothing_is_in_order_with_nan():
    source = """
    #include <compare>
    extern "C" __global__ void k(int *out, float a, float b)
    {
        auto order = a <=> b;
        out[0] = order == std::partial_ordering::unordered;
        out[1] = (order < 0) + (order <= 0) + (order > 0) + (order >= 0);
        out[2] = order != 0;
    }
    """
    out = np.zeros(3, "i4")
    module = SourceModule(source, options=["-std=c++20"], no_extern_c=True)
    module.get_function("k")(
        cuda.Out(out), np.float32(1), np.float32("nan"), block=(1, 1, 1)
    )
    assert out.tolist() == [1, 0, 1]


def test_what_needs_no_header():
    source = """
    struct Taken {
        int moved = 0;
        Taken() = default;
        __device__ Taken(Taken &&other) : moved(other.moved + 1) {}
    };
    template <class T> __device__ Taken give(T &&value)
    {
        return Taken(std::forward<T>(value));
    }
    extern "C" __global__ void k(int *out)
    {
        Taken first;
        Taken second = give(std::move(first));
        int sum = 0;
        for (int v : {1, 2, 3})
            sum += v;
        std::initializer_list<int> list = {4, 5};
        out[0] = second.moved;
        out[1] = sum + (int)list.size() + *list.begin();
    }
    """
    out = np.zeros(2, "i4")
    function = SourceModule(source, no_extern_c=True).get_function("k")
    function(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [1, 12]
