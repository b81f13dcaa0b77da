/* iterator_access.h - rbegin, cbegin, data, empty and others of <iterator>.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace std
{

#if __cplusplus >= 201402L
template <class Container>
__host__ __device__ constexpr auto
cbegin(const Container &container) -> decltype(std::begin(container))
{
    return std::begin(container);
}
template <class Container>
__host__ __device__ constexpr auto
cend(const Container &container) -> decltype(std::end(container))
{
    return std::end(container);
}
template <class T, size_t N>
__host__ __device__ constexpr reverse_iterator<T *>
rbegin(T (&array)[N])
{
    return reverse_iterator<T *>(array + N);
}
template <class T, size_t N>
__host__ __device__ constexpr reverse_iterator<T *>
rend(T (&array)[N])
{
    return reverse_iterator<T *>(array);
}
template <class T>
__host__ __device__ constexpr reverse_iterator<const T *>
rbegin(initializer_list<T> list)
{
    return reverse_iterator<const T *>(list.end());
}
template <class T>
__host__ __device__ constexpr reverse_iterator<const T *>
rend(initializer_list<T> list)
{
    return reverse_iterator<const T *>(list.begin());
}
template <class Container>
__host__ __device__ constexpr auto
rbegin(Container &container) -> decltype(container.rbegin())
{
    return container.rbegin();
}
template <class Container>
__host__ __device__ constexpr auto
rend(Container &container) -> decltype(container.rend())
{
    return container.rend();
}
template <class Container>
__host__ __device__ constexpr auto
crbegin(const Container &container) -> decltype(std::rbegin(container))
{
    return std::rbegin(container);
}
template <class Container>
__host__ __device__ constexpr auto
crend(const Container &container) -> decltype(std::rend(container))
{
    return std::rend(container);
}
#endif
#if __cplusplus >= 201703L
template <class T, size_t N>
__host__ __device__ constexpr T *
data(T (&array)[N]) noexcept
{
    return array;
}
template <class T>
__host__ __device__ constexpr const T *
data(initializer_list<T> list) noexcept
{
    return list.begin();
}
template <class Container>
__host__ __device__ constexpr auto
data(Container &container) -> decltype(container.data())
{
    return container.data();
}
template <class Container>
__host__ __device__ constexpr auto
data(const Container &container) -> decltype(container.data())
{
    return container.data();
}
template <class T, size_t N>
__host__ __device__ constexpr bool
empty(const T (&)[N]) noexcept
{
    return false;
}
template <class T>
__host__ __device__ constexpr bool
empty(initializer_list<T> list) noexcept
{
    return list.size() == 0;
}
template <class Container>
__host__ __device__ constexpr auto
empty(const Container &container) -> decltype(container.empty())
{
    return container.empty();
}
#endif
} // namespace std
}
