/* prelude.h - names that nvcc makes visible without any header.
 *
 * nvcc includes its run-time header, and with it parts of the C library,
 * before every source; NVRTC and the CPU device do not.  pycuda.compiler
 * pre-includes this file for GPUs and for the CPU device, before the
 * extern "C" block that it puts around a source.  Names that nvcc leaves to
 * <stdint.h> or <float.h> are not here: programs may define them as they like.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
/* NVRTC may include the file under two spellings of its path. */
#ifndef PYCUDA_PRELUDE_H
#define PYCUDA_PRELUDE_H

#ifndef __PYCUDA_CPU__
/* NVIDIA's headers redefine limit macros of this file with different
 * spellings; 47 is the number of the compiler's warning about it. */
#pragma nv_diag_suppress 47
#endif

#include "std/min_max.h"

extern "C++" {

/* <sys/types.h> */
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
/* The types that NVIDIA's headers in cuda/std declare under NVRTC. */
typedef long long int64_t, time_t;
typedef unsigned char u_int8_t;
typedef unsigned short u_int16_t;
typedef unsigned int u_int32_t;
typedef unsigned long u_int64_t;
typedef long ssize_t, off_t;
typedef int pid_t;

/* <math.h> */
typedef float float_t;
typedef double double_t;

/* <stdlib.h> */
struct div_t {
    int quot, rem;
};
struct ldiv_t {
    long quot, rem;
};
struct lldiv_t {
    long long quot, rem;
};

/* <stddef.h> */
typedef decltype(nullptr) nullptr_t;
struct max_align_t {
    long long integer;
    long double number;
};

namespace std
{
using ::div_t;
using ::ldiv_t;
using ::max_align_t;
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::time_t;
#ifndef __PYCUDA_CPU__
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::labs;
using ::ldexp;
using ::llabs;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbln;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
#endif
}
}

/* Declares the contents of <stddef.h>. NVRTC has no __builtin_offsetof. */
#ifndef offsetof
#define offsetof(type, member) ((size_t)(&((type *)0)->member))
#endif

#define RAND_MAX     2147483647
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

/* <limits.h> */
#ifndef CHAR_BIT
#define CHAR_BIT   8
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  255
#define CHAR_MIN   SCHAR_MIN
#define CHAR_MAX   SCHAR_MAX
#define SHRT_MIN   (-32768)
#define SHRT_MAX   32767
#define USHRT_MAX  65535
#define INT_MAX    2147483647
#define INT_MIN    (-INT_MAX - 1)
#define UINT_MAX   4294967295U
#define LONG_MAX   9223372036854775807L
#define LONG_MIN   (-LONG_MAX - 1L)
#define ULONG_MAX  18446744073709551615UL
#define LLONG_MAX  9223372036854775807LL
#define LLONG_MIN  (-LLONG_MAX - 1LL)
#define ULLONG_MAX 18446744073709551615ULL
#endif
#ifndef LONG_LONG_MAX
#define LONG_LONG_MAX  LLONG_MAX
#define LONG_LONG_MIN  LLONG_MIN
#define ULONG_LONG_MAX ULLONG_MAX
#endif

/* <math.h> */
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffffu)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef FP_ILOGB0
#define FP_ILOGB0   INT_MIN
#define FP_ILOGBNAN INT_MIN
#endif
#ifndef MAXFLOAT
#define MAXFLOAT 3.40282347e+38F
#endif
#ifndef M_PI
#define M_E        2.7182818284590452354
#define M_LOG2E    1.4426950408889634074
#define M_LOG10E   0.43429448190325182765
#define M_LN2      0.69314718055994530942
#define M_LN10     2.30258509299404568402
#define M_PI       3.14159265358979323846
#define M_PI_2     1.57079632679489661923
#define M_PI_4     0.78539816339744830962
#define M_1_PI     0.31830988618379067154
#define M_2_PI     0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_SQRT1_2  0.70710678118654752440
#endif

/* <time.h> */
#ifndef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC 1000000L
#endif

#endif /* PYCUDA_PRELUDE_H */
