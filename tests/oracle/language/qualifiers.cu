// Qualifiers and attributes in every order, execution spaces, names.

//: dd_proto --device-as-default-execution-space
int f(int a) { return a + 1; }
template <class T> __global__ void g(T *out);
template <class T> __global__ void g(T *out) { out[0] = f(2); }
template __global__ void g<float>(float *);
__global__ void run(unsigned *out);
__global__ void run(unsigned *out) { out[0] = f(2); }
__global__ void run(unsigned *out);
//: dd_bounds --device-as-default-execution-space
extern "C" __global__ void __launch_bounds__(64) k(int *o);
extern "C" __launch_bounds__(64) __global__ void k(int *o) { o[0] = 4; }
//: dd_ns -default-device
namespace a { namespace b { __global__ void g(int *o); } }
__global__ void a::b::g(int *o) { o[0] = 1; }
//: dd_hd -default-device
struct A { int f() const; static int g(); template <class T> T h(T); };
int A::f() const { return 1; } int A::g() { return 2; } template <class T> T A::h(T t) { return t; }
__global__ void run(unsigned *out) { A a; out[0] = a.f() + A::g() + a.h(3); }
//: dd_var -default-device
int x = 3; static int y = 4; const int z = 5;
__global__ void run(unsigned *out) { out[0] = x + y + z; }
//: alignas1
__global__ void run(unsigned *out) { __shared__ alignas(16) float s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas2
__global__ void run(unsigned *out) { alignas(16) __shared__ float s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas3
__global__ void run(unsigned *out) { __shared__ float alignas(16) s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas4
__global__ void run(unsigned *out) { __shared__ float s alignas(16) [32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas5
__global__ void run(unsigned *out) { __shared__ __align__(16) float s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas6
__global__ void run(unsigned *out) { __align__(16) __shared__ float s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas7
__global__ void run(unsigned *out) { float __shared__ __align__(16) s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas8
__global__ void run(unsigned *out) { float __align__(16) __shared__ s[32]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas9
__global__ void run(unsigned *out) { extern __shared__ alignas(16) float s[]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas10
__global__ void run(unsigned *out) { extern alignas(16) __shared__ float s[]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas11
__global__ void run(unsigned *out) { alignas(16) extern __shared__ float s[]; s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas12
extern __shared__ alignas(16) float s[];
__global__ void run(unsigned *out) { s[threadIdx.x] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15); }
//: alignas13
__device__ alignas(16) float s[4]; __constant__ alignas(8) int c[4] = {1,2,3,4}; __device__ __align__(16) int q = 2;
__global__ void run(unsigned *out) { s[0] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15) + c[0] + q; }
//: alignas14
alignas(16) __device__ float s[4]; alignas(8) __constant__ int c[4] = {1,2,3,4};  int __align__(16) __device__ q = 2;
__global__ void run(unsigned *out) { s[0] = 1; out[threadIdx.x] = 1 + ((size_t)s & 15) + c[0] + q; }
//: alignas15
struct alignas(16) A { float x; }; struct __align__(16) B { float x; }; struct C { __align__(8) float x; alignas(16) int y; };
typedef struct __align__(8) { int a; } D; typedef struct { int a; } E; struct F { int a; };
__global__ void run(unsigned *out) { out[0] = sizeof(A); out[1] = sizeof(B); out[2] = sizeof(C); out[3] = sizeof(D); out[4] = sizeof(E); out[5] = sizeof(F); }
//: alignas16
__global__ void run(unsigned *out) { static __shared__ alignas(32) double s[4]; __shared__ static alignas(8) int u; volatile __shared__ alignas(16) float v[3]; s[0] = 1; u = 1; v[0] = 2; out[0] = 1 + ((size_t)s & 31) + u; }
//: alignas17
__global__ void run(unsigned *out) { __shared__ alignas(float4) char s[64]; __shared__ alignas(16) alignas(8) char u[16]; s[0] = 1; u[0] = 2; out[0] = 1 + ((size_t)s & 15); }
//: alignas18
struct S { char x; }; typedef float4 alias; enum color { red }; namespace ns { using type = unsigned; } template <class T> struct same { using type = T; };
__global__ void run(unsigned *out) { __shared__ char p; __shared__ alignas(64) float4 a; __shared__ alignas(64) S b, c; __shared__ alignas(64) alias d[3]; __shared__ alignas(64) color e; __shared__ alignas(64) ns::type f; __shared__ alignas(64) same<S>::type g; __shared__ alignas(64) decltype(p) h; __shared__ alignas(16) alignas(float4) int2 i; p = a.x = b.x = c.x = d[0].x = f = g.x = h = i.x = 1; e = red; out[0] = 1 + (((size_t)&a | (size_t)&b | (size_t)&c | (size_t)d | (size_t)&e | (size_t)&f | (size_t)&g | (size_t)&h) & 63) + ((size_t)&i & 15); }
//: alignas19
template <class T> struct same { using type = T; };
template <class T> __device__ unsigned f() { __shared__ char p; __shared__ alignas(64) T a[3]; __shared__ alignas(64) typename same<T>::type b; __shared__ alignas(T) char c; p = c = 1; a[0] = T(); b = T(); return 1 + (((size_t)a | (size_t)&b) & 63) + ((size_t)&c & (alignof(T) - 1)); }
__global__ void run(unsigned *out) { out[0] = f<short>(); out[1] = f<float4>(); }
//: alignas20
struct S { char x; __device__ S() : x(3) {} };
__global__ void run(unsigned *out) { __shared__ char p; __shared__ alignas(64) S a; __shared__ __align__(64) S b[3]; alignas(64) __shared__ S c; p = a.x = b[0].x = c.x = 1; out[0] = 1 + (((size_t)&a | (size_t)b | (size_t)&c) & 63); }
//: alignas21
__global__ void run(unsigned *out) { __shared__ float4 alignas(16) a; a.x = 1; out[0] = a.x; }
//: alignas22
struct S { char x; }; extern __shared__ alignas(16) S a[];
__global__ void run(unsigned *out) { a[0].x = 1; out[0] = a[0].x; }
//: alignas23
struct S { char x; };
__global__ void run(unsigned *out) { static __shared__ alignas(16) S a; a.x = 1; out[0] = a.x; }
//: attr_gnu
__global__ void run(unsigned *out) { __shared__ __attribute__((aligned(16))) float s[4]; float __attribute__((aligned(16))) t[4]; s[0] = 1; t[0] = 2; out[0] = 1 + ((size_t)s & 15); }
//: attr_fn
__forceinline__ __device__ int f1() { return 1; } inline __device__ __forceinline__ int f2() { return 1; } static __forceinline__ __device__ int f3() { return 1; }
int __device__ __forceinline__ f4() { return 1; } __device__ int __forceinline__ f5() { return 1; } __noinline__ __device__ int f6() { return 1; } __device__ __noinline__ static int f7() { return 1; }
template <class T> __device__ __forceinline__ T f8(T t) { return t; } template <class T> T __device__ f9(T t) { return t; } [[nodiscard]] __device__ int f10() { return 1; } __device__ [[nodiscard]] int f11() { return 1; }
__global__ void run(unsigned *out) { out[0] = f1() + f2() + f3() + f4() + f5() + f6() + f7() + f8(1) + f9(1) + f10() + f11(); }
//: attr_kernel
extern "C" void __global__ k1(int *out) { } extern "C" __launch_bounds__(32, 2) __global__ void k2(int *out) { } extern "C" __global__ __launch_bounds__(32) void k3(int *out) { } extern "C" __global__ void __launch_bounds__(32) k4(int *out) { } extern "C" void __launch_bounds__(32) __global__ k5(int *out) {}
static __global__ void k6(int *) {} __global__ static void k7(int *) {} inline __global__ void k8(int *) {}
__global__ void run(unsigned *out) { out[0] = 1; }
//: attr_kernel2
__global__ [[noreturn]] void k1(int *o) { __trap(); } 
//: attr_kernel3
__global__ __forceinline__ void k1(int *o) { o[0] = 1; }
//: attr_kernel4
__global__ __noinline__ void k1(int *o) { o[0] = 1; }
//: macro_suffix
#define N "%d"
#define P(...)
__global__ void run(unsigned *out) { P("n ("N"):\n"); out[0] = 1; }
//: macro_suffix2
#define P(...) printf(__VA_ARGS__)
#define N "%d"
__global__ void run(unsigned *out) { if (out[0] == 77) P("n ("N"):\n", 3); out[0] = 1; }
//: macro_suffix3
#define N "%d"
__global__ void run(unsigned *out) { if (out[0] == 77) printf("n "N"\n", 3); out[0] = 1; }
//: const_assign
__constant__ int c = 1;
__global__ void run(unsigned *out) { c = 2; out[0] = c; }
//: const_assign2
__constant__ int c;
__device__ void f() { c += 2; }
//: const_assign3
__constant__ float c;
__global__ void f() { c++; }
//: const_assign4
__constant__ float c[3];
__global__ void f() { c[1] = 2; }
//: const_assign5
struct S { int a; }; __constant__ S c;
__global__ void f() { c.a = 2; }
//: const_assign6
struct S { int a; }; __constant__ S c;
__global__ void f(S s) { c = s; }
//: const_assign7
__constant__ float *p;
__global__ void f(float *q) { p = q; }
//: const_assign8
__constant__ float *p;
__global__ void f(float *q) { p[0] = 1; *p = 2; }
//: const_assign9
__constant__ int c;
__global__ void f(float *q) { int *p = &c; *p = 2; int &r = c; r = 3; }
//: const_assign10
__constant__ int c;
__global__ void f(float *q) { atomicAdd(&c, 1); }
//: const_assign11
enum E { A, B }; __constant__ E c;
__global__ void f(float *q) { c = B; }
//: const_assign12
__constant__ bool c;
template <class T> __global__ void f(T *q) { c = true; }
template __global__ void f<int>(int *);
//: const_assign13
__constant__ bool c;
template <class T> __global__ void f(T *q) { c = true; }
//: const_assign14
__constant__ float4 c;
__global__ void f(float4 *q) { c = q[0]; c.x = 1; }
//: const_assign15
namespace a { __constant__ int c; } using namespace a;
__global__ void f(int *q) { a::c = 3; }
//: const_assign16
__constant__ int c;
__global__ void f(int *q) { (c) = 3; }
//: const_assign17
__constant__ int c;
__global__ void f(int *q) { --c; }
//: const_assign18
__constant__ long long c;
__global__ void f(int *q) { auto g = [&] { c = 3; }; g(); }
//: const_assign19
struct S { static __constant__ int c; }; __constant__ int S::c = 2;
__global__ void f(int *q) { S::c = 3; }
//: const_assign20
__constant__ int c;
__device__ void g(int &x) { x = 2; }
__global__ void f(int *q) { g(c); }
//: const_assign21
__constant__ int (*fp)(int);
__constant__ const int *cp;
__global__ void f(int *q) { cp = q; }
//: const_assign22
__constant__ volatile int c;
__global__ void f(int *q) { c = 2; }
//: const_assign23
__constant__ int c;
__global__ void f(int *q) { q[0] = c = 2; }
//: const_assign24
__constant__ int c;
__device__ int h() { return c <<= 1; }
//: asm1
__global__ void run(unsigned *out) { asm volatile("// marker"); asm("/* c */"); asm volatile(""); asm volatile("" ::: "memory"); asm("// marker\n"); out[0] = 1; }
//: asm2
__global__ void run(unsigned *out) { out[0] = 1; asm("exit;"); }
//: asm3
__global__ void run(unsigned *out) { out[threadIdx.x] = 1; if (out[threadIdx.x] == 2) asm volatile("trap;"); }
//: asm4
__global__ void run(unsigned *out) { int a = 3; asm volatile("" : "+r"(a)); out[0] = a; asm volatile("exit;" ::: "memory"); }
//: asm5
__global__ void run(unsigned *out) { int a = 3; asm volatile("" :: "r"(a) : "memory"); float f = 2; asm("" : "+f"(f)); out[0] = a + f; asm volatile("bar.sync 0;"); __asm__ __volatile__("membar.gl;"); asm("{exit;}"); }
//: auto_t
__global__ void run(unsigned *out) { auto t = threadIdx; t.x += 1; out[t.x] = t.x; }
//: auto_b
__global__ void run(unsigned *out) { auto [x, y, z] = threadIdx; auto t = blockDim; t.x *= 2; out[x] = x + y + z + 1 + t.x; }
//: auto_c
__global__ void run(unsigned *out) { const auto &t = threadIdx; auto g = gridDim; auto b = blockIdx; b.x = 3; uint3 u = threadIdx; dim3 d = blockDim; dim3 e = threadIdx; u = blockIdx; d = blockIdx; out[t.x] = t.x + 1 + 16 * (b.x + g.x) + 256 * (u.x + d.x + e.x); }
//: auto_d
__device__ int f(uint3 t) { return t.x; } __device__ int f(dim3 t) { return 100 * t.x; }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(threadIdx) + f(blockDim); }
//: auto_e
template <class T> __device__ int f(T t) { return t.x + sizeof(T); }
__global__ void run(unsigned *out) { out[threadIdx.x] = f(threadIdx) + f(blockDim) + sizeof(threadIdx) + sizeof(decltype(blockIdx)); }
//: auto_f
__device__ int f(const uint3 &t) { return t.x; }
__device__ int g(const unsigned int &t) { return t; }
__global__ void run(unsigned *out) { const unsigned &x = threadIdx.x; out[x] = 1 + f(threadIdx) + g(threadIdx.x); const unsigned *p = &threadIdx.x; out[x] += *p; }
//: auto_g
__global__ void run(unsigned *out) { auto x = threadIdx.x; static_assert(sizeof(x) == 4, ""); decltype(threadIdx.x) y = 2; out[x] = y; auto l = [=] { return threadIdx.x; }; out[x] += l(); auto m = [i = threadIdx.x] { return i; }; out[x] += m(); }
//: auto_h
__global__ void run(unsigned *out) { threadIdx.x = 3; }
//: auto_i
__global__ void run(unsigned *out) { unsigned &x = threadIdx.x; }
//: def_nodev
__device__ int f(int);
int f(int a) { return a + 1; }
__global__ void run(unsigned *out) { out[0] = f(2); }
//: def_nodev2
template <class T> __device__ T f(T a) { return a; }
template <> int f<int>(int a) { return a + 5; }
__global__ void run(unsigned *out) { out[0] = f(2); }
//: def_nodev3
struct A { __device__ int f(); }; int A::f() { return 2; }
__global__ void run(unsigned *out) { A a; out[0] = a.f(); }
//: def_nodev4
namespace n { __device__ int f(int); } int n::f(int a) { return a + 1; }
__global__ void run(unsigned *out) { out[0] = n::f(2); }
//: valist
#include <stdarg.h>
__device__ int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; for (int i = 0; i < n; i++) s += va_arg(a, int); va_end(a); return s; }
__global__ void run(unsigned *out) { out[0] = sum(3, 1, 2, 3); }
//: newalign
struct alignas(64) A { int a[16]; };
__global__ void run(unsigned *out) { A *a = new A; a->a[3] = 4; out[0] = a->a[3] + ((size_t)a & 63); delete a; }
//: macro_shared
struct A { int x; __device__ A() : x(3) {} };
#define SH(T, n) __shared__ T n
__global__ void run(unsigned *out) { SH(A, a); __syncthreads(); if (threadIdx.x) return; a.x = 2; out[0] = a.x; }
//: powfi
__global__ void run(unsigned *out) { out[0] = sizeof(pow(2.f, 3)); out[1] = sizeof(pow(2, 3.f)); out[2] = sizeof(pow(2, 3)); out[3] = sizeof(pow(2.f, 3.)); }
//: jumpconst
__global__ void run(unsigned *out) { if (threadIdx.x != 5) return; switch (out[0]) { case 0: const int a = threadIdx.x; out[1] = a; break; case 1: out[0] = 1; break; default: out[0] = 2; } out[5] = 1; }
//: jumpconst2
__global__ void run(unsigned *out) { if (threadIdx.x) return; if (out[0]) goto end; const int a = out[1] + 2; out[1] = a; end: out[5] = 1; }
//: sh_warpsize
__global__ void run(unsigned *out) { __shared__ float s[warpSize]; s[threadIdx.x] = 1; out[0] = s[0]; }
//: alloca
__global__ void run(unsigned *out) { int *p = (int *)alloca(16); p[0] = 2; out[0] = p[0]; }
//: memmove
__global__ void run(unsigned *out) { int a[4] = {1,2,3,4}; memmove(a, a + 1, 8); out[0] = a[0]; }
//: ldg3
__global__ void run(unsigned *out) { int3 a = __ldg((int3 *)out); out[0] = a.x + 1; }
//: kernel_cname
__global__ void sin(float *o) { o[0] = 1; }
//: kernel_cname2
extern "C" __global__ void sum(float *o) { } extern "C" __global__ void copy(float *o) { } extern "C" __global__ void exp(float *o) { o[0] = expf(1.f); }
//: kernel_cname3
extern "C" __global__ void read(float *o) { } extern "C" __global__ void write(float *o) { } extern "C" __global__ void index(float *o) { } extern "C" __global__ void memcpy(float *o) { }
//: kernel_cname4
extern "C" __global__ void add(float *o) { } extern "C" __global__ void round(float *o) { } extern "C" __global__ void main(float *o) { } extern "C" __global__ void printf(float *o) { }
//: kernel_cname5
extern "C" __global__ void pow(float *o) { o[0] = powf(2, 3); } extern "C" __global__ void strlen(float *o) {} extern "C" __global__ void abs(float *o) { } extern "C" __global__ void max(float *o) { }
//: kernel_cname6
extern "C" __global__ void sqrt(float *o, int n) { o[0] = sqrtf(n); } extern "C" __global__ void free(float *o) {} extern "C" __global__ void rand(float *o) { } extern "C" __global__ void time(float *o) { } extern "C" __global__ void random(float *o) { } extern "C" __global__ void clock(float *o) {}
//: attribute_twice --device-as-default-execution-space
__attribute__((global)) void k(int *p);
int f() { return 3; }
__attribute__((global)) void k(int *p) { *p = f(); }
__global__ void run(unsigned *out) { out[0] = f(); }
//: attribute_words_twice --device-as-default-execution-space
#define KERNEL extern "C" __attribute__((global)) void
KERNEL k(int *p);
KERNEL k(int *p) { *p = 1; }
__attribute__((global)) void a(int *), b(int *);
__attribute__((global)) void a(int *p) { *p = 1; }
namespace n { __attribute__((global)) void k(int *); }
__attribute__((global)) void n::k(int *p) { *p = 1; }
int x = 4;
__global__ void run(unsigned *out) { out[0] = x; }
//: attribute_of_an_instance --device-as-default-execution-space
template <class T> __attribute__((global)) void k(T *p) { *p = 1; }
template __attribute__((global)) void k<int>(int *);
template <> __attribute__((global)) void k<char>(char *p);
int g() { return 5; }
__global__ void run(unsigned *out) { out[0] = g(); }
//: attribute_twice_in_one --device-as-default-execution-space
__attribute__((global)) __attribute__((global)) void k(int *p);
__attribute__((global)) void __attribute__((global)) k(int *p) { *p = 1; }
__global__ void run(unsigned *out) { out[0] = 6; }
