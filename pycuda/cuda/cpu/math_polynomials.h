/* math_polynomials.h - polynomials for the device's mathematical functions.
 *
 * Made by tools/minimax.py, which says which function each approximates.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_POLY1F(t, c0) (c0)
#define __PYCUDA_POLY1(t, c0) (c0)
#define __PYCUDA_POLY2F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY1F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY2(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY1(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY3F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY2F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY3(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY2(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY4F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY3F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY4(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY3(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY5F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY4F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY5(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY4(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY6F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY5F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY6(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY5(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY7F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY6F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY7(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY6(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY8F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY7F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY8(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY7(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY9F(t, c0, ...)                                           \
    __builtin_fmaf(__PYCUDA_POLY8F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY9(t, c0, ...)                                            \
    __builtin_fma(__PYCUDA_POLY8(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY10F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY9F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY10(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY9(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY11F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY10F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY11(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY10(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY12F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY11F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY12(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY11(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY13F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY12F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY13(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY12(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY14F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY13F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY14(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY13(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY15F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY14F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY15(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY14(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY16F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY15F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY16(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY15(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY17F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY16F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY17(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY16(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY18F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY17F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY18(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY17(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY19F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY18F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY19(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY18(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY20F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY19F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY20(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY19(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY21F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY20F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY21(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY20(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY22F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY21F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY22(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY21(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY23F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY22F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY23(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY22(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY24F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY23F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY24(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY23(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY25F(t, c0, ...)                                          \
    __builtin_fmaf(__PYCUDA_POLY24F(t, __VA_ARGS__), t, c0)
#define __PYCUDA_POLY25(t, c0, ...)                                           \
    __builtin_fma(__PYCUDA_POLY24(t, __VA_ARGS__), t, c0)

/* error 2^-28.2 */
#define __PYCUDA_EXPF(t)                                                      \
    __PYCUDA_POLY5F(                                                          \
        t, 0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558cp-5f, 0x1.1239eap-7f,     \
        0x1.6a3e02p-10f)
/* error 2^-31.1 */
#define __PYCUDA_EXPM1F(t)                                                    \
    __PYCUDA_POLY6F(                                                          \
        t, 0x1p-1f, 0x1.555554p-3f, 0x1.5554f8p-5f, 0x1.1112d4p-7f,           \
        0x1.6d3aaap-10f, 0x1.9e7d6cp-13f)
/* error 2^-57.9 */
#define __PYCUDA_EXP(t)                                                       \
    __PYCUDA_POLY10(                                                          \
        t, 0x1.000000000000ap-1, 0x1.55555555554ffp-3, 0x1.5555555550682p-5,  \
        0x1.1111111126ddap-7, 0x1.6c16c184925ebp-10, 0x1.a01a012e06858p-13,   \
        0x1.a01998f1c125bp-16, 0x1.71df1e06d2276p-19, 0x1.28ae7d672a96fp-22,  \
        0x1.ad8ad3c3201bbp-26)
/* error 2^-61.6 */
#define __PYCUDA_EXPM1(t)                                                     \
    __PYCUDA_POLY11(                                                          \
        t, 0x1p-1, 0x1.5555555555559p-3, 0x1.5555555555555p-5,                \
        0x1.111111110f6d2p-7, 0x1.6c16c16c1866ep-10, 0x1.a01a01afc66f5p-13,   \
        0x1.a01a01951c52cp-16, 0x1.71ddf8a68a1edp-19, 0x1.27e50ae51227bp-22,  \
        0x1.af5e3e0ccf405p-26, 0x1.1f1fa012d3db8p-29)
/* error 2^-28.3 */
#define __PYCUDA_EXP2F(t)                                                     \
    __PYCUDA_POLY6F(                                                          \
        t, 0x1.62e43p-1f, 0x1.ebfbdcp-3f, 0x1.c6af7ap-5f, 0x1.3b2dep-7f,      \
        0x1.5f09aep-10f, 0x1.416d9cp-13f)
