// Sections for tests/kernels/test_cuda_std.py: <cuda/std/functional>, tuple,
// array, span, bit, cmath, cstdlib, memory, optional, ratio and atomic.

//: functional
#include <cuda/std/functional>
namespace s = cuda::std;
struct Box {
    int n;
    __host__ __device__ constexpr int plus(int k) const { return n + k; }
    __host__ __device__ int &at() { return n; }
};
struct Less {
    using argument_type = int;
    using first_argument_type = int;
    using second_argument_type = int;
    __host__ __device__ constexpr bool operator()(int a) const
    {
        return a < 5;
    }
    __host__ __device__ constexpr bool operator()(int a, int b) const
    {
        return a < b;
    }
};
__host__ __device__ constexpr int three(int a, int b, int c)
{
    return a * 100 + b * 10 + c;
}
static_assert(s::invoke(&Box::n, Box{4}) == 4);
static_assert(s::invoke(&Box::plus, Box{4}, 3) == 7);
static_assert(s::identity()(6) == 6);
static_assert(s::not_fn(Less())(7) && !s::not_fn(Less())(1, 2));
static_assert(s::unary_negate<Less>(Less())(7));
static_assert(s::is_same_v<s::binary_negate<s::less<int>>,
                           decltype(s::not2(s::less<int>()))>);
static_assert(s::not1(Less())(7) && s::not2(Less())(3, 2));
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    Box box{10};
    auto ref = s::ref(box);
    ref.get().n = 11;
    s::invoke(&Box::at, ref) += 1;
    out[0] = box.n;
    const Box *address = &s::cref(box).get();
    out[1] = address == &box;
    out[2] = s::mem_fn(&Box::plus)(box, 8);
    out[3] = s::mem_fn(&Box::n)(&box);
    out[4] = s::bind_front(three, 1, 2)(3);
    out[5] = s::bind_front(&Box::plus, box)(5);
    out[6] = s::invoke_r<int>([](float x) { return x * 1.5f; }, 3.0f);
    s::reference_wrapper<int> word(box.n);
    int &target = word;
    target = 77;
    out[7] = box.n;
    out[8] = s::invoke(s::ref(three), 4, 5, 6);
}

//: hash
#include <cuda/std/functional>
namespace s = cuda::std;
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    out[0] = s::hash<int>()(3) == s::hash<int>()(3);
    out[1] = s::hash<float>()(0.0f) == s::hash<float>()(-0.0f);
    unsigned seen = 0;
    for (int i = 0; i < 64; i++) {
        seen |= 1u << s::hash<int>()(i) % 32;
    }
    out[2] = __popc(seen) > 20;
    int *at = (int *)out;
    out[3] = s::hash<int *>()(at) == s::hash<int *>()(at + 1);
}

//: tuple
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/memory>
namespace s = cuda::std;
struct Sum {
    int value;
    __host__ __device__ constexpr Sum(int a, float b, int c)
        : value(a + int(b) * 10 + c * 100)
    {
    }
};
struct Pool { };
struct Uses { using allocator_type = Pool; };
constexpr auto joined = s::tuple_cat(s::make_tuple(1, 2.5f), s::tuple<>(),
                                     s::make_pair(3, 'c'),
                                     s::array<int, 2>{{7, 8}});
static_assert(s::is_same_v<decltype(joined),
                           const s::tuple<int, float, int, char, int, int>>);
static_assert(s::get<0>(joined) == 1 && s::get<1>(joined) == 2.5f);
static_assert(s::get<3>(joined) == 'c' && s::get<5>(joined) == 8);
static_assert(s::make_from_tuple<Sum>(s::make_tuple(1, 2.f, 3)).value == 321);
static_assert(s::is_same_v<s::tuple<>, decltype(s::tuple_cat())>);
static_assert(s::uses_allocator<Uses, Pool>::value);
static_assert(!s::uses_allocator<int, Pool>::value);
static_assert(s::is_empty_v<s::allocator_arg_t>);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int kept = 0;
    s::tie(s::ignore, kept, s::ignore) = s::make_tuple(1, 2, "text");
    out[0] = kept;
    int a = 1;
    auto refs = s::tuple_cat(s::tie(a), s::forward_as_tuple(kept));
    s::get<0>(refs) = 9;
    s::get<1>(refs) = 8;
    out[1] = a * 10 + kept;
    out[2] = s::apply([](int x, int y, int z) { return x + y + z; },
                      s::tuple_cat(refs, s::make_tuple(100)));
}

