// Sections for tests/kernels/test_cuda_std.py: what the C++ standard says of
// <cuda/std/type_traits> and <cuda/std/concepts>.

//: type_traits
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
namespace s = cuda::std;
struct Plain { int a, b; };
struct Padded { char a; int b; };
struct Loud {
    __host__ __device__ Loud(Loud &&) noexcept(false) {}
    __host__ __device__ ~Loud() noexcept(false) {}
    __host__ __device__ Loud &operator=(Loud &&) noexcept(false);
};
struct Fixed { Fixed(Fixed &&) = delete; };
struct Own { };
__host__ __device__ void swap(Own &, Own &) noexcept;
struct Members {
    int datum;
    __host__ __device__ int f(int) const;
};
enum Old { A };
enum class New { B };
struct Quiet { __host__ __device__ operator int() const noexcept; };
struct Talks { __host__ __device__ operator int() const; };
static_assert(s::is_member_function_pointer_v<int (Members::*)(int) const>);
static_assert(!s::is_member_function_pointer_v<int Members::*>);
static_assert(s::is_member_function_pointer<int (Members::*const)()>::value);
static_assert(s::is_member_object_pointer_v<int Members::*>);
static_assert(!s::is_member_object_pointer<int (Members::*)()>::value);
static_assert(!s::is_member_object_pointer_v<int *>);
static_assert(s::is_nothrow_destructible_v<Plain>);
static_assert(s::is_nothrow_destructible<Plain[3]>::value);
static_assert(!s::is_nothrow_destructible_v<Loud>);
static_assert(!s::is_nothrow_destructible_v<void>);
static_assert(s::is_swappable_v<int> && s::is_swappable<int[4]>::value);
static_assert(!s::is_swappable_v<Fixed> && !s::is_swappable_v<void>);
static_assert(!s::is_swappable_v<const int>);
static_assert(s::is_nothrow_swappable_v<int>);
static_assert(!s::is_nothrow_swappable<Loud>::value && s::is_swappable_v<Loud>);
static_assert(s::is_nothrow_swappable_v<Own>);
static_assert(s::is_swappable_with_v<int &, int &>);
static_assert(!s::is_swappable_with<int, int>::value);
static_assert(!s::is_swappable_with_v<int &, float &>);
static_assert(s::is_nothrow_swappable_with_v<int &, int &>);
static_assert(!s::is_nothrow_swappable_with<Loud &, Loud &>::value);
static_assert(s::is_invocable_r_v<long, int (*)(float), double>);
static_assert(!s::is_invocable_r_v<int *, int (*)(float), double>);
static_assert(!s::is_invocable_r<void, int (*)(float), int *>::value);
static_assert(s::is_invocable_r_v<void, int (*)(float), int>);
static_assert(s::is_invocable_v<int Members::*, Members &>);
static_assert(s::is_invocable_v<int (Members::*)(int) const, Members *, int>);
static_assert(!s::is_invocable_v<int (Members::*)(int) const, Members *>);
static_assert(s::is_same_v<s::invoke_result_t<int Members::*, Members &>,
                           int &>);
static_assert(s::is_same_v<s::invoke_result_t<int Members::*, Members>,
                           int &&>);
static_assert(s::is_same_v<
    s::invoke_result_t<int Members::*, s::reference_wrapper<const Members>>,
    const int &>);
static_assert(s::is_nothrow_invocable_v<int (Members::*)() noexcept, Members>);
static_assert(!s::is_nothrow_invocable<int (*)(int), int>::value);
static_assert(s::is_nothrow_invocable<int (*)(int) noexcept, int>::value);
static_assert(s::is_nothrow_invocable_r_v<long, int (*)() noexcept>);
static_assert(!s::is_nothrow_invocable_r<int, Talks (*)() noexcept>::value);
static_assert(s::is_nothrow_invocable_r_v<int, Quiet (*)() noexcept>);
static_assert(s::is_nothrow_convertible_v<Quiet, int>);
static_assert(!s::is_nothrow_convertible<Talks, int>::value);
static_assert(s::is_nothrow_convertible_v<void, void>);
static_assert(!s::is_nothrow_convertible_v<int, void>);
static_assert(s::has_unique_object_representations_v<Plain>);
static_assert(!s::has_unique_object_representations<Padded>::value);
static_assert(s::has_unique_object_representations_v<const int[3]>);
static_assert(s::is_bounded_array_v<int[3]> && !s::is_bounded_array_v<int[]>);
static_assert(!s::is_bounded_array<int *>::value);
static_assert(s::is_unbounded_array_v<int[]>);
static_assert(!s::is_unbounded_array<int[2]>::value);
static_assert(s::is_scoped_enum_v<New> && !s::is_scoped_enum<Old>::value);
static_assert(!s::is_scoped_enum_v<int>);
static_assert(s::is_pod_v<Plain> && !s::is_pod<Loud>::value);
static_assert(s::is_literal_type_v<int> && s::is_literal_type<Plain>::value);
static_assert(sizeof(s::aligned_union_t<3, char, int>) == 4);
static_assert(alignof(s::aligned_union_t<3, char, double>) == 8);
static_assert(s::aligned_union<20, int>::alignment_value == 4);
static_assert(sizeof(s::aligned_union<20, double>::type) == 24);
static_assert(s::is_same_v<s::common_reference_t<int &, const int &>,
                           const int &>);