/* error 2^-28.5 */
#define __PYCUDA_EXP10F(t)                                                    \
    __PYCUDA_POLY6F(                                                          \
        t, 0x1.26bb1cp+1f, 0x1.53524ap+1f, 0x1.046f9ap+1f, 0x1.2bd9fp+0f,     \
        0x1.156c1p-1f, 0x1.a6544p-3f)
/* error 2^-29.0 */
#define __PYCUDA_POWF_EXP(t)                                                  \
    __PYCUDA_POLY7(                                                           \
        t, 0x1.000000026c1a7p+0, 0x1.62e430ca6f48fp-1, 0x1.ebfbdac991ca1p-3,  \
        0x1.c6aed14645467p-5, 0x1.3b2dc3ef7f2ap-7, 0x1.5f47358526ffcp-10,     \
        0x1.41d00f0767d47p-13)
/* error 2^-35.8 */
#define __PYCUDA_POWF_LOG(t)                                                  \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.71547652bbdddp+0, -0x1.7154764b33dadp-1,                       \
        0x1.ec709d9035ad3p-2, -0x1.715484f98b9b2p-2, 0x1.2776e219fe55dp-2,    \
        -0x1.ec687c4dca2fcp-3, 0x1.a60b2c7743d6p-3, -0x1.724a618d50b77p-3,    \
        0x1.49811e860092p-3, -0x1.1985f01f8047p-3, 0x1.fa206b64e7469p-4,      \
        -0x1.542c5f59dc17bp-3, 0x1.42a06b63799d5p-3)
/* error 2^-27.7 */
#define __PYCUDA_LOGF(t)                                                      \
    __PYCUDA_POLY8F(                                                          \
        t, 0x1.555506p-2f, -0x1.fffefap-3f, 0x1.99d056p-3f, -0x1.559c4ap-3f,  \
        0x1.1ed4cap-3f, -0x1.f33a3cp-4f, 0x1.1e7016p-3f, -0x1.07abap-3f)
/* error 2^-55.9 */
#define __PYCUDA_LOG(t)                                                       \
    __PYCUDA_POLY7(                                                           \
        t, 0x1.5555555555777p-1, 0x1.99999998f056cp-2, 0x1.249249b27accbp-2,  \
        0x1.c71c0125ff05p-3, 0x1.7474ed75851f9p-3, 0x1.3851f3b11d103p-3,      \
        0x1.3ac565084aa55p-3)
/* error 2^-74.6 */
#define __PYCUDA_POW_LOG(t)                                                   \
    __PYCUDA_POLY9(                                                           \
        t, 0x1.999999999999ap-2, 0x1.2492492492358p-2, 0x1.c71c71c747fbp-3,   \
        0x1.745d172d4ac29p-3, 0x1.3b13b9416c603p-3, 0x1.110f7369cd893p-3,     \
        0x1.e249c85c83a14p-4, 0x1.a7411ad812b91p-4, 0x1.da6bac2d3eeb6p-4)
/* error 2^-27.0 */
#define __PYCUDA_SINF_FIRST -0x1.55554cp-3f
#define __PYCUDA_SINF_REST(t)                                                 \
    __PYCUDA_POLY3F(                                                          \
        t, 0x1.110edap-7f, -0x1.9f70eep-13f, 0x1.5dc98cp-19f)
/* error 2^-25.6 */
#define __PYCUDA_COSF_FIRST -0x1.55555p-3f
#define __PYCUDA_COSF_REST(t)                                                 \
    __PYCUDA_POLY3F(                                                          \
        t, 0x1.110f08p-7f, -0x1.9f7206p-13f, 0x1.5db084p-19f)
/* error 2^-27.9 */
#define __PYCUDA_SINQF(t)                                                     \
    __PYCUDA_POLY3F(                                                          \
        t, -0x1.555546p-3f, 0x1.110776p-7f, -0x1.9952fap-13f)
/* error 2^-33.0 */
#define __PYCUDA_COSQF(t)                                                     \
    __PYCUDA_POLY4F(                                                          \
        t, -0x1p-1f, 0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e808p-16f)
