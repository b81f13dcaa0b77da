// The preprocessor: literals, pasting, variadic macros, conditions, pragmas.

//: suffix_in_dropped_arguments
#define FORMAT "%d"
#define DROP(...)
__global__ void run(unsigned *out) { DROP("n ("FORMAT"):\n"); out[threadIdx.x] = 3; }
//: suffix_in_used_arguments
#define FORMAT "%d"
__global__ void run(unsigned *out) { printf("n "FORMAT"\n", 3); out[threadIdx.x] = 3; }
//: suffix_in_a_dropped_branch
#define LOG(s)
#define NAME "x"
__global__ void run(unsigned *out) { LOG("a"NAME); LOG('a'NAME); LOG(12NAME); out[threadIdx.x] = 3; }
//: suffix_in_an_unused_macro
#define NAME "x"
#define TEXT "a"NAME
__global__ void run(unsigned *out) { out[threadIdx.x] = 3; }
//: suffix_where_nothing_is_compiled
#if 0
const char *text = "a"NAME"b";
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 3; }
//: literals_side_by_side
#define NAME "x"
__device__ int length(const char *s) { int n = 0; while (s[n]) n++; return n; }
__global__ void run(unsigned *out) { out[threadIdx.x] = length("ab" NAME "c" "d\n"); }
//: stringise_and_paste
#define STR(x) #x
#define XSTR(x) STR(x)
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define N 7
__device__ int var7 = 70;
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(STR(N)) + 10 * sizeof(XSTR(N + 1)) + CAT(1, 2) + XCAT(var, N); }
//: variadic
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1)
#define COUNT_(a, b, c, d, n, ...) n
#define FIRST(a, ...) a
__global__ void run(unsigned *out) { out[threadIdx.x] = COUNT(x) + 10 * COUNT(x, y, z) + 100 * FIRST(5, 6); }
//: named_variadic
#define CALL(f, args...) f(args)
__device__ int add(int a, int b) { return a + b; }
__global__ void run(unsigned *out) { out[threadIdx.x] = CALL(add, 3, 4); }
//: comma_before_nothing
#define LIST(a, ...) {a, ##__VA_ARGS__}
__global__ void run(unsigned *out) { int x[] = LIST(1), y[] = LIST(1, 2, 3); out[threadIdx.x] = sizeof(x) + sizeof(y); }
//: va_opt -std=c++20
#define LIST(a, ...) {a __VA_OPT__(,) __VA_ARGS__}
__global__ void run(unsigned *out) { int x[] = LIST(1), y[] = LIST(1, 2, 3); out[threadIdx.x] = sizeof(x) + sizeof(y); }
//: va_opt_before_20
#define LIST(a, ...) {a __VA_OPT__(,) __VA_ARGS__}
__global__ void run(unsigned *out) { int x[] = LIST(1, 2); out[threadIdx.x] = sizeof(x); }
//: empty_arguments
#define PICK(a, b) 1 a + 2 b
__global__ void run(unsigned *out) { out[threadIdx.x] = PICK(, * 3) + PICK(+ 1, ); }
//: recursive_name
#define threads(x) (threads_##x + 1)
#define loop loop + 1
__global__ void run(unsigned *out) { int threads_a = 4, loop_ = 2; int loop = 5; out[threadIdx.x] = threads(a) + loop_ ; }
//: x_macro
#define OPS(X) X(add, +) X(sub, -) X(mul, *)
#define DEFINE(name, op) __device__ int name(int a, int b) { return a op b; }
OPS(DEFINE)
#define CALL(name, op) + name(7, 3)
__global__ void run(unsigned *out) { out[threadIdx.x] = 0 OPS(CALL); }
//: kernel_by_macro
#define KERNEL(name, body) extern "C" __global__ void name(unsigned *out) { body }
KERNEL(other, out[0] = 1;)
KERNEL(run, unsigned t = threadIdx.x; out[t] = t * 2;)
//: kernel_qualifier_by_macro
#define GLOBAL extern "C" __global__ void
#define DEVICE __device__ __forceinline__
DEVICE int f(int v) { return v + 1; }
GLOBAL run(unsigned *out) { out[threadIdx.x] = f(threadIdx.x); }
//: kernel_by_macro_declared_twice -default-device
#define GLOBAL extern "C" __global__ void
#define BODY(name) GLOBAL name(unsigned *out) { out[threadIdx.x] = helper(threadIdx.x); }
#define HEAD(name) GLOBAL name(unsigned *out);
int helper(int v) { return v * 2; }
HEAD(run)
GLOBAL other(unsigned *out);
BODY(run)
GLOBAL other(unsigned *out) { out[0] = helper(1); }
int late(int v) { return helper(v); }
//: conditions
#define A 3
#if A > 2 && !defined(B) && (A * 2 == 6)
#define V 1
#elif defined A
#define V 2
#else
#define V 3
#endif
#ifdef V
#ifndef W
#define W V + 10
#endif
#endif
#undef A
#if A
#error A
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = W; }
//: elifdef -std=c++20
#define A
#if 0
#elif defined(A)
#define V 4
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = V; }
//: arithmetic_in_conditions
#if (1 << 4) != 16 || -1 > 0u == 0 || 'a' != 97 || 7 / 2 != 3 || (2 ? 5 : 6) != 5 || 0x10 != 16
#error arithmetic
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 3; }
//: error_directive
#error stop
__global__ void run(unsigned *out) { out[0] = 1; }
//: warning_directive
#warning careful
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: predefined
#ifndef __CUDACC__
#error CUDACC
#endif
#ifndef __CUDACC_RTC__
#error RTC
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700
#error ARCH
#endif
#if __CUDACC_VER_MAJOR__ < 12 || CUDART_VERSION < 12000
#error VERSION
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = __cplusplus / 100; }
//: not_predefined
#if defined(__GNUC__) || defined(__clang__) || defined(__NVCC__) || defined(_WIN32) || defined(__linux__) || defined(__x86_64__) || defined(__unix__) || defined(__GNUG__)
#error host
#endif
#if defined(NDEBUG) || defined(__STRICT_ANSI__) || defined(_GNU_SOURCE)
#error more
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 2; }
//: exceptions_and_rtti
#ifdef __cpp_exceptions
#define E 1
#else
#define E 0
#endif
#ifdef __cpp_rtti
#define R 2
#else
#define R 0
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = E + R + 4; }
//: feature_macros
#if __cpp_constexpr < 201603 || __cpp_if_constexpr < 201606 || __cpp_fold_expressions < 201603 || __cpp_structured_bindings < 201606 || __cpp_generic_lambdas < 201304 || __cpp_deduction_guides < 201703
#error features
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 2; }
//: arch_macro -arch=compute_80
#if __CUDA_ARCH__ != 800
#error arch
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = __CUDA_ARCH__; }
//: arch_in_a_branch
__device__ int f()
{
#if __CUDA_ARCH__ >= 350
    return 1;
#else
    return 2;
#endif
}
__global__ void run(unsigned *out) { out[threadIdx.x] = f(); }
//: defined_option -DWIDTH=16 -DNAME=value -DFLAG
#ifndef FLAG
#error FLAG
#endif
__device__ int value = 3;
__global__ void run(unsigned *out) { out[threadIdx.x] = WIDTH + NAME + FLAG; }
//: undefined_option -DA=3 -UA
#ifdef A
#error A
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: line_and_file
#line 100 "other.cu"
__device__ int f() { return __LINE__; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f() + sizeof(__FILE__); }
//: function_names
__device__ int f() { return sizeof(__func__) + 10 * sizeof(__FUNCTION__); }
__global__ void run(unsigned *out) { out[threadIdx.x] = f() + __func__[0]; }
//: counter
__global__ void run(unsigned *out) { out[threadIdx.x] = __COUNTER__; }
//: has_include
#if defined(__has_include)
#if __has_include(<no_such_header.h>) || !__has_include(<stdint.h>)
#error include
#endif
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; }
//: has_attribute_and_feature
#if defined(__has_cpp_attribute) && __has_cpp_attribute(nodiscard)
#define A 1
#else
#define A 0
#endif
__global__ void run(unsigned *out) { out[threadIdx.x] = A + 2; }
//: unknown_pragmas
#pragma once
#pragma nothing at all
#pragma GCC diagnostic push
#pragma omp parallel for
__global__ void run(unsigned *out) {
#pragma ivdep
    for (int i = 0; i < 2; i++) out[threadIdx.x] = i + 1; }
