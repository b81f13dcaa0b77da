/* type.h - __nv_fp8_e4m3 or __nv_fp8_e5m2, two and four of them.
 *
 * Included once for each type, by cuda_fp8.h, which defines __PYCUDA_FP8,
 * __PYCUDA_FP8X2, __PYCUDA_FP8X4 and __PYCUDA_KIND.  What is too large to be
 * one becomes the largest number.
 *
 * SPDX-License-Identifier: MIT */

struct __align__(1) __PYCUDA_FP8 {
    __nv_fp8_storage_t __x;

    __host__ __device__ __PYCUDA_FP8() = default;
#define __PYCUDA_FROM(T, CALL, VALUE)                                         \
    explicit __host__ __device__ __PYCUDA_FP8(T x)                            \
        : __x(CALL(VALUE, __NV_SATFINITE, __PYCUDA_KIND))                     \
    {                                                                         \
    }
    __PYCUDA_FROM(float, __nv_cvt_float_to_fp8, x)
    __PYCUDA_FROM(double, __nv_cvt_double_to_fp8, x)
    __PYCUDA_FROM(__half, __nv_cvt_halfraw_to_fp8, x)
    __PYCUDA_FROM(__nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8, x)
    /* Integers that a float does not hold are too large here. */
    __PYCUDA_FROM(short, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(unsigned short, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(int, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(unsigned int, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(long, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(unsigned long, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(long long, __nv_cvt_float_to_fp8, (float)x)
    __PYCUDA_FROM(unsigned long long, __nv_cvt_float_to_fp8, (float)x)
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator float() const
    {
        return __pycuda_fp8_to_float(__x, __PYCUDA_KIND);
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
    /* Towards zero, and to the nearest that there is. */
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
        return (__x & 0x7fu) != 0;
    }
};

struct __align__(2) __PYCUDA_FP8X2 {
    __nv_fp8x2_storage_t __x;

    __host__ __device__ __PYCUDA_FP8X2() = default;
#define __PYCUDA_FROM(T, CALL)                                                \
    explicit __host__ __device__ __PYCUDA_FP8X2(T v)                          \
        : __x(CALL(v, __NV_SATFINITE, __PYCUDA_KIND))                         \
    {                                                                         \
    }
    __PYCUDA_FROM(float2, __nv_cvt_float2_to_fp8x2)
    __PYCUDA_FROM(double2, __nv_cvt_double2_to_fp8x2)
    __PYCUDA_FROM(__half2, __nv_cvt_halfraw2_to_fp8x2)
    __PYCUDA_FROM(__nv_bfloat162, __nv_cvt_bfloat16raw2_to_fp8x2)
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator __half2() const
    {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, __PYCUDA_KIND));
    }
    explicit __host__ __device__ operator float2() const
    {
        return __half22float2((__half2) * this);
    }
};

struct __align__(4) __PYCUDA_FP8X4 {
    __nv_fp8x4_storage_t __x;

    __host__ __device__ __PYCUDA_FP8X4() = default;
    /* The first is the lowest byte. */
    explicit __host__ __device__ __PYCUDA_FP8X4(__PYCUDA_FP8X2 low,
                                                __PYCUDA_FP8X2 high)
        : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16)
    {
    }
#define __PYCUDA_FROM(PARAMETERS, LOW, HIGH)                                  \
    explicit __host__ __device__ __PYCUDA_FP8X4 PARAMETERS                    \
        : __PYCUDA_FP8X4(__PYCUDA_FP8X2(LOW), __PYCUDA_FP8X2(HIGH))           \
    {                                                                         \
    }
    __PYCUDA_FROM((__half2 low, __half2 high), low, high)
    __PYCUDA_FROM((__nv_bfloat162 low, __nv_bfloat162 high), low, high)
    __PYCUDA_FROM((float4 v), make_float2(v.x, v.y), make_float2(v.z, v.w))
    __PYCUDA_FROM((double4 v), make_double2(v.x, v.y), make_double2(v.z, v.w))
#undef __PYCUDA_FROM

    explicit __host__ __device__ operator float4() const
    {
        __PYCUDA_FP8X2 low, high;
        low.__x = (__nv_fp8x2_storage_t)__x;
        high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
        float2 a = (float2)low, b = (float2)high;
        return make_float4(a.x, a.y, b.x, b.y);
    }
};
