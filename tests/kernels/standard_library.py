"""Kernels that use the C++ library, for a device or for NVRTC alone.

KERNELS has for each name a source and the options that it needs; the expected
results are in test_standard_library.py.
"""

# SPDX-License-Identifier: MIT

TRAITS = """
#include <type_traits>
struct Plain { int a; float b; };
struct Base {
    __device__ virtual ~Base() {}
    __device__ virtual int f() = 0;
};
struct Derived final : Base {
    __device__ int f() override { return 1; }
};
struct NoCopy { NoCopy() = default; NoCopy(const NoCopy &) = delete; };
struct Made {
    __device__ Made(int, float);
    __device__ Made &operator=(int);
    __device__ ~Made();
};
struct Hidden { private: ~Hidden() = default; };
struct From { __device__ operator double() const; };
union Both { int i; float f; };
enum Old : unsigned char { A };
enum class New : short { B };
using namespace std;
#define SAME(...) static_assert(is_same<__VA_ARGS__>::value, #__VA_ARGS__)
#define YES(...) static_assert(__VA_ARGS__::value, #__VA_ARGS__)
#define NO(...) static_assert(!__VA_ARGS__::value, #__VA_ARGS__)
SAME(remove_const<const int>::type, int);
SAME(remove_volatile<const volatile int>::type, const int);
SAME(remove_cv<const volatile int>::type, int);
SAME(remove_reference<int &&>::type, int);
SAME(remove_cvref<const int &>::type, int);
SAME(remove_pointer<int *const>::type, int);
SAME(remove_pointer<int **>::type, int *);
SAME(remove_pointer<const Plain>::type, const Plain);
SAME(remove_extent<int[3][4]>::type, int[4]);
SAME(remove_all_extents<int[][3][4]>::type, int);
SAME(add_const<int>::type, const int);
SAME(add_cv<int>::type, const volatile int);
SAME(add_pointer<int &>::type, int *);
SAME(add_lvalue_reference<int>::type, int &);
SAME(add_lvalue_reference<void>::type, void);
SAME(add_rvalue_reference<int &>::type, int &);
SAME(decay<const int &>::type, int);
SAME(decay<int[4]>::type, int *);
SAME(decay<int(float)>::type, int (*)(float));
SAME(conditional<true, int, float>::type, int);
SAME(conditional<false, int, float>::type, float);
SAME(enable_if<true, int>::type, int);
SAME(underlying_type<Old>::type, unsigned char);
SAME(underlying_type<New>::type, short);
SAME(make_signed<unsigned long>::type, long);
SAME(make_signed<const unsigned char>::type, const signed char);
SAME(make_unsigned<long long>::type, unsigned long long);
SAME(make_unsigned<New>::type, unsigned short);
SAME(make_unsigned<char>::type, unsigned char);
SAME(common_type<int, float, double>::type, double);
SAME(common_type<char, short>::type, int);
SAME(decltype(declval<int &>()), int &);
SAME(integral_constant<int, 3>::value_type, int);
SAME(invoke_result<int (*)(float), float>::type, int);
SAME(result_of<int (*(float))(float)>::type, int);
YES(is_void<const void>); NO(is_void<int>);
YES(is_null_pointer<decltype(nullptr)>); NO(is_null_pointer<void *>);
YES(is_integral<const bool>); YES(is_integral<char16_t>);
NO(is_integral<float>); NO(is_integral<Old>);
YES(is_floating_point<volatile double>); NO(is_floating_point<int>);
YES(is_arithmetic<float>); NO(is_arithmetic<int *>);
YES(is_fundamental<void>); NO(is_fundamental<Plain>);
YES(is_compound<int &>); NO(is_compound<int>);
YES(is_array<int[]>); YES(is_array<int[2]>); NO(is_array<int *>);
YES(is_pointer<int *const>); NO(is_pointer<int[2]>);
YES(is_lvalue_reference<int &>); NO(is_lvalue_reference<int &&>);
YES(is_rvalue_reference<int &&>); NO(is_rvalue_reference<int &>);
YES(is_reference<int &&>); NO(is_reference<int>);
YES(is_member_pointer<int Plain::*>); NO(is_member_pointer<int *>);
YES(is_function<int(float)>); NO(is_function<int (*)(float)>);
YES(is_enum<New>); NO(is_enum<int>);
YES(is_union<Both>); NO(is_union<Plain>);
YES(is_class<Plain>); NO(is_class<Both>);
YES(is_empty<NoCopy>); NO(is_empty<Plain>);
YES(is_final<Derived>); NO(is_final<Base>);
YES(is_abstract<Base>); NO(is_abstract<Derived>);
YES(is_polymorphic<Derived>); NO(is_polymorphic<Plain>);
YES(has_virtual_destructor<Base>); NO(has_virtual_destructor<Plain>);
YES(is_trivial<Plain>); NO(is_trivial<Made>);
YES(is_trivially_copyable<Plain>); NO(is_trivially_copyable<Base>);
YES(is_standard_layout<Plain>); NO(is_standard_layout<Base>);
YES(is_aggregate<Plain>); NO(is_aggregate<Made>);
YES(is_scalar<New>); YES(is_scalar<int *>); NO(is_scalar<Plain>);
YES(is_object<int[2]>); NO(is_object<int &>); NO(is_object<void>);
YES(is_const<const int>); NO(is_const<const int &>);
YES(is_volatile<volatile int>); NO(is_volatile<int>);
YES(is_signed<float>); NO(is_signed<unsigned>); NO(is_signed<Plain>);
YES(is_unsigned<bool>); NO(is_unsigned<int>); NO(is_unsigned<Old>);
YES(is_base_of<Base, Derived>); NO(is_base_of<Derived, Base>);
YES(is_convertible<From, int>); NO(is_convertible<int, From>);
NO(is_convertible<Made, int>);
YES(is_constructible<Made, int, float>); NO(is_constructible<Made, int>);
YES(is_default_constructible<Plain>); NO(is_default_constructible<Made>);
YES(is_copy_constructible<Plain>); NO(is_copy_constructible<NoCopy>);
YES(is_move_constructible<Plain>); NO(is_move_constructible<NoCopy>);
YES(is_trivially_copy_constructible<Plain>);
NO(is_trivially_copy_constructible<Base>);
YES(is_nothrow_default_constructible<Plain>);
NO(is_nothrow_constructible<Made, int, float>);
YES(is_assignable<Made &, int>); NO(is_assignable<int, int>);
YES(is_copy_assignable<Plain>); NO(is_copy_assignable<const Plain>);
YES(is_move_assignable<int>); YES(is_trivially_move_assignable<int>);
YES(is_destructible<Made>); NO(is_destructible<Hidden>);
NO(is_destructible<void>); YES(is_destructible<int &>);
YES(is_trivially_destructible<int>); NO(is_trivially_destructible<Made>);
YES(is_invocable<int (*)(float), int>); NO(is_invocable<int (*)(float)>);
YES(conjunction<true_type, is_same<int, int>>);
NO(conjunction<true_type, false_type, void>);
YES(disjunction<false_type, true_type, void>); NO(disjunction<>);
YES(negation<false_type>);
static_assert(rank<int[2][3]>::value == 2, "rank");
static_assert(extent<int[2][3], 1>::value == 3, "extent");
static_assert(extent<int[][3]>::value == 0, "extent");
static_assert(alignment_of<double>::value == 8, "alignment");
static_assert(is_same_v<int, int> && !is_same_v<int, float>, "value");
static_assert(is_integral_v<int> && rank_v<int[1]> == 1, "value");
static_assert(sizeof(aligned_storage_t<5, 4>) == 8, "storage");
template <class T, enable_if_t<is_integral<T>::value, int> = 0>
__device__ int kind(T) { return 1; }
template <class T, enable_if_t<is_floating_point<T>::value, int> = 0>
__device__ int kind(T) { return 2; }
extern "C" __global__ void k(int *out)
{
    out[0] = kind(3);
    out[1] = kind(3.0f);
    out[2] = integral_constant<int, 7>();
    out[3] = integral_constant<int, 8>()();
}
"""

