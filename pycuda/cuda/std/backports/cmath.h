/* backports/cmath.h - std::lerp of C++20, which cuda::std has in every
 * standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <cmath>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

/* std::lerp: exact for t = 0 and t = 1, monotonic, and between a and b for t
 * in [0, 1]. */
template <class T>
__PYCUDA_STD T
__pycuda_lerp(T a, T b, T t) noexcept
{
    if ((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) {
        return t * b + (1 - t) * a;
    }
    if (t == 1) {
        return b;
    }
    const T x = a + t * (b - a);
    return (t > 1) == (b > a) ? (b < x ? x : b) : (x < b ? x : b);
}
template <class A, class B, class C>
__PYCUDA_STD __pycuda_of_numbers<__pycuda_promoted<A, B, C>, A, B, C>
lerp(A a, B b, C t) noexcept
{
    return __pycuda_lerp<__pycuda_promoted<A, B, C>>(a, b, t);
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
