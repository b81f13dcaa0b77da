// Lambdas: captures, generic ones, in constant expressions, as arguments.

//: no_capture
__global__ void run(unsigned *out) { auto f = [](int a, int b) { return a * b; }; out[threadIdx.x] = f(threadIdx.x, 3); }
//: by_value
__global__ void run(unsigned *out) { int a = 5; auto f = [a](int v) { return a + v; }; a = 100; out[threadIdx.x] = f(threadIdx.x); }
//: by_reference
__global__ void run(unsigned *out) { int a = 5; auto f = [&a](int v) { a += v; }; f(threadIdx.x); f(1); out[threadIdx.x] = a; }
//: all_by_value
__global__ void run(unsigned *out) { int a = 5; float b = 1.5f; auto f = [=] { return a + (int)(b * 2); }; a = 0; out[threadIdx.x] = f(); }
//: all_by_reference
__global__ void run(unsigned *out) { unsigned n = 0; auto add = [&](unsigned v) { n = n * 10 + v; }; add(1); add(threadIdx.x % 10); out[threadIdx.x] = n; }
//: mixed_captures
__global__ void run(unsigned *out) { int a = 1, b = 2, c = 3; auto f = [=, &b] { b = a + c; }; auto g = [&, a] { c = a * 10; }; f(); g(); out[threadIdx.x] = b + c; }
//: initialised_captures
__global__ void run(unsigned *out) { int a = 4; auto f = [b = a * 2, &r = a] { r++; return b; }; unsigned v = f(); out[threadIdx.x] = v * 10 + a; }
//: mutable
__global__ void run(unsigned *out) { int n = 0; auto f = [n]() mutable { return ++n; }; f(); f(); out[threadIdx.x] = f() * 10 + n; }
//: not_mutable
__global__ void run(unsigned *out) { int n = 0; auto f = [n]() { return ++n; }; out[0] = f(); }
//: not_captured
__global__ void run(unsigned *out) { int n = out[0]; auto f = []() { return n; }; out[0] = f(); }
//: constant_not_captured
__global__ void run(unsigned *out) { const int n = 7; constexpr float x = 2.f; auto f = [] { return n + (int)x; }; out[threadIdx.x] = f(); }
//: return_type
__global__ void run(unsigned *out) { auto f = [](float v) -> int { return v; }; out[threadIdx.x] = f(2.9f) + sizeof(f(1)); }
//: generic
__global__ void run(unsigned *out) { auto f = [](auto v) { return v + v; }; out[threadIdx.x] = f(3) + (unsigned)f(1.5f) + sizeof(f((char)1)); }
//: generic_pack
__global__ void run(unsigned *out) { auto f = [](auto... v) { return (v + ...); }; out[threadIdx.x] = f(1, 2, 3) + (unsigned)f(1.5f, 2.5f); }
//: called_at_once
__global__ void run(unsigned *out) { const int v = [&] { if (threadIdx.x & 1) return 3; return 4; }(); out[threadIdx.x] = v; }
//: recursive_by_argument
__global__ void run(unsigned *out) { auto f = [](auto self, int n) -> int { return n < 2 ? 1 : n * self(self, n - 1); }; out[threadIdx.x] = f(f, threadIdx.x % 8); }
//: as_a_template_argument
template <class F> __device__ unsigned apply(F f, unsigned v) { return f(f(v)); }
__global__ void run(unsigned *out) { unsigned k = threadIdx.x; out[threadIdx.x] = apply([=](unsigned v) { return v + k; }, 1); }
//: to_a_function_pointer
__global__ void run(unsigned *out) { int (*f)(int) = [](int v) { return v * 3; }; auto g = +[](int v) { return v + 1; }; out[threadIdx.x] = f(threadIdx.x) + g(2); }
//: in_a_loop
__global__ void run(unsigned *out) { unsigned s = 0; for (int i = 0; i < 4; i++) { auto f = [i, &s] { s += i * i; }; f(); } out[threadIdx.x] = s; }
//: nested
__global__ void run(unsigned *out) { int a = 2; auto f = [&](int b) { auto g = [&, b](int c) { return a * b + c; }; return g(5); }; out[threadIdx.x] = f(threadIdx.x); }
//: capturing_this
struct s { int v; __device__ int get(int k) { auto f = [this, k] { return v * k; }; v = 7; return f(); } };
__global__ void run(unsigned *out) { s x{3}; out[threadIdx.x] = x.get(threadIdx.x); }
//: capturing_a_copy_of_this
struct s { int v; __device__ int get(int k) { auto f = [*this, k] { return v * k; }; v = 7; return f(); } };
__global__ void run(unsigned *out) { s x{3}; out[threadIdx.x] = x.get(threadIdx.x); }
//: capturing_shared
__global__ void run(unsigned *out) { __shared__ unsigned s[32]; auto put = [&](unsigned v) { s[threadIdx.x] = v; }; put(threadIdx.x * 2); __syncthreads(); auto get = [] { return s[31 - threadIdx.x]; }; out[threadIdx.x] = get(); }
//: capturing_an_array
__global__ void run(unsigned *out) { int a[3] = {1, 2, 3}; auto f = [a](int i) { return a[i]; }; a[1] = 50; auto g = [&a](int i) { return a[i]; }; out[threadIdx.x] = f(1) + g(1); }
//: capturing_a_parameter
__device__ int f(int v, const int &w) { auto g = [=] { return v + w; }; return g(); }
__global__ void run(unsigned *out) { int w = 5; out[threadIdx.x] = f(threadIdx.x, w); }
//: shared_class_and_value_captures
struct cell { int v; __device__ cell() : v(1) {} };
__global__ void run(unsigned *out) { __shared__ cell c[32]; int t = threadIdx.x; c[t].v = t; __syncthreads(); auto f = [=] { return t * 2; }; out[t] = f() + c[31 - t].v; }
//: in_a_constant
__global__ void run(unsigned *out) { constexpr auto sq = [](int v) { return v * v; }; static_assert(sq(3) == 9, ""); int a[sq(2)]; out[threadIdx.x] = sizeof(a) + sq(5); }
//: at_file_scope
constexpr auto sq = [](int v) { return v * v; };
__global__ void run(unsigned *out) { out[threadIdx.x] = sq(threadIdx.x); }
//: in_a_default_argument
__device__ int f(int v = [] { return 6; }()) { return v; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f() + f(1); }
//: returned
__device__ auto adder(int n) { return [n](int v) { return n + v; }; }
__global__ void run(unsigned *out) { auto f = adder(3), g = adder(threadIdx.x); out[threadIdx.x] = f(1) * g(2); }
//: in_a_member
template <class F> struct holder { F f; __device__ int call(int v) { return f(v); } }; template <class F> __device__ holder<F> hold(F f) { return {f}; }
__global__ void run(unsigned *out) { int k = 4; auto h = hold([k](int v) { return v * k; }); out[threadIdx.x] = h.call(threadIdx.x); }
//: overload_set
template <class... F> struct over : F... { using F::operator()...; }; template <class... F> over(F...) -> over<F...>;
__global__ void run(unsigned *out) { over f{[](int) { return 1; }, [](float) { return 2; }}; out[threadIdx.x] = f(1) + 10 * f(1.f); }
//: device_annotated
__global__ void run(unsigned *out) { auto f = [] __device__ (int v) { return v + 1; }; out[threadIdx.x] = f(threadIdx.x); }
//: host_device_annotated
__global__ void run(unsigned *out) { int k = 3; auto f = [=] __host__ __device__ (int v) { return v + k; }; out[threadIdx.x] = f(threadIdx.x); }
//: structured_binding_captured
struct p { int a, b; };
__global__ void run(unsigned *out) { p v{3, 4}; auto [a, b] = v; auto f = [a = a, b = b] { return a * b; }; out[threadIdx.x] = f(); }
//: with_default_parameters
__global__ void run(unsigned *out) { auto f = [](int a, int b = 5) { return a + b; }; out[threadIdx.x] = f(threadIdx.x) + f(1, 2); }
//: constexpr_and_noexcept
__global__ void run(unsigned *out) { auto f = [](int a) constexpr noexcept { return a + 1; }; out[threadIdx.x] = f(threadIdx.x); }
//: comparing_types
template <class A, class B> struct same { static const int v = 0; }; template <class A> struct same<A, A> { static const int v = 1; };
__global__ void run(unsigned *out) { auto f = [] { return 1; }; auto g = [] { return 1; }; out[threadIdx.x] = same<decltype(f), decltype(g)>::v + 10 * same<decltype(f), decltype(f)>::v; }
//: pack_capture
template <class... T> __device__ int sum(T... v) { auto f = [=] { return (v + ...); }; return f(); }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum(1, 2, (int)threadIdx.x); }
//: pack_init_capture -std=c++20
template <class... T> __device__ int sum(T... v) { auto f = [... w = v + 1] { return (w + ...); }; return f(); }
__global__ void run(unsigned *out) { out[threadIdx.x] = sum(1, 2, (int)threadIdx.x); }
//: capture_twice
__global__ void run(unsigned *out) { int a = 1; auto f = [a, a] { return a; }; out[0] = f(); }
//: capture_of_a_global
__device__ int g;
__global__ void run(unsigned *out) { auto f = [g] { return g; }; out[0] = f(); }
//: sorting_with_a_comparison
template <class T, class F> __device__ void sort(T *a, int n, F less) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && less(a[j], a[j - 1]); j--) { T t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } }
__global__ void run(unsigned *out) { int a[6] = {3, 1, 4, 1, 5, (int)threadIdx.x}; sort(a, 6, [](int x, int y) { return x > y; }); unsigned n = 0; for (int v : a) n = n * 7 + v; out[threadIdx.x] = n; }