static_assert(s::is_same_v<s::common_reference_t<int &, const int>, int>);
static_assert(s::is_same_v<s::common_reference_t<int &&, const int &>,
                           const int &>);
static_assert(s::is_same_v<s::common_reference_t<int &&, int &&>, int &&>);
static_assert(s::is_same_v<s::common_reference_t<int, double>, double>);
static_assert(s::is_same_v<s::common_reference<volatile int &, int &>::type,
                           volatile int &>);
template <class T, class = void> struct has_common : s::false_type { };
template <class T>
struct has_common<T, s::void_t<s::common_reference_t<T, Plain>>>
    : s::true_type { };
static_assert(!has_common<int>::value && has_common<Plain>::value);
struct Mixed { };
template <template <class> class Q, template <class> class R>
struct cuda::std::basic_common_reference<Mixed, Plain, Q, R> {
    using type = long;
};
static_assert(s::is_same_v<s::common_reference_t<Mixed, Plain &>, long>);
__host__ __device__ constexpr int where()
{
    return s::is_constant_evaluated() ? 1 : 2;
}
static_assert(where() == 1);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int word = where();
    out[0] = word;
}

//: concepts
#include <cuda/std/concepts>
namespace s = cuda::std;
struct Base { };
struct Derived : Base { };
struct Hidden : private Base { };
struct MoveOnly {
    MoveOnly() = default;
    MoveOnly(MoveOnly &&) = default;
    MoveOnly &operator=(MoveOnly &&) = default;
};
struct NoDefault { __host__ __device__ NoDefault(int); };
struct Fixed { Fixed() = default; Fixed(Fixed &&) = delete; };
struct Equal {
    int x;
    __host__ __device__ bool operator==(const Equal &) const;
    __host__ __device__ bool operator!=(const Equal &) const;
};
struct Test { __host__ __device__ bool operator()(int, int) const; };
struct Sum { __host__ __device__ Base operator()(int) const; };
static_assert(s::same_as<int, int> && !s::same_as<int, const int>);
static_assert(s::derived_from<Derived, Base> && s::derived_from<Base, Base>);
static_assert(!s::derived_from<Base, Derived>);
static_assert(!s::derived_from<Hidden, Base> && !s::derived_from<int, int>);
static_assert(s::convertible_to<int, double>);
static_assert(!s::convertible_to<int, int *>);
static_assert(s::common_reference_with<int &, const int &>);
static_assert(!s::common_reference_with<int, Base>);
static_assert(s::common_with<int, double> && !s::common_with<int, Base>);
static_assert(s::integral<char> && !s::integral<float>);
static_assert(s::signed_integral<int> && !s::signed_integral<unsigned>);
static_assert(s::unsigned_integral<unsigned> && !s::unsigned_integral<int>);
static_assert(!s::unsigned_integral<float>);
static_assert(s::floating_point<float> && !s::floating_point<int>);
static_assert(s::destructible<int> && !s::destructible<void>);
static_assert(s::constructible_from<NoDefault, int>);
static_assert(!s::constructible_from<NoDefault>);
static_assert(s::default_initializable<int>);
static_assert(!s::default_initializable<NoDefault>);
static_assert(!s::default_initializable<const int>);
static_assert(s::move_constructible<MoveOnly>);
static_assert(!s::copy_constructible<MoveOnly> && s::copy_constructible<int>);
static_assert(!s::move_constructible<Fixed>);
static_assert(s::assignable_from<int &, double>);
static_assert(!s::assignable_from<int, double>);
static_assert(!s::assignable_from<const int &, int>);
static_assert(s::swappable<MoveOnly> && !s::swappable<Fixed>);
static_assert(s::swappable<int[2]> && !s::swappable<const int>);
static_assert(s::swappable_with<int &, int &>);
static_assert(!s::swappable_with<int &, double &>);
static_assert(s::movable<MoveOnly> && !s::movable<Fixed> && !s::movable<int &>);
static_assert(s::copyable<int> && !s::copyable<MoveOnly>);
static_assert(s::semiregular<Base> && !s::semiregular<NoDefault>);
static_assert(s::equality_comparable<Equal> && !s::equality_comparable<Base>);
static_assert(s::regular<Equal> && !s::regular<Base> && !s::regular<void>);
static_assert(s::equality_comparable_with<int, double>);
static_assert(!s::equality_comparable_with<int, Base>);
static_assert(s::totally_ordered<int> && !s::totally_ordered<Equal>);
static_assert(s::totally_ordered_with<int, long>);
static_assert(!s::totally_ordered_with<int, int *>);
static_assert(s::invocable<Test, int, int> && !s::invocable<Test, int>);
static_assert(s::regular_invocable<Sum, int>);
static_assert(s::predicate<Test, int, int> && !s::predicate<Sum, int>);
static_assert(s::relation<Test, int, char> && !s::relation<Test, int, Base>);
static_assert(s::equivalence_relation<Test, int, int>);
static_assert(s::strict_weak_order<Test, int, int>);
static_assert(!s::strict_weak_order<Sum, int, int>);