//: arrays
#include <cuda/std/array>
#include <cuda/std/cstddef>
#include <cuda/std/iterator>
#include <cuda/std/span>
namespace s = cuda::std;
constexpr auto made = s::to_array({3, 1, 2});
static_assert(s::is_same_v<decltype(made), const s::array<int, 3>>);
static_assert(made[0] == 3 && made.size() == 3 && s::size(made) == 3);
static_assert(s::to_array("ab").size() == 3);
static_assert(!s::empty(made) && s::ssize(made) == 3);
static_assert(s::is_signed_v<decltype(s::ssize(made))>);
static_assert(*s::cbegin(made) == 3 && s::cend(made) - s::cbegin(made) == 3);
static_assert(*s::rbegin(made) == 2 && *(s::rend(made) - 1) == 3);
static_assert(*s::crbegin(made) == 2 && s::crend(made) - s::crbegin(made) == 3);
static_assert(*s::data(made) == 3);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int words[3] = {0x01020304, 5, 6};
    s::span<int> all(words);
    auto bytes = s::as_bytes(all);
    static_assert(s::is_same_v<decltype(bytes), s::span<const s::byte>>);
    out[0] = bytes.size();
    out[1] = s::to_integer<int>(bytes[0]);
    auto fixed = s::as_writable_bytes(s::span<int, 3>(words));
    static_assert(decltype(fixed)::extent == 12);
    fixed[4] = s::byte(9);
    out[2] = words[1];
    out[3] = *s::make_reverse_iterator(words + 3);
    out[4] = s::empty(words);
}

//: bit
#include <cuda/std/bit>
namespace s = cuda::std;
static_assert(s::bit_cast<unsigned>(1.0f) == 0x3f800000u);
static_assert(s::popcount(0xf0f0u) == 8 && s::popcount((unsigned char)255) == 8);
static_assert(s::popcount(~0ull) == 64 && s::popcount(0u) == 0);
static_assert(s::countl_zero((unsigned short)1) == 15);
static_assert(s::countl_zero(0u) == 32 && s::countl_zero(1ull) == 63);
static_assert(s::countr_zero(8u) == 3 && s::countr_zero((unsigned char)0) == 8);
static_assert(s::countr_zero(1ull << 40) == 40);
static_assert(s::countl_one((unsigned char)0xe0) == 3);
static_assert(s::countl_one(~0u) == 32 && s::countr_one(0x7u) == 3);
static_assert(s::countr_one(~0ull) == 64);
static_assert(s::has_single_bit(64u) && !s::has_single_bit(65u));
static_assert(!s::has_single_bit(0u));
static_assert(s::bit_width(0u) == 0 && s::bit_width(255u) == 8);
static_assert(s::bit_ceil(0u) == 1 && s::bit_ceil(17u) == 32);
static_assert(s::bit_ceil((unsigned char)65) == 128);
static_assert(s::bit_floor(0u) == 0 && s::bit_floor(17u) == 16);
static_assert(s::rotl((unsigned char)0x81, 1) == 3);
static_assert(s::rotl(1u, -1) == 0x80000000u && s::rotl(5u, 32) == 5);
static_assert(s::rotr((unsigned char)0x81, 1) == 0xc0);
static_assert(s::rotr(1ull, 65) == 1ull << 63);
static_assert(s::byteswap(0x01020304u) == 0x04030201u);
static_assert(s::byteswap((short)0x0102) == 0x0201);
static_assert(s::byteswap((unsigned char)7) == 7);
static_assert(s::byteswap(0x0102030405060708ull) == 0x0807060504030201ull);
static_assert(s::endian::native == s::endian::little);
static_assert(s::endian::big != s::endian::little);
__global__ void run(unsigned *out)
{
    unsigned x = threadIdx.x * 2654435761u >> threadIdx.x % 29;
    out[threadIdx.x] = (s::popcount(x) == __popc(x)) +
                       (s::countl_zero(x) == __clz(x)) * 2 +
                       (s::bit_width(x) == 32 - __clz(x)) * 4 +
                       (s::byteswap(x) == __byte_perm(x, 0, 0x0123)) * 8 +
                       (s::rotl(x, 7) == __funnelshift_l(x, x, 7)) * 16 +
                       (s::bit_cast<unsigned>(s::bit_cast<float>(x)) == x) * 32;
}