/* error 2^-57.9 */
#define __PYCUDA_SINQ(t)                                                      \
    __PYCUDA_POLY6(                                                           \
        t, -0x1.5555555555548p-3, 0x1.111111110f73p-7,                        \
        -0x1.a01a019be9319p-13, 0x1.71de355541f9dp-19,                        \
        -0x1.ae5e4b987f782p-26, 0x1.5d8b5bd8aaecep-33)
/* error 2^-63.9 */
#define __PYCUDA_COSQ(t)                                                      \
    __PYCUDA_POLY7(                                                           \
        t, -0x1p-1, 0x1.555555555554bp-5, -0x1.6c16c16c15011p-10,             \
        0x1.a01a019c8e7bbp-16, -0x1.27e4f7f0f0e16p-22,                        \
        0x1.1ee9db4d67254p-29, -0x1.8fa6389820d71p-37)
/* error 2^-61.9 */
#define __PYCUDA_SIN(t)                                                       \
    __PYCUDA_POLY9(                                                           \
        t, -0x1.5555555555555p-3, 0x1.11111111110cdp-7,                       \
        -0x1.a01a01a0155a4p-13, 0x1.71de3a52f3e79p-19,                        \
        -0x1.ae64550a81751p-26, 0x1.6123e0c832e0ap-33,                        \
        -0x1.ae4bbc93bdec9p-41, 0x1.8a042cb6e26cdp-49,                        \
        -0x1.54396323121ap-60)
/* error 2^-25.7 */
#define __PYCUDA_TANF(t)                                                      \
    __PYCUDA_POLY6F(                                                          \
        t, 0x1.5554dep-2f, 0x1.112deap-3f, 0x1.b5851p-5f, 0x1.907356p-6f,     \
        0x1.967b2p-9f, 0x1.33e88ep-7f)
/* error 2^-56.2 */
#define __PYCUDA_TAN(t)                                                       \
    __PYCUDA_POLY14(                                                          \
        t, 0x1.55555555554f1p-2, 0x1.11111111183c8p-3, 0x1.ba1ba1b4607a6p-5,  \
        0x1.664f49aa70ae3p-6, 0x1.226e12225495cp-7, 0x1.d6d93b901c8edp-9,     \
        0x1.7d5afdee47725p-10, 0x1.37fda3077d7f2p-11, 0x1.d24c74247569ap-13,  \
        0x1.1e73afdaccd6ep-13, -0x1.bc40131a0fdb9p-16,                        \
        0x1.778da25f588e1p-14, -0x1.78d8ed6077f13p-15,                        \
        0x1.5e38237c4f8dfp-16)
/* error 2^-33.4 */
#define __PYCUDA_SINPIF(t)                                                    \
    __PYCUDA_POLY4F(                                                          \
        t, -0x1.4abbcep+2f, 0x1.466b78p+1f, -0x1.32adaap-1f, 0x1.443a6ep-4f)
/* error 2^-63.5 */
#define __PYCUDA_SINPI(t)                                                     \
    __PYCUDA_POLY7(                                                           \
        t, -0x1.4abbce625be53p+2, 0x1.466bc6775ab7cp+1,                       \
        -0x1.32d2cce63af7bp-1, 0x1.5078349d9e889p-4, -0x1.e3076ecdfba22p-8,   \
        0x1.e908dfde80a6p-12, -0x1.73d8e7733f4efp-16)
/* error 2^-31.1 */
#define __PYCUDA_COSPIF(t)                                                    \
    __PYCUDA_POLY4F(                                                          \
        t, -0x1.3bd3ccp+2f, 0x1.03c1bp+2f, -0x1.55b2b6p+0f, 0x1.d4f78ap-3f)
/* error 2^-61.8 */
#define __PYCUDA_COSPI(t)                                                     \
    __PYCUDA_POLY8(                                                           \
        t, -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5a38p+2,                       \
        -0x1.55d3c7e3b99e4p+0, 0x1.e1f5066443aecp-3, -0x1.a6d1cb0216ef6p-6,   \
        0x1.f9a4951eea04p-10, -0x1.99fc3261b9ca4p-14,                         \
        -0x1.85c5d0e65ff54p-16)
