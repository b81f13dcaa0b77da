/* target.h - NV_IF_TARGET and related macros, as in <nv/target>.
 *
 * The architecture is looked up where a macro is used, because the precompiled
 * part of the headers does not know it: __CUDA_ARCH__ selects a row of flags,
 * one for each supported architecture.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_CAT_(A, B) A##B
#define __PYCUDA_CAT(A, B)  __PYCUDA_CAT_(A, B)
#define __PYCUDA_BRACES(...)                                                  \
    {                                                                         \
        __VA_ARGS__                                                           \
    }

/* ---- a row for each architecture: which architectures it includes ---- */

#define __PYCUDA_SMS_350   1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_370   1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_500   1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_520   1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_530   1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_600   1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_610   1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_620   1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_700   1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_720   1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_750   1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_800   1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_860   1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,0
#define __PYCUDA_SMS_870   1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0
#define __PYCUDA_SMS_880   1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0
#define __PYCUDA_SMS_890   1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0
#define __PYCUDA_SMS_900   1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0
#define __PYCUDA_SMS_1000  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0,0
#define __PYCUDA_SMS_1010  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0,0
#define __PYCUDA_SMS_1030  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0,0
#define __PYCUDA_SMS_1100  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0
#define __PYCUDA_SMS_1200  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
#define __PYCUDA_SMS_1210  1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1
#define __PYCUDA_SMS_OF_(ARCH) __PYCUDA_SMS_##ARCH
#define __PYCUDA_SMS_OF(ARCH)  __PYCUDA_SMS_OF_(ARCH)

/* __PYCUDA_SM_N selects flag N from the row of flags in its arguments. */
#define __PYCUDA_SM_0(X, ...) X
#define __PYCUDA_SM_1(A0, X, ...) X
#define __PYCUDA_SM_2(A0, A1, X, ...) X
#define __PYCUDA_SM_3(A0, A1, A2, X, ...) X
#define __PYCUDA_SM_4(A0, A1, A2, A3, X, ...) X
#define __PYCUDA_SM_5(A0, A1, A2, A3, A4, X, ...) X
#define __PYCUDA_SM_6(A0, A1, A2, A3, A4, A5, X, ...) X
#define __PYCUDA_SM_7(A0, A1, A2, A3, A4, A5, A6, X, ...) X
#define __PYCUDA_SM_8(A0, A1, A2, A3, A4, A5, A6, A7, X, ...) X
#define __PYCUDA_SM_9(A0, A1, A2, A3, A4, A5, A6, A7, A8, X, ...) X
#define __PYCUDA_SM_10(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, X, ...) X
#define __PYCUDA_SM_11(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, X, \
    ...) X
#define __PYCUDA_SM_12(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    X, ...) X
#define __PYCUDA_SM_13(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, X, ...) X
#define __PYCUDA_SM_14(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, X, ...) X
#define __PYCUDA_SM_15(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, X, ...) X
#define __PYCUDA_SM_16(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, A15, X, ...) X
#define __PYCUDA_SM_17(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, A15, A16, X, ...) X
#define __PYCUDA_SM_18(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, A15, A16, A17, X, ...) X
#define __PYCUDA_SM_19(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, A15, A16, A17, A18, X, ...) X
#define __PYCUDA_SM_20(A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, \
    A12, A13, A14, A15, A16, A17, A18, A19, X, ...) X
#define __PYCUDA_SM_FLAG(N)                                                   \
    __PYCUDA_SM_FLAG_(N, __PYCUDA_SMS_OF(__CUDA_ARCH__))