//: ratio
#include <cuda/std/ratio>
namespace s = cuda::std;
using third = s::ratio<1, 3>;
using middle = s::ratio<-2, -4>;
static_assert(middle::num == 1 && middle::den == 2);
static_assert(s::ratio<3, -6>::num == -1 && s::ratio<0, 7>::den == 1);
static_assert(s::is_same_v<s::ratio_add<third, middle>, s::ratio<5, 6>>);
static_assert(s::is_same_v<s::ratio_subtract<third, middle>, s::ratio<-1, 6>>);
static_assert(s::is_same_v<s::ratio_add<middle, middle>, s::ratio<1>>);
static_assert(s::is_same_v<s::ratio_multiply<third, s::ratio<6, 5>>,
                           s::ratio<2, 5>>);
static_assert(s::is_same_v<s::ratio_divide<third, middle>, s::ratio<2, 3>>);
static_assert(s::is_same_v<s::ratio_multiply<s::exa, s::atto>, s::ratio<1>>);
static_assert(s::ratio_equal_v<s::ratio<2, 4>, middle>);
static_assert(s::ratio_not_equal_v<third, middle>);
static_assert(!s::ratio_not_equal<middle, middle>::value);
static_assert(s::ratio_less_v<third, middle> && !s::ratio_less_v<middle, middle>);
static_assert(s::ratio_less<s::ratio<-1, 2>, s::ratio<-1, 3>>::value);
static_assert(!s::ratio_less<s::ratio<-1, 3>, s::ratio<-1, 2>>::value);
static_assert(s::ratio_less<s::ratio<9223372036854775806, 9223372036854775807>,
                            s::ratio<1>>::value);
static_assert(s::ratio_less<s::ratio<4611686018427387903, 9223372036854775807>,
                            middle>::value);
static_assert(s::ratio_greater_v<middle, third>);
static_assert(s::ratio_greater<middle, third>::value);
static_assert(s::ratio_less_equal_v<middle, middle>);
static_assert(s::ratio_less_equal<third, middle>::value);
static_assert(s::ratio_greater_equal_v<middle, third>);
static_assert(!s::ratio_greater_equal<third, middle>::value);
static_assert(s::ratio_equal<s::ratio_multiply<s::femto, s::peta>,
                             s::ratio_multiply<s::pico, s::tera>>::value);
static_assert(s::ratio_equal_v<s::ratio_multiply<s::nano, s::giga>,
                               s::ratio_multiply<s::micro, s::mega>>);
static_assert(s::ratio_equal_v<s::ratio_multiply<s::milli, s::kilo>,
                               s::ratio_multiply<s::centi, s::hecto>>);
static_assert(s::ratio_equal_v<s::ratio_multiply<s::deci, s::deca>,
                               s::ratio<1>>);
static_assert(s::kilo::num == 1000 && s::milli::den == 1000);

//: cmath
#include <cuda/std/cmath>
#include <cuda/std/cstdlib>
#include <cuda/std/limits>
#include <cuda/std/numeric>
namespace s = cuda::std;
static_assert(s::midpoint(1, 4) == 2 && s::midpoint(4, 1) == 3);
static_assert(s::midpoint(0x7fffffff, 0x7ffffffd) == 0x7ffffffe);
static_assert(s::midpoint(-0x7fffffff - 1, 0x7fffffff) == -1);
static_assert(s::midpoint(200u, 4000000000u) == 2000000100u);
static_assert(s::midpoint((signed char)127, (signed char)125) == 126);
static_assert(s::midpoint(1.f, 4.f) == 2.5f);
static_assert(s::midpoint(3e38f, 3.2e38f) > 3.0e38f);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    const float x = blockIdx.x;
    const double inf = 1e308 * 10, nan = inf - inf;
    out[0] = s::fpclassify(x);
    out[1] = s::fpclassify(inf);
    out[2] = s::fpclassify(nan);
    out[3] = s::fpclassify(1e-310) * 10 + s::fpclassify(1.0f);
    out[4] = s::isnormal(1.0) + s::isnormal(x) * 2 + s::isnormal(1e-310) * 4;
    out[5] = s::isgreater(2.0, 1.0) + s::isgreater(nan, 1.0) * 2;
    out[6] = s::isgreaterequal(1.0, 1.0) + s::isgreaterequal(nan, nan) * 2;
    out[7] = s::isless(1.0, 2.0) + s::isless(2.0, 1.0) * 2;
    out[8] = s::islessequal(2.0f, 2.0f) + s::islessequal(nan, 1.0) * 2;
    out[9] = s::islessgreater(1.0, 2.0) + s::islessgreater(nan, 1.0) * 2;
    out[10] = s::isunordered(nan, 1.0) + s::isunordered(1.0, 2.0) * 2;
    out[11] = s::lerp(10.0f, 20.0f, 0.25f) * 100;
    out[12] = s::lerp(1.0, 3.0, 1.0) * 10 + s::lerp(1.0, 3.0, 0.0);
    out[13] = s::lerp(-1.0, 3.0, 2.0);
    int words[9];
    out[14] = s::midpoint(words, words + 8) - words;
    s::div_t d = s::div(17, 5);
    out[15] = d.quot * 10 + d.rem;
    s::ldiv_t l = s::ldiv(-17, 5);
    out[16] = -l.quot * 10 - l.rem;
    s::lldiv_t ll = s::lldiv(1ll << 40, 1000);
    out[17] = ll.quot / 1000 + ll.rem;
    int *zeros = (int *)s::calloc(4, sizeof(int));
    out[18] = zeros == nullptr ? 99 : zeros[0] | zeros[1] | zeros[2] | zeros[3];
    s::free(zeros);
    void *aligned = s::aligned_alloc(256, 512);
    out[19] = (size_t)aligned % 256 + (aligned == nullptr);
    s::free(aligned);
    int *one = (int *)s::malloc(sizeof(int));
    *one = 5;
    out[20] = *one;
    s::free(one);
}

