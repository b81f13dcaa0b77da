/* backports/numeric.h - std::midpoint of C++20, which cuda::std has in every
 * standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <limits>
#include <numeric>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

/* For integers: the distance between a and b always fits the unsigned type, so
 * nothing overflows. */
template <class T>
__PYCUDA_STD
    enable_if_t<is_integral<T>::value && !is_same<T, bool>::value, T>
    midpoint(T a, T b) noexcept
{
    using U = make_unsigned_t<T>;
    return a <= b ? T(U(a) + U(U(U(b) - U(a)) / 2))
                  : T(U(a) - U(U(U(a) - U(b)) / 2));
}
template <class T>
__PYCUDA_STD enable_if_t<is_floating_point<T>::value, T>
midpoint(T a, T b) noexcept
{
    const T high = numeric_limits<T>::max() / 2;
    const T low = numeric_limits<T>::min() * 2;
    const T x = a < 0 ? -a : a, y = b < 0 ? -b : b;
    return x <= high && y <= high ? (a + b) / 2
           : x < low              ? a + b / 2
           : y < low              ? a / 2 + b
                                  : a / 2 + b / 2;
}
template <class T>
__PYCUDA_STD enable_if_t<is_object<T>::value, T *>
midpoint(T *a, T *b) noexcept
{
    return a + (b - a) / 2;
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
