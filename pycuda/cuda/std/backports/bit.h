/* backports/bit.h - <bit> of C++20 and byteswap, which cuda::std has in every
 * standard.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <limits>
#include <type_traits>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class T, class R>
using __pycuda_of_unsigned =
    enable_if_t<is_unsigned<T>::value && !is_same<T, bool>::value, R>;
__PYCUDA_STD int
__pycuda_count_ones(unsigned long long value)
{
#ifdef __PYCUDA_CPU__
    return __builtin_popcountll(value);
#else
    int count = 0;
    for (; value != 0; value &= value - 1) {
        count++;
    }
    return count;
#endif
}
/* The number of binary digits without leading zeros. */
__PYCUDA_STD int
__pycuda_count_digits(unsigned long long value)
{
#ifdef __PYCUDA_CPU__
    return value == 0 ? 0 : 64 - __builtin_clzll(value);
#else
    int width = 0;
    for (; value != 0; value >>= 1) {
        width++;
    }
    return width;
#endif
}

enum class endian { little, big, native = little };

template <class To, class From>
__PYCUDA_STD enable_if_t<sizeof(To) == sizeof(From) &&
                             is_trivially_copyable<To>::value &&
                             is_trivially_copyable<From>::value,
                         To>
bit_cast(const From &value) noexcept
{
    return __builtin_bit_cast(To, value);
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
popcount(T value) noexcept
{
    return __pycuda_count_ones(value);
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
bit_width(T value) noexcept
{
    return __pycuda_count_digits(value);
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
countl_zero(T value) noexcept
{
    return numeric_limits<T>::digits - __pycuda_count_digits(value);
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
countr_zero(T value) noexcept
{
    return __pycuda_count_ones(T(T(~value) & T(value - 1)));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
countl_one(T value) noexcept
{
    return countl_zero(T(~value));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, int>
countr_one(T value) noexcept
{
    return countr_zero(T(~value));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, bool>
has_single_bit(T value) noexcept
{
    return value != 0 && (value & (value - 1)) == 0;
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, T>
bit_ceil(T value) noexcept
{
    return value <= 1 ? T(1) : T(T(1) << __pycuda_count_digits(T(value - 1)));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, T>
bit_floor(T value) noexcept
{
    return value == 0 ? T(0) : T(T(1) << (__pycuda_count_digits(value) - 1));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, T>
rotl(T value, int count) noexcept
{
    constexpr unsigned mask = numeric_limits<T>::digits - 1;
    return T(value << (count & mask)) | T(value >> (-count & mask));
}
template <class T>
__PYCUDA_STD __pycuda_of_unsigned<T, T>
rotr(T value, int count) noexcept
{
    return rotl(value, -count);
}

template <class T>
__PYCUDA_STD enable_if_t<is_integral<T>::value, T>
byteswap(T value) noexcept
{
    make_unsigned_t<conditional_t<is_same<T, bool>::value, char, T>>
        from = value, to = 0;
    for (size_t i = 0; i < sizeof(T); i++) {
        to = decltype(to)(to << 4 << 4 | (from & 0xff));
        from = decltype(from)(from >> 4 >> 4);
    }
    return static_cast<T>(to);
}
} // namespace __pycuda_backports
#if __cplusplus >= 202002L
using namespace __pycuda_backports;
#endif
} // namespace std
}
