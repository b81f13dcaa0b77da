/* copy.h - thrust's copies, fills and maps, executed by one thread.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <algorithm>
#include <thrust/execution_policy.h>

extern "C++" {
namespace thrust
{

using std::copy;
using std::copy_if;
using std::copy_n;
using std::fill;
using std::fill_n;
using std::reverse;
using std::transform;
using std::unique;
__PYCUDA_THRUST_POLICY(copy)
__PYCUDA_THRUST_POLICY(copy_if)
__PYCUDA_THRUST_POLICY(copy_n)
__PYCUDA_THRUST_POLICY(fill)
__PYCUDA_THRUST_POLICY(fill_n)
__PYCUDA_THRUST_POLICY(reverse)
__PYCUDA_THRUST_POLICY(transform)
__PYCUDA_THRUST_POLICY(unique)

template <class Iterator, class Function>
__host__ __device__ Iterator
for_each(Iterator first, Iterator last, Function function)
{
    for (; first != last; ++first) {
        function(*first);
    }
    return first;
}
__PYCUDA_THRUST_POLICY(for_each)

template <class Iterator, class T>
__host__ __device__ void
sequence(Iterator first, Iterator last, T value)
{
    for (; first != last; ++first, ++value) {
        *first = value;
    }
}
template <class Iterator>
__host__ __device__ void
sequence(Iterator first, Iterator last)
{
    thrust::sequence(first, last, 0);
}
__PYCUDA_THRUST_POLICY(sequence)

} // namespace thrust
}
