/* type.h - a number of 4, 6 or 8 bits, and vectors of two and four of them.
 *
 * Included once for each format, with __PYCUDA_STEM (__nv_fp8),
 * __PYCUDA_FORMAT (e4m3) and __PYCUDA_WIDTH (bits from one element of a vector
 * to the next) defined. The format's functions are __pycuda_e4m3_encode, which
 * rounds a float and saturates, __pycuda_e4m3_decode and
 * __pycuda_e4m3_is_zero. __PYCUDA_INTEGER converts an integer to a float that
 * is encoded to the same bits as the integer itself. A plain conversion does
 * that for most formats: float represents all integers up to 2^24, and the
 * formats saturate far below.
 *
 * SPDX-License-Identifier: MIT */

#define __PYCUDA_ONE    __PYCUDA_JOIN3(__PYCUDA_STEM, _, __PYCUDA_FORMAT)
#define __PYCUDA_TWO    __PYCUDA_JOIN3(__PYCUDA_STEM, x2_, __PYCUDA_FORMAT)
#define __PYCUDA_FOUR   __PYCUDA_JOIN3(__PYCUDA_STEM, x4_, __PYCUDA_FORMAT)
#define __PYCUDA_STORE  __PYCUDA_JOIN(__PYCUDA_STEM, _storage_t)
#define __PYCUDA_STORE2 __PYCUDA_JOIN(__PYCUDA_STEM, x2_storage_t)
#define __PYCUDA_STORE4 __PYCUDA_JOIN(__PYCUDA_STEM, x4_storage_t)
#define __PYCUDA_ENCODE __PYCUDA_JOIN3(__pycuda_, __PYCUDA_FORMAT, _encode)
#define __PYCUDA_DECODE __PYCUDA_JOIN3(__pycuda_, __PYCUDA_FORMAT, _decode)
#define __PYCUDA_IS_ZERO __PYCUDA_JOIN3(__pycuda_, __PYCUDA_FORMAT, _is_zero)
#ifndef __PYCUDA_INTEGER
#define __PYCUDA_INTEGER(x) (float)x
#endif
/* Element i of a vector's storage. */
#define __PYCUDA_ELEMENT(i)                                                   \
    __PYCUDA_DECODE((__PYCUDA_STORE)(__x >> (i) * __PYCUDA_WIDTH))

struct __align__(1) __PYCUDA_ONE {
    __PYCUDA_STORE __x;

    __host__ __device__ __PYCUDA_ONE() = default;
#define __PYCUDA_FROM(T, VALUE)                                               \
    explicit __host__ __device__ __PYCUDA_ONE(T x)                            \
        : __x(__PYCUDA_ENCODE(VALUE))                                         \
    {                                                                         \
    }
    __PYCUDA_FROM(float, x)
    __PYCUDA_FROM(double, __pycuda_odd_float(x))
    __PYCUDA_FROM(__half, (float)x)
    __PYCUDA_FROM(__nv_bfloat16, (float)x)
    __PYCUDA_FROM(short, (float)x)
    __PYCUDA_FROM(unsigned short, (float)x)
    __PYCUDA_FROM(int, __PYCUDA_INTEGER(x))
    __PYCUDA_FROM(unsigned int, __PYCUDA_INTEGER(x))
    __PYCUDA_FROM(long, __PYCUDA_INTEGER(x))
    __PYCUDA_FROM(unsigned long, __PYCUDA_INTEGER(x))
    __PYCUDA_FROM(long long, __PYCUDA_INTEGER(x))
    __PYCUDA_FROM(unsigned long long, __PYCUDA_INTEGER(x))
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator float() const
    {
        return __PYCUDA_DECODE(__x);
    }
#define __PYCUDA_TO(T, VALUE)                                                 \
    explicit __host__ __device__ operator T() const                           \
    {                                                                         \
        float x = (float)*this;                                               \
        return VALUE;                                                         \
    }
    __PYCUDA_TO(double, (double)x)
    __PYCUDA_TO(__half, __half(x))
    __PYCUDA_TO(__nv_bfloat16, __nv_bfloat16(x))
    /* Conversions to integers round toward zero and saturate; NaN becomes 0.
     */
#define __PYCUDA_WITHIN(LOW, HIGH) (x <= LOW ? LOW : x >= HIGH ? HIGH : (int)x)
    __PYCUDA_TO(char, (char)__PYCUDA_WITHIN(-128, 127))
    __PYCUDA_TO(signed char, (signed char)__PYCUDA_WITHIN(-128, 127))
    __PYCUDA_TO(unsigned char, (unsigned char)__PYCUDA_WITHIN(0, 255))
    __PYCUDA_TO(short, (short)__PYCUDA_WITHIN(-32768, 32767))
    __PYCUDA_TO(unsigned short, (unsigned short)__PYCUDA_WITHIN(0, 65535))
#undef __PYCUDA_WITHIN
    __PYCUDA_TO(int, (int)x)
    __PYCUDA_TO(unsigned int, (unsigned int)x)
    __PYCUDA_TO(long, (long)x)
    __PYCUDA_TO(unsigned long, (unsigned long)x)
    __PYCUDA_TO(long long, (long long)x)
    __PYCUDA_TO(unsigned long long, (unsigned long long)x)
#undef __PYCUDA_TO
    explicit __host__ __device__ operator bool() const
    {
        return !__PYCUDA_IS_ZERO(__x);
    }
};