LIMITS = """
#include <limits>
template <class T> __device__ void tell(double *&out)
{
    using limits = std::numeric_limits<T>;
    *out++ = limits::min();
    *out++ = limits::max();
    *out++ = limits::lowest();
    *out++ = limits::epsilon();
    *out++ = limits::denorm_min();
    *out++ = limits::infinity();
    *out++ = limits::quiet_NaN();
    *out++ = limits::digits;
    *out++ = limits::digits10;
    *out++ = limits::is_integer;
    *out++ = limits::is_signed;
    *out++ = limits::is_specialized;
}
struct Other { int a; };
static_assert(!std::numeric_limits<Other>::is_specialized, "");
static_assert(std::numeric_limits<Other>::max().a == 0, "");
static_assert(std::numeric_limits<unsigned long long>::max() ==
              18446744073709551615ull, "");
static_assert(std::numeric_limits<long long>::min() == LLONG_MIN, "");
static_assert(std::numeric_limits<bool>::digits == 1, "");
extern "C" __global__ void k(double *out)
{
    tell<float>(out);
    tell<double>(out);
    tell<int>(out);
    tell<unsigned char>(out);
    tell<const short>(out);
    tell<unsigned int>(out);
}
"""

PARTS = """
#include <array>
#include <tuple>
#include <utility>
template <int... I>
__device__ int digits(std::integer_sequence<int, I...>)
{
    int all = 0;
    int order[] = {(all = all * 10 + I)...};
    (void)order;
    return all;
}
struct Count {
    int moved = 0;
    Count() = default;
    Count(const Count &) = default;
    __device__ Count(Count &&other) : moved(other.moved + 1) {}
    Count &operator=(const Count &) = default;
};
__device__ std::tuple<int, float, char> three()
{
    return {3, 2.5f, 'x'};
}
__device__ std::pair<int, int> order(int a, int b)
{
    return a < b ? std::make_pair(a, b) : std::make_pair(b, a);
}
extern "C" __global__ void k(int *out)
{
    int a = threadIdx.x, b = 100;
    std::swap(a, b);
    *out++ = a * 1000 + b;
    *out++ = std::exchange(a, 5) + a;
    int left[2] = {1, 2}, right[2] = {3, 4};
    std::swap(left, right);
    *out++ = left[0] * 1000 + left[1] * 100 + right[0] * 10 + right[1];
    *out++ = digits(std::make_integer_sequence<int, 7>());
    *out++ = std::make_index_sequence<13>::size();
    Count count;
    Count taken(std::move(count)), kept(taken);
    *out++ = taken.moved * 10 + kept.moved;
    auto [low, high] = order(9, 4);
    *out++ = low * 10 + high;
    *out++ = std::make_pair(1, 2) < std::make_pair(1, 3);
    *out++ = std::make_pair(2, 2) < std::make_pair(1, 3);
    *out++ = std::get<1>(std::tuple(1, 20, 3.0));
    auto [x, y, z] = three();
    *out++ = int(x + y * 2) * 1000 + z;
    int i;
    float f;
    std::tie(i, f) = std::make_pair(4, 0.5f);
    *out++ = i + int(f * 4);
    *out++ = std::make_tuple(1, 2, 3) < std::make_tuple(1, 2, 4);
    *out++ = std::make_tuple(1, 2) == std::make_tuple(1, 2);
    *out++ = std::apply([](int p, int q) { return p * q; },
                        std::make_tuple(6, 7));
    *out++ = std::tuple_size<decltype(three())>::value;
    std::array<int, 4> four = {4, 3, 2, 1};
    four[2] = 9;
    int sum = 0;
    for (int v : four)
        sum = sum * 10 + v;
    *out++ = sum;
    *out++ = four.size() + four.front() * 10 + four.back() * 100;
    auto [p, q, r, s] = four;
    *out++ = p + q + r + s;
    *out++ = std::get<2>(four);
    std::array same = {4, 3, 9, 1};
    *out++ = (same == four) + 2 * (same < four);
    same.fill(2);
    *out++ = same[3] + *(same.end() - 1) + *same.data();
    *out++ = std::array<int, 0>().empty();
}
"""