//: memory
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/memory>
namespace s = cuda::std;
__device__ int alive;
struct Counted {
    int n;
    __device__ Counted(int k = 1) : n(k) { alive += n; }
    __device__ Counted(const Counted &o) : n(o.n) { alive += n; }
    __device__ ~Counted() { alive -= n; }
};
template <class T> struct Fancy {
    using element_type = T;
    T *at;
    __host__ __device__ T *operator->() const { return at; }
};
template <class T> struct Arena {
    using value_type = T;
    int taken = 0;
    __device__ T *allocate(size_t n) { taken += n; return (T *)alloc; }
    __device__ void deallocate(T *, size_t n) { taken -= n; }
    alignas(16) char alloc[64];
};
static_assert(s::is_same_v<s::pointer_traits<int *>::element_type, int>);
static_assert(s::is_same_v<s::pointer_traits<Fancy<int>>::element_type, int>);
static_assert(s::is_same_v<s::pointer_traits<int *>::rebind<char>, char *>);
static_assert(s::is_same_v<s::pointer_traits<Fancy<int>>::rebind<char>,
                           Fancy<char>>);
using traits = s::allocator_traits<Arena<int>>;
static_assert(s::is_same_v<traits::pointer, int *>);
static_assert(s::is_same_v<traits::const_pointer, const int *>);
static_assert(s::is_same_v<traits::size_type, size_t>);
static_assert(s::is_same_v<traits::rebind_alloc<char>, Arena<char>>);
static_assert(!traits::is_always_equal::value);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    {
        s::unique_ptr<Counted> p(new Counted(3)), q;
        out[0] = alive;
        q = s::move(p);
        out[1] = !p && q && q->n == 3;
        q.reset(new Counted(5));
        out[2] = alive;
        s::unique_ptr<Counted[]> many(new Counted[4]);
        out[3] = alive + many[2].n * 100;
        delete q.release();
        out[4] = alive;
    }
    out[5] = alive;
    int word = 4;
    out[6] = s::to_address(Fancy<int>{&word}) == &word;
    out[7] = *s::pointer_traits<int *>::pointer_to(word);
    out[8] = *s::assume_aligned<4>(&word) + *s::launder(&word);
    Arena<int> arena;
    int *room = traits::allocate(arena, 3);
    traits::construct(arena, room, 41);
    out[9] = *room + arena.taken;
    traits::deallocate(arena, room, 3);
    out[10] = arena.taken;
    alignas(Counted) char raw[2 * sizeof(Counted)];
    Counted *pair = new (raw) Counted[2];
    out[11] = alive;
    s::destroy(pair, pair + 2);
    out[12] = alive;
    auto deleted = [](int *p) { *p = 99; };
    {
        s::unique_ptr<int, void (*)(int *)> own(&word, +deleted);
    }
    out[13] = word;
}

