/* symbols.h - functions of libc, libm and libgcc that an image may call.
 *
 * pycuda-jit rejects sources that need any other function
 * (src/jit/retarget/check.c). The loader resolves these functions to their
 * addresses (src/cpu/module/image_symbols.c). Functions of the CPU device
 * itself are IMAGE_RUNTIME in abi.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_SYMBOLS_H
#define PYCUDA_IMAGE_SYMBOLS_H

/* Complex functions of libm, such as cacos. For each row,
 * src/cpu/run/complex.c has functions for the real and for the imaginary part
 * of the result: for double __pycuda_NAME_re and __pycuda_NAME_im, for float
 * __pycuda_NAMEf_re and __pycuda_NAMEf_im. */
#define IMAGE_COMPLEX(ROW)                                                    \
    ROW(cacos)                                                                \
    ROW(casinh)                                                               \
    ROW(ccos)                                                                 \
    ROW(ccosh)                                                                \
    ROW(cexp)                                                                 \
    ROW(clog)                                                                 \
    ROW(clog10)                                                               \
    ROW(csin)                                                                 \
    ROW(csinh)                                                                \
    ROW(csqrt)

/* Functions of libm for double, one row each. The float function with the
 * suffix f, such as acosf, is included too. */
#define IMAGE_LIBM(ROW)                                                       \
    ROW(acos)                                                                 \
    ROW(acosh)                                                                \
    ROW(asin)                                                                 \
    ROW(asinh)                                                                \
    ROW(atan)                                                                 \
    ROW(atan2)                                                                \
    ROW(atanh)                                                                \
    ROW(cbrt)                                                                 \
    ROW(ceil)                                                                 \
    ROW(copysign)                                                             \
    ROW(cos)                                                                  \
    ROW(cosh)                                                                 \
    ROW(erf)                                                                  \
    ROW(erfc)                                                                 \
    ROW(exp)                                                                  \
    ROW(exp10)                                                                \
    ROW(exp2)                                                                 \
    ROW(expm1)                                                                \
    ROW(fabs)                                                                 \
    ROW(fdim)                                                                 \
    ROW(floor)                                                                \
    ROW(fma)                                                                  \
    ROW(fmax)                                                                 \
    ROW(fmin)                                                                 \
    ROW(fmod)                                                                 \
    ROW(frexp)                                                                \
    ROW(hypot)                                                                \
    ROW(ilogb)                                                                \
    ROW(j0)                                                                   \
    ROW(j1)                                                                   \
    ROW(jn)                                                                   \
    ROW(ldexp)                                                                \
    ROW(lgamma)                                                               \
    ROW(llrint)                                                               \
    ROW(llround)                                                              \
    ROW(log)                                                                  \
    ROW(log10)                                                                \
    ROW(log1p)                                                                \
    ROW(log2)                                                                 \
    ROW(logb)                                                                 \
    ROW(lrint)                                                                \
    ROW(lround)                                                               \
    ROW(modf)                                                                 \
    ROW(nearbyint)                                                            \
    ROW(nextafter)                                                            \
    ROW(pow)                                                                  \
    ROW(remainder)                                                            \
    ROW(remquo)                                                               \
    ROW(rint)                                                                 \
    ROW(round)                                                                \
    ROW(roundeven)                                                            \
    ROW(scalbln)                                                              \
    ROW(scalbn)                                                               \
    ROW(sin)                                                                  \
    ROW(sincos)                                                               \
    ROW(sinh)                                                                 \
    ROW(sqrt)                                                                 \
    ROW(tan)                                                                  \
    ROW(tanh)                                                                 \
    ROW(tgamma)                                                               \
    ROW(trunc)                                                                \
    ROW(y0)                                                                   \
    ROW(y1)                                                                   \
    ROW(yn)

#define IMAGE_LIBC(ROW)                                                       \
    ROW(memcmp)                                                               \
    ROW(memcpy)                                                               \
    ROW(memmove)                                                              \
    ROW(memset)                                                               \
    ROW(strlen)

/* Conversions to and from half precision that compiled code calls if the
 * processor has no instruction for them. x86-64 has no instruction that
 * converts double to half precision. */
#define IMAGE_LIBGCC_HALF(ROW)                                                \
    ROW(__extendhfsf2)                                                        \
    ROW(__truncsfhf2)                                                         \
    ROW(__truncdfhf2)

/* Functions that compiled code calls for 128-bit integers. */
#define IMAGE_LIBGCC(ROW)                                                     \
    ROW(__divti3)                                                             \
    ROW(__modti3)                                                             \
    ROW(__udivti3)                                                            \
    ROW(__umodti3)                                                            \
    ROW(__multi3)                                                             \
    ROW(__ashlti3)                                                            \
    ROW(__ashrti3)                                                            \
    ROW(__lshrti3)                                                            \
    ROW(__floattisf)                                                          \
    ROW(__floattidf)                                                          \
    ROW(__floatuntisf)                                                        \
    ROW(__floatuntidf)                                                        \
    ROW(__fixsfti)                                                            \
    ROW(__fixdfti)                                                            \
    ROW(__fixunssfti)                                                         \
    ROW(__fixunsdfti)                                                         \
    ROW(__powisf2)                                                            \
    ROW(__powidf2)

#endif
