/* accessors.h - default_accessor and aligned_accessor of std::mdspan.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <cstddef>
#include <type_traits>

extern "C++" {
namespace std
{

template <class T> struct default_accessor {
    typedef default_accessor offset_policy;
    typedef T element_type;
    typedef T &reference;
    typedef T *data_handle_type;

    constexpr default_accessor() = default;
    template <class U, class = enable_if_t<is_convertible<U (*)[], T (*)[]>::value>>
    __host__ __device__ constexpr default_accessor(default_accessor<U>)
    {
    }
    __host__ __device__ constexpr T &access(T *data, size_t index) const
    {
        return data[index];
    }
    __host__ __device__ constexpr T *offset(T *data, size_t index) const
    {
        return data + index;
    }
};

/* An accessor whose data are aligned to `Bytes`. Data at an offset need not be
 * aligned, so the accessor of a part is default_accessor. */
template <class T, size_t Bytes> struct aligned_accessor {
    static_assert(Bytes && (Bytes & (Bytes - 1)) == 0,
                  "byte_alignment must be a power of two");
    static_assert(Bytes >= alignof(T),
                  "byte_alignment must be at least that of the element type");
    typedef default_accessor<T> offset_policy;
    typedef T element_type;
    typedef T &reference;
    typedef T *data_handle_type;
    static constexpr size_t byte_alignment = Bytes;

    constexpr aligned_accessor() = default;
    template <class U, size_t More,
              class = enable_if_t<is_convertible<U (*)[], T (*)[]>::value &&
                                  (More >= Bytes)>>
    __host__ __device__ constexpr aligned_accessor(aligned_accessor<U, More>)
    {
    }
    template <class U,
              class = enable_if_t<is_convertible<U (*)[], T (*)[]>::value>>
    __host__ __device__ explicit constexpr aligned_accessor(default_accessor<U>)
    {
    }
    template <class U,
              class = enable_if_t<is_convertible<T (*)[], U (*)[]>::value>>
    __host__ __device__ constexpr operator default_accessor<U>() const
    {
        return {};
    }
    __host__ __device__ constexpr T &access(T *data, size_t index) const
    {
        return data[index];
    }
    __host__ __device__ constexpr T *offset(T *data, size_t index) const
    {
        return data + index;
    }
};

} // namespace std
}