//: optional
#include <cuda/std/optional>
#include <cuda/std/utility>
namespace s = cuda::std;
using Int = s::optional<int>;
static_assert(Int(1) < Int(2) && Int() < Int(-5) && !(Int() < Int()));
static_assert(Int(2) > Int(1) && Int(-5) > Int() && !(Int() > Int()));
static_assert(Int() <= Int() && Int() <= Int(0) && !(Int(0) <= Int()));
static_assert(Int() >= Int() && Int(0) >= Int() && !(Int() >= Int(0)));
static_assert(Int(3) == Int(3) && Int(3) != Int(4) && Int() != Int(0));
static_assert(Int(3) < s::optional<double>(3.5) && Int(3) == 3.0);
static_assert(Int(3) < 4 && Int() < -4 && !(Int(3) < 3) && Int(3) <= 3);
static_assert(4 > Int(3) && -4 > Int() && !(3 > Int(3)) && 3 >= Int(3));
static_assert(Int(4) > 3 && !(Int() > -3) && Int(4) >= 4 && !(Int() >= 0));
static_assert(2 < Int(3) && !(2 < Int()) && 3 <= Int(3) && !(3 <= Int()));
static_assert(3 == Int(3) && 3 != Int() && Int() != 3 && !(Int() == 3));
static_assert(Int() == s::nullopt && s::nullopt != Int(0));
static_assert(s::optional<Int>(Int()) > Int());
static_assert(Int(s::in_place, 7) == 7 && *s::make_optional<int>(4) == 4);
static_assert(*s::optional(2.5f) == 2.5f && Int(3).value_or(1) == 3);
struct Key {
    int first, second;
    int *ended = nullptr;
    __host__ __device__ constexpr Key(int a, int b) : first(a), second(b) {}
    __host__ __device__ Key(s::initializer_list<int> list, int b)
        : first((int)list.size()), second(b)
    {
    }
    __host__ __device__ constexpr bool operator<(const Key &other) const
    {
        return first != other.first ? first < other.first
                                    : second < other.second;
    }
};
static_assert(s::optional<Key>(s::in_place, 1, 2) < Key(1, 3));
struct Unique { /* only moves; counts the objects that exist */
    int *live, n;
    __host__ __device__ Unique(int *count, int v) : live(count), n(v)
    {
        ++*live;
    }
    __host__ __device__ Unique(Unique &&other) : live(other.live), n(other.n)
    {
        other.n = -1;
        ++*live;
    }
    __host__ __device__ Unique &operator=(Unique &&other)
    {
        n = other.n;
        other.n = -2;
        return *this;
    }
    __host__ __device__ ~Unique() { --*live; }
    __host__ __device__ bool operator>=(int v) const { return n >= v; }
};
static_assert(!s::is_copy_constructible_v<s::optional<Unique>>);
static_assert(!s::is_copy_assignable_v<s::optional<Unique>>);
static_assert(s::is_move_constructible_v<s::optional<Unique>>);
static_assert(s::is_trivially_copyable_v<Int>);
static_assert(s::is_trivially_destructible_v<s::optional<Key>>);
static_assert(!s::is_trivially_copyable_v<s::optional<Unique>>);
static_assert(s::is_convertible_v<int, Int>);
static_assert(s::is_copy_constructible_v<s::optional<const int>>);
static_assert(!s::is_copy_assignable_v<s::optional<const int>>);
struct Explicit {
    __host__ __device__ explicit Explicit(int) {}
};
static_assert(!s::is_convertible_v<int, s::optional<Explicit>>);
static_assert(s::is_constructible_v<s::optional<Explicit>, int>);
static_assert(!s::is_convertible_v<Int, s::optional<Explicit>>);
static_assert(s::is_constructible_v<s::optional<Explicit>, Int>);
static_assert(!s::is_constructible_v<Int, Key>);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    Int a(3), b, c(5);
    a.swap(b);
    out[0] = !a.has_value() * 10 + *b;
    swap(b, c);
    out[1] = *b * 10 + *c;
    s::swap(a, c);
    out[2] = *a * 10 + c.has_value();
    s::optional<Key> key(s::in_place, 4, 5);
    out[3] = key->first * 10 + key->second;
    key = s::optional<Key>(s::in_place, {1, 2, 3}, 7);
    out[4] = key->first * 10 + key->second;
    key.emplace({1, 2}, 8);
    out[5] = key->first * 10 + key->second;
    int live = 0;
    {
        s::optional<Unique> one(s::in_place, &live, 6), none, two;
        none.swap(one);
        out[6] = live * 100 + one.has_value() * 10 + none->n;
        two.emplace(&live, 9);
        two.swap(none);
        out[7] = live * 100 + two->n * 10 + none->n;
        two = s::move(none);
        out[8] = live * 100 + two->n * 10 + (none->n == -2);
        Unique taken = *s::move(two);
        out[9] = live * 100 + taken.n * 10 + (two->n == -1) + (taken >= 9);
        out[10] = none >= 0 || !(two >= -1);
        s::optional<Unique> moved(s::move(two));
        moved = s::nullopt;
        out[11] = live;
    }
    out[12] = live;
    s::optional<double> wide = Int(4);
    wide = Int(7);
    out[13] = (unsigned)(*wide * 10);
    wide = Int();
    out[14] = wide.has_value();
    c = {};
    a = 8;
    out[15] = c.has_value() * 100 + *a;
    auto half = [](int v) { return v % 2 ? Int() : Int(v / 2); };
    auto fifth = [] { return Int(55); };
    auto second = [](const Key &k) { return k.second; };
    out[16] = a.and_then(half).and_then(half).value() * 10 +
              Int(3).and_then(half).has_value();
    out[17] = (unsigned)(a.transform([](int v) { return v + 0.5; }).value() * 10);
    out[18] = *Int().or_else(fifth) * 10 + *Int(2).or_else(fifth);
    out[19] = key.transform(second).value_or(0) * 10 +
              Int().transform(half).has_value();
}

