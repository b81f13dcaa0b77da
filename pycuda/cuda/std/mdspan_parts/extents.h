/* extents.h - std::extents: sizes of axes, static or dynamic.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <array>
#include <span>

extern "C++" {
namespace std
{

template <class Index, size_t... Sizes> class extents
{
    Index sizes[sizeof...(Sizes) ? sizeof...(Sizes) : 1] = {};

  public:
    typedef Index index_type;
    typedef make_unsigned_t<Index> size_type;
    typedef size_t rank_type;

    static __host__ __device__ constexpr size_t rank()
    {
        return sizeof...(Sizes);
    }
    static __host__ __device__ constexpr size_t rank_dynamic()
    {
        return ((Sizes == dynamic_extent) + ... + 0);
    }
    static __host__ __device__ constexpr size_t static_extent(size_t axis)
    {
        const size_t all[] = {Sizes..., 0};
        return all[axis];
    }
    __host__ __device__ constexpr extents()
    {
        for (size_t axis = 0; axis < rank(); axis++) {
            sizes[axis] = static_extent(axis) == dynamic_extent
                              ? Index(0)
                              : (Index)static_extent(axis);
        }
    }
    /* Accepts the sizes of all axes, or only those of the dynamic axes. */
    template <class... N,
              class = enable_if_t<(sizeof...(N) > 0) &&
                                  (sizeof...(N) == sizeof...(Sizes) ||
                                   sizeof...(N) == rank_dynamic())>>
    __host__ __device__ explicit constexpr extents(N... given) : extents()
    {
        const Index all[] = {(Index)given...};
        size_t next = 0;
        for (size_t axis = 0; axis < rank(); axis++) {
            if (sizeof...(N) == rank() ||
                static_extent(axis) == dynamic_extent) {
                sizes[axis] = all[next++];
            }
        }
    }
    template <class N, size_t Count,
              class = enable_if_t<Count == sizeof...(Sizes) ||
                                  Count == rank_dynamic() ||
                                  sizeof...(Sizes) == 0>>
    __host__ __device__ explicit constexpr
    extents(const array<N, Count> &given) : extents()
    {
        size_t next = 0;
        for (size_t axis = 0; axis < rank(); axis++) {
            if (Count == rank() || static_extent(axis) == dynamic_extent) {
                sizes[axis] = (Index)given[next++];
            }
        }
    }
    __host__ __device__ constexpr Index extent(size_t axis) const
    {
        return static_extent(axis) == dynamic_extent
                   ? sizes[axis]
                   : (Index)static_extent(axis);
    }
};

template <class Index, size_t Rank, size_t... Sizes>
struct __pycuda_dextents
    : __pycuda_dextents<Index, Rank - 1, Sizes..., dynamic_extent> {
};
template <class Index, size_t... Sizes>
struct __pycuda_dextents<Index, 0, Sizes...> {
    typedef extents<Index, Sizes...> type;
};
template <class Index, size_t Rank>
using dextents = typename __pycuda_dextents<Index, Rank>::type;
template <size_t Rank, class Index = size_t>
using dims = dextents<Index, Rank>;

template <class I, size_t... A, class J, size_t... B>
__host__ __device__ constexpr bool
operator==(const extents<I, A...> &a, const extents<J, B...> &b)
{
    if (sizeof...(A) != sizeof...(B)) {
        return false;
    }
    for (size_t axis = 0; axis < sizeof...(A); axis++) {
        if ((size_t)a.extent(axis) != (size_t)b.extent(axis)) {
            return false;
        }
    }
    return true;
}
template <class I, size_t... A, class J, size_t... B>
__host__ __device__ constexpr bool
operator!=(const extents<I, A...> &a, const extents<J, B...> &b)
{
    return !(a == b);
}

} // namespace std
}
