/* cstdlib_div.h - div, ldiv and lldiv.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "qualifiers.h"
#include "../prelude.h"

extern "C++" {
namespace std
{
using ::lldiv_t;
__host__ __device__ constexpr div_t
div(int x, int y) noexcept
{
    return div_t{x / y, x % y};
}
__host__ __device__ constexpr ldiv_t
ldiv(long x, long y) noexcept
{
    return ldiv_t{x / y, x % y};
}
__host__ __device__ constexpr lldiv_t
lldiv(long long x, long long y) noexcept
{
    return lldiv_t{x / y, x % y};
}
__host__ __device__ constexpr ldiv_t
div(long x, long y) noexcept
{
    return ldiv(x, y);
}
__host__ __device__ constexpr lldiv_t
div(long long x, long long y) noexcept
{
    return lldiv(x, y);
}
}
}
