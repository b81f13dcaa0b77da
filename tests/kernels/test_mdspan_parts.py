"""Parts of std::mdspan: submdspan, and aligned_accessor."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# x is 4 x 6 and counts from 0; element (i, j) is 6 i + j.
SOURCE = """
#include <array>
#include <mdspan>
#include <utility>
#include <type_traits>
using std::full_extent;
#define YES(...) static_assert(__VA_ARGS__, "")
typedef std::pair<int, int> Two;
typedef std::default_accessor<float> Plain;
typedef std::strided_slice<int, int, int> Strided;
template <class A, class B> constexpr bool same = std::is_same<A, B>::value;
typedef std::extents<int, 4, std::dynamic_extent> Four;
template <class Span, size_t... Sizes> __device__ void
check(Span, std::extents<int, Sizes...>)
{
    typedef typename Span::extents_type Found;
    YES(same<Found, std::extents<int, Sizes...>>);
}
template <class Layout, class Span> __device__ void layout(Span)
{
    YES(same<typename Span::layout_type, Layout>);
}
extern "C" __global__ void kernel(float *x, float *out)
{
    constexpr size_t any = std::dynamic_extent;
    std::mdspan<float, Four> m(x, 6);
    std::mdspan<float, Four, std::layout_left> left(x, 6);
    auto row = std::submdspan(m, 2, full_extent);
    check(row, std::extents<int, any>());
    layout<std::layout_right>(row);
    out[0] = row(1);
    auto column = std::submdspan(m, full_extent, 3);
    check(column, std::extents<int, 4>());
    layout<std::layout_stride>(column);
    out[1] = column(2) + 100 * column.stride(0);
    auto box = std::submdspan(m, Two(1, 3), Two(2, 5));
    check(box, std::extents<int, any, any>());
    layout<std::layout_stride>(box);
    out[2] = box(1, 2) + 100 * box.extent(0) + 1000 * box.extent(1);
    auto rows = std::submdspan(m, Two(1, 3), full_extent);
    layout<std::layout_right>(rows);
    out[3] = rows(1, 5);
    auto some = std::submdspan(m, 1, Strided{1, 5, 2});
    layout<std::layout_stride>(some);
    out[4] = some(2) + 100 * some.extent(0) + 1000 * some.stride(0);
    auto down = std::submdspan(left, full_extent, 2);
    layout<std::layout_left>(down);
    out[5] = down(3);
    auto across = std::submdspan(left, 1, full_extent);
    layout<std::layout_stride>(across);
    out[6] = across(4);
    auto one = std::submdspan(m, 3, 5);
    YES(decltype(one)::rank() == 0);
    out[7] = one();
    auto end = std::submdspan_extents(Four(6), full_extent, Two(4, 6));
    YES(same<decltype(end), std::extents<int, 4, any>>);
    out[8] = end.extent(1) + 10 *
             std::submdspan_mapping(m.mapping(), 1, 2).offset;
    typedef std::aligned_accessor<float, 16> Aligned;
    std::mdspan<float, Four, std::layout_right, Aligned> wide(x, Four(6));
    auto part = std::submdspan(wide, 1, full_extent);
    YES(same<decltype(part)::accessor_type, Plain>);
    YES(Aligned::byte_alignment == 16);
    YES(std::is_convertible<Aligned, Plain>::value);
    typedef std::aligned_accessor<float, 32> More;
    typedef std::aligned_accessor<float, 8> Less;
    YES(std::is_convertible<More, Aligned>::value);
    YES(!std::is_convertible<Less, Aligned>::value);
    YES(!std::is_convertible<Plain, Aligned>::value);
    YES(std::is_constructible<Aligned, Plain>::value);
    out[9] = wide(1, 2) + part(3);
}
"""
EXPECTED = [13, 615, 3216, 17, 2311, 11, 17, 23, 82, 17]


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
@pytest.mark.parametrize("space", ["std", "cuda::std"])
def test_parts(context, space, standard, device):
    source = SOURCE
    if space == "cuda::std":
        if device == "gpu":
            pytest.skip("CUDA 13.0 keeps other layouts than C++26 does")
        source = source.replace("std::", "cuda::std::")
        source = source.replace("#include <", "#include <cuda/std/")
    x, out = np.arange(24, dtype=np.float32), np.zeros(10, np.float32)
    module = SourceModule(
        source, no_extern_c=True, options=[f"-std={standard}"]
    )
    kernel = module.get_function("kernel")
    kernel(cuda.In(x), cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == EXPECTED