ALGORITHMS = """
#include <algorithm>
#include <numeric>
#define N 37
extern "C" __global__ void k(const int *from, int *sorted, int *falling,
                             int *sums, int *out)
{
    int t = threadIdx.x;
    from += t * N, sorted += t * N, falling += t * N, sums += t * N;
    out += t * 32;
    std::copy(from, from + N, sorted);
    std::sort(sorted, sorted + N);
    std::copy_n(from, N, falling);
    std::sort(falling, falling + N, std::greater<int>());
    std::partial_sum(from, from + N, sums);
    *out++ = std::min(from[0], from[1]);
    *out++ = std::max(from[0], from[1]);
    *out++ = std::max({from[0], from[1], from[2]});
    *out++ = std::clamp(from[0], -5, 5);
    *out++ = std::min_element(from, from + N) - from;
    *out++ = std::max_element(from, from + N) - from;
    *out++ = std::accumulate(from, from + N, 0);
    *out++ = std::accumulate(from, from + N, 0, [](int a, int b) {
        return a ^ b;
    });
    *out++ = std::inner_product(from, from + N, sorted, 0);
    *out++ = std::count(from, from + N, 3);
    *out++ = std::count_if(from, from + N, [](int v) { return v < 0; });
    *out++ = std::find(from, from + N, from[20]) - from;
    *out++ = std::lower_bound(sorted, sorted + N, 3) - sorted;
    *out++ = std::upper_bound(sorted, sorted + N, 3) - sorted;
    *out++ = std::binary_search(sorted, sorted + N, from[7]);
    *out++ = std::is_sorted(sorted, sorted + N) * 2 +
             std::is_sorted(from, from + N);
    int kept[N];
    *out++ = std::copy_if(from, from + N, kept, [](int v) {
        return v % 2 == 0;
    }) - kept;
    std::copy(sorted, sorted + N, kept);
    *out++ = std::unique(kept, kept + N) - kept;
    std::reverse(kept, kept + N);
    std::fill(kept, kept + 3, 6);
    *out++ = kept[0] + kept[2];
    std::iota(kept, kept + N, 5);
    *out++ = kept[N - 1];
    std::transform(from, from + N, sorted, kept, std::plus<>());
    *out++ = kept[4];
    *out++ = std::all_of(from, from + N, [](int v) { return v < 1000; }) +
             2 * std::any_of(from, from + N, [](int v) { return v > 900; });
    *out++ = std::gcd(84, 36) * 1000 + std::lcm(4, -6);
    *out++ = std::equal(from, from + N, from) + 2 * std::equal(
        from, from + N, sorted);
    *out++ = std::distance(std::begin(kept), std::end(kept));
    *out++ = std::multiplies<int>()(6, 7) + std::negate<>()(2);
}
"""