#define __PYCUDA_SM_FLAG_(N, ...) __PYCUDA_SM_##N(__VA_ARGS__, ~)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_35 __PYCUDA_SM_FLAG(0)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_37 __PYCUDA_SM_FLAG(1)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_50 __PYCUDA_SM_FLAG(2)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_52 __PYCUDA_SM_FLAG(3)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_53 __PYCUDA_SM_FLAG(4)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_60 __PYCUDA_SM_FLAG(5)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_61 __PYCUDA_SM_FLAG(6)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_62 __PYCUDA_SM_FLAG(7)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_70 __PYCUDA_SM_FLAG(8)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_72 __PYCUDA_SM_FLAG(9)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_75 __PYCUDA_SM_FLAG(10)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_80 __PYCUDA_SM_FLAG(11)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_86 __PYCUDA_SM_FLAG(12)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_87 __PYCUDA_SM_FLAG(13)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_89 __PYCUDA_SM_FLAG(14)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_90 __PYCUDA_SM_FLAG(15)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_100 __PYCUDA_SM_FLAG(16)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_101 __PYCUDA_SM_FLAG(17)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_103 __PYCUDA_SM_FLAG(18)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_110 __PYCUDA_SM_FLAG(19)
#define __PYCUDA_TARGET___NV_PROVIDES_SM_120 __PYCUDA_SM_FLAG(20)

/* ---- conditions that are true for exactly one architecture ---- */