/* The first element has the lowest bits. */
struct __align__(sizeof(__PYCUDA_STORE2)) __PYCUDA_TWO {
    __PYCUDA_STORE2 __x;

    __host__ __device__ __PYCUDA_TWO() = default;
#define __PYCUDA_FROM(T, CONVERT)                                             \
    explicit __host__ __device__ __PYCUDA_TWO(T v)                            \
        : __x((__PYCUDA_STORE2)(__PYCUDA_ENCODE(CONVERT(v.x)) |               \
                                __PYCUDA_ENCODE(CONVERT(v.y))                 \
                                    << __PYCUDA_WIDTH))                       \
    {                                                                         \
    }
    __PYCUDA_FROM(float2, )
    __PYCUDA_FROM(double2, __pycuda_odd_float)
    __PYCUDA_FROM(__half2, (float))
    __PYCUDA_FROM(__nv_bfloat162, (float))
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator float2() const
    {
        return make_float2(__PYCUDA_ELEMENT(0), __PYCUDA_ELEMENT(1));
    }
    explicit __host__ __device__ operator __half2() const
    {
        return __half2(__half(__PYCUDA_ELEMENT(0)),
                       __half(__PYCUDA_ELEMENT(1)));
    }
#ifdef __PYCUDA_TO_BFLOAT162
    explicit __host__ __device__ operator __nv_bfloat162() const
    {
        return __nv_bfloat162(__nv_bfloat16(__PYCUDA_ELEMENT(0)),
                              __nv_bfloat16(__PYCUDA_ELEMENT(1)));
    }
#endif
};

struct __align__(sizeof(__PYCUDA_STORE4)) __PYCUDA_FOUR {
    __PYCUDA_STORE4 __x;

    __host__ __device__ __PYCUDA_FOUR() = default;
#define __PYCUDA_FROM(PARAMETERS, T, LOW, HIGH)                               \
    explicit __host__ __device__ __PYCUDA_FOUR PARAMETERS                     \
        : __x((__PYCUDA_STORE4)(__PYCUDA_TWO(T LOW).__x |                     \
                                (unsigned int)__PYCUDA_TWO(T HIGH).__x        \
                                    << 2 * __PYCUDA_WIDTH))                   \
    {                                                                         \
    }
    __PYCUDA_FROM((__half2 low, __half2 high), , low, high)
    __PYCUDA_FROM((__nv_bfloat162 low, __nv_bfloat162 high), , low, high)
    __PYCUDA_FROM((float4 v), make_float2, (v.x, v.y), (v.z, v.w))
    __PYCUDA_FROM((double4 v), make_double2, (v.x, v.y), (v.z, v.w))
    __PYCUDA_FROM((double4_16a v), make_double2, (v.x, v.y), (v.z, v.w))
    __PYCUDA_FROM((double4_32a v), make_double2, (v.x, v.y), (v.z, v.w))
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator float4() const
    {
        return make_float4(__PYCUDA_ELEMENT(0), __PYCUDA_ELEMENT(1),
                           __PYCUDA_ELEMENT(2), __PYCUDA_ELEMENT(3));
    }
};

#undef __PYCUDA_ONE
#undef __PYCUDA_TWO
#undef __PYCUDA_FOUR
#undef __PYCUDA_STORE
#undef __PYCUDA_STORE2
#undef __PYCUDA_STORE4
#undef __PYCUDA_ENCODE
#undef __PYCUDA_DECODE
#undef __PYCUDA_IS_ZERO
#undef __PYCUDA_INTEGER
#undef __PYCUDA_TO_BFLOAT162
#undef __PYCUDA_ELEMENT
#undef __PYCUDA_FORMAT
