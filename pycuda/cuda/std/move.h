/* move.h - std::move and std::forward, which NVRTC has without any #include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

extern "C++" {
namespace std
{

template <class T> struct remove_reference {
    using type = T;
};
template <class T> struct remove_reference<T &> {
    using type = T;
};
template <class T> struct remove_reference<T &&> {
    using type = T;
};
#ifdef __PYCUDA_CPU__
template <class T>
__host__ __device__ constexpr typename remove_reference<T>::type &&
move(T &&value) noexcept
{
    return static_cast<typename remove_reference<T>::type &&>(value);
}
template <class T>
__host__ __device__ constexpr T &&
forward(typename remove_reference<T>::type &value) noexcept
{
    return static_cast<T &&>(value);
}
template <class T>
__host__ __device__ constexpr T &&
forward(typename remove_reference<T>::type &&value) noexcept
{
    return static_cast<T &&>(value);
}
#endif
} // namespace std
}
