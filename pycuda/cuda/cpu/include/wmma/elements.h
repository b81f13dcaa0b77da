/* elements.h - element types of fragments, and their multiplication.
 *
 * Part of mma.h. __pycuda_factor describes an element type of matrix_a and
 * matrix_b. `stored` is its type in fragments; one stored value holds `packed`
 * elements. Products are computed in `product`, which represents each exactly
 * (except those of double). `filled` is the stored value whose elements all
 * equal v.
 *
 * SPDX-License-Identifier: MIT */

template <class T, int COUNT>
using __pycuda_row = T __attribute__((ext_vector_type(COUNT)));

template <class To, class From>
__pycuda_template_fn To
__pycuda_read(const From *from)
{
    To to;
    __builtin_memcpy(&to, from, sizeof to);
    return to;
}

template <class T> struct __pycuda_factor;

#define __PYCUDA_FACTOR(T, STORED, PRODUCT, RAW, VALUE)                       \
    template <> struct __pycuda_factor<T> {                                   \
        static constexpr int packed = 1;                                      \
        typedef STORED stored;                                                \
        typedef PRODUCT product;                                              \
        static __device__ __forceinline__ STORED                              \
        filled(const STORED &v)                                               \
        {                                                                     \
            return v;                                                         \
        }                                                                     \
        template <int n>                                                      \
        static __device__ __forceinline__ __pycuda_row<PRODUCT, n>            \
        read(const STORED *from)                                              \
        {                                                                     \
            auto raw = __pycuda_read<__pycuda_row<RAW, n>>(from);             \
            return VALUE;                                                     \
        }                                                                     \
    };
#define __PYCUDA_CONVERTED(PRODUCT)                                           \
    __builtin_convertvector(raw, __pycuda_row<PRODUCT, n>)
#define __PYCUDA_BITS_OF(BITS) __builtin_bit_cast(__pycuda_row<float, n>, BITS)
__PYCUDA_FACTOR(__half, __half, float, _Float16, __PYCUDA_CONVERTED(float))
__PYCUDA_FACTOR(__nv_bfloat16, __nv_bfloat16, float, unsigned short,
                __PYCUDA_BITS_OF((
                    __builtin_convertvector(raw, __pycuda_row<unsigned int, n>)
                    << 16)))
/* float computes sums of 16 products of bytes exactly: they are integers below
 * 2^24. */
__PYCUDA_FACTOR(signed char, signed char, float, signed char,
                __PYCUDA_CONVERTED(float))
__PYCUDA_FACTOR(unsigned char, unsigned char, float, unsigned char,
                __PYCUDA_CONVERTED(float))
/* Values that were not converted by __float_to_tf32 lose their low bits, too.
 */
__PYCUDA_FACTOR(precision::tf32, float, float, unsigned int,
                __PYCUDA_BITS_OF((raw & 0xffffe000u)))
__PYCUDA_FACTOR(double, double, double, double, raw)
#undef __PYCUDA_FACTOR
#undef __PYCUDA_CONVERTED
#undef __PYCUDA_BITS_OF

/* Sums of n elements of an accumulator. `before` returns the initial values of
 * the sums, `after` the new elements; integers saturate if `satf`. */