//: allocator
#include <cuda/std/memory>
namespace s = cuda::std;
static_assert(s::allocator_traits<s::allocator<int>>::is_always_equal::value);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    s::allocator<double> heap;
    double *numbers = heap.allocate(2);
    numbers[1] = 2.5;
    out[0] = numbers[1] * 2;
    heap.deallocate(numbers, 2);
}

//: atomic
#include <cuda/atomic>
#include <cuda/std/atomic>
namespace s = cuda::std;
static_assert(s::is_same_v<s::atomic_int, s::atomic<int>> &&
              s::is_same_v<s::atomic_uint64_t::value_type, s::uint64_t>);
#define SIZE(NAME, N) static_assert(sizeof(s::NAME) == N)
SIZE(atomic_bool, 4); SIZE(atomic_char, 4); SIZE(atomic_schar, 4);
SIZE(atomic_uchar, 4); SIZE(atomic_short, 4); SIZE(atomic_ushort, 4);
SIZE(atomic_uint, 4); SIZE(atomic_long, 8); SIZE(atomic_ulong, 8);
SIZE(atomic_llong, 8); SIZE(atomic_ullong, 8); SIZE(atomic_char16_t, 4);
SIZE(atomic_char32_t, 4); SIZE(atomic_wchar_t, 4); SIZE(atomic_int8_t, 4);
SIZE(atomic_int16_t, 4); SIZE(atomic_int32_t, 4); SIZE(atomic_int64_t, 8);
SIZE(atomic_uint8_t, 4); SIZE(atomic_uint16_t, 4); SIZE(atomic_uint32_t, 4);
SIZE(atomic_int_least8_t, 4); SIZE(atomic_uint_least64_t, 8);
SIZE(atomic_int_least16_t, 4); SIZE(atomic_uint_least16_t, 4);
SIZE(atomic_int_least32_t, 4); SIZE(atomic_uint_least32_t, 4);
SIZE(atomic_int_least64_t, 8); SIZE(atomic_uint_least8_t, 4);
SIZE(atomic_int_fast8_t, 4);
SIZE(atomic_uint_fast8_t, 4);
SIZE(atomic_int_fast16_t, (sizeof(s::int_fast16_t) + 3) / 4 * 4);
SIZE(atomic_uint_fast16_t, (sizeof(s::uint_fast16_t) + 3) / 4 * 4);
SIZE(atomic_int_fast32_t, (sizeof(s::int_fast32_t) + 3) / 4 * 4);
SIZE(atomic_uint_fast32_t, (sizeof(s::uint_fast32_t) + 3) / 4 * 4);
SIZE(atomic_int_fast64_t, 8); SIZE(atomic_uint_fast64_t, 8);
SIZE(atomic_intptr_t, 8); SIZE(atomic_uintptr_t, 8); SIZE(atomic_intmax_t, 8);
SIZE(atomic_uintmax_t, 8); SIZE(atomic_size_t, 8); SIZE(atomic_ptrdiff_t, 8);
static_assert(s::atomic_signed_lock_free::is_always_lock_free);
static_assert(s::is_unsigned_v<s::atomic_unsigned_lock_free::value_type>);
static_assert(cuda::thread_scope_system == s::thread_scope_system);
static_assert(s::is_same_v<s::thread_scope, cuda::thread_scope>);
static_assert(s::thread_scope_device == cuda::thread_scope_device &&
              s::thread_scope_block == cuda::thread_scope_block &&
              s::thread_scope_thread == cuda::thread_scope_thread);
