/* monostate.h - std::monostate, the value of a variant that holds nothing.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "qualifiers.h"

extern "C++" {
namespace std
{

struct monostate {
};
#define __PYCUDA_COMPARE(OPERATOR, RESULT)                                    \
    __host__ __device__ constexpr bool operator OPERATOR(monostate,           \
                                                         monostate) noexcept  \
    {                                                                         \
        return RESULT;                                                        \
    }
__PYCUDA_COMPARE(==, true)
__PYCUDA_COMPARE(!=, false)
__PYCUDA_COMPARE(<, false)
__PYCUDA_COMPARE(>, false)
__PYCUDA_COMPARE(<=, true)
__PYCUDA_COMPARE(>=, true)
#undef __PYCUDA_COMPARE
} // namespace std
}
