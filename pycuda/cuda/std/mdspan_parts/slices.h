/* slices.h - submdspan: parts of a std::mdspan.
 *
 * A slice of an axis is an index, which removes the axis, full_extent, a pair
 * (begin, end), or a strided_slice. The part has the layout of the whole array
 * if the strides of that layout fit, otherwise layout_stride.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <array>
#include <tuple>
#include <utility>
#include "extents.h"
#include "layouts.h"

extern "C++" {
namespace std
{

struct full_extent_t {
    explicit full_extent_t() = default;
};
inline constexpr full_extent_t full_extent{};

template <class Offset, class Extent, class Stride> struct strided_slice {
    typedef Offset offset_type;
    typedef Extent extent_type;
    typedef Stride stride_type;
    Offset offset{};
    Extent extent{};
    Stride stride{};
};

template <class Mapping> struct submdspan_mapping_result {
    Mapping mapping{};
    size_t offset{};
};

/* A slice of one axis with `size` elements, as numbers. */
struct __pycuda_slice {
    size_t begin, count, step;
    bool is_index;
};

template <class I>
__host__ __device__ constexpr enable_if_t<is_convertible<I, size_t>::value,
                                    __pycuda_slice>
__pycuda_slice_of(const I &index, size_t)
{
    return {(size_t)index, 1, 1, true};
}
__host__ __device__ constexpr __pycuda_slice
__pycuda_slice_of(full_extent_t, size_t size)
{
    return {0, size, 1, false};
}
template <class A, class B>
__host__ __device__ constexpr __pycuda_slice
__pycuda_slice_of(const pair<A, B> &range, size_t)
{
    return {(size_t)range.first, (size_t)range.second - (size_t)range.first, 1,
            false};
}
template <class A, class B>
__host__ __device__ constexpr __pycuda_slice
__pycuda_slice_of(const tuple<A, B> &range, size_t)
{
    return {(size_t)get<0>(range),
            (size_t)get<1>(range) - (size_t)get<0>(range), 1, false};
}
template <class O, class E, class S>
__host__ __device__ constexpr __pycuda_slice
__pycuda_slice_of(const strided_slice<O, E, S> &slice, size_t)
{
    size_t extent = slice.extent, step = slice.stride;
    return {(size_t)slice.offset, extent ? 1 + (extent - 1) / step : 0,
            step < extent ? step : 1, false};
}

/* Properties of the type of a slice: an index removes its axis; a whole axis
 * keeps its static size; a plain range keeps the stride of its axis. */
template <class S> struct __pycuda_slice_type {
    static constexpr bool is_index = is_convertible<S, size_t>::value;
    static constexpr bool is_full = is_same<S, full_extent_t>::value;
    static constexpr bool is_strided = false;
};
template <class O, class E, class S>
struct __pycuda_slice_type<strided_slice<O, E, S>> {
    static constexpr bool is_index = false, is_full = false;
    static constexpr bool is_strided = true;
};

/* The extents type of a part. `Kept` has the sizes of the axes before `Axis`
 * that the part keeps. */
template <class Extents, size_t Axis, class Kept, class... Slices>
struct __pycuda_sub_extents;
template <class Extents, size_t Axis, size_t... Kept>
struct __pycuda_sub_extents<Extents, Axis, index_sequence<Kept...>> {
    typedef extents<typename Extents::index_type, Kept...> type;
};
template <class Extents, size_t Axis, size_t... Kept, class S, class... Rest>
struct __pycuda_sub_extents<Extents, Axis, index_sequence<Kept...>, S,
                            Rest...> {
    typedef __pycuda_slice_type<S> slice;
    static constexpr size_t size =
        slice::is_full ? Extents::static_extent(Axis) : dynamic_extent;
    typedef conditional_t<slice::is_index, index_sequence<Kept...>,
                          index_sequence<Kept..., size>>
        next;
    typedef
        typename __pycuda_sub_extents<Extents, Axis + 1, next, Rest...>::type
            type;
};
template <class Extents, class... Slices>
using __pycuda_sub_extents_t =
    typename __pycuda_sub_extents<Extents, 0, index_sequence<>,
                                  Slices...>::type;