//: pragma_unroll
__global__ void run(unsigned *out) { unsigned s = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) s += i;
#pragma unroll 2
    for (int i = 0; i < 5; i++) s += i;
#pragma unroll(3)
    for (int i = 0; i < 6; i++) s += i;
#pragma unroll 1
    while (s < 40) s += 3;
    out[threadIdx.x] = s; }
//: pragma_unroll_of_constants
template <int N> __device__ int f() { int s = 0; const int M = 2 * N;
#pragma unroll N
    for (int i = 0; i < N; i++) s += i;
#pragma unroll (M + 1)
    for (int i = 0; i < M; i++) s += i;
    return s; }
#define UNROLL _Pragma("unroll")
__global__ void run(unsigned *out) { unsigned s = f<4>(); UNROLL for (int i = 0; i < 3; i++) s += i; out[threadIdx.x] = s; }
//: pragma_pack
#pragma pack(push, 1)
struct a { char c; int i; };
#pragma pack(pop)
#pragma pack(2)
struct b { char c; int i; };
#pragma pack()
struct c { char c; int i; };
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(a) + 10 * sizeof(b) + 100 * sizeof(c); }
//: pragma_diagnostics
#pragma nv_diag_suppress 177
#pragma nv_diagnostic push
#pragma nv_diag_default 177
#pragma nv_diagnostic pop
#pragma diag_suppress 177
__global__ void run(unsigned *out) { int unused; out[threadIdx.x] = 1; }
//: continued_lines
#define SUM(a, b) \
    ((a) + \
     (b)) // a comment \
             that goes on