template <class T, int n> struct __pycuda_sum;
template <int n> struct __pycuda_sum<float, n> {
    typedef __pycuda_row<float, n> row, sums;

    static __device__ __forceinline__ sums
    before(row old)
    {
        return old;
    }
    template <class Old>
    static __device__ __forceinline__ row
    after(sums sum, Old, bool)
    {
        return sum;
    }
};
template <int n> struct __pycuda_sum<__half, n> {
    typedef __pycuda_row<_Float16, n> row;
    typedef __pycuda_row<float, n> sums;

    static __device__ __forceinline__ sums
    before(row old)
    {
        return __builtin_convertvector(old, sums);
    }
    template <class Old>
    static __device__ __forceinline__ row
    after(sums sum, Old, bool)
    {
        return __builtin_convertvector(sum, row);
    }
};
template <int n> struct __pycuda_sum<double, n> {
    typedef __pycuda_row<double, n> row, sums;

    static __device__ __forceinline__ sums
    before(row old)
    {
        return old;
    }
    static __device__ __forceinline__ row
    after(sums sum, row, bool)
    {
        return sum;
    }
};
template <int n> struct __pycuda_sum<int, n> {
    typedef __pycuda_row<int, n> row;
    typedef __pycuda_row<float, n> sums;

    static __device__ __forceinline__ sums
    before(row)
    {
        return 0.0f;
    }
    static __device__ __forceinline__ row
    after(sums sum, row old, bool satf)
    {
        typedef __pycuda_row<unsigned int, n> wraps;
        row more = __builtin_convertvector(sum, row);
        return satf ? __builtin_elementwise_add_sat(old, more)
                    : (row)((wraps)old + (wraps)more);
    }
};

/* Accumulator types to which products of T may be added. */
template <class T, class Sum> struct __pycuda_adds {
    static constexpr bool value = false;
};
#define __PYCUDA_ADDS(T, SUM)                                                 \
    template <> struct __pycuda_adds<T, SUM> {                                \
        static constexpr bool value = true;                                   \
    };
__PYCUDA_ADDS(__half, __half)
__PYCUDA_ADDS(__half, float)
__PYCUDA_ADDS(__nv_bfloat16, float)
__PYCUDA_ADDS(precision::tf32, float)
__PYCUDA_ADDS(signed char, int)
__PYCUDA_ADDS(unsigned char, int)
__PYCUDA_ADDS(double, double)
__PYCUDA_ADDS(experimental::precision::s4, int)
__PYCUDA_ADDS(experimental::precision::u4, int)
#undef __PYCUDA_ADDS

/* Tells whether T is a valid type for the shape m x n x k: as the type of a
 * factor (`factor`), as a type of factors in row-major and column-major layout
 * (`both_layouts`), and as the type of an accumulator (`sum`). */
template <int m, int n, int k, class T> struct __pycuda_shape {
    static constexpr bool factor = false, both_layouts = false, sum = false;
};
#define __PYCUDA_SHAPE(M, N, K, T, FACTOR, BOTH_LAYOUTS, SUM)                 \
    template <> struct __pycuda_shape<M, N, K, T> {                           \
        static constexpr bool factor = FACTOR, both_layouts = BOTH_LAYOUTS;   \
        static constexpr bool sum = SUM;                                      \
    };
#define __PYCUDA_SHAPES(T, FACTOR, SUM)                                       \
    __PYCUDA_SHAPE(16, 16, 16, T, FACTOR, FACTOR, SUM)                        \
    __PYCUDA_SHAPE(32, 8, 16, T, FACTOR, FACTOR, SUM)                         \
    __PYCUDA_SHAPE(8, 32, 16, T, FACTOR, FACTOR, SUM)
__PYCUDA_SHAPES(__half, true, true)
__PYCUDA_SHAPES(__nv_bfloat16, true, false)
__PYCUDA_SHAPES(signed char, true, false)
__PYCUDA_SHAPES(unsigned char, true, false)
__PYCUDA_SHAPES(float, false, true)
__PYCUDA_SHAPES(int, false, true)
__PYCUDA_SHAPE(16, 16, 8, precision::tf32, true, true, false)
__PYCUDA_SHAPE(16, 16, 8, float, false, false, true)
__PYCUDA_SHAPE(8, 8, 4, double, true, true, true)
__PYCUDA_SHAPE(8, 8, 32, experimental::precision::s4, true, false, false)
__PYCUDA_SHAPE(8, 8, 32, experimental::precision::u4, true, false, false)
__PYCUDA_SHAPE(8, 8, 32, int, false, false, true)
__PYCUDA_SHAPE(8, 8, 128, experimental::precision::b1, true, false, false)
__PYCUDA_SHAPE(8, 8, 128, int, false, false, true)
#undef __PYCUDA_SHAPES
#undef __PYCUDA_SHAPE
