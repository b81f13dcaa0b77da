/* backports/negators.h - not1 and not2, which the C++ standard removed in
 * C++20 and cuda::std still has.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <type_traits>

extern "C++" {
namespace std
{
namespace __pycuda_backports
{

template <class Predicate> class unary_negate
{
    Predicate test;

  public:
    using argument_type = typename Predicate::argument_type;
    using result_type = bool;
    __host__ __device__ constexpr explicit unary_negate(const Predicate &p)
        : test(p)
    {
    }
    __host__ __device__ constexpr bool
    operator()(const argument_type &value) const
    {
        return !test(value);
    }
};
template <class Predicate> class binary_negate
{
    Predicate test;

  public:
    using first_argument_type = typename Predicate::first_argument_type;
    using second_argument_type = typename Predicate::second_argument_type;
    using result_type = bool;
    __host__ __device__ constexpr explicit binary_negate(const Predicate &p)
        : test(p)
    {
    }
    __host__ __device__ constexpr bool
    operator()(const first_argument_type &a,
               const second_argument_type &b) const
    {
        return !test(a, b);
    }
};
template <class Predicate>
__host__ __device__ constexpr unary_negate<Predicate>
not1(const Predicate &test)
{
    return unary_negate<Predicate>(test);
}
template <class Predicate>
__host__ __device__ constexpr binary_negate<Predicate>
not2(const Predicate &test)
{
    return binary_negate<Predicate>(test);
}
} // namespace __pycuda_backports
} // namespace std
}