#define __PYCUDA_SECOND(A, B, ...)   B
#define __PYCUDA_SECOND_OF(...)      __PYCUDA_SECOND(__VA_ARGS__)
#define __PYCUDA_SM_IS_(ARCH, SM)                                             \
    __PYCUDA_SECOND_OF(__PYCUDA_SAME_##ARCH##_##SM, 0, ~)
#define __PYCUDA_SM_IS(ARCH, SM)     __PYCUDA_SM_IS_(ARCH, SM)
#define __PYCUDA_SAME_350_35 ~, 1
#define __PYCUDA_SAME_370_37 ~, 1
#define __PYCUDA_SAME_500_50 ~, 1
#define __PYCUDA_SAME_520_52 ~, 1
#define __PYCUDA_SAME_530_53 ~, 1
#define __PYCUDA_SAME_600_60 ~, 1
#define __PYCUDA_SAME_610_61 ~, 1
#define __PYCUDA_SAME_620_62 ~, 1
#define __PYCUDA_SAME_700_70 ~, 1
#define __PYCUDA_SAME_720_72 ~, 1
#define __PYCUDA_SAME_750_75 ~, 1
#define __PYCUDA_SAME_800_80 ~, 1
#define __PYCUDA_SAME_860_86 ~, 1
#define __PYCUDA_SAME_870_87 ~, 1
#define __PYCUDA_SAME_890_89 ~, 1
#define __PYCUDA_SAME_900_90 ~, 1
#define __PYCUDA_SAME_1000_100 ~, 1
#define __PYCUDA_SAME_1010_101 ~, 1
#define __PYCUDA_SAME_1030_103 ~, 1
#define __PYCUDA_SAME_1100_110 ~, 1
#define __PYCUDA_SAME_1200_120 ~, 1
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_35 __PYCUDA_SM_IS(__CUDA_ARCH__, 35)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_37 __PYCUDA_SM_IS(__CUDA_ARCH__, 37)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_50 __PYCUDA_SM_IS(__CUDA_ARCH__, 50)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_52 __PYCUDA_SM_IS(__CUDA_ARCH__, 52)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_53 __PYCUDA_SM_IS(__CUDA_ARCH__, 53)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_60 __PYCUDA_SM_IS(__CUDA_ARCH__, 60)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_61 __PYCUDA_SM_IS(__CUDA_ARCH__, 61)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_62 __PYCUDA_SM_IS(__CUDA_ARCH__, 62)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_70 __PYCUDA_SM_IS(__CUDA_ARCH__, 70)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_72 __PYCUDA_SM_IS(__CUDA_ARCH__, 72)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_75 __PYCUDA_SM_IS(__CUDA_ARCH__, 75)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_80 __PYCUDA_SM_IS(__CUDA_ARCH__, 80)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_86 __PYCUDA_SM_IS(__CUDA_ARCH__, 86)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_87 __PYCUDA_SM_IS(__CUDA_ARCH__, 87)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_89 __PYCUDA_SM_IS(__CUDA_ARCH__, 89)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_90 __PYCUDA_SM_IS(__CUDA_ARCH__, 90)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_100                                \
    __PYCUDA_SM_IS(__CUDA_ARCH__, 100)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_101                                \
    __PYCUDA_SM_IS(__CUDA_ARCH__, 101)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_103                                \
    __PYCUDA_SM_IS(__CUDA_ARCH__, 103)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_110                                \
    __PYCUDA_SM_IS(__CUDA_ARCH__, 110)
#define __PYCUDA_TARGET___NV_IS_EXACTLY_SM_120                                \
    __PYCUDA_SM_IS(__CUDA_ARCH__, 120)

/* ---- conditions ---- */

#define __PYCUDA_TARGET___NV_IS_DEVICE  1
#define __PYCUDA_TARGET___NV_IS_HOST    0
#define __PYCUDA_TARGET___NV_ANY_TARGET 1
#define __PYCUDA_TARGET___NV_NO_TARGET  0
#define __PYCUDA_TARGET(CONDITION) __PYCUDA_CAT(__PYCUDA_TARGET_, CONDITION)

#define NV_IS_DEVICE  __NV_IS_DEVICE
#define NV_IS_HOST    __NV_IS_HOST
#define NV_ANY_TARGET __NV_ANY_TARGET
#define NV_NO_TARGET  __NV_NO_TARGET
#define NV_PROVIDES_SM_35 __NV_PROVIDES_SM_35
#define NV_PROVIDES_SM_37 __NV_PROVIDES_SM_37
#define NV_PROVIDES_SM_50 __NV_PROVIDES_SM_50
#define NV_PROVIDES_SM_52 __NV_PROVIDES_SM_52
#define NV_PROVIDES_SM_53 __NV_PROVIDES_SM_53
#define NV_PROVIDES_SM_60 __NV_PROVIDES_SM_60
#define NV_PROVIDES_SM_61 __NV_PROVIDES_SM_61
#define NV_PROVIDES_SM_62 __NV_PROVIDES_SM_62
#define NV_PROVIDES_SM_70 __NV_PROVIDES_SM_70
#define NV_PROVIDES_SM_72 __NV_PROVIDES_SM_72
#define NV_PROVIDES_SM_75 __NV_PROVIDES_SM_75
#define NV_PROVIDES_SM_80 __NV_PROVIDES_SM_80
#define NV_PROVIDES_SM_86 __NV_PROVIDES_SM_86
#define NV_PROVIDES_SM_87 __NV_PROVIDES_SM_87
#define NV_PROVIDES_SM_89 __NV_PROVIDES_SM_89
#define NV_PROVIDES_SM_90 __NV_PROVIDES_SM_90
#define NV_PROVIDES_SM_100 __NV_PROVIDES_SM_100
#define NV_PROVIDES_SM_101 __NV_PROVIDES_SM_101
#define NV_PROVIDES_SM_103 __NV_PROVIDES_SM_103
#define NV_PROVIDES_SM_110 __NV_PROVIDES_SM_110
#define NV_PROVIDES_SM_120 __NV_PROVIDES_SM_120
#define NV_IS_EXACTLY_SM_35 __NV_IS_EXACTLY_SM_35
#define NV_IS_EXACTLY_SM_37 __NV_IS_EXACTLY_SM_37
#define NV_IS_EXACTLY_SM_50 __NV_IS_EXACTLY_SM_50
#define NV_IS_EXACTLY_SM_52 __NV_IS_EXACTLY_SM_52
#define NV_IS_EXACTLY_SM_53 __NV_IS_EXACTLY_SM_53
#define NV_IS_EXACTLY_SM_60 __NV_IS_EXACTLY_SM_60
#define NV_IS_EXACTLY_SM_61 __NV_IS_EXACTLY_SM_61
#define NV_IS_EXACTLY_SM_62 __NV_IS_EXACTLY_SM_62
#define NV_IS_EXACTLY_SM_70 __NV_IS_EXACTLY_SM_70
#define NV_IS_EXACTLY_SM_72 __NV_IS_EXACTLY_SM_72
#define NV_IS_EXACTLY_SM_75 __NV_IS_EXACTLY_SM_75
#define NV_IS_EXACTLY_SM_80 __NV_IS_EXACTLY_SM_80
#define NV_IS_EXACTLY_SM_86 __NV_IS_EXACTLY_SM_86
#define NV_IS_EXACTLY_SM_87 __NV_IS_EXACTLY_SM_87
#define NV_IS_EXACTLY_SM_89 __NV_IS_EXACTLY_SM_89
#define NV_IS_EXACTLY_SM_90 __NV_IS_EXACTLY_SM_90
#define NV_IS_EXACTLY_SM_100 __NV_IS_EXACTLY_SM_100
#define NV_IS_EXACTLY_SM_101 __NV_IS_EXACTLY_SM_101
#define NV_IS_EXACTLY_SM_103 __NV_IS_EXACTLY_SM_103
#define NV_IS_EXACTLY_SM_110 __NV_IS_EXACTLY_SM_110
#define NV_IS_EXACTLY_SM_120 __NV_IS_EXACTLY_SM_120
#define NV_TARGET_MINIMUM_SM_INTEGER (__CUDA_ARCH__ / 10)

/* ---- selection of a block of code; other blocks are removed ---- */

#define NV_IF_TARGET(CONDITION, ...)                                          \
    __PYCUDA_CAT(__PYCUDA_NV_IF_, __PYCUDA_TARGET(CONDITION))                 \
    (__VA_ARGS__, (), ~)
#define NV_IF_ELSE_TARGET(CONDITION, YES, NO) NV_IF_TARGET(CONDITION, YES, NO)
#define __PYCUDA_NV_IF_1(YES, NO, ...)        __PYCUDA_BRACES YES
#define __PYCUDA_NV_IF_0(YES, NO, ...)        __PYCUDA_BRACES NO

/* Expands pairs of a condition and a block to the first block whose condition
 * is true. */
#define NV_DISPATCH_TARGET(...)                                               \
    __PYCUDA_NV_DISPATCH_0(__VA_ARGS__, __NV_ANY_TARGET, (), ~)
#define __PYCUDA_NV_DISPATCH_0(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_0_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_0_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_0_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_1(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_1(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_1_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_1_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_1_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_2(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_2(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_2_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_2_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_2_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_3(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_3(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_3_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_3_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_3_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_4(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_4(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_4_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_4_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_4_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_5(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_5(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_5_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_5_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_5_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_6(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_6(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_6_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_6_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_6_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_7(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_7(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_7_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_7_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_7_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_8(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_8(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_8_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_8_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_8_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_9(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_9(CONDITION, BLOCK, ...)                         \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_9_, __PYCUDA_TARGET(CONDITION))             \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_9_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_9_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_10(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_10(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_10_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_10_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_10_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_11(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_11(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_11_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_11_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_11_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_12(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_12(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_12_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_12_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_12_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_13(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_13(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_13_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_13_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_13_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_14(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_14(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_14_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_14_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_14_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_15(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_15(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_15_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_15_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_15_0(BLOCK, ...) __PYCUDA_NV_DISPATCH_16(__VA_ARGS__)
#define __PYCUDA_NV_DISPATCH_16(CONDITION, BLOCK, ...)                        \
    __PYCUDA_CAT(__PYCUDA_NV_TAKE_16_, __PYCUDA_TARGET(CONDITION))            \
    (BLOCK, __VA_ARGS__)
#define __PYCUDA_NV_TAKE_16_1(BLOCK, ...) __PYCUDA_BRACES BLOCK
#define __PYCUDA_NV_TAKE_16_0(BLOCK, ...) __PYCUDA_NV_TOO_MANY_TARGETS