/* error 2^-27.6 */
#define __PYCUDA_ASINF(t)                                                     \
    __PYCUDA_POLY5F(                                                          \
        t, 0x1.5555c8p-3f, 0x1.330206p-4f, 0x1.747b88p-5f, 0x1.8c3f8p-6f,     \
        0x1.595c0cp-5f)
/* error 2^-59.8 */
#define __PYCUDA_ASIN(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.5555555555577p-3, 0x1.333333332e131p-4, 0x1.6db6db72126e9p-5,  \
        0x1.f1c71a94ed368p-6, 0x1.6e8bdee13ca65p-6, 0x1.1c49f045313c8p-6,     \
        0x1.ca1f90248de16p-7, 0x1.758570260d347p-7, 0x1.613d2af459351p-7,     \
        0x1.e5eb7310af334p-9, 0x1.639fae3e504eep-6, -0x1.58023b42cbee4p-6,    \
        0x1.0b4841f68f2bp-5)
/* error 2^-25.8 */
#define __PYCUDA_ATANF(t)                                                     \
    __PYCUDA_POLY8F(                                                          \
        t, -0x1.5554dcp-2f, 0x1.9978eap-3f, -0x1.230a76p-3f, 0x1.b4dd68p-4f,  \
        -0x1.354d6ap-4f, 0x1.61e4fp-5f, -0x1.0c09dp-6f, 0x1.7e8674p-9f)
/* error 2^-59.4 */
#define __PYCUDA_ATAN(t)                                                      \
    __PYCUDA_POLY11(                                                          \
        t, -0x1.555555555553dp-2, 0x1.9999999995868p-3,                       \
        -0x1.24924922ad46fp-3, 0x1.c71c70e60356bp-4, -0x1.745cf8daf9b6fp-4,   \
        0x1.3b111903a5defp-4, -0x1.10ebb74cc5e28p-4, 0x1.df0f3f423e5dcp-5,    \
        -0x1.9cd2924be456bp-5, 0x1.37d55557feca3p-5, -0x1.2569ea511c1e2p-6)
/* error 2^-25.3 */
#define __PYCUDA_SINHF(t)                                                     \
    __PYCUDA_POLY3F(                                                          \
        t, 0x1.555598p-3f, 0x1.10f76p-7f, 0x1.ab4218p-13f)
/* error 2^-27.7 */
#define __PYCUDA_TANHF(t)                                                     \
    __PYCUDA_POLY5F(                                                          \
        t, -0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a6p-5f, 0x1.51f8fcp-6f,  \
        -0x1.750ecp-8f)
/* error 2^-63.0 */
#define __PYCUDA_SINH(t)                                                      \
    __PYCUDA_POLY8(                                                           \
        t, 0x1.5555555555555p-3, 0x1.111111111119bp-7,                        \
        0x1.a01a01a007361p-13, 0x1.71de3a68cf4f8p-19, 0x1.ae644124233cbp-26,  \
        0x1.61314c0e58acfp-33, 0x1.a66650a7d4578p-41, 0x1.d2773f4ba924p-48)
/* error 2^-64.8 */
#define __PYCUDA_TANH(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, -0x1.5555555555555p-2, 0x1.1111111111092p-3,                       \
        -0x1.ba1ba1ba13594p-5, 0x1.664f488092d1p-6, -0x1.226e35077f966p-7,    \
        0x1.d6d3bf6dc3046p-9, -0x1.7da23427c638dp-10, 0x1.3549ad6925ee3p-11,  \
        -0x1.f483e3d4a170ep-13, 0x1.9086124aa5f1cp-14,                        \
        -0x1.2fd81902fb06dp-15, 0x1.7f6dd9da4a39p-17,                         \
        -0x1.1d1db4d7d6579p-19)
/* error 2^-14.7 */
#define __PYCUDA_RCBRT(t)                                                     \
    __PYCUDA_POLY5F(                                                          \
        t, 0x1.ab8568p+0f, -0x1.2c4162p+0f, 0x1.64152ap-1f, -0x1.c51616p-3f,  \
        0x1.d46c12p-6f)
