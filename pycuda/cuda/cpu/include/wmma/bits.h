/* bits.h - factors of 4 bits and of one bit, several in a word, and bmma_sync.
 *
 * Part of mma.h. A lane has one word of a factor: eight elements s4 or u4, or
 * 32 elements b1, with the first one in the lowest bits. Fragments of matrix_a
 * are row-major, those of matrix_b column-major. Products of 4-bit elements
 * are computed like those of bytes (product.h).
 *
 * SPDX-License-Identifier: MIT */

#define __PYCUDA_FACTOR_OF_4_BITS(T, STORED, VALUE)                           \
    template <> struct __pycuda_factor<T> {                                   \
        static constexpr int packed = 8;                                      \
        typedef STORED stored;                                                \
        typedef float product;                                                \
        static __device__ __forceinline__ STORED                              \
        filled(STORED v)                                                      \
        {                                                                     \
            return (STORED)(((unsigned int)v & 15u) * 0x11111111u);           \
        }                                                                     \
        template <int n>                                                      \
        static __device__ __forceinline__ __pycuda_row<float, n>              \
        read(const STORED *from)                                              \
        {                                                                     \
            static_assert(n == packed, "wmma: one word a lane");              \
            const __pycuda_row<STORED, n> word = *from;                       \
            const __pycuda_row<STORED, n> shifts = {0,  4,  8,  12,           \
                                                    16, 20, 24, 28};          \
            return __builtin_convertvector(VALUE, __pycuda_row<float, n>);    \
        }                                                                     \
    };
__PYCUDA_FACTOR_OF_4_BITS(experimental::precision::s4, int,
                          (word << (28 - shifts)) >> 28)
__PYCUDA_FACTOR_OF_4_BITS(experimental::precision::u4, unsigned int,
                          word >> shifts & 15u)
#undef __PYCUDA_FACTOR_OF_4_BITS

template <> struct __pycuda_factor<experimental::precision::b1> {
    static constexpr int packed = 32;
    typedef unsigned int stored;
    static __device__ __forceinline__ unsigned int
    filled(unsigned int v)
    {
        return 0u - (v & 1u);
    }
};
