// Constant expressions: constexpr functions and classes, static_assert, enums.

//: function
constexpr int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
static_assert(f(10) == 55, "");
__global__ void run(unsigned *out) { int a[f(6)]; out[threadIdx.x] = sizeof(a) + f(threadIdx.x % 10); }
//: loops_and_locals
constexpr int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; } constexpr bool prime(int n) { for (int i = 2; i * i <= n; ++i) if (n % i == 0) return false; return n > 1; }
__global__ void run(unsigned *out) { constexpr int g = gcd(48, 36); out[threadIdx.x] = g + prime(threadIdx.x) * 100; }
//: device_constexpr
__device__ constexpr float scale(float v) { return v * 0.5f; } __host__ __device__ constexpr int next(int v) { return v + 1; }
__global__ void run(unsigned *out) { constexpr float s = scale(8); out[threadIdx.x] = s + next(threadIdx.x); }
//: class
struct v { int x, y; constexpr v(int a, int b) : x(a), y(b) {} constexpr int dot(v o) const { return x * o.x + y * o.y; } constexpr v operator+(v o) const { return v(x + o.x, y + o.y); } };
static_assert((v(1, 2) + v(3, 4)).dot(v(1, 1)) == 10, "");
__global__ void run(unsigned *out) { constexpr v a(2, 3); out[threadIdx.x] = a.dot(v(threadIdx.x, 1)); }
//: array_in_a_struct
struct table { int v[8]; constexpr table() : v() { for (int i = 0; i < 8; i++) v[i] = i * i; } };
__global__ void run(unsigned *out) { constexpr table t; out[threadIdx.x] = t.v[threadIdx.x % 8]; }
//: device_table
struct table { int v[8]; constexpr table() : v() { for (int i = 0; i < 8; i++) v[i] = i * 3; } };
__device__ constexpr table all_values = table(); __constant__ table more = table();
__global__ void run(unsigned *out) { out[threadIdx.x] = all_values.v[threadIdx.x % 8] + more.v[1]; }
//: enums
enum a { A, B = 5, C }; enum class b : unsigned char { X = 200, Y }; enum c : short { N = -3 }; enum { D = sizeof(b), E = C * 2 };
__global__ void run(unsigned *out) { out[threadIdx.x] = A + B * 10 + C * 100 + (int)b::Y + N + 3 + D + E; }
//: enum_switch
enum class op { add, mul, neg }; __device__ int apply(op o, int a, int b) { switch (o) { case op::add: return a + b; case op::mul: return a * b; case op::neg: return -a; } return 0; }
__global__ void run(unsigned *out) { out[threadIdx.x] = apply((op)(threadIdx.x % 3), 7, threadIdx.x); }
//: enum_conversion
enum class e { a }; __global__ void run(unsigned *out) { int v = e::a; out[0] = v; }
//: using_enum -std=c++20
enum class colour { red, green = 4 };
__global__ void run(unsigned *out) { using enum colour; out[threadIdx.x] = (int)green + (int)red; }
//: static_assert_message
static_assert(sizeof(int) == 8, "no");
__global__ void run(unsigned *out) { out[0] = 1; }
//: static_assert_alone
static_assert(sizeof(void *) == 8);
__global__ void run(unsigned *out) { static_assert(sizeof(long) == 8, "long"); out[threadIdx.x] = 1; }
//: sizes_of_types
__global__ void run(unsigned *out) { out[0] = sizeof(char) + sizeof(short) * 10 + sizeof(int) * 100 + sizeof(long) * 1000 + sizeof(long long) * 10000; out[1] = sizeof(float) + sizeof(double) * 10 + sizeof(void *) * 100 + sizeof(bool) * 1000 + sizeof(wchar_t) * 10000; out[2] = sizeof(size_t) + alignof(double) * 10 + alignof(long long) * 100; out[3] = sizeof('a') + 10 * sizeof("abc") + 100 * sizeof(1.0f) + 1000 * sizeof(1.0); }
//: signedness
__global__ void run(unsigned *out) { out[0] = (char)-1 < 0; out[1] = (wchar_t)-1 < 0 ? 2 : 1; enum e { a = -1, b }; out[2] = (e)-1 < 0; enum f { c }; out[3] = sizeof(f); out[4] = (f)-1 < (f)0 ? 5 : 6; }
//: array_bounds
constexpr int n = 3 + 4 * 2; struct s { static constexpr int m = n - 1; };
__global__ void run(unsigned *out) { int a[n], b[s::m][2], c[sizeof(int) == 4 ? 5 : 6], d['\3']; out[threadIdx.x] = sizeof(a) + sizeof(b) + sizeof(c) + sizeof(d); }
//: const_bound
__global__ void run(unsigned *out) { const int n = 6; int a[n]; const unsigned m = n * 2; float b[m + 1]; out[threadIdx.x] = sizeof(a) + sizeof(b); }
//: const_of_a_variable_as_bound
__global__ void run(unsigned *out) { const int n = threadIdx.x; int a[n]; out[0] = a[0]; }
//: negative_bound
__global__ void run(unsigned *out) { int a[-1]; out[0] = 1; }
//: zero_bound
__global__ void run(unsigned *out) { int a[0]; out[0] = 1; }
//: variable_bound
__global__ void run(unsigned *out) { int n = 3; int a[n]; a[0] = 1; out[0] = a[0]; }
//: constexpr_of_a_variable
__global__ void run(unsigned *out) { int n = threadIdx.x; constexpr int m = n; out[0] = m; }
//: overflow_in_a_constant
constexpr int v = 2147483647 + 1;
__global__ void run(unsigned *out) { out[0] = v; }
//: division_by_zero_in_a_constant
constexpr int v = 1 / 0;
__global__ void run(unsigned *out) { out[0] = v; }
//: index_beyond_in_a_constant
constexpr int a[2] = {1, 2}; constexpr int v = a[2];
__global__ void run(unsigned *out) { out[0] = v; }
//: duplicate_case
__global__ void run(unsigned *out) { switch (out[0]) { case 1: case 1: out[0] = 2; } }
//: case_of_a_variable
__global__ void run(unsigned *out) { int v = 3; switch (out[0]) { case v: out[0] = 2; } }
//: case_of_constants
constexpr int k(int v) { return v * 2; } enum { P = 5 };
__global__ void run(unsigned *out) { const int q = 7; switch (threadIdx.x) { case k(2): out[threadIdx.x] = 1; break; case P: out[threadIdx.x] = 2; break; case q: out[threadIdx.x] = 3; break; case 'a' - 'A': out[threadIdx.x] = 9; break; case 8 | 1: out[threadIdx.x] = 4; break; default: out[threadIdx.x] = 50; } }
//: consteval -std=c++20
consteval int f(int v) { return v * v; }
__global__ void run(unsigned *out) { constexpr int v = f(5); out[threadIdx.x] = v; }
//: constinit -std=c++20
__device__ constinit int v = 5;
__global__ void run(unsigned *out) { out[threadIdx.x] = v; }
//: is_constant_evaluated
__device__ constexpr int f(int v) { return __builtin_is_constant_evaluated() ? v : v * 10; }
__global__ void run(unsigned *out) { constexpr int a = f(2); out[threadIdx.x] = a + f(threadIdx.x + 1); }
//: string_length
constexpr int length(const char *s) { return *s ? 1 + length(s + 1) : 0; } constexpr unsigned hash(const char *s) { unsigned h = 2166136261u; for (; *s; s++) h = (h ^ *s) * 16777619u; return h; }
__global__ void run(unsigned *out) { constexpr unsigned h = hash("kernel"); out[threadIdx.x] = length("abcd") + h % 1000; }
//: float_constants
constexpr double pi = 3.14159265358979323846; constexpr float third = 1.0f / 3; constexpr double e = 1e-300 * 1e-300;
__global__ void run(unsigned *out) { constexpr float f = pi; out[0] = __float_as_uint(f); out[1] = __float_as_uint(third); out[2] = e == 0; out[3] = (unsigned)(pi * 1e8); out[4] = __float_as_uint(0x1.8p-3f); }
//: float_evaluation_in_single
__global__ void run(unsigned *out) { constexpr float a = 16777216.0f; constexpr float b = a + 1.0f; out[0] = b == a; constexpr double c = a + 1.0; out[1] = c == a ? 2 : 3; out[2] = __float_as_uint(0.1f + 0.2f); out[3] = 0.1 + 0.2 == 0.3 ? 5 : 6; }
//: pointers_in_constants
__device__ int a[4]; constexpr int b[3] = {1, 2, 3}; constexpr const int *last(const int *p, int n) { return p + n - 1; }
__global__ void run(unsigned *out) { constexpr int v = *last(b, 3); out[threadIdx.x] = v + (unsigned)(&a[3] - a); }
//: new_in_a_constant -std=c++20
constexpr int f(int n) { int *p = new int[n]; int s = 0; for (int i = 0; i < n; i++) p[i] = i; for (int i = 0; i < n; i++) s += p[i]; delete[] p; return s; }
__global__ void run(unsigned *out) { constexpr int v = f(5); out[threadIdx.x] = v; }
//: constexpr_member_of_a_class
struct s { static constexpr float k[2] = {1.5f, 2.5f}; static constexpr int n = 2; };
__global__ void run(unsigned *out) { constexpr float v = s::k[1]; out[threadIdx.x] = v * s::n; }
//: if_with_initialiser
__global__ void run(unsigned *out) { if (int v = threadIdx.x * 2; v > 10) out[threadIdx.x] = v; else out[threadIdx.x] = v + 100; switch (int k = threadIdx.x % 2; k) { case 1: out[threadIdx.x] += 1000; } }
//: three_way_comparison -std=c++20
#include <compare>
struct v { int a, b; constexpr auto operator<=>(const v &) const = default; };
__global__ void run(unsigned *out) { v p{1, 2}, q{1, (int)threadIdx.x}; out[threadIdx.x] = (p < q) + 2 * (p == q) + 4 * (p >= q); }
//: digit_separators_and_binary
__global__ void run(unsigned *out) { out[threadIdx.x] = 1'000'000 + 0b1010 + 0x1'0 + 010; }
//: offsets
#include <stddef.h>
struct s { char a; double b; float c[3]; };
__global__ void run(unsigned *out) { out[threadIdx.x] = offsetof(s, b) + 100 * offsetof(s, c[1]); }
//: null_dereference_in_sizeof
struct s { float v[5]; };
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(((s *)0)->v) + sizeof(*(s *)0); }
