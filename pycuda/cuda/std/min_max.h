/* min_max.h - std::min and std::max of two values, as constant expressions.
 * nvcc declares them before every source; <algorithm> has the other
 * algorithms.
 *
 * SPDX-License-Identifier: MIT */
/* NVRTC may include this file under two spellings of its path. */
#ifndef PYCUDA_MIN_MAX_H
#define PYCUDA_MIN_MAX_H

extern "C++" {
namespace std
{

template <class T, class Less>
__host__ __device__ constexpr const T &
min(const T &a, const T &b, Less less)
{
    return less(b, a) ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &
min(const T &a, const T &b)
{
    return b < a ? b : a;
}
template <class T, class Less>
__host__ __device__ constexpr const T &
max(const T &a, const T &b, Less less)
{
    return less(a, b) ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &
max(const T &a, const T &b)
{
    return a < b ? b : a;
}

} // namespace std
}
#endif
