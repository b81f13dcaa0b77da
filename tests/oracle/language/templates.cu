// Templates: deduction, specialisation, packs, concepts of C++20.

//: function
template <class T> __device__ T twice(T v) { return v + v; }
__global__ void run(unsigned *out) { out[threadIdx.x] = twice(threadIdx.x) + (unsigned)twice(1.5f) + twice<short>(3); }
//: non_type
template <int N> __device__ int power(int v) { return v * power<N - 1>(v); }
template <> __device__ int power<0>(int) { return 1; }
__global__ void run(unsigned *out) { out[threadIdx.x] = power<3>(threadIdx.x % 7); }
//: specialisation_without_a_space
template <class T> __device__ T f(T v) { return v; }
template <> int f<int>(int v) { return v + 5; }
template <> float f<>(float v) { return v * 2; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(3) + (unsigned)f(1.5f) + f(2u); }
//: member_definition_without_a_space
template <class T> struct a { __device__ T get(T v); __device__ static T make(); T x; };
template <class T> T a<T>::get(T v) { return v + x; }
template <class T> T a<T>::make() { return T(4); }
__global__ void run(unsigned *out) { a<int> v{3}; out[threadIdx.x] = v.get(2) + a<unsigned>::make(); }
//: definition_in_a_namespace_without_a_space
namespace m { __device__ float f(float); namespace n { __device__ __host__ int g(int a); } }
float m::f(float v) { return v * 2; }
int m::n::g(int a) { return a + 1; }
__global__ void run(unsigned *out) { out[threadIdx.x] = m::f(2.5f) + m::n::g(threadIdx.x); }
//: prototype_with_a_space
__device__ int f(int a, int b);
int f(int a, int b) { return a * b; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(threadIdx.x, 3); }
//: class_partial
template <class T> struct kind { static const int v = 1; }; template <class T> struct kind<T *> { static const int v = 2; }; template <class T, int N> struct kind<T[N]> { static const int v = 10 * N; }; template <> struct kind<float> { static const int v = 3; };
__global__ void run(unsigned *out) { out[threadIdx.x] = kind<int>::v + kind<int *>::v * 10 + kind<float>::v * 100 + kind<char[4]>::v * 100; }
//: default_arguments
template <class T = float, int N = 3> struct a { T v[N]; }; template <class T, class U = T> __device__ int sizes(T, U u = U()) { return sizeof(T) * 10 + sizeof(U); }
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(a<>) + sizeof(a<char>) + sizes(1) + sizes(1.0, 'a'); }
//: variadic_sum
__device__ int sum() { return 0; } template <class T, class... R> __device__ int sum(T v, R... r) { return v + sum(r...); }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum(1, 2.5f, 'a', (short)threadIdx.x); }
//: fold_expressions
template <class... T> __device__ int all_of(T... v) { return (v && ...); } template <class... T> __device__ int add(T... v) { return (v + ... + 100); } template <class... T> __device__ int sub(T... v) { return (... - v); } template <class... T> __device__ void each(unsigned &n, T... v) { ((n = n * 10 + v), ...); }
__global__ void run(unsigned *out) { unsigned n = 0; each(n, 1, 2, 3); out[threadIdx.x] = all_of(1, threadIdx.x, 1) + add(1, 2) + sub(10, 3, 2) + n; }
//: pack_sizes
template <class... T> struct count { static constexpr int v = sizeof...(T); }; template <int... N> __device__ int at(int i) { int a[] = {N...}; return a[i]; }
__global__ void run(unsigned *out) { out[threadIdx.x] = count<int, float, char>::v + at<5, 6, 7>(threadIdx.x % 3); }
//: tuple_by_hand
template <class... T> struct tup; template <> struct tup<> {}; template <class H, class... T> struct tup<H, T...> : tup<T...> { H v; __device__ tup(H h, T... t) : tup<T...>(t...), v(h) {} };
template <int N, class H, class... T> __device__ auto &get(tup<H, T...> &t) { if constexpr (N == 0) return t.v; else return get<N - 1>(static_cast<tup<T...> &>(t)); }
__global__ void run(unsigned *out) { tup<int, float, char> t(1, 2.5f, 'a'); get<0>(t) += threadIdx.x; out[threadIdx.x] = get<0>(t) + (int)(get<1>(t) * 2) + get<2>(t); }
//: if_constexpr
template <class T> __device__ int f(T v) { if constexpr (sizeof(T) == 4) return v * 2; else if constexpr (sizeof(T) == 8) return v * 3; else return v.x; }
struct s { int x; char more[20]; };
__global__ void run(unsigned *out) { out[threadIdx.x] = f(3) + f(4.0) + f(s{5}); }
//: template_template
template <class T> struct box { T v; }; template <template <class> class B, class T> __device__ T open(B<T> b) { return b.v; }
__global__ void run(unsigned *out) { out[threadIdx.x] = open(box<int>{7}) + open<box>(box<float>{1.5f}); }
//: dependent_names
template <class T> struct a { typedef T type; template <class U> __device__ U as(T v) { return (U)v; } static const int n = 3; };
template <class T> __device__ int f() { typename a<T>::type v = 7; a<T> x; return x.template as<int>(v) * a<T>::n; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f<float>() + f<char>(); }
//: missing_typename
template <class T> __device__ int f() { T::type v = 7; return v; }
struct a { typedef int type; };
__global__ void run(unsigned *out) { out[threadIdx.x] = f<a>(); }
//: sfinae
template <bool, class T = void> struct enable {}; template <class T> struct enable<true, T> { typedef T type; };
template <class T> __device__ typename enable<sizeof(T) <= 4, int>::type f(T) { return 1; } template <class T> __device__ typename enable<(sizeof(T) > 4), int>::type f(T) { return 2; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(1) + 10 * f(1.0) + 100 * f('a'); }
//: decltype_sfinae
template <class T> __device__ auto size(const T &v, int) -> decltype(v.size()) { return v.size(); } template <class T> __device__ int size(const T &, long) { return 1; }
struct s { __device__ int size() const { return 9; } };
__global__ void run(unsigned *out) { out[threadIdx.x] = size(s(), 0) + size(3, 0); }
//: void_t
template <class...> using void_t = void; template <class T, class = void> struct has_x { static constexpr bool v = false; }; template <class T> struct has_x<T, void_t<decltype(T::x)>> { static constexpr bool v = true; }; struct s { int x; };
__global__ void run(unsigned *out) { out[threadIdx.x] = has_x<s>::v * 2 + has_x<int>::v + has_x<float4>::v * 4; }
//: overload_ranking
template <class T> __device__ int f(T) { return 1; } template <class T> __device__ int f(T *) { return 2; } __device__ int f(int) { return 3; } __device__ int f(...) { return 4; } template <class T> __device__ int f(const T *) { return 5; }
__global__ void run(unsigned *out) { const char *c = ""; float x; out[threadIdx.x] = f(1) + 10 * f(1u) + 100 * f(&x) + 1000 * f(c) + 10000 * f<int>(3); }
//: deduction_of_arrays
template <class T, int N> __device__ int length(const T (&)[N]) { return N; } template <class T, int N, int M> __device__ int area(T (&)[N][M]) { return N * M; }
__global__ void run(unsigned *out) { int a[7]; float b[2][5]; out[threadIdx.x] = length(a) + area(b) + length("abc"); }
//: forwarding
struct probe { int n; }; __device__ int take(probe &) { return 1; } __device__ int take(const probe &) { return 2; } __device__ int take(probe &&) { return 3; }
template <class T> __device__ int pass(T &&v) { return take(static_cast<T &&>(v)); }
__global__ void run(unsigned *out) { probe a; const probe b{1}; out[threadIdx.x] = pass(a) + 10 * pass(b) + 100 * pass(probe{}); }
//: std_move_and_forward
struct probe { int n; }; __device__ int take(probe &) { return 1; } __device__ int take(probe &&) { return 3; }
template <class T> __device__ int pass(T &&v) { return take(std::forward<T>(v)); }
__global__ void run(unsigned *out) { probe a; out[threadIdx.x] = pass(a) + 10 * pass(std::move(a)); }
//: alias_templates
template <class T> using ptr = T *; template <class T, int N> using arr = T[N]; template <int N> using floats = arr<float, N>;
__global__ void run(unsigned *out) { ptr<unsigned> p = out; floats<6> f; p[threadIdx.x] = sizeof(f) + sizeof(ptr<char>); }
//: class_argument_deduction
template <class T> struct box { T v; __device__ box(T a) : v(a) {} }; template <class A, class B> struct two { A a; B b; }; template <class A, class B> two(A, B) -> two<A, B>; box(float) -> box<double>;
__global__ void run(unsigned *out) { box b(3); two t{1, 2.0}; box c(1.f); out[threadIdx.x] = b.v + sizeof(t) + sizeof(c); }
//: auto_parameters_of_templates
template <auto V> struct constant { static constexpr auto v = V; }; enum class e { a = 3 };
__global__ void run(unsigned *out) { out[threadIdx.x] = constant<5>::v + constant<'a'>::v + (int)constant<e::a>::v + constant<true>::v; }
//: function_pointers_as_arguments
__device__ int inc(int v) { return v + 1; } __device__ int dec(int v) { return v - 1; } template <int (*F)(int)> __device__ int twice(int v) { return F(F(v)); }
__global__ void run(unsigned *out) { out[threadIdx.x] = twice<inc>(threadIdx.x) * 10 + twice<dec>(7); }
//: recursion_in_types
template <unsigned N> struct fib { static constexpr unsigned v = fib<N - 1>::v + fib<N - 2>::v; }; template <> struct fib<1> { static constexpr unsigned v = 1; }; template <> struct fib<0> { static constexpr unsigned v = 0; };
__global__ void run(unsigned *out) { out[threadIdx.x] = fib<20>::v; }
//: unrolled_by_hand
template <int I, int N> struct loop { template <class F> static __device__ void go(F f) { f(I); loop<I + 1, N>::go(f); } }; template <int N> struct loop<N, N> { template <class F> static __device__ void go(F) {} };
__global__ void run(unsigned *out) { unsigned s = 0; loop<0, 5>::go([&](int i) { s = s * 3 + i; }); out[threadIdx.x] = s; }
//: explicit_instantiation
template <class T> __global__ void fill(T *p) { *p = T(4); } template __global__ void fill<float>(float *); template <class T> __device__ T f(T v) { return v; } template __device__ int f<int>(int);
__global__ void run(unsigned *out) { out[threadIdx.x] = f(3); }
//: kernel_specialisation
template <class T> __global__ void fill(T *p) { *p = T(4); } template <> __global__ void fill<int>(int *p) { *p = 5; } template <int N> __global__ void size(int *p); template <> __global__ void size<3>(int *p) { *p = 3; }
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: kernel_template_declared_twice -default-device
template <class T> __global__ void fill(T *p);
template <class T> __global__ void fill(T *p) { *p = T(4); }
template __global__ void fill<float>(float *);
int helper(int v) { return v * 2; }
__global__ void run(unsigned *out) { out[threadIdx.x] = helper(3); }
//: member_templates
struct a { template <class T> __device__ T get() const { return T(v); } template <int N> __device__ int scale() { return v * N; } int v; };
__global__ void run(unsigned *out) { a x{5}; out[threadIdx.x] = x.get<float>() + x.scale<3>(); }
//: friend_templates
template <class T> class box { T v; public: __device__ box(T a) : v(a) {} template <class U> friend __device__ U open(const box<U> &); friend __device__ bool operator==(const box &a, const box &b) { return a.v == b.v; } }; template <class U> __device__ U open(const box<U> &b) { return b.v; }
__global__ void run(unsigned *out) { box<int> a(3), b(3); out[threadIdx.x] = open(a) + (a == b); }
//: static_members_of_templates
template <class T> struct a { static constexpr T one = T(1); static __device__ T two() { return one + one; } };
__global__ void run(unsigned *out) { out[threadIdx.x] = a<int>::two() + (unsigned)(a<float>::one * 4); }
//: integer_sequence
template <int... I> struct seq {}; template <int N, int... I> struct make : make<N - 1, N - 1, I...> {}; template <int... I> struct make<0, I...> { typedef seq<I...> type; };
template <int... I> __device__ int dot(const int *a, seq<I...>) { return ((a[I] * I) + ...); }
__global__ void run(unsigned *out) { int a[4] = {1, 2, 3, 4}; a[1] += threadIdx.x; out[threadIdx.x] = dot(a, make<4>::type()); }
//: concepts -std=c++20
template <class T> concept small = sizeof(T) <= 4; template <small T> __device__ int f(T) { return 1; } template <class T> __device__ int f(T) { return 2; } template <class T> requires(sizeof(T) == 8) __device__ int g(T) { return 3; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(1) + 10 * f(1.0) + 100 * g(2LL); }
//: requires_expression -std=c++20
template <class T> concept sized = requires(T t) { t.size(); { t.size() } -> sized_as_int; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: requires_expression_well_formed -std=c++20
template <class T> concept sized = requires(T t) { t.size(); typename T::kind; }; struct a { using kind = int; __device__ int size() { return 3; } };
__global__ void run(unsigned *out) { out[threadIdx.x] = sized<a> * 2 + sized<int> + 1; }
//: concepts_before_20
template <class T> concept small = sizeof(T) <= 4;
__global__ void run(unsigned *out) { out[0] = small<int>; }
//: abbreviated_function -std=c++20
__device__ auto add(auto a, auto b) { return a + b; }
__global__ void run(unsigned *out) { out[threadIdx.x] = add(1, 2) + (unsigned)add(1.5f, 2); }
//: template_lambda -std=c++20
__global__ void run(unsigned *out) { auto f = []<class T>(T v) { return sizeof(T) + v; }; out[threadIdx.x] = f(1) + f((char)2); }
//: class_type_arguments -std=c++20
struct p { int a, b; constexpr bool operator==(const p &) const = default; }; template <p V> __device__ int sum() { return V.a + V.b; }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum<p{3, 4}>(); }
//: unknown_member_in_an_instance
template <class T> __device__ int f(T v) { return v.none; }
__global__ void run(unsigned *out) { out[0] = f(3); }
//: unknown_member_not_instantiated
template <class T> __device__ int f(T v) { return v.none; }
__global__ void run(unsigned *out) { out[0] = 3; }
//: undeclared_in_an_uninstantiated_template
template <class T> __device__ int f(T v) { return nothing; }
__global__ void run(unsigned *out) { out[0] = 3; }
//: ambiguous_call
__device__ int f(int, float) { return 1; } __device__ int f(float, int) { return 2; }
__global__ void run(unsigned *out) { out[0] = f(1, 1); }
//: no_matching_call
template <class T> __device__ int f(T, T) { return 1; }
__global__ void run(unsigned *out) { out[0] = f(1, 1.f); }
//: wrong_argument_count
template <int N> struct a {};
__global__ void run(unsigned *out) { a<1, 2> v; out[0] = 1; }
//: redefined_default_argument
__device__ int f(int a = 1); __device__ int f(int a = 1) { return a; }
//: static_assert_in_an_instance
template <class T> __device__ int f() { static_assert(sizeof(T) == 8, "only wide"); return 1; }
__global__ void run(unsigned *out) { out[0] = f<int>(); }
//: template_in_a_function
__global__ void run(unsigned *out) { template <class T> struct a {}; out[0] = 1; }
//: shared_array_of_a_dependent_size
template <class T, int N> __device__ T turn(T v) { __shared__ T s[N]; s[threadIdx.x] = v; __syncthreads(); return s[N - 1 - threadIdx.x]; }
__global__ void run(unsigned *out) { out[threadIdx.x] = turn<unsigned, 32>(threadIdx.x) + (unsigned)turn<float, 32>(threadIdx.x); }
//: extern_template
extern template struct none<int>;
//: policy_with_values
struct policy { static const int block = 8; typedef float real; }; template <class P> __device__ typename P::real scale(int v) { return v * P::block + typename P::real(0.5); }
__global__ void run(unsigned *out) { out[threadIdx.x] = scale<policy>(threadIdx.x) * 2; }
//: two_phase_lookup
__device__ int f(double) { return 1; } template <class T> __device__ int g(T v) { return f(1) + h(v); } struct a { }; __device__ int f(int) { return 2; } __device__ int h(a) { return 10; }
__global__ void run(unsigned *out) { out[threadIdx.x] = g(a()); }
//: undeclared_call_in_an_uninstantiated_template
template <class T> __device__ int f(T v) { return nothing<int>(1) + NN::x; }
__global__ void run(unsigned *out) { out[0] = 4; }
//: undeclared_type_in_an_uninstantiated_template
template <class T> __device__ int f(T v) { foo x; T::type y; return 1; }
__global__ void run(unsigned *out) { out[0] = 5; }
//: wrong_types_in_an_uninstantiated_template
struct S { int a; }; __device__ int g(int, int);
template <class T> __device__ int f(T v) { S s; int x = s; return x + g(1) + s.b; }
__global__ void run(unsigned *out) { out[0] = 6; }
//: syntax_error_in_an_uninstantiated_template
template <class T> __device__ int f(T v) { return 1 +; }
__global__ void run(unsigned *out) { out[0] = 7; }
//: error_in_an_uninstantiated_kernel
template <class T> __global__ void k(T *o)
{
    for (int i = 0; i < 3; i++) { o[i] = nothing; } // {
}
__global__ void run(unsigned *out) { out[0] = __LINE__ > 4; }
//: error_in_an_uninstantiated_member
template <class T> struct C {
    int m;
    __device__ C(int v) : m(v) { nothing(); }
    __device__ C() : m(8) {}
    template <class U> __device__ void g(U u) { if (u) { none(1); } }
};
__global__ void run(unsigned *out) { C<int> c; out[0] = c.m; }
//: error_and_two_phase_lookup
__device__ int f(double) { return 1; } template <class T> __device__ int g(T v) { return f(1); } __device__ int f(int) { return 2; }
template <class T> __device__ int h(T v) { return nothing; }
__global__ void run(unsigned *out) { out[0] = g(1); }
//: error_in_an_instance
template <class T> __device__ int f(T v) { return nothing; }
__global__ void run(unsigned *out) { out[0] = f(1); }
//: declared_after_the_template
template <class T> __device__ int f(T v) { return later(1); }
__device__ int later(int x) { return x; }
__global__ void run(unsigned *out) { out[0] = f(1); }
//: error_in_an_uninstantiated_signature
template <class T> __device__ int f(T v, foo x) { return 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: member_of_a_dependent_base
template <class T> struct B { int m; }; template <class T> struct C : B<T> { __device__ int f() { return m; } };
__global__ void run(unsigned *out) { C<int> c; out[0] = c.f(); }
//: uninstantiated_template_of_a_macro
#define MAKE(NAME) template <class T> __device__ int NAME(T v) { return nothing; }
MAKE(f)
__global__ void run(unsigned *out) { out[0] = 9; }
