/* cmath_compare.h - classification (isnan and so on) and comparison of
 * floating-point numbers.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

#ifndef FP_NAN
#define FP_NAN       0
#define FP_INFINITE  1
#define FP_ZERO      2
#define FP_SUBNORMAL 3
#define FP_NORMAL    4
#endif

extern "C++" {
namespace std
{

/* The type of a computation with arithmetic types: integers become double. */
template <class... T>
using __pycuda_promoted =
    typename conditional<conjunction<is_same<T, float>...>::value, float,
                         double>::type;
template <class R, class... T>
using __pycuda_of_numbers = typename enable_if<
    conjunction<is_arithmetic<T>...>::value, R>::type;

template <class T>
__PYCUDA_STD __pycuda_of_numbers<int, T>
fpclassify(T value) noexcept
{
    using P = __pycuda_promoted<T>;
    const P least = sizeof(P) == 4 ? P(1.17549435082228751e-38)
                                   : P(2.22507385850720138e-308);
    const P most = sizeof(P) == 4 ? P(3.40282346638528860e+38)
                                  : P(1.79769313486231571e+308);
    const P x = P(value) < 0 ? -P(value) : P(value);
    return x != x      ? FP_NAN
           : x > most  ? FP_INFINITE
           : x == 0    ? FP_ZERO
           : x < least ? FP_SUBNORMAL
                       : FP_NORMAL;
}
template <class T>
__PYCUDA_STD __pycuda_of_numbers<bool, T>
isnormal(T value) noexcept
{
    return std::fpclassify(value) == FP_NORMAL;
}
#define __PYCUDA_COMPARE(NAME, EXPRESSION)                                    \
    template <class T, class S>                                               \
    __PYCUDA_STD __pycuda_of_numbers<bool, T, S>                              \
    NAME(T left, S right) noexcept                                            \
    {                                                                         \
        const __pycuda_promoted<T, S> a = left, b = right;                    \
        return EXPRESSION;                                                    \
    }
__PYCUDA_COMPARE(isgreater, a > b)
__PYCUDA_COMPARE(isgreaterequal, a >= b)
__PYCUDA_COMPARE(isless, a < b)
__PYCUDA_COMPARE(islessequal, a <= b)
__PYCUDA_COMPARE(islessgreater, a < b || a > b)
__PYCUDA_COMPARE(isunordered, a != a || b != b)
#undef __PYCUDA_COMPARE
} // namespace std
}