__global__ void run(unsigned *out) { out[threadIdx.x] = SUM(1, 2) /* a
comment */ + 4; // another \
out[threadIdx.x] = 0;
}
//: alternative_tokens
__global__ void run(unsigned *out) <% int a<:2:> = <%1, 2%>; out<:threadIdx.x:> = (a[0] and a[1]) + (a[0] bitor 4) + (not a[0]) + (a[0] xor 3) + (compl 0u bitand 8); %>
//: trigraphs_are_none
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof("??="); }
//: raw_strings
__global__ void run(unsigned *out) { out[threadIdx.x] = sizeof(R"(a"b\n)") + sizeof(R"x()")x") + sizeof(u8"ab") + sizeof(L"ab") + sizeof(u"ab") + sizeof(U"ab"); }
//: escapes
__global__ void run(unsigned *out) { const char *s = "\x41\102\t\0z\u0041"; out[threadIdx.x] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + '\'' + '\\' + '\a'; }
//: undefined_macro_call
__global__ void run(unsigned *out) { out[0] = UNKNOWN(3); }
//: too_few_arguments
#define TWO(a, b) a + b
__global__ void run(unsigned *out) { out[0] = TWO(1); }
//: too_many_arguments
#define TWO(a, b) a + b
__global__ void run(unsigned *out) { out[0] = TWO(1, 2, 3); }
//: missing_endif
#if 1
__global__ void run(unsigned *out) { out[0] = 1; }
//: redefined_macro
#define N 3
#define N 4
__global__ void run(unsigned *out) { out[threadIdx.x] = N; }
//: macro_named_as_keyword
#define inline
#define restrict __restrict__
inline __device__ int f(const int *restrict p) { return *p; }
__global__ void run(unsigned *out) { int v = 4; out[threadIdx.x] = f(&v); }
//: min_and_max_macros
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
__global__ void run(unsigned *out) { out[threadIdx.x] = MIN(threadIdx.x, 7u) + max(threadIdx.x, 20u); }
//: commented_asm
__global__ void run(unsigned *out) { asm volatile("// marker"); asm("/* a */"); asm volatile("" ::: "memory"); asm("// a\n\t// b\n"); out[threadIdx.x] = 5; }
//: asm_exit
__global__ void run(unsigned *out) { out[threadIdx.x] = 5; if (threadIdx.x > 3) asm("exit;"); out[threadIdx.x] = 6; }
//: asm_exit_of_all
__global__ void run(unsigned *out) { out[threadIdx.x] = 5; asm volatile("exit;" ::: "memory"); }
//: asm_trap_not_reached
__global__ void run(unsigned *out) { if (out[threadIdx.x] == 99) asm("trap;"); out[threadIdx.x] = 6; }
//: asm_fences_and_barrier
__global__ void run(unsigned *out) { __shared__ unsigned s[32]; s[threadIdx.x] = threadIdx.x; asm volatile("membar.gl;"); asm volatile("bar.sync 0;" ::: "memory"); asm volatile("// a\n\tmembar.cta; membar.sys;"); out[threadIdx.x] = s[31 - threadIdx.x]; }
//: asm_hiding_a_value
__global__ void run(unsigned *out) { int a = threadIdx.x; float f = 2; asm volatile("" : "+r"(a)); asm("// hidden" : "+f"(f)); out[threadIdx.x] = a * (int)f; }
//: attribute_macros
__location__(device) int a;
__annotate__(device) int b;
struct __device_builtin__ S { unsigned x; };
__device__ __no_return__ void leave() { __trap(); }
__device__ int f(int x) { return x + 1; }
__global__ void run(unsigned *out)
{
    if (threadIdx.x > 0) { return; }
    a = 3;
    b = 4;
    S s = {5};
    if (out == nullptr) { leave(); }
    out[0] = a + b + s.x + f(6);
}
//: builtin_types_are_marked
typedef __device_builtin_texture_type__ unsigned long long T;
typedef __device_builtin_surface_type__ unsigned long long U;
struct __cudart_builtin__ V { int x; };
__global__ void run(unsigned *out) { out[0] = sizeof(T) + sizeof(U) + sizeof(V); }
