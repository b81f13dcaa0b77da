/* backports/ranges_compare.h - identity, and the comparisons of std::ranges,
 * which cuda::std has in every standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "concepts.h"

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

struct identity {
    using is_transparent = void;
    template <class T>
    __host__ __device__ constexpr T &&
    operator()(T &&value) const noexcept
    {
        return static_cast<T &&>(value);
    }
};
namespace ranges
{
#define __PYCUDA_COMPARE(NAME, CONCEPT, EXPRESSION)                           \
    struct NAME {                                                             \
        using is_transparent = void;                                          \
        template <class T, class S, enable_if_t<CONCEPT<T, S>, int> = 0>      \
        __host__ __device__ constexpr bool                                    \
        operator()(T &&a, S &&b) const                                        \
        {                                                                     \
            return EXPRESSION;                                                \
        }                                                                     \
    };
__PYCUDA_COMPARE(equal_to, equality_comparable_with, bool(a == b))
__PYCUDA_COMPARE(not_equal_to, equality_comparable_with, !bool(a == b))
__PYCUDA_COMPARE(less, totally_ordered_with, bool(a < b))
__PYCUDA_COMPARE(greater, totally_ordered_with, bool(b < a))
__PYCUDA_COMPARE(less_equal, totally_ordered_with, !bool(b < a))
__PYCUDA_COMPARE(greater_equal, totally_ordered_with, !bool(a < b))
#undef __PYCUDA_COMPARE
} // namespace ranges
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
