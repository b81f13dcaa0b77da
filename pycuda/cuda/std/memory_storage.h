/* memory_storage.h - construction and destruction of objects in storage.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>
#include <utility>

extern "C++" {
namespace std
{

template <class T, class... A>
__host__ __device__ inline auto
__pycuda_construct(T *at, A &&...arguments)
    -> decltype(::new((void *)at) T(declval<A>()...))
{
    return ::new ((void *)at) T(static_cast<A &&>(arguments)...);
}
#if __cplusplus >= 201703L
template <class T>
__PYCUDA_STD void
destroy_at(T *at)
{
    if constexpr (is_array<T>::value) {
        for (auto &element : *at) {
            std::destroy_at(std::addressof(element));
        }
    } else {
        at->~T();
    }
}
template <class Iterator>
__PYCUDA_STD void
destroy(Iterator first, Iterator last)
{
    for (; first != last; ++first) {
        std::destroy_at(std::addressof(*first));
    }
}
template <class Iterator, class Count>
__PYCUDA_STD Iterator
destroy_n(Iterator first, Count count)
{
    for (; count > 0; --count, ++first) {
        std::destroy_at(std::addressof(*first));
    }
    return first;
}
template <class Iterator>
__host__ __device__ void
uninitialized_default_construct(Iterator first, Iterator last)
{
    using T = remove_cvref_t<decltype(*first)>;
    for (; first != last; ++first) {
        ::new ((void *)std::addressof(*first)) T;
    }
}
template <class Iterator>
__host__ __device__ void
uninitialized_value_construct(Iterator first, Iterator last)
{
    for (; first != last; ++first) {
        std::__pycuda_construct(std::addressof(*first));
    }
}
template <class Iterator, class Count>
__host__ __device__ Iterator
uninitialized_default_construct_n(Iterator first, Count count)
{
    using T = remove_cvref_t<decltype(*first)>;
    for (; count > 0; --count, ++first) {
        ::new ((void *)std::addressof(*first)) T;
    }
    return first;
}
template <class Iterator, class Count>
__host__ __device__ Iterator
uninitialized_value_construct_n(Iterator first, Count count)
{
    for (; count > 0; --count, ++first) {
        std::__pycuda_construct(std::addressof(*first));
    }
    return first;
}
template <class From, class Count, class To>
__host__ __device__ pair<From, To>
uninitialized_move_n(From first, Count count, To to)
{
    for (; count > 0; --count, ++first, ++to) {
        std::__pycuda_construct(std::addressof(*to), std::move(*first));
    }
    return pair<From, To>(first, to);
}
template <class From, class To>
__host__ __device__ To
uninitialized_move(From first, From last, To to)
{
    for (; first != last; ++first, ++to) {
        std::__pycuda_construct(std::addressof(*to), std::move(*first));
    }
    return to;
}
#endif
template <class From, class To>
__host__ __device__ To
uninitialized_copy(From first, From last, To to)
{
    for (; first != last; ++first, ++to) {
        std::__pycuda_construct(std::addressof(*to), *first);
    }
    return to;
}
template <class From, class Count, class To>
__host__ __device__ To
uninitialized_copy_n(From first, Count count, To to)
{
    for (; count > 0; --count, ++first, ++to) {
        std::__pycuda_construct(std::addressof(*to), *first);
    }
    return to;
}
template <class Iterator, class T>
__host__ __device__ void
uninitialized_fill(Iterator first, Iterator last, const T &value)
{
    for (; first != last; ++first) {
        std::__pycuda_construct(std::addressof(*first), value);
    }
}
template <class Iterator, class Count, class T>
__host__ __device__ Iterator
uninitialized_fill_n(Iterator first, Count count, const T &value)
{
    for (; count > 0; --count, ++first) {
        std::__pycuda_construct(std::addressof(*first), value);
    }
    return first;
}
/* Moves `at` up to an aligned address and returns it, or NULL if fewer than
 * `size` bytes are left there. */
__host__ __device__ inline void *
align(size_t alignment, size_t size, void *&at, size_t &space)
{
    const size_t skip = -(size_t)at & (alignment - 1);
    if (size > space || skip > space - size) {
        return nullptr;
    }
    space -= skip;
    return at = (char *)at + skip;
}
} // namespace std
}