/* error 2^-29.4 */
#define __PYCUDA_ERFF(t)                                                      \
    __PYCUDA_POLY7F(                                                          \
        t, 0x1.06eba8p-3f, -0x1.81273ep-2f, 0x1.ce2ce6p-4f, -0x1.b7f71cp-6f,  \
        0x1.53f24ap-8f, -0x1.a35336p-11f, 0x1.477974p-14f)
/* error 2^-56.3 */
#define __PYCUDA_ERF(t)                                                       \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.06eba8214db69p-3, -0x1.812746b037a12p-2,                       \
        0x1.ce2f21a044886p-4, -0x1.b82ce31305e45p-6, 0x1.565bcd206a61p-8,     \
        -0x1.c02db714ad02cp-11, 0x1.f9a37cc7f0d78p-14, -0x1.f4d881a4f96p-17,  \
        0x1.ba31a6545fbffp-20, -0x1.61c7b4c0d3b87p-23,                        \
        0x1.09cbc5c51d88ep-26, -0x1.8cb4e7c2f93e8p-30,                        \
        0x1.e424e7b8d6a8dp-34)
/* error 2^-54.5 */
#define __PYCUDA_ERFC(t)                                                      \
    __PYCUDA_POLY25(                                                          \
        t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28ep-3,                       \
        0x1.f7f5df66fbb2cp-7, 0x1.16ecefcfa5366p-4, -0x1.9ddb23c3ded6bp-4,    \
        0x1.7fee004e132c5p-4, -0x1.0fb06dff00b63p-4, 0x1.3079edf6515a3p-5,    \
        -0x1.0962386a74da4p-6, 0x1.49c6729aad634p-8, -0x1.8d4aac1c94ffp-11,   \
        -0x1.a1df37dbd92a1p-13, 0x1.3be138847f644p-13,                        \
        -0x1.9956ccddff18p-16, -0x1.78a7d0f49691ap-17,                        \
        0x1.7f0e50a0f4335p-18, 0x1.3feacc5423ac1p-22,                         \
        -0x1.b9ae45c835e06p-21, 0x1.32e4307c0b1cbp-24,                        \
        0x1.cdb8debc14b4fp-24, -0x1.1f1b50a22332ep-26,                        \
        -0x1.b8c08a1918dc9p-27, 0x1.e1deb1deaaac9p-30,                        \
        0x1.1795deee19518p-30, -0x1.4a398a7e82ea8p-35)
/* error 2^-29.7 */
#define __PYCUDA_ERFF_TAIL(t)                                                 \
    __PYCUDA_POLY7F(                                                          \
        t, -0x1.5cf72ap-12f, -0x1.208b1p+0f, -0x1.46b45ap-1f,                 \
        -0x1.a67d4p-4f, 0x1.661554p-6f, -0x1.82e296p-9f, 0x1.87a89p-13f)
/* error 2^-26.3 */
#define __PYCUDA_ERFCF(t)                                                     \
    __PYCUDA_POLY12F(                                                         \
        t, 0x1.46e80ep+0f, -0x1.7bf5dcp-4f, -0x1.5407e4p-3f, 0x1.4ff904p-3f,  \
        -0x1.bc2016p-5f, -0x1.06afd4p-7f, 0x1.1ced9ap-7f, 0x1.3d6b4p-10f,     \
        -0x1.6f8becp-10f, -0x1.6fba7cp-12f, 0x1.5635e6p-13f,                  \
        0x1.fc229ap-15f)
/* error 2^-56.5 */
#define __PYCUDA_ERF_NEAR(t)                                                  \
    __PYCUDA_POLY15(                                                          \
        t, -0x1.2652ea903996fp-3, -0x1.c4a4be93e3fbap-3,                      \
        0x1.e32894f0343e2p-5, -0x1.aed44a4cd7c0dp-7, 0x1.415c8cb4fc56dp-9,    \
        -0x1.98bf86e6752f7p-12, 0x1.c3930dc8b189bp-15,                        \
        -0x1.b832344613acep-18, 0x1.7f934d178ae8ap-21,                        \
        -0x1.2e014001fdab2p-24, 0x1.b18bae5973d5p-28,                         \
        -0x1.1ddf4a378c3b9p-31, 0x1.5fc634922036cp-35,                        \
        -0x1.928adc848dca2p-39, 0x1.6564e0bb9f352p-44)
