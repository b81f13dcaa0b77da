/* aligned_size.h - copy sizes with a guaranteed alignment.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <cstddef>

extern "C++" {
namespace cuda
{

template <size_t Alignment> struct aligned_size_t {
    static constexpr size_t align = Alignment;
    size_t value;

    __host__ __device__ explicit constexpr aligned_size_t(size_t size)
        : value(size)
    {
    }
    __host__ __device__ constexpr operator size_t() const
    {
        return value;
    }
};
} // namespace cuda
}