/* Returns whether a part has the layout of the whole array. It has if three
 * conditions hold for the axes in the order of ascending strides: the axes
 * that the part keeps precede the axes that it removes; all kept axes but the
 * last are whole; the slice of the last kept axis has no step. */
template <class... Slices>
__host__ __device__ constexpr bool
__pycuda_keeps_layout(bool is_left)
{
    constexpr size_t n = sizeof...(Slices);
    const bool index[] = {__pycuda_slice_type<Slices>::is_index..., false};
    const bool full[] = {__pycuda_slice_type<Slices>::is_full..., false};
    const bool strided[] = {__pycuda_slice_type<Slices>::is_strided..., false};
    bool is_closed = false;

    for (size_t i = 0; i < n; i++) {
        size_t axis = is_left ? i : n - 1 - i;
        if (!index[axis] && (is_closed || strided[axis])) {
            return false;
        }
        is_closed = is_closed || !full[axis];
    }
    return true;
}

template <class Layout, class... Slices> struct __pycuda_sub_layout {
    static constexpr bool is_kept =
        (is_same<Layout, layout_right>::value &&
         __pycuda_keeps_layout<Slices...>(false)) ||
        (is_same<Layout, layout_left>::value &&
         __pycuda_keeps_layout<Slices...>(true));
    typedef conditional_t<is_kept, Layout, layout_stride> type;
};

template <class I, size_t... N, class... Slices>
__host__ __device__ constexpr auto
submdspan_extents(const extents<I, N...> &whole, Slices... slices)
{
    typedef __pycuda_sub_extents_t<extents<I, N...>, Slices...> Sub;
    static_assert(sizeof...(N) == sizeof...(Slices),
                  "submdspan needs a slice for each axis");
    size_t axis = 0, at = 0;
    array<I, Sub::rank() ? Sub::rank() : 1> sizes = {};
    const __pycuda_slice all[] = {
        __pycuda_slice_of(slices, whole.extent(axis++))..., {}};
    for (size_t i = 0; i < sizeof...(N); i++) {
        if (!all[i].is_index) {
            sizes[at++] = (I)all[i].count;
        }
    }
    return Sub(sizes);
}

template <class Mapping, class... Slices>
__host__ __device__ constexpr auto
submdspan_mapping(const Mapping &map, Slices... slices)
{
    typedef typename Mapping::extents_type Extents;
    typedef typename Extents::index_type I;
    typedef __pycuda_sub_extents_t<Extents, Slices...> Sub;
    typedef __pycuda_sub_layout<typename Mapping::layout_type, Slices...> Kind;
    typedef typename Kind::type::template mapping<Sub> Result;
    size_t axis = 0, at = 0, offset = 0;
    array<I, Sub::rank()> steps = {};
    const Sub sub = submdspan_extents(map.extents(), slices...);
    const __pycuda_slice all[] = {
        __pycuda_slice_of(slices, map.extents().extent(axis++))..., {}};
    bool is_outside = false;
    for (size_t i = 0; i < Extents::rank(); i++) {
        offset += all[i].begin * (size_t)map.stride(i);
        is_outside = is_outside ||
                     all[i].begin >= (size_t)map.extents().extent(i);
        if (!all[i].is_index) {
            steps[at++] = (I)(all[i].step * (size_t)map.stride(i));
        }
    }
    if (is_outside) {
        offset = (size_t)map.required_span_size();
    }
    if constexpr (Kind::is_kept) {
        return submdspan_mapping_result<Result>{Result(sub), offset};
    } else {
        return submdspan_mapping_result<Result>{Result(sub, steps), offset};
    }
}

template <class T, class Extents, class Layout, class Accessor>
class mdspan;

template <class T, class Extents, class Layout, class Accessor,
          class... Slices>
__host__ __device__ constexpr auto
submdspan(const mdspan<T, Extents, Layout, Accessor> &whole, Slices... slices)
{
    typedef typename Accessor::offset_policy Part;
    auto found = submdspan_mapping(whole.mapping(), slices...);
    typedef decltype(found.mapping) Mapping;
    return mdspan<T, typename Mapping::extents_type,
                  typename Mapping::layout_type, Part>(
        whole.accessor().offset(whole.data_handle(), found.offset),
        found.mapping, Part(whole.accessor()));
}

} // namespace std
}