TWENTY = """
#include <bit>
#include <compare>
#include <concepts>
template <std::integral T> __device__ int kind(T) { return 1; }
template <std::floating_point T> __device__ int kind(T) { return 2; }
static_assert(std::same_as<int, int> && !std::same_as<int, long>);
static_assert(std::totally_ordered<int> && std::regular<float>);
static_assert(std::convertible_to<int, float> && std::copyable<int>);
static_assert(std::invocable<int (*)(int), int>);
static_assert(!std::copyable<const int>);
struct Point {
    int x, y;
    auto operator<=>(const Point &) const = default;
};
extern "C" __global__ void k(int *out)
{
    *out++ = kind(1) * 10 + kind(1.0f);
    *out++ = (Point{1, 2} < Point{1, 3}) + 2 * (Point{1, 2} == Point{1, 2}) +
             4 * (Point{2, 0} <= Point{1, 3});
    auto order = 1.0f <=> (float)threadIdx.x;
    *out++ = (order == std::partial_ordering::unordered) + 2 * (order < 0) +
             4 * (order >= 0);
    *out++ = std::is_lt(3 <=> 4) + 2 * std::is_gteq(3 <=> 3);
    unsigned bits = 0x00f0f000u + threadIdx.x;
    *out++ = std::popcount(bits);
    *out++ = std::countl_zero(bits) * 100 + std::countr_zero(bits);
    *out++ = std::countr_zero(0u) * 100 + std::countl_zero((unsigned char)3);
    *out++ = std::bit_width(bits) + std::has_single_bit(64u) * 100;
    *out++ = std::bit_ceil(65u) * 1000 + std::bit_floor(65u);
    *out++ = std::rotl(0x80000001u, 4) + std::rotr((unsigned char)1, 1);
    *out++ = std::bit_cast<int>(1.0f);
    *out++ = std::countl_one(0xfff00000u) + std::countr_one(7u) * 100;
}
"""

KERNELS = {
    "traits": (TRAITS, ["-std=c++17"]),
    "limits": (LIMITS, ["-std=c++17"]),
    "parts": (PARTS, ["-std=c++17"]),
    "algorithms": (ALGORITHMS, ["-std=c++17"]),
    "twenty": (TWENTY, ["-std=c++20"]),
}

HEADERS = [
    "algorithm",
    "array",
    "bit",
    "compare",
    "concepts",
    "functional",
    "initializer_list",
    "iterator",
    "limits",
    "map",
    "memory",
    "new",
    "numeric",
    "string",
    "tuple",
    "type_traits",
    "utility",
    "vector",
]