/* error 2^-56.4 */
#define __PYCUDA_ERF_TAIL(t)                                                  \
    __PYCUDA_POLY18(                                                          \
        t, 0x1.61aa55a1d13f4p-1, -0x1.229d9b5508d3ep-2,                       \
        -0x1.2506f722f96b6p-6, 0x1.54f76f73d45f9p-6, 0x1.bcef420c51d43p-13,   \
        -0x1.3e404e8221a62p-10, 0x1.78650951136dap-14,                        \
        0x1.317fca6ed4351p-15, -0x1.611af43319531p-18,                        \
        -0x1.4959762433f11p-22, -0x1.38b6633fcdf89p-28,                       \
        0x1.3f356fde16fcbp-25, -0x1.52d2f7bc608dbp-28,                        \
        -0x1.1e9368499104dp-31, 0x1.e4f57704bd821p-33,                        \
        -0x1.00bf0bdc0c9aap-35, 0x1.218c0014085eep-39,                        \
        -0x1.34e9fdde5d401p-44)
/* error 2^-53.3 */
#define __PYCUDA_J0_1(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, -0x1.09cdb3655128p-1, 0x1.ba1deea029493p-4, 0x1.cfae86436875dp-5,  \
        -0x1.1bb1cbe1a3c7bp-7, -0x1.1f99258febfbfp-9, 0x1.15382b9f73191p-12,  \
        0x1.6ed3b6d91d138p-15, -0x1.232c752e8b03ep-18,                        \
        -0x1.1cc95be3761e2p-21, 0x1.7ff3a97424995p-25,                        \
        0x1.225c1e6e3c67dp-28, -0x1.5713007e030ep-32, 0x1.726fb90c7b4a6p-34)
/* error 2^-54.7 */
#define __PYCUDA_J0_2(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.5c6e60a097823p-2, -0x1.f8f72e7a848ep-6,                        \
        -0x1.b2150cb41ea4ap-5, 0x1.2f7ffe9025705p-8, 0x1.27e31fe9e3b11p-9,    \
        -0x1.6f641f41a7d2fp-13, -0x1.863f48e45588p-15,                        \
        0x1.ad77d75bfe7a3p-19, 0x1.32e816dd9f472p-21,                         \
        -0x1.2da3468694c86p-25, -0x1.43a277f03bacp-28,                        \
        0x1.1c2c2e167af81p-32, 0x1.ea8c4c697c23dp-35)
/* error 2^-55.4 */
#define __PYCUDA_J1_1(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, -0x1.9c6cf582cbf7fp-2, 0x1.ae8a39f51ad04p-5,                       \
        0x1.b589d1da13a16p-5, -0x1.537544c331ef2p-8, -0x1.24b3409981389p-9,   \
        0x1.6e4c2d5390abap-13, 0x1.83a06ebb49cfdp-15,                         \
        -0x1.9799d5385585dp-19, -0x1.338334c46cac8p-21,                       \
        0x1.1706b4208805ap-25, 0x1.46a011ee9c1e4p-28,                         \
        -0x1.032d81384e4f4p-32, -0x1.9d2b655a5119p-35)
/* error 2^-53.5 */
#define __PYCUDA_J1_2(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.33518b3874e8ap-2, -0x1.5e70dc60362bfp-6,                       \
        -0x1.80c83bdeee298p-5, 0x1.9a4b292e3dbf3p-9, 0x1.13fbc7d621ea6p-9,    \
        -0x1.07358bbd6b29ap-13, -0x1.796a7382319c6p-15,                       \
        0x1.4255af0ff3ca7p-19, 0x1.302452ec4b0a6p-21,                         \
        -0x1.d48b1801404fep-26, -0x1.40a951020c504p-28,                       \
        0x1.c30d9890df258p-33, -0x1.14953615f486p-35)
