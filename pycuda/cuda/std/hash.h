/* hash.h - std::hash of arithmetic types, enumerations and pointers. Programs
 * may specialise it for their types.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{

/* Mixes all bits of a value, so that each one changes half of the result. */
__PYCUDA_STD unsigned long long
__pycuda_mix(unsigned long long bits) noexcept
{
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
    return bits ^ bits >> 31;
}
__PYCUDA_STD unsigned long long
__pycuda_bits_to_hash(float value) noexcept
{
    return value == 0 ? 0 : __builtin_bit_cast(unsigned, value);
}
__PYCUDA_STD unsigned long long
__pycuda_bits_to_hash(double value) noexcept
{
    return value == 0 ? 0 : __builtin_bit_cast(unsigned long long, value);
}
template <class T>
__PYCUDA_STD enable_if_t<!is_floating_point<T>::value, unsigned long long>
__pycuda_bits_to_hash(T value) noexcept
{
    return (unsigned long long)value;
}

template <class T, bool> struct __pycuda_hash {
    __pycuda_hash() = delete;
    __pycuda_hash(const __pycuda_hash &) = delete;
    __pycuda_hash &operator=(const __pycuda_hash &) = delete;
};
template <class T> struct __pycuda_hash<T, true> {
    using argument_type = T;
    using result_type = size_t;
    __PYCUDA_STD size_t
    operator()(T value) const noexcept
    {
        return (size_t)__pycuda_mix(__pycuda_bits_to_hash(value));
    }
};
template <class T>
struct hash
    : __pycuda_hash<T, is_arithmetic<T>::value || is_enum<T>::value ||
                           is_pointer<T>::value || is_null_pointer<T>::value> {
};
} // namespace std
}
