// Declarations of kernels: what may be in their heads and parameters.

//: noexcept
__global__ void run(unsigned *out) noexcept { out[0] = 1; }
//: noexcept_false
__global__ void run(unsigned *out) noexcept(false) { out[0] = 1; }
//: noexcept_decl
__global__ void run(unsigned *out) noexcept;
__global__ void run(unsigned *out) noexcept { out[0] = 1; }
//: throw
__global__ void run(unsigned *out) throw() { out[0] = 1; }
//: constexpr
__global__ constexpr void run(unsigned *out) { out[0] = 1; }
//: constexpr_before
constexpr __global__ void run(unsigned *out) { out[0] = 1; }
//: consteval -std=c++20
__global__ consteval void run(unsigned *out) { }
//: auto
__global__ auto run(unsigned *out) { out[0] = 1; }
//: auto_void
__global__ auto run(unsigned *out) -> void { out[0] = 1; }
//: auto_int
__global__ auto run(unsigned *out) { return 1; }
//: decltype
__global__ decltype(void()) run(unsigned *out) { out[0] = 1; }
//: typedef_void
typedef void V;
__global__ V run(unsigned *out) { out[0] = 1; }
//: const_void
__global__ const void single(unsigned *out) { out[0] = 1; }
//: int_proto
__global__ int other(unsigned *out);
__global__ void run(unsigned *out) { out[0] = 1; }
//: template_ret
template <class T> __global__ T other(unsigned *out) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: template_ret_inst
template <class T> __global__ T other(unsigned *out) { }
template __global__ void other<void>(unsigned *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: default
__global__ void single(unsigned *out, int a = 3) { out[0] = a; }
//: default_all
__global__ void single(unsigned *out = nullptr) { out[0] = 1; }
//: variadic
__global__ void single(unsigned *out, ...) { out[0] = 1; }
//: pack
template <class... T> __global__ void other(unsigned *out, T... t) { out[0] = sizeof...(t); }
template __global__ void other<int, float>(unsigned *, int, float);
__global__ void run(unsigned *out) { out[0] = 1; }
//: member
struct S { __global__ void other(unsigned *out) { out[0] = 1; } };
__global__ void run(unsigned *out) { out[0] = 1; }
//: static_member
struct S { static __global__ void other(unsigned *out) { out[0] = 1; } };
__global__ void run(unsigned *out) { out[0] = 1; }
//: static_member_decl
struct S { static __global__ void other(unsigned *out); };
__global__ void run(unsigned *out) { out[0] = 1; }
//: member_template
template <class T> struct S { static __global__ void other(T *out) { out[0] = 1; } };
__global__ void run(unsigned *out) { out[0] = 1; }
//: member_template_inst
template <class T> struct S { static __global__ void other(T *out) { out[0] = 1; } };
template struct S<int>;
__global__ void run(unsigned *out) { out[0] = 1; }
//: operator
struct S {};
__global__ void operator+(S a, S b) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: friend_decl
class C { friend __global__ void run(unsigned *out); int v; };
__global__ void run(unsigned *out) { C c; out[0] = sizeof(c); }
//: friend_defined
class C { friend __global__ void other(unsigned *out) { out[0] = 1; } int v; };
__global__ void run(unsigned *out) { C c; out[0] = sizeof(c); }
//: friend_template
class C { template <class T> friend __global__ void other(T *out); int v; };
template <class T> __global__ void other(T *out) { C c; c.v = 1; out[0] = c.v; }
template __global__ void other<unsigned>(unsigned *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: unnamed_ns
namespace { __global__ void single(unsigned *out) { out[0] = 1; } }
//: unnamed_ns_c
namespace { extern "C" __global__ void run(unsigned *out) { out[0] = 1; } }
//: ref
__global__ void single(unsigned *out, int &a) { out[0] = 1; }
//: cref
__global__ void single(unsigned *out, const int &a) { out[0] = a; }
//: rref
__global__ void single(unsigned *out, int &&a) { out[0] = a; }
//: rref_template
template <class T> __global__ void other(unsigned *out, T &&a) { out[0] = a; }
template __global__ void other<int>(unsigned *, int &&);
__global__ void run(unsigned *out) { out[0] = 1; }
//: rref_template_lvalue
template <class T> __global__ void other(unsigned *out, T &&a) { out[0] = a; }
template __global__ void other<int &>(unsigned *, int &);
__global__ void run(unsigned *out) { out[0] = 1; }
//: rref_uninst
template <class T> __global__ void other(unsigned *out, T &&a) { out[0] = a; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: incomplete_proto
struct I;
__global__ void other(unsigned *out, I i);
__global__ void run(unsigned *out) { out[0] = 1; }
//: incomplete
struct I;
__global__ void single(unsigned *out, I i) { out[0] = 1; }
//: incomplete_ptr
struct I;
__global__ void single(unsigned *out, I *i) { out[0] = 1; }
//: abstract
struct A { virtual __device__ void f() = 0; };
__global__ void single(unsigned *out, A a) { out[0] = 1; }
//: polymorphic
struct A { virtual __device__ void f() {} };
__global__ void single(unsigned *out, A a) { out[0] = 1; }
//: nontrivial
struct A { int v; __device__ A(const A &o) : v(o.v) {} __device__ ~A() {} };
__global__ void single(unsigned *out, A a) { out[0] = 1; }
//: deleted_copy
struct A { int v; A(const A &) = delete; };
__global__ void single(unsigned *out, A a) { out[0] = 1; }
//: initlist
#include <initializer_list>
__global__ void single(unsigned *out, std::initializer_list<int> a) { out[0] = 1; }
//: recursion
__global__ void run(unsigned *out) { run(out); }
//: call_other
__global__ void other(unsigned *out) { out[0] = 1; }
__global__ void run(unsigned *out) { other(out); }
//: address
__global__ void other(unsigned *out) { out[0] = 1; }
__global__ void run(unsigned *out) { void (*p)(unsigned *) = other; out[0] = p != nullptr; }
//: call_device
__device__ void other(unsigned *out); __global__ void run(unsigned *out) { other(out); }
__device__ void other(unsigned *out) { out[0] = 4; }
//: device_calls_kernel
__global__ void run(unsigned *out);
__device__ void other(unsigned *out) { run(out); }
__global__ void run(unsigned *out) { out[0] = 1; }
//: static
static __global__ void run(unsigned *out) { out[0] = 1; }
//: inline
inline __global__ void run(unsigned *out) { out[0] = 1; }
//: extern
extern __global__ void run(unsigned *out) { out[0] = 1; }
//: extern_c_overload
extern "C" __global__ void other(int *a) { a[0] = 1; }
extern "C" __global__ void other(float *a) { a[0] = 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: overload
__global__ void other(int *a) { a[0] = 1; }
__global__ void other(float *a) { a[0] = 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: device_and_global
__device__ __global__ void run(unsigned *out) { out[0] = 1; }
//: host_and_global
__host__ __global__ void run(unsigned *out) { out[0] = 1; }
//: deprecated
[[deprecated]] __global__ void run(unsigned *out) { out[0] = 1; }
//: nodiscard
[[nodiscard]] __global__ void run(unsigned *out) { out[0] = 1; }
//: deleted
__global__ void other(unsigned *out) = delete;
__global__ void run(unsigned *out) { out[0] = 1; }
//: forceinline
__forceinline__ __global__ void run(unsigned *out) { out[0] = 1; }
//: noinline
__noinline__ __global__ void run(unsigned *out) { out[0] = 1; }
//: array_param
__global__ void single(unsigned out[4], int a[2][3]) { out[0] = 1; }
//: fn_param
__global__ void single(unsigned *out, void f(int)) { out[0] = 1; }
//: member_ptr
struct S { int a; };
__global__ void single(unsigned *out, int S::*p) { S s{3}; out[0] = s.*p; }
//: const_param
__global__ void single(unsigned *const out, const int a) { out[0] = a; }
//: bool_enum
enum E { A }; enum class F : char { B };
__global__ void single(unsigned *out, bool b, E e, F f, long double d) { out[0] = b; }
//: empty_struct
struct S {};
__global__ void single(unsigned *out, S s) { out[0] = 1; }
//: unnamed
__global__ void single(unsigned *out, int, float) { out[0] = 1; }
//: lambda_template
template <class F> __global__ void other(unsigned *out, F f) { out[0] = f(1); }
__global__ void run(unsigned *out) { auto l = [](int a) { return a; }; out[0] = l(1); }
//: nested_fn_shared_param
__global__ void single(unsigned *out, __shared__ int *s) { out[0] = 1; }
//: grid_constant
__global__ void single(unsigned *out, const __grid_constant__ int a) { out[0] = a; }
//: grid_constant_nonconst
__global__ void single(unsigned *out, __grid_constant__ int a) { out[0] = a; }
//: grid_constant_ref
__global__ void single(unsigned *out, const __grid_constant__ int &a) { out[0] = a; }
//: grid_constant_device
__device__ void f(const __grid_constant__ int a) { }
__global__ void run(unsigned *out) { out[0] = 1; }
//: requires -std=c++20
template <class T> requires (sizeof(T) == 4) __global__ void other(T *out) { out[0] = 1; }
template __global__ void other<int>(int *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: abbrev -std=c++20
__global__ void other(auto *out) { out[0] = 1; }
template __global__ void other<int>(int *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: abbrev_uninst -std=c++20
__global__ void other(auto *out) { out[0] = 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: bounds_twice
__global__ void __launch_bounds__(32) __launch_bounds__(64) run(unsigned *out) { out[0] = 1; }
//: bounds_mismatch
__global__ void __launch_bounds__(32) run(unsigned *out);
__global__ void __launch_bounds__(64) run(unsigned *out) { out[0] = 1; }
//: redefault
__global__ void single(unsigned *out, int a = 3);
__global__ void single(unsigned *out, int a = 3) { out[0] = a; }
//: proto_device
__device__ void run(unsigned *out);
__global__ void run(unsigned *out) { out[0] = 1; }
//: proto_none
void run(unsigned *out);
__global__ void run(unsigned *out) { out[0] = 1; }
//: proto_global_def_none
__global__ void run(unsigned *out);
void run(unsigned *out) { out[0] = 1; }
//: spec_global_none
template <class T> __global__ void other(T *a) { }
template <> void other<int>(int *a) { a[0] = 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: return_value
__global__ void run(unsigned *out) { return (void)(out[0] = 1); }
//: return_int
__global__ void run(unsigned *out) { return 1; }
//: accepted_heads
template <typename T, bool B = (1 > 0)> __global__ void k(T a) { }
struct S { friend __global__ void f(S *s); bool operator&&(const S &o) const { return true; } static constexpr int v = 3; __device__ auto g() noexcept { return 1; } int x; } sss;
__global__ void f(S *s) { s->x = 1; }
#define KERNEL extern "C" __global__
KERNEL void kk(unsigned *out) { out[0] = 2; }
static inline __device__ auto dd(int &&x) noexcept { return x; }
constexpr __device__ int cc(int a) { return a; }
__global__ void dflt(int a, bool b = (1 && 2), bool c = true && false) { }
enum class E { A, B }; union U { int a; float b; };
__device__ int arr[] = {1, 2}; __global__ void after(unsigned *out) { out[0] = 1; }
namespace a::b { __global__ void k(int *a) { a[0] = 1; } }
inline namespace v1 { __global__ void kv(int *a) { a[0] = 1; } }
extern "C" __global__ void single(int *a) { a[0] = 1; }
extern "C" { __global__ void block(int *a) { a[0] = 1; } }
extern "C++" { __global__ void block2(int *a) { a[0] = 1; } }
extern __shared__ int dyn[];
__global__ void __launch_bounds__(1 && 2 ? 32 : 64) lb(int *a) { a[0] = dyn[0]; }
template <class F> __global__ void fwd(F &&f) { }
template <int N> __global__ void spec(int *a) { a[0] = N; }
template <> __global__ void spec<1>(int *a) { a[0] = 9; }
template __global__ void spec<2>(int *a);
template __global__ void spec<(3 > 2)>(int *a);
__global__ void fnp(void (*g)(int &&), int *a) { a[0] = 1; }
#define PRE(x)
PRE(a && b) __global__ void pre(int *a) { a[0] = 1; }
PRE(constexpr auto) __global__ void pre2(int *a) { a[0] = 1; }
class C { public: int v; C() = default; __device__ C(C &&o) noexcept : v{o.v} { } __device__ auto operator=(C &&o) -> C & { v = o.v; return *this; } };
template <class T> struct W { T v; __device__ constexpr W(T t) : v(t) { } template <class U> __device__ W(U &&u) : v(u) {} };
__global__ void cls(C c, W<int> w, int *a) { a[0] = c.v + w.v; }
__device__ int table[2][2] = {{1, 2}, {3, 4}};
__global__ auto trailing(int *a) -> void { a[0] = table[1][0]; }
typedef struct { int a, b; } pair_t;
__global__ void pr(pair_t p, const struct S *q, int *a) { a[0] = p.a; }
__global__ void gc(const __grid_constant__ pair_t p, __grid_constant__ const int q, int *a) { a[0] = p.a + q; }
__global__ void tail(int *a) __attribute__((used));
__global__ void tail(int *a) { a[0] = 1; }
#if 0
__global__ void bad(int *a) noexcept { }
#endif
// __global__ void bad(int *a) noexcept { }
__constant__ char text[] = "__global__ void bad() noexcept {";
#define MAKE(n) __global__ void n(int *a) { a[0] = 1; }
MAKE(m1) MAKE(m2)
__global__ void last(int *a) { auto l = [](int &&b) noexcept { return b; }; a[0] = l(3); struct L { static __device__ constexpr int q() { return 1; } }; a[1] = L::q(); }
__global__ void run(unsigned *out) { out[0] = 1; }
//: accepted_templates
template <class T, class = decltype(sizeof(T) < 8)> struct Q { template <int N> static __device__ int f() { return N; } enum { A = 1 < 2, B = 3 >> 1 }; };
template <class T> __device__ auto g(T &&t) noexcept(noexcept(t)) -> decltype(t + 1) { return t + 1; }
__device__ __forceinline__ constexpr bool less(int a, int b) { return a < b; }
__device__ bool x = 1 < 2; __global__ void k1(int *a, int b) { a[0] = b < 3; }
template <bool A = (sizeof(int) > 2), class B = Q<int>> __global__ void k2(int *a) { a[0] = 1; }
template <template <class> class T, int... N> __global__ void k3(T<int> *a) { }
struct alignas(16) V { float v[4]; __device__ float &operator[](int i) { return v[i]; } };

__global__ void run(unsigned *out) { out[0] = g(1); }
//: accepted_concepts -std=c++20
template <class T> concept C4 = sizeof(T) == 4;
template <C4 T> requires (sizeof(T) > 2 && true) __global__ void k(T *a) { a[0] = 1; }
template __global__ void k<int>(int *);
__global__ void k5(auto *a) { a[0] = 1; }
template __global__ void k5<int>(int *);
__global__ void run(unsigned *out) { out[0] = 1; }
//: accepted_branches
struct base {};
#ifdef NO_BASE
struct derived {
#else
struct derived : base {
#endif
    int x;
};
__global__ void run(unsigned *out) { derived d; d.x = 1; out[0] = d.x; }
//: accepted_open_branches
#if 1
template <class T> __global__ void other(T *a) {
#else
template <class T> __global__ void other(T *a, int) {
#endif
    a[0] = 1; }
__global__ void run(unsigned *out) { out[0] = 1; }
//: accepted_words_of_branches
#ifdef NO_KERNEL
__device__ constexpr int
#else
__global__ void
#endif
other(unsigned *out) { }
__global__ void run(unsigned *out) { out[0] = 1; }