/* error 2^-51.6 */
#define __PYCUDA_Y0_1(t)                                                      \
    __PYCUDA_POLY19(                                                          \
        t, 0x1.c24371844b88ap-1, -0x1.f7e38a46d71ebp-2,                       \
        0x1.c3b1338af4698p-3, -0x1.cf18e6a463cd4p-3, 0x1.c068086b46642p-3,    \
        -0x1.a396a8435f054p-3, 0x1.9424b9b6d1192p-3, -0x1.8d359f0b3cd34p-3,   \
        0x1.8c08a9a6bce3ap-3, -0x1.8f823597c6bp-3, 0x1.96e4e675e1829p-3,      \
        -0x1.a1470e51e4494p-3, 0x1.af254f7f3a93dp-3, -0x1.c8276ceae0dd6p-3,   \
        0x1.de73ab4e04ddap-3, -0x1.a58038970a361p-3, 0x1.b1236899b9f67p-3,    \
        -0x1.c543fbd5addb9p-2, 0x1.ee2e1cdeb0439p-2)
/* error 2^-56.0 */
#define __PYCUDA_Y0_2(t)                                                      \
    __PYCUDA_POLY15(                                                          \
        t, -0x1.9c34256a12a0cp-2, 0x1.a09c9290367eep-5,                       \
        0x1.df6d59bf50dbap-5, -0x1.c116fdc597d87p-8, -0x1.1e32bc4ec3f36p-9,   \
        0x1.9982765084257p-13, 0x1.ab2c1eeb466eap-15,                         \
        -0x1.48637040e4674p-18, -0x1.3b1cb89e9704dp-22,                       \
        -0x1.777c45cc1a69fp-26, 0x1.43c8342045195p-26,                        \
        -0x1.f5353a821e022p-29, 0x1.07da48f11e005p-30,                        \
        -0x1.bf75bf7e5d1afp-33, -0x1.261958464a30bp-33)
/* error 2^-53.6 */
#define __PYCUDA_Y0_3(t)                                                      \
    __PYCUDA_POLY13(                                                          \
        t, 0x1.334cca0697a5bp-2, -0x1.5aef611fc4d58p-6,                       \
        -0x1.8969c64cbf728p-5, 0x1.b2f14a9552aedp-9, 0x1.1d35e86049e5p-9,     \
        -0x1.26dd71e3e1dd8p-13, -0x1.8177e6752cfd2p-15,                       \
        0x1.6a9227d908f3fp-19, 0x1.34acc38c26329p-21,                         \
        -0x1.0a286e47407b6p-25, -0x1.4782f25a6fd5ap-28,                       \
        0x1.f99734976073ap-33, 0x1.6575f5fce4ea3p-34)
/* error 2^-53.8 */
#define __PYCUDA_Y1_1(t)                                                      \
    __PYCUDA_POLY17(                                                          \
        t, 0x1.0aa48442f014bp-1, -0x1.e56f82217b8bfp-4,                       \
        -0x1.0d2af4e932592p-5, -0x1.3a6dec37572eap-8, 0x1.e671c7d169329p-8,   \
        -0x1.5429dc44aed5ep-9, 0x1.17ab4acd0b09p-10, -0x1.0b2d903a4183dp-11,  \
        0x1.eea7d7ad6c372p-13, -0x1.c3f733b5d4ba5p-14,                        \
        0x1.9d1263e531de2p-15, -0x1.79c65b8980f9cp-16,                        \
        0x1.58e83cc95cf8dp-17, -0x1.32b9ff9d69824p-18,                        \
        0x1.169925a1670c2p-19, -0x1.46a401361f6ebp-20,                        \
        0x1.2df569f4daa27p-21)
/* error 2^-53.7 */
#define __PYCUDA_Y1_2(t)                                                      \
    __PYCUDA_POLY14(                                                          \
        t, -0x1.5c7c556f0c19ap-2, 0x1.00b9f8571ca1fp-5,                       \
        0x1.a15d92dfe4154p-5, -0x1.10a329e2c25fcp-8, -0x1.1be6db999d7bdp-9,   \
        0x1.337c7e1433237p-13, 0x1.85b94296a893bp-15,                         \
        -0x1.80619394e35dfp-19, -0x1.256112894a1b7p-21,                       \
        0x1.b63433e654f37p-26, 0x1.848eea170b0eap-28,                         \
        -0x1.ad5a92a5d8913p-32, -0x1.02eb50e22971cp-34,                       \
        0x1.fcfbdcf9a5375p-41)
