/* mma.h - warp matrix functions: nvcuda::wmma.
 *
 * A fragment's elements are distributed over the lanes in the order of memory:
 * lane 0 has the first 32nd of them, lane 1 the next one. Accumulators are
 * distributed as if stored row by row. The elements of a lane are therefore
 * adjacent, and fragments with equal use, shape and layout are distributed in
 * the same way for all element types.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __CUDA_MMA_H__

#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C++" {
namespace nvcuda
{
namespace wmma
{

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}
namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

__pycuda_fn int
__pycuda_lane()
{
    return (int)(__pycuda_linear() % warpSize);
}

template <class S, class T> struct __pycuda_same {
    static constexpr bool value = false;
};
template <class T> struct __pycuda_same<T, T> {
    static constexpr bool value = true;
};

#include "wmma/elements.h"
#include "wmma/bits.h"
#include "wmma/product.h"

/* ---- fragments ---- */

/* Declared type of a matrix in memory: void where several elements share a
 * stored value. */
template <class Stored, int packed> struct __pycuda_memory {
    typedef void type;
};
template <class Stored> struct __pycuda_memory<Stored, 1> {
    typedef Stored type;
};

/* A tile of a matrix, with `packed` elements in each stored value. */
template <int ROWS, int COLUMNS, class T, class Stored, int packed>
struct __pycuda_tile {
    static constexpr int num_elements = ROWS * COLUMNS / 32;
    static constexpr int num_storage_elements = num_elements / packed;
    typedef T element_type;
    typedef Stored storage_element_type;
    typedef typename __pycuda_memory<Stored, packed>::type __memory_type;

    __align__(packed > 1 ? 8 : sizeof(Stored) * num_elements)
        Stored x[num_storage_elements];

    /* Index of the lane's first element. */
    static __device__ __forceinline__ unsigned long
    __row()
    {
        return __pycuda_lane() * num_elements / COLUMNS;
    }
    static __device__ __forceinline__ unsigned long
    __column()
    {
        return __pycuda_lane() * num_elements % COLUMNS;
    }
    /* Address of the lane's elements in a matrix with the given number of
     * elements per row. */
    static __device__ __forceinline__ const void *
    __elements(const __memory_type *matrix, unsigned int stride)
    {
        unsigned long first = __row() * stride + __column();
        return (const char *)matrix + first * sizeof(Stored) / packed;
    }
};

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
    static_assert(sizeof(T) == 0, "wmma: no fragments of this use and layout");
};
#define __PYCUDA_FRAGMENT(USE, ROWS, COLUMNS, LAYOUT, KIND, STORED, PACKED)   \
    template <int m, int n, int k, class T>                                   \
    struct fragment<USE, m, n, k, T, LAYOUT>                                  \
        : __pycuda_tile<ROWS, COLUMNS, T, STORED, PACKED> {                   \
        static_assert(__pycuda_shape<m, n, k, T>::KIND,                       \
                      "wmma: no fragments of this shape, type and layout");   \
    };
#define __PYCUDA_FACTOR(USE, ROWS, COLUMNS, LAYOUT, KIND)                     \
    __PYCUDA_FRAGMENT(USE, ROWS, COLUMNS, LAYOUT, KIND,                       \
                      typename __pycuda_factor<T>::stored,                    \
                      __pycuda_factor<T>::packed)
__PYCUDA_FACTOR(matrix_a, m, k, row_major, factor)
__PYCUDA_FACTOR(matrix_a, k, m, col_major, both_layouts)
__PYCUDA_FACTOR(matrix_b, k, n, row_major, both_layouts)
__PYCUDA_FACTOR(matrix_b, n, k, col_major, factor)
__PYCUDA_FRAGMENT(accumulator, m, n, void, sum, T, 1)
#undef __PYCUDA_FACTOR
#undef __PYCUDA_FRAGMENT

/* ---- functions ---- */

template <class Use, int m, int n, int k, class T, class Layout>
__pycuda_template_fn void
fill_fragment(
    fragment<Use, m, n, k, T, Layout> &f,
    const typename fragment<Use, m, n, k, T, Layout>::storage_element_type &v)
{
    typedef fragment<Use, m, n, k, T, Layout> all;
    for (int i = 0; i < all::num_storage_elements; i++) {
        if constexpr (__pycuda_same<Use, accumulator>::value) {
            f.x[i] = v;
        }
        else {
            f.x[i] = __pycuda_factor<T>::filled(v);
        }
    }
}

