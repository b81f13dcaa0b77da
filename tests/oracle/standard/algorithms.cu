// Sections for tests/kernels/test_cuda_std.py: <cuda/std/numeric>, iterator
// and the algorithms that other headers include.

//: numeric
#include <cuda/std/functional>
#include <cuda/std/numeric>
namespace s = cuda::std;
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int x[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    int *to = (int *)out;
    s::adjacent_difference(x, x + 8, to);
    s::adjacent_difference(x, x + 8, to + 8, s::plus<>());
    s::exclusive_scan(x, x + 8, to + 16, 100);
    s::exclusive_scan(x, x + 8, to + 24, 1, s::multiplies<>());
    s::inclusive_scan(x, x + 8, to + 32);
    s::inclusive_scan(x, x + 8, to + 40, s::multiplies<>());
    s::inclusive_scan(x, x + 8, to + 48, s::plus<>(), 10);
    auto square = [](int v) { return v * v; };
    s::transform_exclusive_scan(x, x + 8, to + 56, 7, s::plus<>(), square);
    s::transform_inclusive_scan(x, x + 8, to + 64, s::plus<>(), square);
    s::transform_inclusive_scan(x, x + 8, to + 72, s::plus<>(), square, 7);
    to[80] = s::reduce(x, x + 8);
    to[81] = s::reduce(x, x + 8, 5);
    to[82] = s::reduce(x, x + 8, 2, s::multiplies<>());
    to[83] = s::transform_reduce(x, x + 8, x, 0);
    to[84] = s::transform_reduce(x, x + 8, 0, s::plus<>(), square);
    to[85] = s::transform_reduce(x, x + 8, x, 1, s::plus<>(), s::minus<>());
    s::inclusive_scan(x, x + 8, x);
    to[86] = x[7];
}

//: iterators
#include <cuda/std/array>
#include <cuda/std/iterator>
namespace s = cuda::std;
struct Bag {
    using value_type = int;
    using iterator = int *;
    int items[8], n = 0;
    __device__ void push_back(int x) { items[n++] = x; }
    __device__ void push_front(int x)
    {
        for (int i = n++; i > 0; i--) {
            items[i] = items[i - 1];
        }
        items[0] = x;
    }
    __device__ int *insert(int *at, int x)
    {
        for (int *p = items + n++; p > at; p--) {
            *p = p[-1];
        }
        *at = x;
        return at;
    }
};
struct Moved {
    int n;
    Moved() = default;
    __host__ __device__ Moved(int k) : n(k) {}
    __host__ __device__ Moved(Moved &&o) : n(o.n) { o.n = -1; }
    __host__ __device__ Moved &operator=(Moved &&o)
    {
        n = o.n;
        o.n = -1;
        return *this;
    }
};
struct Text {
    const char *at;
    __host__ __device__ friend bool operator==(const char *a, Text)
    {
        return *a == 0;
    }
};
using back = s::reverse_iterator<int *>;
static_assert(s::is_same_v<back::value_type, int>);
static_assert(s::is_same_v<back::iterator_category,
                           s::random_access_iterator_tag>);
using made = s::iterator<s::input_iterator_tag, char>;
static_assert(s::is_same_v<made::reference, char &>);
static_assert(s::is_same_v<s::iter_value_t<const int *>, int>);
static_assert(s::is_same_v<s::iter_reference_t<const int *>, const int &>);
static_assert(s::is_same_v<s::iter_rvalue_reference_t<int *>, int &&>);
static_assert(s::is_same_v<s::iter_difference_t<back>, ptrdiff_t>);
static_assert(s::is_same_v<s::iter_difference_t<int>, int>);
static_assert(s::is_same_v<s::iter_common_reference_t<int *>, int &>);
static_assert(s::is_same_v<s::incrementable_traits<int *>::difference_type,
                           ptrdiff_t>);
static_assert(s::is_same_v<
    s::indirectly_readable_traits<const int *>::value_type, int>);
static_assert(s::is_base_of_v<s::random_access_iterator_tag,
                              s::contiguous_iterator_tag>);
static_assert(s::is_same_v<decltype(s::default_sentinel),
                           const s::default_sentinel_t>);
static_assert(s::is_same_v<decltype(s::unreachable_sentinel),
                           const s::unreachable_sentinel_t>);
static_assert(s::weakly_incrementable<int *> && s::weakly_incrementable<int>);
static_assert(!s::weakly_incrementable<void> && !s::weakly_incrementable<Bag>);
static_assert(s::incrementable<int *>);
static_assert(s::input_or_output_iterator<int *>);
static_assert(!s::input_or_output_iterator<int>);
static_assert(s::sentinel_for<int *, int *> && !s::sentinel_for<int, int *>);
static_assert(s::sized_sentinel_for<int *, const int *>);
static_assert(!s::sized_sentinel_for<s::unreachable_sentinel_t, int *>);
static_assert(s::sentinel_for<s::unreachable_sentinel_t, int *>);
static_assert(!s::disable_sized_sentinel_for<int *, int *>);
static_assert(s::input_iterator<back> && !s::input_iterator<int>);
static_assert(!s::input_iterator<s::back_insert_iterator<Bag>>);
static_assert(s::output_iterator<int *, int>);
static_assert(!s::output_iterator<const int *, int>);
static_assert(s::forward_iterator<int *> && s::bidirectional_iterator<back>);
static_assert(s::random_access_iterator<back> &&
              !s::random_access_iterator<int>);
