// C++20 in C++17: NVRTC refuses all but attributes and empty arguments of macros.

//: defaulted_comparison
struct S { int a; __device__ bool operator==(const S &) const = default; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: defaulted_comparison_20 -std=c++20
struct S { int a; __device__ bool operator==(const S &) const = default; };
__global__ void run(unsigned *out) { out[0] = S{1} == S{1}; }
//: initialized_bit_field
struct S { int a : 3 = 1; };
__global__ void run(unsigned *out) { out[0] = S().a; }
//: default_and_this
struct S { int v; __device__ int f() { return [=, this] { return v; }(); } };
__global__ void run(unsigned *out) { S s{3}; out[0] = s.f(); }
//: template_parameters_of_a_lambda
__global__ void run(unsigned *out) { out[0] = []<class T>(T t) { return t; }(4); }
//: using_enum
enum class E { A = 5 };
__global__ void run(unsigned *out) { using enum E; out[0] = (int)A; }
//: using_enum_20 -std=c++20
enum class E { A = 5 };
__global__ void run(unsigned *out) { using enum E; out[0] = (int)A; }
//: statement_in_a_range_for
__global__ void run(unsigned *out) { int a[] = {1}; for (int n = 6; int i : a) out[0] = n + i; }
//: inline_nested_namespace
namespace a::inline b { __device__ int f() { return 1; } }
__global__ void run(unsigned *out) { out[0] = a::f(); }
//: uninitialized_in_constexpr
__device__ constexpr int f() { int x; x = 7; return x; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: type_without_typename
template <class T> struct I { T::type x; };
__global__ void run(unsigned *out) { out[0] = 1; }
//: parentheses_of_an_aggregate
struct P { int a; };
__global__ void run(unsigned *out) { P p(8); out[0] = p.a; }
//: parentheses_of_an_aggregate_20 -std=c++20
struct P { int a; };
__global__ void run(unsigned *out) { P p(8); out[0] = p.a; }
//: likely
__global__ void run(unsigned *out) { if (threadIdx.x < 32) [[likely]] out[0] = 9; }
//: reason_of_nodiscard
struct [[nodiscard("x")]] N { int a; };
__global__ void run(unsigned *out) { out[0] = N{10}.a; }
//: no_variadic_argument
#define F(a, ...) f(a, ##__VA_ARGS__)
__device__ int f(int a, int b = 1) { return a + b; }
__global__ void run(unsigned *out) { out[0] = F(10); }
//: unroll_outside_functions
#pragma unroll
__device__ int f() { return 12; }
__global__ void run(unsigned *out) { out[0] = f(); }
//: host_variables --device-as-default-execution-space
int n = 6;
struct S { static inline int m = 7; };
auto f = [](int x) { return x; };
__global__ void run(unsigned *out) { out[0] = f(n + S::m); }