__global__ void run(unsigned *out)
{
    __shared__ s::atomic<unsigned> sums[6];
    __shared__ s::atomic<int *> where;
    __shared__ s::atomic_flag flag;
    __shared__ int words[64];
    const unsigned t = threadIdx.x;
    const auto relaxed = s::memory_order_relaxed;
    if (t == 0) {
        s::atomic_init(&sums[0], 0u);
        s::atomic_store(&sums[1], 1000u);
        s::atomic_store_explicit(&sums[2], ~0u, relaxed);
        sums[3] = 0u, sums[4] = 0u, sums[5] = 0u;
        where = words;
        flag.clear();
    }
    __syncthreads();
    s::atomic_fetch_add(&sums[0], t);
    s::atomic_fetch_add_explicit(&sums[0], 1u, relaxed);
    s::atomic_fetch_sub(&sums[1], t);
    s::atomic_fetch_sub_explicit(&sums[1], 1u, relaxed);
    s::atomic_fetch_and(&sums[2], ~(1u << t));
    s::atomic_fetch_and_explicit(&sums[2], ~0u, relaxed);
    s::atomic_fetch_or(&sums[3], 1u << t);
    s::atomic_fetch_or_explicit(&sums[3], 1u, relaxed);
    s::atomic_fetch_xor(&sums[4], t);
    s::atomic_fetch_xor_explicit(&sums[4], t * 8u, relaxed);
    where.fetch_add(2);
    unsigned seen = s::atomic_load(&sums[5]);
    while (!s::atomic_compare_exchange_weak(&sums[5], &seen, seen + 3)) {
    }
    seen = s::atomic_load_explicit(&sums[5], relaxed);
    while (!s::atomic_compare_exchange_strong_explicit(&sums[5], &seen,
                                                       seen + 4, relaxed,
                                                       relaxed)) {
    }
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < 6; i++) {
            out[i] = sums[i];
        }
        out[6] = where.load() - words;
        where -= 3;
        out[7] = where-- - words;
        out[8] = s::atomic_exchange(&sums[0], 5u) == out[0];
        out[9] = s::atomic_exchange_explicit(&sums[0], 6u, relaxed);
        out[10] = s::atomic_is_lock_free(&sums[0]);
        unsigned five = 5, six = 6;
        out[11] = s::atomic_compare_exchange_strong(&sums[0], &five, 7u) +
                  five * 10;
        out[12] = s::atomic_compare_exchange_weak_explicit(
                      &sums[0], &six, 8u, relaxed, relaxed) + sums[0] * 10;
        out[13] = s::atomic_flag_test_and_set(&flag) * 8 +
                  s::atomic_flag_test(&flag) * 4 +
                  s::atomic_flag_test_and_set_explicit(&flag, relaxed) * 2 +
                  s::atomic_flag_test_explicit(&flag, relaxed);
        s::atomic_flag_clear(&flag);
        s::atomic_flag_clear_explicit(&flag, relaxed);
        out[14] = flag.test();
        s::atomic_thread_fence(s::memory_order_seq_cst);
        s::atomic_signal_fence(s::memory_order_seq_cst);
        cuda::atomic_signal_fence(cuda::memory_order_seq_cst);
        out[15] = s::kill_dependency(12);
    }
    __syncthreads();
    /* The last warp middle waits for words that the first one writes. */
    if (t == 31) {
        s::atomic_wait(&sums[0], 8u);
        s::atomic_wait_explicit(&sums[1], 99u, relaxed);
        s::atomic_flag_wait(&flag, false);
        s::atomic_flag_wait_explicit(&flag, false, relaxed);
        out[16] = sums[0];
    } else if (t == 0) {
        s::atomic_store(&sums[0], 55u);
        s::atomic_notify_one(&sums[0]);
        s::atomic_notify_all(&sums[0]);
        flag.test_and_set();
        s::atomic_flag_notify_one(&flag);
        s::atomic_flag_notify_all(&flag);
    }
}