static_assert(s::contiguous_iterator<int *> && !s::contiguous_iterator<back>);
static_assert(s::indirectly_readable<const int *>);
static_assert(!s::indirectly_readable<int> && !s::indirectly_readable<void *>);
static_assert(s::indirectly_writable<int *, float>);
static_assert(!s::indirectly_writable<const int *, int>);
static_assert(s::indirectly_movable<int *, float *>);
static_assert(s::indirectly_movable_storable<Moved *, Moved *>);
static_assert(s::indirectly_copyable<int *, float *>);
static_assert(!s::indirectly_copyable<Moved *, Moved *>);
static_assert(s::indirectly_copyable_storable<int *, int *>);
static_assert(s::indirectly_swappable<int *, int *>);
static_assert(!s::indirectly_swappable<const int *, int *>);
struct Test {
    __host__ __device__ bool operator()(int) const;
    __host__ __device__ bool operator()(int, int) const;
};
struct Name { __host__ __device__ const char *operator()(int) const; };
static_assert(s::indirectly_unary_invocable<Name, int *>);
static_assert(!s::indirectly_unary_invocable<Name, int **>);
static_assert(s::indirectly_regular_unary_invocable<Name, int *>);
static_assert(s::indirect_unary_predicate<Test, int *>);
static_assert(!s::indirect_unary_predicate<Test, int>);
static_assert(s::indirect_binary_predicate<Test, int *, char *>);
static_assert(s::indirect_equivalence_relation<Test, int *>);
static_assert(s::indirect_strict_weak_order<Test, int *, long *>);
static_assert(!s::indirect_strict_weak_order<Name, int *>);
static_assert(s::is_same_v<s::indirect_result_t<Name, int *>, const char *>);
static_assert(s::is_same_v<s::projected<int *, Name>::value_type,
                           const char *>);
static_assert(s::indirectly_comparable<int *, long *, Test>);
static_assert(!s::indirectly_comparable<int *, int **, Test>);
static_assert(s::permutable<int *> && !s::permutable<const int *>);
static_assert(s::mergeable<int *, int *, int *>);
static_assert(!s::mergeable<int *, int *, const int *>);
static_assert(s::sortable<int *> && !s::sortable<const int *>);
static_assert(!s::sortable<Moved *>);
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int x[4] = {1, 2, 3, 4};
    int code = 0;
    for (auto it = s::rbegin(x); it != s::rend(x); ++it) {
        code = code * 10 + *it;
    }
    out[0] = code;
    auto last = s::make_reverse_iterator(x + 4);
    out[1] = last[1] * 100 + *(last + 2) * 10 + (s::rend(x) - last);
    out[2] = (last < last + 1) + (last.base() == x + 4) * 2;
    last += 3;
    out[3] = *last * 10 + *--last;
    Moved from[3] = {5, 6, 7}, to[3];
    auto it = s::make_move_iterator(from);
    for (Moved &m : to) {
        m = *it++;
    }
    out[4] = to[0].n * 100 + to[1].n * 10 + to[2].n;
    out[5] = from[1].n == -1;
    out[6] = it == s::move_sentinel<Moved *>(from + 3);
    Bag bag;
    auto b = s::back_inserter(bag);
    *b++ = 1;
    *b = 2;
    *s::front_inserter(bag) = 3;
    auto i = s::inserter(bag, bag.items + 1);
    *i++ = 8;
    *i = 9;
    out[7] = bag.n;
    code = 0;
    for (int k = 0; k < bag.n; k++) {
        code = code * 10 + bag.items[k];
    }
    out[8] = code;
    s::iter_swap(x, x + 3);
    s::ranges::iter_swap(x + 1, x + 2);
    out[9] = x[0] * 1000 + x[1] * 100 + x[2] * 10 + x[3];
    int moved = s::ranges::iter_move(x + 3);
    s::ranges::swap(x[0], moved);
    out[10] = x[0] * 10 + moved;
    int *first = x;
    out[11] = first == s::unreachable_sentinel;
    s::insert_iterator<Bag> hold(bag, bag.items);
    s::front_insert_iterator<Bag> front(bag);
    s::move_iterator<int *> mine(x);
    out[12] = *mine + sizeof(hold) * 0 + sizeof(front) * 0;
}

//: ranges
#include <cuda/std/array>
#include <cuda/std/functional>
#include <cuda/std/iterator>
namespace s = cuda::std;
__global__ void run(unsigned *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    int x[6] = {3, 1, 4, 1, 5, 9}, y[6] = {3, 1, 4, 2, 0, 0}, z[2] = {4, 1};
    out[0] = s::equal(x, x + 3, y) + s::equal(x, x + 4, y) * 2;
    out[1] = s::lexicographical_compare(x, x + 6, y, y + 6) +
             s::lexicographical_compare(y, y + 6, x, x + 6) * 2 +
             s::lexicographical_compare(x, x + 2, x, x + 3) * 4;
    out[2] = s::max_element(x, x + 6) - x;
    out[3] = s::min_element(x, x + 6) - x;
    out[4] = s::search(x, x + 6, z, z + 2) - x;
    out[5] = s::search(x, x + 6, y, y + 6) - x;
    s::swap_ranges(x, x + 2, y + 4);
    out[6] = x[0] * 1000 + x[1] * 100 + y[4] * 10 + y[5];
    s::fill_n(x, 3, 7);
    out[7] = x[0] + x[2] + x[3];
}