//: concepts_choose -std=c++20
#include <cuda/std/concepts>
#include <cuda/std/iterator>
template <class T> constexpr int kind(T) { return 0; }
template <cuda::std::integral T> constexpr int kind(T) { return 1; }
template <cuda::std::signed_integral T> constexpr int kind(T) { return 2; }
static_assert(kind(1.0) == 0 && kind(1u) == 1 && kind(1) == 2);
template <cuda::std::input_iterator T> constexpr int rank(T) { return 1; }
template <cuda::std::forward_iterator T> constexpr int rank(T) { return 2; }
template <cuda::std::random_access_iterator T> constexpr int rank(T)
{
    return 3;
}
static_assert(rank((int *)nullptr) == 3);
static_assert(rank(cuda::std::reverse_iterator<int *>(nullptr)) == 3);

//: utility
#include <cuda/std/utility>
#include <cuda/std/tuple>
namespace s = cuda::std;
struct Pair {
    int a, b;
    __host__ __device__ constexpr Pair(int x, int y) : a(x), b(y) {}
};
struct Throws {
    __host__ __device__ Throws(Throws &&) noexcept(false);
    __host__ __device__ Throws(const Throws &);
};
enum class Colour : unsigned char { red = 200 };
static_assert(s::cmp_equal(1, 1u) && !s::cmp_equal(-1, -1u));
static_assert(s::cmp_equal(1u, 1) && !s::cmp_equal(0xffffffffu, -1));
static_assert(s::cmp_not_equal(-1, 0xffffffffu));
static_assert(s::cmp_less(-1, 0u) && !s::cmp_less(0u, -1));
static_assert(s::cmp_greater(0u, -1) && s::cmp_greater(3, 2ll));
static_assert(s::cmp_less_equal(-5, 5u) && !s::cmp_less_equal(6, 5u));
static_assert(s::cmp_greater_equal(5u, 5) && !s::cmp_greater_equal(-1, 0u));
static_assert(s::in_range<unsigned char>(255));
static_assert(!s::in_range<unsigned char>(256));
static_assert(!s::in_range<unsigned>(-1) && s::in_range<int>(7ull));
static_assert(s::to_underlying(Colour::red) == 200);
static_assert(s::is_same_v<decltype(s::to_underlying(Colour::red)),
                           unsigned char>);
static_assert(s::is_same_v<
    decltype(s::forward_like<const int &>(s::declval<float &>())),
    const float &>);
static_assert(s::is_same_v<
    decltype(s::forward_like<int>(s::declval<float &>())), float &&>);
static_assert(s::is_same_v<
    decltype(s::move_if_noexcept(s::declval<Throws &>())), const Throws &>);
static_assert(s::is_same_v<
    decltype(s::move_if_noexcept(s::declval<int &>())), int &&>);
static_assert(s::is_same_v<const s::piecewise_construct_t,
                           decltype(s::piecewise_construct)>);
static_assert(s::is_same_v<decltype(s::in_place), const s::in_place_t>);
static_assert(s::is_same_v<decltype(s::in_place_type<int>),
                           const s::in_place_type_t<int>>);
static_assert(s::is_same_v<decltype(s::in_place_index<2>),
                           const s::in_place_index_t<2>>);
static_assert(s::monostate() == s::monostate());
static_assert(!(s::monostate() < s::monostate()));
__host__ __device__ int only(int x)
{
    if (x != 7) {
        s::unreachable();
    }
    return x;
}
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int a = 3, b[2] = {1, 2}, c[2] = {3, 4};
    out[0] = *s::addressof(a);
    s::swap(b, c);
    out[1] = b[0] * 10 + c[1];
    out[2] = only(7);
    s::pair<Pair, int> made(s::piecewise_construct, s::forward_as_tuple(3, 4),
                            s::forward_as_tuple(5));
    out[3] = made.first.a * 100 + made.first.b * 10 + made.second;
}