//: numbers
#include <cuda/std/numbers>
#include <cuda/std/version>
namespace n = cuda::std::numbers;
static_assert(n::pi == 3.14159265358979323846 && n::pi_v<float> == 3.14159274f);
static_assert(n::e == 2.71828182845904523536 && n::phi == 1.61803398874989485);
static_assert(n::log2e == 1.44269504088896341 && n::ln2 == 0.69314718055994531);
static_assert(n::log10e == 0.43429448190325183 && n::ln10 == 2.30258509299404568);
static_assert(n::inv_pi == 0.31830988618379067 && n::sqrt2 == 1.41421356237309505);
static_assert(n::inv_sqrtpi == 0.56418958354775629);
static_assert(n::sqrt3 == 1.7320508075688773 && n::egamma == 0.57721566490153286);
static_assert(n::inv_sqrt3_v<double> == 0.57735026918962576);

//: latch_and_semaphore
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cuda/semaphore>
__global__ void run(unsigned *out)
{
    __shared__ alignas(16) char room[3][16];
    __shared__ unsigned inside, done;
    auto *latch = (cuda::std::latch *)room[0];
    auto *two = (cuda::std::counting_semaphore<8> *)room[1];
    auto *one =
        (cuda::binary_semaphore<cuda::thread_scope_block> *)room[2];
    if (threadIdx.x == 0) {
        new (latch) cuda::std::latch(32);
        new (two) cuda::std::counting_semaphore<8>(2);
        new (one) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        inside = done = 0;
    }
    __syncthreads();
    two->acquire();
    atomicAdd(&inside, 1);
    if (atomicAdd(&inside, 0) > 2) {
        out[0] = 1;
    }
    atomicSub(&inside, 1);
    two->release();
    one->acquire();
    done = done + 1;
    one->release();
    if (threadIdx.x == 0) {
        out[1] = latch->try_wait();
    }
    latch->arrive_and_wait();
    if (threadIdx.x == 5) {
        out[2] = done;
        out[3] = latch->try_wait();
        out[4] = one->try_acquire() * 2 + one->try_acquire();
        two->release(3);
        int left = 0;
        while (two->try_acquire()) {
            left++;
        }
        out[5] = left;
    }
}

//: storage
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/memory>
namespace s = cuda::std;
struct Word {
    int n;
    __device__ Word() : n(7) {}
    __device__ Word(int k) : n(k) {}
    __device__ Word(const Word &o) : n(o.n + 100) {}
    __device__ Word(Word &&o) : n(o.n + 1000) { o.n = -1; }
};
__device__ int total(const Word *from, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += from[i].n;
    }
    return sum;
}
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int plain[4] = {9, 9, 9, 9};
    s::uninitialized_value_construct(plain, plain + 2);
    out[0] = plain[0] + plain[1] + plain[2];
    out[1] = s::uninitialized_value_construct_n(plain, 3) - plain;
    out[2] = plain[2] + plain[3];
    alignas(Word) char raw[2][4 * sizeof(Word)];
    Word *a = (Word *)raw[0], *b = (Word *)raw[1];
    s::uninitialized_default_construct(a, a + 4);
    out[3] = total(a, 4);
    out[4] = s::uninitialized_default_construct_n(b, 2) - b;
    s::uninitialized_fill(a, a + 2, Word(1));
    s::uninitialized_fill_n(a + 2, 2, Word(2));
    out[5] = total(a, 4);
    out[6] = s::uninitialized_copy(a, a + 3, b) - b;
    out[7] = total(b, 3);
    s::uninitialized_copy_n(a, 2, b);
    out[8] = total(b, 2);
    out[9] = s::uninitialized_move(a, a + 2, b) - b;
    out[10] = total(b, 2);
    auto ends = s::uninitialized_move_n(a + 2, 2, b);
    out[11] = (ends.first - a) * 10 + (ends.second - b);
    out[12] = total(b, 2);
    s::destroy_at(a);
    out[13] = s::destroy_n(a + 1, 3) - a;
    char space[64];
    void *at = space + 1;
    size_t left = 60;
    void *good = s::align(16, 16, at, left);
    out[14] = (size_t)good % 16 + (good == nullptr) + (left + 16 < 60);
    out[15] = s::align(64, 100, at, left) == nullptr;
    auto one = s::make_unique<int>(5);
    auto many = s::make_unique<int[]>(4);
    auto room = s::make_unique_for_overwrite<int[]>(4);
    auto cell = s::make_unique_for_overwrite<int>();
    room[3] = *cell = 20;
    out[16] = *one + many[3] + room[3];
    s::default_delete<int>()(new int);
    int copied[2];
    s::copy(plain, plain + 2, copied);
    out[17] = copied[0] + copied[1];
    out[18] = s::uses_allocator_v<Word, int>;
}
