/* incomplete_types.h - class templates that cuda::std declares without a
 * definition, as NVIDIA's headers do.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <memory>

extern "C++" {
namespace cuda
{
namespace std
{
template <class C> struct char_traits;
template <class C, class Traits = char_traits<C>,
          class Allocator = ::std::allocator<C>>
class basic_string;
using string = basic_string<char>;
template <class T, class Allocator = ::std::allocator<T>> class vector;
template <class T, class C = char, class Traits = char_traits<C>,
          class Distance = ptrdiff_t>
class istream_iterator;
template <class T, class C = char, class Traits = char_traits<C>>
class ostream_iterator;
}
}
}
