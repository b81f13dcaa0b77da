/* backports/numbers.h - the constants of C++20's <numbers>, which cuda::std
 * has in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{
namespace numbers
{
#define __PYCUDA_CONSTANT(NAME, VALUE)                                        \
    template <class T>                                                        \
    inline constexpr enable_if_t<is_floating_point<T>::value, T> NAME##_v =   \
        T(VALUE);                                                             \
    inline constexpr double NAME = NAME##_v<double>;
__PYCUDA_CONSTANT(e, 2.718281828459045235360287471352662498)
__PYCUDA_CONSTANT(log2e, 1.442695040888963407359924681001892137)
__PYCUDA_CONSTANT(log10e, 0.434294481903251827651128918916605082)
__PYCUDA_CONSTANT(pi, 3.141592653589793238462643383279502884)
__PYCUDA_CONSTANT(inv_pi, 0.318309886183790671537767526745028724)
__PYCUDA_CONSTANT(inv_sqrtpi, 0.564189583547756286948079451560772586)
__PYCUDA_CONSTANT(ln2, 0.693147180559945309417232121458176568)
__PYCUDA_CONSTANT(ln10, 2.302585092994045684017991454684364208)
__PYCUDA_CONSTANT(sqrt2, 1.414213562373095048801688724209698079)
__PYCUDA_CONSTANT(sqrt3, 1.732050807568877293527446341505872367)
__PYCUDA_CONSTANT(inv_sqrt3, 0.577350269189625764509148780501957456)
__PYCUDA_CONSTANT(egamma, 0.577215664901532860606512090082402431)
__PYCUDA_CONSTANT(phi, 1.618033988749894848204586834365638118)
#undef __PYCUDA_CONSTANT
} // namespace numbers
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