/* Loads and stores also synchronise the warp, as mma_sync does. */
template <class Use, int m, int n, int k, class T, class Layout>
__pycuda_template_fn void
load_matrix_sync(fragment<Use, m, n, k, T, Layout> &f,
                 const typename fragment<Use, m, n, k, T,
                                         Layout>::__memory_type *matrix,
                 unsigned int stride)
{
    static_assert(!__pycuda_same<Use, accumulator>::value,
                  "wmma: an accumulator is loaded with a layout");
    __syncwarp();
    __builtin_memcpy(f.x, f.__elements(matrix, stride), sizeof f.x);
}
template <int m, int n, int k, class T>
__pycuda_template_fn void
load_matrix_sync(
    fragment<accumulator, m, n, k, T> &f,
    const typename fragment<accumulator, m, n, k, T>::element_type *matrix,
    unsigned int stride, layout_t layout)
{
    __syncwarp();
    if (layout == mem_row_major) {
        __builtin_memcpy(f.x, matrix + f.__row() * stride + f.__column(),
                         sizeof f.x);
        return;
    }
    matrix += f.__column() * stride + f.__row();
    for (unsigned long i = 0; i < f.num_elements; i++) {
        f.x[i] = matrix[i * stride];
    }
}
template <int m, int n, int k, class T>
__pycuda_template_fn void
store_matrix_sync(
    typename fragment<accumulator, m, n, k, T>::element_type *matrix,
    const fragment<accumulator, m, n, k, T> &f, unsigned int stride,
    layout_t layout)
{
    __syncwarp();
    if (layout == mem_row_major) {
        __builtin_memcpy(matrix + f.__row() * stride + f.__column(), f.x,
                         sizeof f.x);
        return;
    }
    matrix += f.__column() * stride + f.__row();
    for (unsigned long i = 0; i < f.num_elements; i++) {
        matrix[i * stride] = f.x[i];
    }
}

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D,
          class C>
__pycuda_template_fn void
__pycuda_mma(fragment<accumulator, m, n, k, D> &d,
             const fragment<matrix_a, m, n, k, T, LayoutA> &a,
             const fragment<matrix_b, m, n, k, T, LayoutB> &b,
             const fragment<accumulator, m, n, k, C> &c, bool satf)
{
    static_assert(__pycuda_adds<T, C>::value && __pycuda_adds<T, D>::value,
                  "wmma: no accumulators of this type for these factors");
    typedef __pycuda_same<LayoutA, col_major> columns_a;
    typedef __pycuda_same<LayoutB, col_major> columns_b;
    __pycuda_product<m, n, k, T, columns_a::value, columns_b::value>::run(
        d.x, a.x, b.x, c.x, satf);
}
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D,
          class C>
__pycuda_template_fn void
mma_sync(fragment<accumulator, m, n, k, D> &d,
         const fragment<matrix_a, m, n, k, T, LayoutA> &a,
         const fragment<matrix_b, m, n, k, T, LayoutB> &b,
         const fragment<accumulator, m, n, k, C> &c)
{
    __pycuda_mma(d, a, b, c, false);
}
/* Sums of integers wrap, or saturate if `satf`; sums of floats have no such
 * flag. */
template <int m, int n, int k, class T, class LayoutA, class LayoutB>
__pycuda_template_fn void
mma_sync(fragment<accumulator, m, n, k, int> &d,
         const fragment<matrix_a, m, n, k, T, LayoutA> &a,
         const fragment<matrix_b, m, n, k, T, LayoutB> &b,
         const fragment<accumulator, m, n, k, int> &c, bool satf)
{
    __pycuda_mma(d, a, b, c, satf);
}
#include "wmma/product_of_bits.h"

/* The nearest float of 11 digits; a tie rounds away from zero. */
__pycuda_fn float
__float_to_tf32(float x)
{
    unsigned int bits = __builtin_bit_cast(unsigned int, x);
    return x != x ? __builtin_bit_cast(float, 0x7fffffffu)
                  : __builtin_bit_cast(float, (bits + 0x1000u) & 0xffffe000u);
}
} // namespace wmma
} // namespace nvcuda
}