/* error 2^-60.2 */
#define __PYCUDA_I0(t)                                                        \
    __PYCUDA_POLY16(                                                          \
        t, 0x1p-2, 0x1.0000000000001p-6, 0x1.c71c71c71c6d3p-12,               \
        0x1.c71c71c71cf1fp-18, 0x1.23456789a473ap-24, 0x1.02e85c091b9ep-31,   \
        0x1.522a43ea61ba2p-39, 0x1.522a44b6d3082p-47, 0x1.0b3129ebca3bcp-55,  \
        0x1.5602177d211d1p-64, 0x1.69c3d437a6b36p-73, 0x1.41d3afed91a52p-82,  \
        0x1.e429479af3c96p-92, 0x1.4b614c9a4e34ep-101,                        \
        0x1.1ce7ec95fb77cp-111, 0x1.358d48623bbe3p-120)
/* error 2^-55.5 */
#define __PYCUDA_I0_TAIL(t)                                                   \
    __PYCUDA_POLY23(                                                          \
        t, 0x1.b0bea98f423efp+21, 0x1.80a97a4672814p+15,                      \
        0x1.80a97a51939dep+11, 0x1.642b101ed9351p+8, 0x1.e4df2b291dbbcp+5,    \
        0x1.ad15e4d0bb193p+3, 0x1.be5896c5492c9p+2, -0x1.df9697493681p+4,     \
        0x1.c7e2d3d9efc09p+7, -0x1.37c956a024cd1p+10, 0x1.480960c7e93b4p+12,  \
        -0x1.0be4ad73960dap+14, 0x1.5611e4a78c553p+15,                        \
        -0x1.56482ef33951bp+16, 0x1.0bd9643390423p+17,                        \
        -0x1.45979dfc01cf2p+17, 0x1.2f801c341e358p+17,                        \
        -0x1.a8f569f190a48p+16, 0x1.b05154fb2afa7p+15,                        \
        -0x1.2e64aaea0fd4ap+14, 0x1.06aed5bdb97fcp+12,                        \
        -0x1.c013b25c76f08p+8, 0x1.ea00fe1f4b26ep+2)
/* error 2^-57.5 */
#define __PYCUDA_I1(t)                                                        \
    __PYCUDA_POLY15(                                                          \
        t, 0x1.0000000000001p-4, 0x1.555555555551dp-9,                        \
        0x1.c71c71c71cf75p-15, 0x1.6c16c16c0d106p-21, 0x1.845c8a0db586fp-28,  \
        0x1.27e4fb6c67473p-35, 0x1.522a44c38a5d8p-43, 0x1.2c974e87873c4p-51,  \
        0x1.ab82a894b128ep-60, 0x1.f16cb772a60e2p-69, 0x1.e2c2557d21395p-78,  \
        0x1.8944bd3543f6ep-87, 0x1.2265958983cdep-96, 0x1.0916eae7964dp-106,  \
        0x1.3798123cb9e19p-115)
/* error 2^-55.5 */
#define __PYCUDA_I1_TAIL(t)                                                   \
    __PYCUDA_POLY23(                                                          \
        t, 0x1.b0bea98f423efp+21, -0x1.207f1bb4d6fa6p+17,                     \
        -0x1.408d3b3a01f9bp+12, -0x1.f2a2cbdd4f24bp+8,                        \
        -0x1.37a88b60b3177p+6, -0x1.0951ba8fed994p+4, -0x1.7b22d561b59dbp+2,  \
        0x1.cf1ce02ab0187p+3, -0x1.fe2e67f79e2d8p+6, 0x1.728308c1a24dep+9,    \
        -0x1.96f9ea4224478p+11, 0x1.559eaf3359d6ep+13,                        \
        -0x1.ba675246bae7dp+14, 0x1.bb1e0f086226dp+15,                        \
        -0x1.561850c161adcp+16, 0x1.92c6aac5d181cp+16,                        \
        -0x1.6212a910c546ep+16, 0x1.bef9f43bff88fp+15,                        \
        -0x1.75c1f7dc70c64p+14, 0x1.477ee69f44b3dp+12, 0x1.8d907cde513b7p+7,  \
        -0x1.924821ca8bef9p+8, 0x1.13b50cd1cd131p+6)
