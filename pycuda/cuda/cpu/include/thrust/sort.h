/* sort.h - thrust's sorts, executed by one thread.
 *
 * Stable sorts and sorts of keys with values merge through memory of the
 * device's heap; if none is available, they fall back to insertion sort.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>
#include <thrust/execution_policy.h>
#include <utility>

extern "C++" {
namespace thrust
{
namespace detail
{

/* Replaces the values in sorts that have only keys. */
struct no_values {
    struct none {};
    typedef none value_type;
    __host__ __device__ none
    operator[](long) const
    {
        return {};
    }
};
template <class Iterator>
struct value_of {
    typedef typename std::iterator_traits<Iterator>::value_type type;
};
template <>
struct value_of<no_values> {
    typedef no_values::none type;
};

template <class Iterator, class Value>
__host__ __device__ void
put(Iterator to, long i, const Value &value)
{
    to[i] = value;
}
__host__ __device__ inline void
put(no_values, long, no_values::none)
{
}

template <class Keys, class Values, class Less>
__host__ __device__ void
insertion_sort(Keys keys, Values values, long n, Less less)
{
    for (long i = 1; i < n; i++) {
        typename value_of<Keys>::type key = keys[i];
        typename value_of<Values>::type value = values[i];
        long at = i;
        for (; at > 0 && less(key, keys[at - 1]); at--) {
            keys[at] = keys[at - 1];
            put(values, at, values[at - 1]);
        }
        keys[at] = key;
        put(values, at, value);
    }
}

/* Merges the sorted runs [low, middle) and [middle, high) through a copy of
 * the first one. */
template <class Keys, class Values, class Key, class Value, class Less>
__host__ __device__ void
merge_runs(Keys keys, Values values, Key *own_keys, Value *own_values,
           long low, long middle, long high, Less less)
{
    long length = middle - low, left = 0, right = middle, at = low;
    for (long i = 0; i < length; i++) {
        own_keys[i] = keys[low + i];
        own_values[i] = values[low + i];
    }
    while (left < length) {
        if (right < high && less(keys[right], own_keys[left])) {
            keys[at] = keys[right];
            put(values, at++, values[right++]);
        } else {
            keys[at] = own_keys[left];
            put(values, at++, own_values[left++]);
        }
    }
}

template <class Keys, class Values, class Less>
__host__ __device__ void
stable_sort(Keys keys, Values values, long n, Less less)
{
    typedef typename value_of<Keys>::type Key;
    typedef typename value_of<Values>::type Value;
    const long run = 16;
    if (n > run) {
        Key *own_keys = (Key *)malloc(n * sizeof(Key));
        Value *own_values = (Value *)malloc(n * sizeof(Value));
        if (own_keys && own_values) {
            for (long low = 0; low < n; low += run) {
                long length = n - low < run ? n - low : run;
                insertion_sort(std::next(keys, low), values + low, length,
                               less);
            }
            for (long width = run; width < n; width *= 2) {
                for (long low = 0; low + width < n; low += 2 * width) {
                    long high = n - low < 2 * width ? n : low + 2 * width;
                    merge_runs(keys, values, own_keys, own_values, low,
                               low + width, high, less);
                }
            }
            n = 0;
        }
        free(own_keys);
        free(own_values);
    }
    insertion_sort(keys, values, n, less);
}

__host__ __device__ inline no_values
operator+(no_values values, long)
{
    return values;
}

} // namespace detail

template <class Iterator, class Less>
__host__ __device__ void
sort(Iterator first, Iterator last, Less less)
{
    std::sort(first, last, less);
}
template <class Iterator>
__host__ __device__ void
sort(Iterator first, Iterator last)
{
    std::sort(first, last);
}
__PYCUDA_THRUST_POLICY(sort)

template <class Iterator, class Less>
__host__ __device__ void
stable_sort(Iterator first, Iterator last, Less less)
{
    detail::stable_sort(first, detail::no_values(), last - first, less);
}
template <class Iterator>
__host__ __device__ void
stable_sort(Iterator first, Iterator last)
{
    thrust::stable_sort(first, last, std::less<>());
}
__PYCUDA_THRUST_POLICY(stable_sort)

template <class Keys, class Values, class Less>
__host__ __device__ void
stable_sort_by_key(Keys first, Keys last, Values values, Less less)
{
    detail::stable_sort(first, values, last - first, less);
}
template <class Keys, class Values>
__host__ __device__ void
stable_sort_by_key(Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(first, last, values, std::less<>());
}
__PYCUDA_THRUST_POLICY(stable_sort_by_key)

template <class Keys, class Values, class Less>
__host__ __device__ void
sort_by_key(Keys first, Keys last, Values values, Less less)
{
    thrust::stable_sort_by_key(first, last, values, less);
}
template <class Keys, class Values>
__host__ __device__ void
sort_by_key(Keys first, Keys last, Values values)
{
    thrust::stable_sort_by_key(first, last, values);
}
__PYCUDA_THRUST_POLICY(sort_by_key)

template <class Iterator, class Less>
__host__ __device__ bool
is_sorted(Iterator first, Iterator last, Less less)
{
    for (; first != last && std::next(first) != last; ++first) {
        if (less(*std::next(first), *first)) {
            return false;
        }
    }
    return true;
}
template <class Iterator>
__host__ __device__ bool
is_sorted(Iterator first, Iterator last)
{
    return thrust::is_sorted(first, last, std::less<>());
}
__PYCUDA_THRUST_POLICY(is_sorted)

} // namespace thrust
}
