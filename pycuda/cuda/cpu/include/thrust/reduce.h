/* reduce.h - thrust's reductions, scans and searches, executed by one thread.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>
#include <thrust/execution_policy.h>

extern "C++" {
namespace thrust
{

template <class Iterator, class T, class Operation>
__host__ __device__ T
reduce(Iterator first, Iterator last, T value, Operation operation)
{
    for (; first != last; ++first) {
        value = operation(value, *first);
    }
    return value;
}
template <class Iterator, class T>
__host__ __device__ T
reduce(Iterator first, Iterator last, T value)
{
    return thrust::reduce(first, last, value, std::plus<>());
}
template <class Iterator>
__host__ __device__ auto
reduce(Iterator first, Iterator last)
{
    typedef typename std::iterator_traits<Iterator>::value_type T;
    return thrust::reduce(first, last, T());
}
__PYCUDA_THRUST_POLICY(reduce)

template <class Iterator, class Map, class T, class Operation>
__host__ __device__ T
transform_reduce(Iterator first, Iterator last, Map map, T value,
                 Operation operation)
{
    for (; first != last; ++first) {
        value = operation(value, map(*first));
    }
    return value;
}
__PYCUDA_THRUST_POLICY(transform_reduce)

template <class Iterator, class Other, class T>
__host__ __device__ T
inner_product(Iterator first, Iterator last, Other other, T value)
{
    for (; first != last; ++first, ++other) {
        value = value + *first * *other;
    }
    return value;
}
__PYCUDA_THRUST_POLICY(inner_product)

template <class From, class To, class Operation>
__host__ __device__ To
inclusive_scan(From first, From last, To to, Operation operation)
{
    if (first == last) {
        return to;
    }
    typename std::iterator_traits<From>::value_type sum = *first;
    for (*to++ = sum; ++first != last; *to++ = sum) {
        sum = operation(sum, *first);
    }
    return to;
}
template <class From, class To>
__host__ __device__ To
inclusive_scan(From first, From last, To to)
{
    return thrust::inclusive_scan(first, last, to, std::plus<>());
}
__PYCUDA_THRUST_POLICY(inclusive_scan)

template <class From, class To, class T, class Operation>
__host__ __device__ To
exclusive_scan(From first, From last, To to, T sum, Operation operation)
{
    for (; first != last; ++first) {
        T next = operation(sum, *first);
        *to++ = sum;
        sum = next;
    }
    return to;
}
template <class From, class To, class T>
__host__ __device__ To
exclusive_scan(From first, From last, To to, T sum)
{
    return thrust::exclusive_scan(first, last, to, sum, std::plus<>());
}
template <class From, class To>
__host__ __device__ To
exclusive_scan(From first, From last, To to)
{
    typedef typename std::iterator_traits<From>::value_type T;
    return thrust::exclusive_scan(first, last, to, T());
}
__PYCUDA_THRUST_POLICY(exclusive_scan)

using std::count;
using std::count_if;
using std::find;
using std::find_if;
using std::lower_bound;
using std::max_element;
using std::min_element;
__PYCUDA_THRUST_POLICY(count)
__PYCUDA_THRUST_POLICY(count_if)
__PYCUDA_THRUST_POLICY(find)
__PYCUDA_THRUST_POLICY(find_if)
__PYCUDA_THRUST_POLICY(lower_bound)
__PYCUDA_THRUST_POLICY(max_element)
__PYCUDA_THRUST_POLICY(min_element)

} // namespace thrust
}
